"""Twins of VGenST-Bench's questions: the second opinion answers them from the altered scene graphs."""

import re
from collections import Counter

import pytest
from test_vgenst_truth import DESIGNS, asked, boom_turns, tilt_turns
from vgenst_oracle import disagreement

from chronotope.families.twinning import NoTwin, TwinContext
from chronotope.families.vgenst.twins import twin
from chronotope.world.kinds.stage.graph import TASKS, mirror, parse_graph
from tiers import complete_after

BACKWARDS = {"MC": boom_turns, "HO": tilt_turns}


def bins_trade_places(graph):
    """The graphs of this task say "A" for the bin on the left, so the mirrored graph exchanges A and B."""
    data = graph.model_dump(mode="json")
    other = {"A": "B", "B": "A"}
    for thing in data["objects"]:
        for key in ("id", "role"):
            thing[key] = re.sub(r"(?<=container_)[AB]$|(?<=obj_)[AB](?=\d$)", lambda found: other[found[0]], thing[key])
    data["params"]["first"] = other[data["params"]["first"]]
    truth = data["ground_truth"]
    contents = [f"container_{name}_contents" for name in "AB"]
    truth[contents[0]], truth[contents[1]] = truth[contents[1]], truth[contents[0]]
    camera = data["camera_movement"]
    camera["trajectory"] = re.sub("(?<=_)[AB](?=_)", lambda found: other[found[0]], camera["trajectory"])
    return data


def altered_graph(graph, alteration):
    if alteration == "half_speed":
        return graph
    if alteration == "mirrored":
        return parse_graph(bins_trade_places(graph)) if graph.task == "CI" else mirror(graph)
    data = graph.model_dump(mode="json")
    BACKWARDS[graph.task](data)
    return parse_graph(data)


def twins(task, design, count, seed, alteration, refused):
    for graph, questions in asked(task, design, count, seed):
        for question in questions:
            try:
                new = twin(question, TwinContext(alteration, {}))
            except NoTwin as why:
                refused[str(why)] += 1
                continue
            yield question, new, altered_graph(graph, alteration)


def check(task, design, count, seed, alteration):
    refused, counts, faults = Counter(), Counter(), []
    for _, new, graph in twins(task, design, count, seed, alteration, refused):
        counts.update(new.tags["template"])
        faults += filter(None, [disagreement(graph, new)])
    assert not faults, f"{len(faults)} of {counts.total()}: {Counter(one[:7] for one in faults)} {faults[0]}"
    return counts, refused


GRAPHS = complete_after(1, [4, 25])


@pytest.mark.parametrize("count", GRAPHS)
@pytest.mark.parametrize("design", DESIGNS)
@pytest.mark.parametrize("task", TASKS)
@pytest.mark.parametrize("alteration", ["mirrored", "half_speed"])
def test_answers_are_those_of_the_altered_stage(task, design, alteration, count) -> None:
    counts, refused = check(task, design, count, 5, alteration)
    if (task, alteration) == ("DS", "mirrored"):
        assert not counts and set(refused) == {"shows a sign, whose words would be mirrored"}
    else:
        assert counts.total() >= 5 * count and not refused


@pytest.mark.parametrize("count", GRAPHS)
@pytest.mark.parametrize("design", DESIGNS)
@pytest.mark.parametrize("task", TASKS)
def test_only_what_may_run_backwards_is_reversed(task, design, count) -> None:
    counts, refused = check(task, design, count, 6, "reversed")
    assert bool(counts) == (task in BACKWARDS)
    assert refused or task in BACKWARDS


def test_a_twin_has_new_words() -> None:
    old, new, _ = next(
        one for one in twins("DE", "strict", 3, 5, "mirrored", Counter()) if one[0].tags["type"] == ("L3-PT",)
    )
    hours = [re.fullmatch(r"(\d+)-(\d+) o'clock", option.text or "") for option in old.options]
    mirrored = [f"{12 - int(one[2])}-{12 - int(one[1])} o'clock" for one in hours if one is not None]
    assert [option.text for option in new.options] == mirrored != [option.text for option in old.options]
    assert len(set(mirrored)) == 4 and new.answer == old.answer
    moved = [a.answer != b.answer for a, b, _ in twins("HO", "strict", 6, 5, "reversed", Counter())]
    assert any(moved)
    with pytest.raises(NoTwin, match="no length"):
        twin(old, TwinContext("double_size", {}))
