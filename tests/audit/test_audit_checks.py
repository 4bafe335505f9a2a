"""An audit finds planted cues and the defects of published designs, and leaves fair benchmarks alone."""

import json
import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from scipy.stats import binom

from chronotope.audit.auditing import audit
from chronotope.audit.cues import by_text
from chronotope.audit.findings import FALSE_ALARMS, Scope, holm
from chronotope.audit.learned import usual
from chronotope.audit.trials import Asked, guessed, scopes_of
from chronotope.audit.wording import CHECKS, finding, say, say_undecided
from chronotope.question import Option, Question
from commands import command, refused
from fair_sets import fair_questions, renamed, written


def verdicts(found):
    return {one.check: one.verdict for one in found.findings}


def longest(texts):
    return max(range(len(texts)), key=lambda place: len(texts[place]))


def largest(texts):
    values = [float(text[:-1]) if text[0].isdigit() else -len(text) for text in texts]
    return int(np.argmax(values))


def first_letter(texts):
    return 0


def favourite(texts):
    """The alphabetically first word: usual answers, which only a look at many clips reveals."""
    return texts.index(min(texts))


@pytest.mark.parametrize("strength", [0.5, 0.8])
@pytest.mark.parametrize(
    ("plant", "check"),
    [(longest, "length"), (largest, "rank"), (first_letter, "letter"), (favourite, "template")],
)
def test_a_planted_cue_is_found_and_named(tmp_path: Path, plant, check: str, strength: float) -> None:
    questions = fair_questions(5, plant=plant, strength=strength)
    found = next(one for one in audit(written(tmp_path / "bench", questions)).findings if one.check == check)
    assert found.verdict == "defect" and found.items and "%" in found.said
    by_id = {one.id: one for one in questions}
    hits = [plant([option.text for option in by_id[name].options]) in by_id[name].answer for name in found.items]
    assert np.mean(hits) > 0.4


def test_answers_in_ids_and_repeated_questions_are_found(tmp_path: Path) -> None:
    questions = renamed(fair_questions(6), lambda one: f"{one.id}_{'ABCDE'[one.answer[0]]}")
    again = [replace(one, id=f"again-{number}") for number, one in enumerate(questions[:20])]
    found = verdicts(audit(written(tmp_path / "bench", [*questions, *again])))
    assert found["names"] == "defect" and found["duplicates"] == "defect"


def test_options_of_other_questions_of_the_clip_are_found(tmp_path: Path) -> None:
    questions = fair_questions(8)
    shown = [
        replace(
            one,
            options=tuple(
                Option(f"the {one.cluster} thing" if place in one.answer else option.text)
                for place, option in enumerate(one.options)
            ),
        )
        for one in questions
    ]
    assert verdicts(audit(written(tmp_path / "bench", shown)))["others"] == "defect"


def alarms(folder: Path, seeds: range) -> int:
    count = 0
    for seed in seeds:
        found = audit(written(folder / str(seed), fair_questions(1000 + seed, clusters=20)))
        count += any(one.verdict in ("slight", "defect") for one in found.findings)
    return count


@pytest.mark.parametrize("number", [20, pytest.param(200, marks=pytest.mark.complete)])
def test_fair_sets_pass_at_the_stated_rate(tmp_path: Path, number: int) -> None:
    assert binom.sf(alarms(tmp_path, range(number)) - 1, number, FALSE_ALARMS) > 0.01


RANKS = [f"rank:{name}" for name in ("smallest", "second-smallest", "middle", "second-largest", "largest")]


def test_a_rank_that_all_questions_of_a_clip_share_is_no_find() -> None:
    """A rank that few clips draw is right equally rarely in them: the others tell how much a clip's questions share."""
    alarmed, number = 0, 60
    for seed in range(number):
        ranks, questions = np.random.default_rng(seed).integers(5, size=30), []
        for one in fair_questions(seed, clusters=30)[::2]:
            order = np.argsort([float((option.text or "")[:-1]) for option in one.options])
            questions.append(replace(one, answer=(int(order[ranks[int(one.cluster[1:])]]),)))
        asked = Asked.of(questions)
        chosen = by_text(asked)
        guesses = [guessed(asked, chosen[rule]) for rule in RANKS]
        tested = holm([scopes_of(asked, one, guesses) for one in guesses])
        assert all(len(scopes) == 1 for scopes in tested)
        alarmed += any(scopes[0].significant for scopes in tested)
    assert binom.sf(alarmed - 1, number, FALSE_ALARMS) > 0.01, alarmed


