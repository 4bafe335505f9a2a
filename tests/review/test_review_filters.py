"""Passes over a benchmark: prompts to the letter, decisions, what is asked again, and the filtered folder."""

import json
import re
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path

import pytest
from review_scripts import Scripted, asked_words, files_of, number_of, proposal

from chronotope.errors import InputError
from chronotope.evaluate.score import open_run
from chronotope.ledger import read_ledger
from chronotope.models import Asked
from chronotope.question import (
    Benchmark,
    Mention,
    Option,
    Question,
    make_variants,
    open_benchmark,
    write_benchmark_tables,
)
from chronotope.review.filters import (
    Choice,
    Decision,
    PassOutcome,
    PassRecord,
    PassRequest,
    apply_records,
    foresee_pass,
    pass_shares,
    read_records,
    run_pass,
    write_filtered,
)
from chronotope.review.filters.decisions import words_of
from chronotope.review.filters.rewriting import rewriting_fault

NONE = "No correct option is listed."
VISION_FREE = """\
Your task is to determine whether a question requires visual information to answer.
Question: {question}
Options: {options}
Answer: {answer}
If the question can be answered correctly without visual information, respond with "Filter out". Otherwise, respond \
with "Keep".
Your response must be either "Filter out" or "Keep", with no additional text or explanation."""


def made(bench: Benchmark, name: str, model: Scripted, record: Path, **how: object) -> PassOutcome:
    return run_pass(PassRequest(bench, name, model.model(), record, **how))


def outcomes(outcome: PassOutcome) -> dict[int, str]:
    """The outcome for each number of a question."""
    return {int(one.question.rpartition("-")[2]): one.outcome for one in outcome.record.decisions}


def in_turn(replies: Mapping[int, list[str]], usual: str) -> Scripted:
    """Replies for each number of a question, one after the other."""
    said: Counter[int] = Counter()

    def reply(asked: Asked) -> str:
        number = number_of(asked.text)
        said[number] += 1
        return replies.get(number, [usual])[said[number] - 1]

    return Scripted(reply)


# Keep or filter out ---------------------------------------------------------------------------------------------------


def test_the_reply_keeps_or_drops_and_an_unclear_one_is_asked_again_twice(bench: Benchmark, tmp_path: Path) -> None:
    model = in_turn(
        {
            1: ["Filter out"],
            2: [' "filter OUT". '],
            3: ["“Keep.”"],
            4: ["I would keep it.", "Keep"],
            5: ["perhaps", "", "Filter out"],
            6: ["Keep or Filter out", "no", "Keep it"],
            7: ["<think>Filter out? It shows a room.</think>\n\nKeep"],
        },
        "Keep",
    )
    outcome = made(bench, "text-only", model, tmp_path)
    expected = dict.fromkeys(range(15), "keep") | {1: "drop", 2: "drop", 5: "drop", 6: "undecided"}
    assert outcomes(outcome) == expected
    assert outcome.asked == len(model.asked) == 15 + 1 + 2 + 2
    lines = read_ledger(outcome.folder / "ledger.jsonl")
    assert len({line.key for line in lines}) == len(lines) == 20 and {line.kind for line in lines} == {"validate"}
    [share] = pass_shares(read_records(tmp_path, bench))
    assert (share.decided, share.dropped, share.undecided, share.share) == (15, 4, 1, 4 / 15)


def test_the_prompts_are_the_published_ones(bench: Benchmark, tmp_path: Path) -> None:
    model = Scripted(lambda _: "Keep")
    made(bench, "text-only", model, tmp_path)
    prompts = {number_of(asked.text): asked for asked in model.asked}
    for question in bench.questions:
        letters = "ABCDEFG"
        options = "\n".join(f"{letters[at]}. {option.text}" for at, option in enumerate(question.options))
        answer = ", ".join(letters[at] for at in question.answer)
        asked = prompts[number_of(question.stem)]
        assert asked.text == VISION_FREE.format(question=question.stem, options=options, answer=answer)
        assert not asked.files
        assert (asked.decoding.temperature, asked.decoding.top_p, asked.decoding.max_tokens) == (0.5, 0.9, 512)
    assert any(", " in asked.text.rpartition("Answer: ")[2].splitlines()[0] for asked in prompts.values())
    model.asked.clear()
    made(bench, "ambiguity", model, tmp_path)
    assert all(
        asked.text.startswith(
            "You are a QA quality control assistant. Your task is to filter out QAs where the options "
        )
        and 'issues (e.g., ambiguous options), respond with "Filter out". Otherwise, respond with "Keep".' in asked.text
        for asked in model.asked
    )


