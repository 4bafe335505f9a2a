"""The 98 cells as programmatic questions: one right option each, equal letters, nothing to learn without the clip."""

from collections import Counter

import numpy as np
import pytest
from scipy.stats import chisquare
from vgenst_guesser import rate_of

from chronotope.errors import InputError
from chronotope.families import WriteContext, family
from chronotope.families.vgenst.tasks import ACTIVE, level_of
from chronotope.families.vgenst.tasks import TASKS as CODES
from chronotope.families.vgenst.write import questions_of, templates
from chronotope.families.vgenst.write.writer import stems
from chronotope.question import make_variants
from chronotope.recording import Kind, Recording, Scene
from chronotope.world.kinds.stage.graph import TASKS, draw_graph, mirror
from tiers import complete_after

DESIGNS = (("paper", "paper"), ("strict", "extended"), ("strict", "paper"))
SIDES = {"left": "right", "right": "left"}


def graphs_of(task, profile, count, seed=1):
    generator = np.random.default_rng(seed)
    return [draw_graph(generator, task, index, profile=profile) for index in range(count)]


def written(task, design, profile, count, seed=1):
    graphs = graphs_of(task, profile, count, seed)
    return [
        question
        for index, graph in enumerate(graphs)
        for question in questions_of(graph, f"{task}-{index}", seed, design).questions
    ]


def test_there_are_98_cells():
    cells = {f"{task.partition('_')[0]}-{kind.partition('-')[2]}" for task, kinds in ACTIVE.items() for kind in kinds}
    assert cells == set(templates()) and len(cells) == 98
    assert [len(ACTIVE[task]) for task in CODES] == [8, 9, 8, 8, 7, 8, 7, 7, 8, 12, 8, 8]
    levels = Counter(level_of(kind) for kinds in ACTIVE.values() for kind in kinds)
    assert levels == {"L1": 32, "L2": 45, "L3": 21}
    names = {one.name for group in templates().values() for one in group}
    assert names == set(stems()) and all(len(set(texts)) >= 3 for texts in stems().values())


@pytest.mark.parametrize("task", TASKS)
@pytest.mark.parametrize(("design", "profile"), DESIGNS)
def test_each_question_has_one_right_option_among_unlike_ones(task, design, profile):
    questions = written(task, design, profile, 25)
    for question in questions:
        texts = [option.text.casefold() for option in question.options]
        assert len(set(texts)) == len(texts) >= 2 and len(question.answer) == 1
        assert "{" not in question.stem and "None" not in texts and question.stem.endswith("?")
        assert question.tags["level"] == (level_of(question.tags["type"][0]),)
    if design == "paper":  # as published: each cell has a question about each scene
        assert len(questions) == 25 * len(ACTIVE[TASKS[task].code])
        assert {flag for question in questions for flag in question.flags} <= {
            "constant", "role_constant", "needs_options"
        }  # fmt: skip
    assert len({question.id for question in questions}) == len(questions)


def test_questions_depend_on_the_seed_and_the_name_alone():
    graph = graphs_of("CI", "paper", 3)[2]
    assert questions_of(graph, "a", 1, "strict") == questions_of(graph, "a", 1, "strict")
    assert questions_of(graph, "a", 1, "strict") != questions_of(graph, "b", 1, "strict")


@pytest.mark.parametrize("task", ["MC", "CI", "CM", "DE", "IO", "HO", "RV", "BT"])
def test_no_other_question_of_a_clip_tells_which_things_it_shows(task):
    """Others name a thing by its kind alone, and all options of its existence have kinds of the scene."""
    asked = 0
    for index, graph in enumerate(graphs_of(task, "extended", 24)):
        questions = questions_of(graph, f"{task}-{index}", 1, "strict").questions
        [existence] = [one for one in questions if "-OE." in one.tags["template"][0]]
        labels = {thing.label.casefold() for thing in graph.objects}
        right = existence.options[existence.answer[0]].text.casefold()
        shown = {option.text.casefold() for option in existence.options} & labels
        others = [one.stem for one in questions if one is not existence]
        others += [option.text for one in questions if one is not existence for option in one.options]
        told = [text for text in others if any(label in text.casefold() for label in shown)]
        if existence.tags["template"] == ("CI-OE.b",):  # things inside are named in full; they may be of one kind
            continue
        assert not told or right.split()[-1] in " ".join(labels - {right}), (existence.stem, right, told)
        asked += not told
    assert asked >= 8