def test_each_rank_of_numbers_is_found(tmp_path: Path) -> None:
    """The second smallest of five numbers is correct in half of the questions, and a large difference is told first."""
    bench = written(tmp_path / "bench", fair_questions(31, plant=lambda texts: ranked(texts, 1), strength=0.5))
    found = audit(bench).in_order()[0]
    assert found.check == "rank" and found.verdict == "defect" and "The second smallest number is" in found.said
    few = written(tmp_path / "few", fair_questions(32, 8, plant=lambda texts: ranked(texts, -2), strength=0.25))
    found = next(one for one in audit(few).in_order() if one.verdict == "undecided")
    assert found.check == "rank" and "With all tasks" not in found.said, found.said
    assert re.match(r"The second largest number is correct in \d+ % of 32 questions; by chance, 20 %. S", found.said)


def test_a_rule_below_chance_is_told_in_words_and_lists_no_questions(tmp_path: Path) -> None:
    """The largest of five numbers is never correct, and the other four are as often as each other."""
    drawn = np.random.default_rng(4)
    questions = fair_questions(33, 60, plant=lambda texts: ranked(texts, int(drawn.integers(4))), strength=1.0)
    found = next(
        one for one in audit(written(tmp_path / "bench", questions), clips=False).findings if one.check == "rank"
    )
    assert found.verdict == "defect" and not found.items
    assert re.match(r"The largest number is correct in 0 % of \d+ questions; by chance, 20 %. So this", found.said)


def test_a_difference_over_all_tasks_is_told_before_those_of_single_tasks() -> None:
    few = Scope("rank:largest / speed", 78, 3, 0.49, 0.2, None, None, 1e-9, 0.04, 1e-8)
    every = Scope("rank:smallest / all", 2064, 9, 0.06, 0.2, 0.05, 0.07, 1e-4, 0.01, 0.01)
    assert say("rank", [few, every]).startswith(
        "The smallest number is correct in 6 % of 2,064 questions; by chance, 2"
    )
    assert say("rank", [few]).startswith("The largest number is correct in 49 % of 78 questions of the task speed;")


def test_the_least_likely_differences_on_both_sides_of_chance_are_told() -> None:
    """As in a set of 709 questions: less often than by chance can be less likely than a larger difference above it."""
    scopes = tuple(
        Scope(f"rank:{name} / all", 709, 16, value, 0.2, None, None, p, 0.07)
        for name, value, p in (("middle", 0.36, 0.075), ("second-smallest", 0.07, 0.068), ("largest", 0.29, 0.15))
    )
    found = finding("rank", "undecided", "", scopes=scopes, needed=196)
    share = "The second smallest number is correct in 7 % of 709 questions; by chance, 20 %. "
    above = " Most clearly above chance: the number in the middle, 36 % of 709 questions"
    said = say_undecided(found, 16, "clip", 3, 973)
    assert said == (
        f"{share}16 clips cannot tell this from luck (p = 0.068, and 1 corrected for 3 tests): more are needed."
        f"{above} (p = 0.075)."
    )
    one = replace(scopes[1], clusters=1, p=0.004)
    said = say_undecided(replace(found, scopes=(one,)), 1, "scene", 1, 973)
    assert said == f"{share}Suspicious, but not proven with 1 scene (p = 0.004): at least 6 scenes are needed."
    said = say_undecided(replace(found, needed=None, scopes=scopes[:1]), 16, "clip", 1, 40_000)
    assert said.endswith(
        "16 clips cannot tell this from luck (p = 0.075). This check applies to only 709 of 40,000 questions: too few "
        "to decide; you can ignore it."
    )
    known = [replace(one, adjusted=0.01) for one in scopes]
    assert say("rank", known).endswith(
        f"can be excluded.{above}. 1 other test of this check differs significantly, too."
    )