def test_nothing_is_asked_twice_and_a_failed_call_is_asked_again(bench: Benchmark, tmp_path: Path) -> None:
    broken = {3, 4}

    def reply(asked: Asked) -> str:
        if number_of(asked.text) in broken:
            raise RuntimeError("no")
        return "Keep"

    model = Scripted(reply)
    foreseen = foresee_pass(PassRequest(bench, "text-only", model.model(), tmp_path))
    assert (foreseen.questions, foreseen.calls, foreseen.most) == (15, 15, 45)
    assert not any(tmp_path.iterdir()) and not model.asked
    first = made(bench, "text-only", model, tmp_path)
    assert {number for number, outcome in outcomes(first).items() if outcome == "unanswered"} == broken
    assert "RuntimeError" in first.problems[0]
    view = apply_records(bench.questions, read_records(tmp_path, bench))
    assert len(view.questions) == 15 and view.open == {"text-only": 2}
    foreseen = foresee_pass(PassRequest(bench, "text-only", model.model(), tmp_path))
    assert (foreseen.calls, foreseen.most) == (2, 6)
    broken.clear()
    model.asked.clear()
    second = made(bench, "text-only", model, tmp_path)
    assert sorted(number_of(asked.text) for asked in model.asked) == [3, 4] and second.asked == 2
    assert set(outcomes(second).values()) == {"keep"}
    assert made(bench, "text-only", model, tmp_path).asked == 0 and len(model.asked) == 2


# Rewriting ------------------------------------------------------------------------------------------------------------


def rewriter(change: Callable[[str, list[str]], str], meaning: Callable[[str], str] = lambda _: "Same") -> Scripted:
    """A model that proposes words, and compares their meaning."""

    def reply(asked: Asked) -> str:
        if "Two versions" in asked.text:
            return meaning(asked.text)
        return change(*asked_words(asked.text))

    return Scripted(reply)


def test_questions_are_rewritten_and_keep_their_places(bench: Benchmark, tmp_path: Path) -> None:
    def change(stem: str, options: list[str]) -> str:
        words = [f"about {one}" if one != NONE else one for one in options]
        number = number_of(stem)
        if number == 1:
            return proposal("Please, " + stem, [f"{'ABCDEFG'[at]}. {one}" for at, one in enumerate(words)])
        if number == 2:
            return proposal(stem, words[:-1])  # too few options, three times
        if number == 3:
            return "I cannot do that."
        return proposal(f"Please say: {stem}", words)

    model = rewriter(change, lambda text: "Different" if "number 4?" in text else "Same.")
    outcome = made(bench, "rewrite", model, tmp_path)
    by_number = outcomes(outcome)
    assert {number for number, one in by_number.items() if one == "unchanged"} == {2, 3, 4}
    assert {one for number, one in by_number.items() if number not in (2, 3, 4)} == {"rewritten"}
    assert outcome.asked == 13 + 13 + 2 * 3  # a proposal and a verdict each, but three proposals for 2 and 3
    reasons = {int(one.question.rpartition("-")[2]): one.reason for one in outcome.record.decisions}
    assert "options, not" in reasons[2] and "was not JSON" in reasons[3] and "another meaning" in reasons[4]
    view = apply_records(bench.questions, read_records(tmp_path, bench))
    for old, new in zip(bench.questions, view.questions, strict=True):
        assert (new.id, new.answer, new.media, new.tags) == (old.id, old.answer, old.media, old.tags)
        if number_of(old.stem) in (2, 3, 4):
            assert new == old
            continue
        assert new.stem.startswith("Please") and [one.text for one in new.options] == [
            one.text if one.text == NONE else f"about {one.text}" for one in old.options
        ]
        assert new.provenance["template"] == {"question": old.stem, "options": [one.text for one in old.options]}
    prompts = [asked.text for asked in model.asked if "Two versions" in asked.text]
    assert all("First version: {" in text and "Second version: {" in text for text in prompts)