def test_letters_are_uniform_and_templates_take_turns():
    questions = [question for task in TASKS for question in written(task, "paper", "paper", 40)]
    for size in (3, 4):
        letters = Counter(question.answer[0] for question in questions if len(question.options) == size)
        assert chisquare([letters[k] for k in range(size)]).pvalue > 0.001
    turns = Counter(question.tags["template"][0] for question in questions)
    for cell, group in templates().items():
        counts = [turns[one.name] for one in group if "paper" in one.designs]
        assert sum(counts) == 40, cell
        assert max(counts) <= 3.5 * max(min(counts), 1), (cell, counts)  # some scenes allow only one of them


def test_all_options_of_strict_questions_are_right_at_times():
    """An option that is never right gives away that another one is."""
    questions = [question for task in ("QC", "CM", "DE", "DS", "BT", "RV") for question in
                 written(task, "strict", "extended", 96)]  # fmt: skip
    of_closed = {}
    for question in questions:
        of_closed.setdefault(question.tags["template"][0], []).append(question)
    for name, group in of_closed.items():
        texts = [tuple(sorted(option.text for option in question.options)) for question in group]
        if len(set(texts)) == 1 and len(group) >= 40:
            right = Counter(question.options[question.answer[0]].text for question in group)
            assert set(right) == set(texts[0]) and chisquare([right[text] for text in texts[0]]).pvalue > 1e-4, name


@pytest.mark.parametrize("task", [task for task in TASKS if task != "CI"])  # its containers are left and right by role
def test_a_mirrored_scene_has_mirrored_answers(task):
    """Answers that speak of sides change them, and all others stay."""
    swap = {"left": "right", "right": "left", "east": "west", "west": "east", "northeast": "northwest",
            "northwest": "northeast", "southeast": "southwest", "southwest": "southeast"}  # fmt: skip
    compared = 0
    for index, graph in enumerate(graphs_of(task, "paper", 24)):
        pairs = zip(
            questions_of(graph, f"s{index}", 7, "paper").questions,
            questions_of(mirror(graph), f"s{index}", 7, "paper").questions,
            strict=True,
        )
        for one, other in pairs:
            right, mirrored = (question.options[question.answer[0]].text.casefold() for question in (one, other))
            if one.stem != other.stem or one.tags != other.tags:
                continue  # the stem names a side, or another thing was drawn
            if right in swap and {right, swap[right]} <= {option.text.casefold() for option in one.options}:
                assert mirrored == swap[right], (one.stem, right, mirrored)
                compared += 1
    assert compared or task not in ("CM", "IO", "RV", "BT")


def test_variants_keep_what_they_must():
    questions = [question for task in TASKS for question in written(task, "paper", "paper", 20)]
    variants = make_variants(questions, ["none_distractor", "none_answer", "open"], 1, "paper")
    kinds = Counter(variant.variant for variant in variants)
    assert kinds["none_distractor"] == kinds["none_answer"] > 0.9 * len(questions)
    by_id = {question.id: question for question in questions}
    for variant in variants:
        base = by_id[variant.base]
        if variant.variant == "open":
            assert "needs_options" not in base.flags and variant.expected == base.options[base.answer[0]].text
        assert variant.stem == base.stem
    assert not make_variants(variants, ["none_answer"], 1)


def test_models_of_any_family_may_answer_questions_that_code_wrote():
    own = family("vgenst")
    questions = written("MC", "strict", "paper", 1)
    assert own.guard("anthropic/claude-opus-4-7", None, own.RunSettings(), questions) is None


def test_recordings_without_graphs_are_refused_in_one_sentence(tmp_path):
    recording = Recording("walk", Kind.INDOOR, "test", np.array([0.0]), np.eye(4)[None], np.array([True]))
    with pytest.raises(InputError, match=r"walk: has no scene graph \(graph\.json\)"):
        family("vgenst").build.write(Scene.of(recording), WriteContext(0, "strict", None, folder=tmp_path))


@pytest.mark.slow
@pytest.mark.parametrize("task", complete_after(2, list(TASKS)))
def test_options_alone_and_with_stems_give_nothing_away(task):
    """Over 100 scenes of each task, averaged over three divisions of each set into learned and guessed scenes."""
    questions = written(task, "strict", "extended", 100, seed=11)
    for with_stem in (False, True):
        rates = [rate_of(questions, with_stem=with_stem, seed=seed) for seed in range(3)]
        above = float(np.mean([right - chance for right, chance in rates]))
        assert above < 5, (task, with_stem, above)