def test_rules_on_few_clips_are_tested_only_if_there_are_no_more(tmp_path: Path) -> None:
    """Commas are in the options of five clips alone: of eight, or of all."""
    made = [one for one in fair_questions(41, clusters=8) if one.task == "order"]
    marked = [
        replace(one, options=(Option("it, is"), *one.options[1:])) if int(one.cluster[1:]) < 5 else one
        for one in [*made, *(replace(one, id=f"{one.id}-again", stem=f"{one.stem} Or later?") for one in made)]
    ]
    found = {one.check: one for one in audit(written(tmp_path / "eight", marked), clips=False).findings}
    assert found["punctuation"].verdict == "undecided" and not found["punctuation"].scopes
    assert "apply to 40 of 64 questions, about 5 clips, too few to decide: at least 6" in found["punctuation"].said
    five = [one for one in marked if int(one.cluster[1:]) < 5]
    found = {one.check: one for one in audit(written(tmp_path / "five", five), clips=False).findings}
    assert found["punctuation"].scopes and "5 clips" in found["punctuation"].said
    assert "at least 6 clips are needed" in found["punctuation"].said


def ranked(texts, place):
    values = [float(text[:-1]) if text[0].isdigit() else len(text) for text in texts]
    return int(np.argsort(values, kind="stable")[place])


def test_a_small_set_is_undecided_and_says_how_many_clips_it_needs(tmp_path: Path) -> None:
    written(tmp_path / "few", fair_questions(21, clusters=7))
    told = command("audit", tmp_path / "few", "--gate", "--json")
    said = json.loads(told.out)
    letter = next(one for one in said["findings"] if one["check"] == "letter")
    assert told.code == 0 and said["passed"] and "letter" in said["undecided"]
    assert letter["verdict"] == "undecided" and letter["needed"] > 7
    needed = f"about {letter['needed']} are needed to notice 10 points."
    assert f"7 clips are too few to decide, {needed}" in letter["said"]
    shown = command("audit", tmp_path / "few", "--gate", "--out", tmp_path / "page")
    assert shown.code == 0 and "undecided  Positions of the answers" in shown.out
    assert "undecided: No significant difference, but" in shown.err + shown.out
    assert "--gate lets pass what is undecided" in shown.err + shown.out
    undecided, made = len(said["undecided"]), sum(one["verdict"] != "not tested" for one in said["findings"])
    heading = f"No defect found, but {undecided} of {made} checks are undecided: tested on too few clips or questions ("
    page = (tmp_path / "page" / "index.html").read_text()
    assert 'class="finding undecided" id="letter"' in page and heading in page and heading in shown.out
    # As many as it asks for decide.
    many = audit(written(tmp_path / "many", fair_questions(21, clusters=letter["needed"] + 20)), clips=False)
    assert verdicts(many)["letter"] == "pass"


def test_a_rule_that_applies_to_one_task_is_tested_once(tmp_path: Path) -> None:
    questions = fair_questions(23, clusters=20)
    found = {one.check: one for one in audit(written(tmp_path / "bench", questions), clips=False).findings}
    assert {one.name for one in found["rank"].scopes if "rank:largest" in one.name} == {"rank:largest / all"}
    named = {one.name for one in found["letter"].scopes if "letter:A" in one.name}
    assert named == {"letter:A / all", "letter:A / distance", "letter:A / order"}


def test_rules_that_apply_to_few_questions_decide_nothing(tmp_path: Path) -> None:
    fair = fair_questions(22, clusters=20)
    marked = [
        replace(one, options=(Option("it, is"), *one.options[1:])) if number < 12 else one
        for number, one in enumerate(fair)
    ]
    found = {one.check: one for one in audit(written(tmp_path / "bench", marked), clips=False).findings}
    assert found["picture"].verdict == "not tested" and found["names"].verdict == "pass"
    plain = [one for one in marked if one.task == "order"]  # without the points of numbers
    found = {one.check: one for one in audit(written(tmp_path / "plain", plain), clips=False).findings}
    assert found["punctuation"].verdict == "undecided" and "apply to 6 of 80 questions" in found["punctuation"].said


def test_clips_that_guess_each_other_are_not_taken_for_independent() -> None:
    """In sets of two clips for each of twelve kinds, equal answers make both clips right."""
    alarms = 0
    for seed in range(100):
        draw = np.random.default_rng(seed)
        questions = tuple(
            Question(f"{kind}-{clip}-{number}", "sti", f"kind {kind}", f"{kind}-{clip}", f"Which {kind} {number}?",
                     (Option(f"left {number}"), Option(f"right {number}")), (int(draw.integers(2)),))
            for kind in range(12) for clip in range(2) for number in range(6)
        )  # fmt: skip
        asked = Asked.of(questions)
        alarms += scopes_of(asked, usual(asked, [one.task for one in questions], seed))[0].p < 0.05
    assert binom.sf(alarms - 1, 100, 0.05) > 0.01