def test_a_malicious_proposal_stops_no_pass(bench: Benchmark, tmp_path: Path) -> None:
    endless = '{"rewritten_question": ' + "[" * 5_000 + "}"  # more brackets than Python reads
    half = r'{"rewritten_question": "half a character: \ud800", "rewritten_options": '

    def change(stem: str, options: list[str]) -> str:
        return endless if number_of(stem) % 2 else f"{half}{json.dumps(options)}}}"

    outcome = made(bench, "rewrite", rewriter(change), tmp_path)
    assert set(outcomes(outcome).values()) == {"unchanged"} and outcome.asked == 3 * len(bench.questions)
    assert {one.reason for one in outcome.record.decisions} == {
        "the proposed text was not JSON with the two keys",
        "the proposed text has control characters, or parts of characters",
    }


STEM = "How far was the mug moved from 1.5 s to 12 s, in the 2nd video?"
TEXTS = ("0.50 m to 1.00 m", "25 cm", "at −30°", NONE)


@pytest.mark.parametrize(
    ("stem", "options", "fault"),
    [
        ("How far did the mug move between 1.5 s and 12 s of the second video?", TEXTS, None),
        (STEM, ("between 0.50 m and 1.00 m", "25 cm away", "-30° it is", NONE), None),
        (STEM, TEXTS[:3], "has 3 options, not 4"),
        (STEM, ("0.50 m to 1.00 m", "25 cm", "25  CM", NONE), "has equal options"),
        (STEM.replace("12 s", "13 s"), TEXTS, "has other numbers in the question"),
        (STEM.replace("12 s", "twelve seconds"), TEXTS, "has other numbers in the question"),
        (STEM, ("0.50 m to 1.0 m", *TEXTS[1:]), "number or unit in option A"),
        (STEM, (TEXTS[0], "25 m", *TEXTS[2:]), "number or unit in option B"),
        (STEM, (TEXTS[0], "0.25 m", *TEXTS[2:]), "number or unit in option B"),
        (STEM, (*TEXTS[:2], "at 30°", NONE), "number or unit in option C"),
        (STEM, ("1.00 m to 0.50 m", *TEXTS[1:]), "number or unit in option A"),
        (STEM, (*TEXTS[:3], "None of these is correct."), "changes option D"),
        ("  ", TEXTS, "empty"),
        (STEM, (*TEXTS[:2], "", NONE), "empty"),
        (f"{STEM} \ud800", TEXTS, "parts of characters"),
        (STEM, ("0.50 m to 1.00 m\x1b", *TEXTS[1:]), "has control characters"),
    ],
)
def test_the_rules_of_meaning(stem: str, options: tuple[str, ...], fault: str | None) -> None:
    question = Question("q", "m3", "object_changes", "h", STEM, tuple(map(Option, TEXTS)), (0,))
    found = rewriting_fault(question, stem, options)
    assert found is None if fault is None else fault in (found or "")


def test_mentions_are_found_again_in_new_words() -> None:
    stem = "Is the red mug beside the red mug?"
    mentions = (
        Mention("a", "stem", "the red mug", 3, 14),
        Mention("b", "stem", "the red mug", 22, 33),
        Mention("c", "option", "x"),
    )
    question = Question("q", "sti", "t", "c", stem, (Option("Yes"), Option("No")), (0,), mentions=mentions)
    for words, places in (
        ("Does the red mug touch The red mug?", [(5, 16), (23, 34), (None, None)]),
        ("Does the red mug touch it?", [(5, 16), (None, None), (None, None)]),
    ):
        detail = {"stem": words, "options": ["Yes", "No"]}
        decision = Decision(question="q", outcome="rewritten", words=words_of(question), detail=detail)
        [new] = apply_records([question], [PassRecord("rewrite", "m", "r", (decision,))]).questions
        assert [(one.start, one.end) for one in new.mentions] == places
        assert all(one.start is None or words[one.start : one.end].lower() == one.phrase for one in new.mentions)


