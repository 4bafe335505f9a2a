"""How many questions the rules give: the published counts by product, and the real diagrams without annotations."""

from collections import Counter
from dataclasses import replace
from itertools import combinations

import pytest

import ikea_annotations
from chronotope.families.ikea.write.look import alike, look
from chronotope.families.ikea.write.select import round_robin
from ikea_annotations import TABLE_8, TASKS, RealCopies, build, published_shape


@pytest.fixture(scope="module")
def shape(tmp_path_factory):
    return published_shape(tmp_path_factory.mktemp("shape"))


@pytest.fixture(scope="module")
def paper(shape):
    return build(shape, "paper")[1].questions


@pytest.fixture(scope="module")
def strict(shape):
    return build(shape, "strict")


def table(questions):
    """{product: counts in the order of the published table}."""
    counts = Counter((question.cluster, question.task) for question in questions)
    products = sorted({question.cluster for question in questions})
    return {product: tuple(counts[product, task] for task in TASKS) for product in products}


def test_paper_gives_the_published_table(paper):
    assert table(paper) == TABLE_8
    assert len(paper) == 1623


def test_what_the_table_does_not_determine_does_not_move_it(shape, monkeypatch, tmp_path):
    """See ikea_annotations: how a sum is spread over steps, and how often the two-step manuals are shown."""
    other = {"Chair/mammut_1": (5, 4), "Chair/marius": (7, 9), "Table/gladom": (7, 8, 8), "Desk/pahl": (5, 4, 3)}
    other |= {"Bench/tjusig": (2, 4, 4, 6, 2, 4), "Chair/stig": (3, 2, 5, 3, 6, 4, 4, 3, 3)}
    monkeypatch.setattr(ikea_annotations, "VIDEOS", ikea_annotations.VIDEOS | other)
    assert table(build(published_shape(tmp_path), "paper")[1].questions) == TABLE_8


def test_both_answers_are_equally_many(paper, strict):
    for questions in (paper, strict[1].questions):
        counts = Counter((question.task, *question.tags.get("polarity", ())) for question in questions)
        for task in ("T2", "D1"):
            assert counts[task, "positive"] == counts[task, "negative"] == 175


def test_paper_flags_its_defects(paper):
    """The figures that the specification gives (sections 3.2, 3.5, 12)."""
    flags = Counter((question.task, flag) for question in paper for flag in question.flags)
    assert flags["T3", "right_diagram_missing"] == 14
    assert [flags[task, "three_options"] for task in ("T1", "T3", "T4")] == [71, 72, 44]
    assert flags["D2", "gap_in_sequence"] == flags["D2", "duplicate_diagram"] == flags["D2", "blank_diagram"] == 1
    gap = next(question for question in paper if "gap_in_sequence" in question.flags)
    assert (gap.cluster, sorted(gap.provenance["steps"])) == ("tjusig", [2, 3, 5])
    collided = {question.cluster for question in paper if "name_collision" in question.flags}
    assert collided == {"applaro", "applaro_3", "vittsjo_2"}
    blank = {question.cluster for question in paper if "blank_diagram" in question.flags}
    foreign = {question.cluster for question in paper if "foreign_diagram" in question.flags}
    assert blank == {"pahl"}
    assert foreign == {"stefan", "marius", "ingolf", "sundvik"}
    same = [question for question in paper if "same_recording" in question.flags]
    assert {question.tags["polarity"] for question in same} == {("negative",)}


def test_strict_has_no_defect_and_says_what_it_refused(shape, strict):
    candidates, kept = strict
    assert not [question for question in kept.questions if question.flags]
    counts = Counter(question.task for question in candidates.questions)
    assert counts["T1"] == counts["T3"]
    segments = sum(len(take.segments) for procedure in shape for take in procedure.takes)
    for task in ("T1", "T3", "T4"):
        assert counts[task] + sum(candidates.refusals[task].values()) == segments
    assert counts["T2"] + sum(candidates.refusals["T2"].values()) == 2 * segments
    assert kept.refusals["T2"]["CAP"] == counts["T2"] - 350
    assert sum(kept.refusals["D1"].values()) == counts["D1"] - 350
    assert {question.cluster.count("/") for question in kept.questions} == {1}


def test_short_options_are_had_for_the_asking(shape, strict):
    usual = Counter(question.task for question in strict[0].questions)
    short = build(shape, "strict", allow_short_options=True)[1].questions
    for task in ("T1", "T3", "T4"):
        flagged = [question for question in short if question.task == task and "three_options" in question.flags]
        assert flagged
        assert all(len(question.options) == 3 for question in flagged)
        assert sum(question.task == task for question in short) == usual[task] + len(flagged)


