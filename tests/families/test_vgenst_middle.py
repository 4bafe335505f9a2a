"""The middle frame of a clip alone says little about the answers of the highest level."""

import numpy as np
import pytest
from vgenst_middle import SHOWN, middle_of, rates

from chronotope.families.vgenst.write import questions_of
from chronotope.world.kinds.stage.graph import draw_graph
from tiers import complete_after

NEAR = 10.0  # points above chance


def asked(task, design, profile, count):
    generator = np.random.default_rng(4)
    graphs = [draw_graph(generator, task, index, profile=profile) for index in range(count)]
    return [
        (graph, question)
        for index, graph in enumerate(graphs)
        for question in questions_of(graph, f"{task}-{index}", 4, design).questions
        if question.tags["level"] == ("L3",)
    ]


@pytest.mark.parametrize("count", complete_after(1, [192, 960]))
@pytest.mark.parametrize(
    "task", [task if task == "CM" else pytest.param(task, marks=pytest.mark.slow) for task in SHOWN]
)
def test_the_middle_frame_says_little(task, count):
    found = rates(asked(task, "strict", "extended", count))
    rate, chance = (float(np.mean(each)) for each in zip(*found.values(), strict=True))
    assert found and rate <= chance + NEAR, found


@pytest.mark.parametrize(
    "task", ["CM", "BT", *(pytest.param(task, marks=pytest.mark.slow) for task in ("QC", "CI", "LS"))]
)
def test_the_middle_frame_of_published_scenes_tells_answers(task):
    """So the reader does find what there is to find."""
    found = rates(asked(task, "strict", "paper", 96))
    assert max(rate - chance for rate, chance in found.values()) > NEAR, found


def test_the_middles_of_extended_scenes_differ():
    generator = np.random.default_rng(4)
    for task in ("CM", "VI"):
        graphs = [draw_graph(generator, task, index, profile="extended") for index in range(48)]
        assert len({middle_of(graph) for graph in graphs}) > 1