# Too easy -------------------------------------------------------------------------------------------------------------


def knowing(bench: Benchmark, wrong_in: Mapping[int, int]) -> Scripted:
    """A model that is right, except in one trial of some questions."""
    truths = {number_of(one.stem): {one.options[at].text for at in one.answer} for one in bench.questions}
    said: Counter[int] = Counter()

    def reply(asked: Asked) -> str:
        number = number_of(asked.text)
        said[number] += 1
        right = sorted(one.letter for one in asked.options if one.text in truths[number])
        wrong = sorted(one.letter for one in asked.options if one.text not in truths[number])
        return ",".join(right) if said[number] != wrong_in.get(number) else wrong[0]

    return Scripted(reply)


def test_a_question_that_is_always_answered_is_too_easy(bench: Benchmark, tmp_path: Path) -> None:
    wrong_in = {number: 1 + number % 5 for number in range(10)}
    model = knowing(bench, wrong_in)
    outcome = made(bench, "too-easy", model, tmp_path)
    assert outcomes(outcome) == {number: "keep" if number < 10 else "drop" for number in range(15)}
    assert outcome.asked == sum(wrong_in.values()) + 5 * 5
    details = {int(one.question.rpartition("-")[2]): one.detail for one in outcome.record.decisions}
    assert details[3] == {"right": 3, "trials": 4} and details[12] == {"right": 5, "trials": 5}
    orders: dict[int, list[tuple[str, ...]]] = {}
    for asked in model.asked:
        orders.setdefault(number_of(asked.text), []).append(tuple(one.text for one in asked.options))
        assert len(asked.files) == 2 * 20 and asked.decoding.temperature == 0.7  # all frames of the shorter video
    many = [of for number, of in orders.items() if number >= 10 and len(of[0]) > 3]
    assert many and all(len(set(of)) > 1 and len({tuple(sorted(one)) for one in of}) == 1 for of in many)
    assert all(one[-1] == NONE for of in orders.values() for one in of if NONE in one)
    few = made(bench, "too-easy", knowing(bench, {}), tmp_path / "few", settings={"frames": 2})
    assert set(outcomes(few).values()) == {"drop"} and few.asked == 75


# Capabilities ---------------------------------------------------------------------------------------------------------


def test_the_prompt_for_capabilities_is_the_authors_and_hides_the_answer(bench: Benchmark, tmp_path: Path) -> None:
    tagger = Scripted(lambda _: 'So: {"capabilities": ["Temporal understanding", "reasoning"]}')
    made(bench, "capability", tagger, tmp_path)
    view = apply_records(bench.questions, read_records(tmp_path, bench))
    assert {one.tags["capability"] for one in view.questions} == {("temporal", "reasoning")}
    text = tagger.asked[0].text
    assert text.startswith("You are a capability classification assistant. Given a question and some options, you need")
    assert "- attribute recognition: Involves identifying and comparing object properties" in text
    assert text.endswith('for example: {"capabilities": ["capability1", "capability2"]}.')
    assert "Answer:" not in text and re.search(r"\nOptions: A\. .+, B\. .+\n\nPlease return", text)