def test_answers_that_are_balanced_over_clips_are_no_finding(tmp_path: Path) -> None:
    """In the other clips, the other answer is more usual: who learned from them is always wrong."""
    questions = [
        Question(f"{clip}-{number}", "sti", "way", f"c{clip}", f"Which way is number {number}?",
                 (Option("to the left"), Option("to the right")), ((clip // 2 + clip * number) % 2,))
        for clip in range(40) for number in range(8)
    ]  # fmt: skip
    found = {one.check: one for one in audit(written(tmp_path / "bench", questions), clips=False).findings}
    for check in ("template", "classifier"):
        assert found[check].verdict in ("pass", "undecided") and found[check].scopes[0].excess < 0


def test_the_docs_have_each_check_by_its_name() -> None:
    text = (Path(__file__).parents[2] / "docs" / "trust.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| ([^|]+) \| `(\w+)` \|", text, re.MULTILINE)
    assert rows == [(of.name, check) for check, of in CHECKS.items()]


def test_a_fix_removes_the_defect_and_keeps_most_questions(tmp_path: Path) -> None:
    written(tmp_path / "bench", fair_questions(9, plant=longest, strength=0.3))
    told = command("audit", tmp_path / "bench", "--gate", "--json", "--fix", tmp_path / "fixed")
    said = json.loads(told.out)
    assert told.code == 1 and not said["passed"]
    again = command("audit", tmp_path / "fixed", "--gate", "--json")
    assert again.code == 0 and json.loads(again.out)["passed"], again.out
    # At most 30 % of the questions got the longest option for an answer, of which a fifth had it anyway.
    assert said["fixed"]["after"] >= 0.7 * said["fixed"]["before"]
    assert f"{said['fixed']['after']} of 320" in said["fixed"]["said"][0]


def test_positions_are_repaired_without_losing_questions(tmp_path: Path) -> None:
    written(tmp_path / "bench", fair_questions(10, plant=first_letter, strength=0.9))
    told = command("audit", tmp_path / "bench", "--json", "--fix", tmp_path / "fixed")
    fixed = json.loads(told.out)["fixed"]
    assert fixed["shuffled"] == 320 and fixed["after"] >= 310
    found = audit(written(tmp_path / "copy", list(_questions(tmp_path / "fixed"))))
    assert verdicts(found)["letter"] in ("pass", "undecided")


def _questions(folder: Path):
    from chronotope.question import open_benchmark

    return open_benchmark(folder).questions


def test_a_page_lists_findings_and_bad_folders_get_a_sentence(tmp_path: Path) -> None:
    written(tmp_path / "bench", fair_questions(11, clusters=10, plant=longest, strength=0.8))
    assert command("audit", tmp_path / "bench", "--out", tmp_path / "page").code == 0
    page = (tmp_path / "page" / "index.html").read_text()
    assert "Lengths of options" in page and "p, corrected" in page and (tmp_path / "page" / "audit.json").exists()
    links = re.findall(r'<a href="#(q\d+)">(q\d+)</a>', page)
    assert links and {place for place, _ in links} == set(re.findall(r'<article class="named" id="(q\d+)">', page))
    questions = {one.id: one for one in _questions(tmp_path / "bench")}
    for place, name in links[:20]:
        item = page[page.index(f'id="{place}">') :].partition("</article>")[0]
        one = questions[name]
        assert f"<h3>{name}</h3>" in item and one.stem in item and one.cluster in item
        assert re.findall(r'<li class="correct">(.*?)</li>', item) == [one.options[place].text for place in one.answer]
    assert "exists already" in refused("audit", tmp_path / "bench", "--out", tmp_path / "page")
    assert "no such file" in refused("audit", tmp_path / "none")
    table = tmp_path / "bench" / "questions.parquet"
    table.write_bytes(table.read_bytes()[:200])
    assert "questions.parquet" in refused("audit", tmp_path / "bench")