def test_t1_counts_agree_with_the_videos_that_show_steps_with_diagrams(shape, paper):
    """Counted again from the procedures, by name."""
    expected = Counter()
    for procedure in shape:
        drawn = {step.number for step in procedure.steps if step.published_diagram}
        if len(drawn) >= 3:
            expected[procedure.product] += sum(s.step in drawn for take in procedure.takes for s in take.segments)
    found = Counter(question.cluster for question in paper if question.task == "T1")
    assert found == {name: n for name, n in expected.items() if n}


def test_ids_differ_though_names_collide(shape, paper, strict):
    for questions in (paper, strict[0].questions):
        assert len({question.id for question in questions}) == len(questions)
        assert all(len(question.id) == 12 and int(question.id, 16) >= 0 for question in questions)
    sequences = [question for question in paper if question.task == "D2" and question.cluster == "vittsjo_2"]
    starts = [(min(question.provenance["steps"]), question.provenance["procedure"]) for question in sequences]
    assert sorted(starts) == [(0, "Misc-vittsjo_2"), (0, "Table-vittsjo_2"), (1, "Table-vittsjo_2")]


def test_sequences_of_the_published_diagrams(test_data):
    """No annotations are needed: with d diagrams a manual has d - 2 windows."""
    questions = build(RealCopies(test_data / "ikea-manuals-at-work").procedures(union=False), "paper")[1].questions
    assert Counter(question.cluster for question in questions) == {
        name: row[-1] for name, row in TABLE_8.items() if row[-1]
    }
    assert len(questions) == 65
    flags = Counter((question.cluster, flag) for question in questions for flag in question.flags)
    assert flags == {
        ("tjusig", "gap_in_sequence"): 1,
        ("pahl", "blank_diagram"): 1,
        ("sundvik", "duplicate_diagram"): 1,
        ("sundvik", "foreign_diagram"): 1,
        ("stefan", "foreign_diagram"): 1,
        ("vittsjo_2", "name_collision"): 3,
    }


def test_sequences_of_the_best_diagrams(test_data):
    """Every three steps in a row whose diagrams are all there; the fourth step of Bench/applaro_3 has none anywhere."""
    procedures = RealCopies(test_data / "ikea-manuals-at-work").procedures(union=True)
    assert sum(step.diagram is not None for procedure in procedures for step in procedure.steps) == 138
    candidates, kept = build(procedures, "strict")
    assert candidates.refusals == {"D2": {"NO_DIAGRAM": 1}}
    assert len(kept.questions) == sum(max(0, len(procedure.steps) - 2) for procedure in procedures) - 1 == 70


def test_strict_on_the_published_copy_alone_refuses_with_reasons(test_data):
    """A source that has only the published copy: blank, repeated and missing diagrams are told apart."""
    refused = {}
    for procedure in RealCopies(test_data / "ikea-manuals-at-work").procedures(union=False):
        steps = tuple(replace(step, diagram=step.published_diagram) for step in procedure.steps)
        candidates, _ = build([replace(procedure, steps=steps)], "strict", tasks="D2")
        if candidates.refusals:
            refused[procedure.id] = candidates.refusals["D2"]
    assert refused == {
        "Bench-applaro_3": {"NO_DIAGRAM": 1},
        "Bench-tjusig": {"NO_DIAGRAM": 2},
        "Chair-ingolf": {"NO_DIAGRAM": 1},
        "Chair-stig": {"NO_DIAGRAM": 1},
        "Chair-sundvik": {"DUPLICATE_DIAGRAM": 2},
        "Chair-teodores": {"NO_DIAGRAM": 1},
        "Desk-pahl": {"BLANK_DIAGRAM": 1},
        "Table-vittsjo_2": {"NO_DIAGRAM": 1},
    }


def test_no_two_real_diagrams_of_a_manual_are_taken_for_one(test_data):
    near = []
    for procedure in RealCopies(test_data / "ikea-manuals-at-work").procedures(union=True):
        looks = {step.number: look(step.diagram) for step in procedure.steps if step.diagram is not None}
        assert not any(one.blank for one in looks.values())
        near += [(procedure.id, a, b) for a, b in combinations(looks, 2) if alike(looks[a], looks[b])]
    assert near == []


def test_the_published_rule_keeps_one_of_each_product_in_turn(paper):
    some = [question for question in paper if question.task == "T1"]
    kept = round_robin(some, 100)
    counts = Counter(question.cluster for question in kept)
    there = Counter(question.cluster for question in some)
    full = max(counts.values())
    assert len(kept) == 100
    assert all(counts[name] >= min(there[name], full - 1) for name in there)
    for name in counts:  # the first of each product, in the order given
        own = [question.id for question in some if question.cluster == name]
        assert {question.id for question in kept if question.cluster == name} == set(own[: counts[name]])