def test_capabilities_are_united_and_two_models_share_the_work(bench: Benchmark, tmp_path: Path) -> None:
    replies = {
        1: ["Spatial.", "spatial, Temporal", "attribute and reasoning"],
        2: ["it needs eyes", "patience", "spatial, patience"],
        3: ["temporal", "what?", "temporal"],
    }
    first = in_turn(replies, "")
    first.reply = in_turn(replies | {n: ["temporal", "spatial", "temporal"] for n in (0, *range(4, 15))}, "").reply
    outcome = made(bench, "capability", first, tmp_path)
    assert outcome.asked == 45 and outcomes(outcome)[2] == "unchanged"
    view = apply_records(bench.questions, read_records(tmp_path, bench))
    tags = {number_of(one.stem): one.tags["capability"] for one in view.questions}
    old = {number_of(one.stem): one.tags["capability"] for one in bench.questions}
    assert tags[1] == ("temporal", "spatial", "attribute", "reasoning") and tags[2] == old[2]
    assert tags[3] == ("temporal",) and tags[5] == ("temporal", "spatial")
    second = Scripted(lambda asked: "patience" if number_of(asked.text) == 4 else "temporal, attribute")
    run_pass(PassRequest(bench, "capability", second.model("function/second"), tmp_path))
    view = apply_records(bench.questions, read_records(tmp_path, bench))
    tags = {number_of(one.stem): one.tags["capability"] for one in view.questions}
    assert tags[5] == ("temporal", "attribute")  # temporal from the first, all others from the second
    assert old[2][0] == "temporal" and tags[2] == ("temporal", "attribute")  # the first has not decided
    assert tags[4] == ("temporal", *(name for name in old[4] if name != "temporal"))  # the second has not
    assert all(tags.values())


# The order of the passes, and the folder ------------------------------------------------------------------------------


def keep_but(dropped: set[int]) -> Scripted:
    return Scripted(lambda asked: "Filter out" if number_of(asked.text) in dropped else "Keep")


def test_a_pass_concerns_what_earlier_passes_left_with_its_new_words(bench: Benchmark, tmp_path: Path) -> None:
    made(bench, "text-only", keep_but({0, 1}), tmp_path)
    made(bench, "rewrite", rewriter(lambda stem, options: proposal(f"Well, {stem}", options)), tmp_path)
    second = keep_but({2, 3})
    made(bench, "ambiguity", second, tmp_path)  # before rewriting in the order of the paper
    assert sorted(number_of(one.text) for one in second.asked) == list(range(2, 15))
    assert not any("Well, " in one.text for one in second.asked)
    tagger = Scripted(lambda _: "spatial")
    made(bench, "capability", tagger, tmp_path)
    assert {number_of(one.text) for one in tagger.asked} == set(range(4, 15))
    assert all("Question: Well, What" in one.text for one in tagger.asked)
    records = read_records(tmp_path, bench)
    view = apply_records(bench.questions, records)
    assert len(view.questions) == 11 and (view.rewritten, view.tagged, view.stale) == (11, 11, {})
    back = apply_records(bench.questions, records, Choice(without=("ambiguity", "rewrite")))
    assert {number_of(one.stem) for one in back.questions} == set(range(2, 15))
    assert back.stale == {"capability": 11} and back.tagged == 0  # the tags are about other words
    assert apply_records(bench.questions, records, Choice(without=("text-only:function/scripted",))).open


def test_the_filtered_folder_is_new_and_the_original_stays(bench: Benchmark, tmp_path: Path) -> None:
    before, record = files_of(bench.folder), tmp_path / "record"
    scene = {number for number in range(15) if number % 3 == 0}  # all questions of scene_0
    made(bench, "text-only", keep_but(scene | {1}), record)
    records = read_records(record, bench)
    filtered = write_filtered(bench, records, tmp_path / "out")
    opened = open_benchmark(tmp_path / "out")
    assert {number_of(one.stem) for one in opened.questions} == set(range(15)) - scene - {1}
    assert filtered.card.content_hash == opened.card.content_hash != bench.card.content_hash
    assert opened.card.counts.clips == 4 and len(opened.media) == 4  # the videos of scene_0 are not needed
    assert not any("scene_0" in path for path in files_of(tmp_path / "out"))
    for path in opened.media:
        assert (tmp_path / "out" / path).samefile(bench.folder / path)
    copied = (tmp_path / "out" / "filters.jsonl").read_text()
    assert copied == (record / "filters.jsonl").read_text() and copied.count('"outcome":"drop"') == 6
    kept = write_filtered(bench, records, tmp_path / "kept", Choice(keep=("scene_1-1",)))
    assert "scene_1-1" in {one.id for one in kept.view.questions}
    undone = write_filtered(bench, records, tmp_path / "undone", Choice(without=("text-only",)))
    assert undone.card.content_hash == bench.card.content_hash
    assert files_of(bench.folder) == before
    with pytest.raises(InputError, match="exists already"):
        write_filtered(bench, records, tmp_path / "out")
    with pytest.raises(InputError, match="no pass was made yet"):
        write_filtered(bench, [], tmp_path / "none")
    made(bench, "ambiguity", keep_but(set(range(15))), record)
    with pytest.raises(InputError, match="drop all questions"):
        write_filtered(bench, read_records(record, bench), tmp_path / "none")
    assert not (tmp_path / "none").exists()


def test_variants_follow_their_question(bench: Benchmark, tmp_path: Path) -> None:
    folder = tmp_path / "varied"
    single = [one for one in bench.questions if not one.multiple and not any(o.text == NONE for o in one.options)]
    questions = [*single, *make_variants(single, ["none_answer", "open"], 0)]
    folder.mkdir()
    for path in bench.media:
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).hardlink_to(bench.folder / path)
    write_benchmark_tables(folder, bench.card, questions, bench.media)
    varied = open_benchmark(folder)
    first = number_of(single[0].stem)
    made(varied, "text-only", keep_but({first}), tmp_path / "record")
    model = rewriter(lambda stem, options: proposal(f"So, {stem}", [f"{one}!" for one in options]))
    made(varied, "rewrite", model, tmp_path / "record")
    view = apply_records(varied.questions, read_records(tmp_path / "record", varied))
    assert not any(number_of(one.stem) == first for one in view.questions)
    assert len(view.questions) == len([one for one in questions if number_of(one.stem) != first])
    assert all(one.stem.startswith("So, ") for one in view.questions)
    for one in view.questions:
        assert all(option.text.endswith("!") or option.text == "None of these" for option in one.options)
        assert one.variant != "open" or one.expected.endswith("!")


# Wrong use ------------------------------------------------------------------------------------------------------------


def test_wrong_use_is_one_sentence(bench: Benchmark, tmp_path: Path) -> None:
    model = Scripted(lambda _: "Keep")
    with pytest.raises(InputError, match="no pass 'easy': expected one of text-only, ambiguity, rewrite, too-easy"):
        made(bench, "easy", model, tmp_path)
    with pytest.raises(InputError, match="reads only options"):
        run_pass(PassRequest(bench, "text-only", "baseline/random", tmp_path))
    with pytest.raises(InputError, match="frames: the pass ambiguity shows no pictures"):
        made(bench, "ambiguity", model, tmp_path, settings={"frames": 4})
    assert not any(tmp_path.iterdir()) and not model.asked
    outcome = made(bench, "text-only", model, tmp_path)
    with pytest.raises(InputError, match="holds the calls of filter text-only, not answers"):
        open_run(outcome.folder)
    records = read_records(tmp_path, bench)
    with pytest.raises(InputError, match="--keep x: the benchmark has no question"):
        apply_records(bench.questions, records, Choice(keep=("x",)))
    with pytest.raises(InputError, match="--without rewrite: there are no such decisions: expected text-only"):
        apply_records(bench.questions, records, Choice(without=("rewrite",)))
    other = replace(bench, card=bench.card.model_copy(update={"content_hash": "0" * 64}))
    with pytest.raises(InputError, match="about another version"):
        read_records(tmp_path, other)
    (tmp_path / "filters.jsonl").write_text((tmp_path / "filters.jsonl").read_text() + '{"question": 1}\n')
    with pytest.raises(InputError, match=r"filters\.jsonl, line 17: is not a decision"):
        read_records(tmp_path, bench)
