"""Half of the sizes and distances of a simulated clip have options that people can tell apart."""

from collections import Counter
from dataclasses import replace

import pytest
from sti_tables import table

from chronotope.families import WriteContext, family
from chronotope.families.sti.refusal import Code
from chronotope.recording import Scene

STI = family("sti")
DIMENSIONS = "Dimensional Measurement"


def written(recording, profile="strict", **options):
    return STI.build.write(Scene.of(recording), WriteContext(0, profile, STI.build.Options(**options)))


def spacings(questions):
    return [float(question.tags["spacing"][0]) for question in questions if question.task == DIMENSIONS]


@pytest.fixture(scope="module")
def recordings():
    """Tables whose source is known, so that their distances are drawn among the usual ones."""
    return [replace(table(seed), source="world:table") for seed in range(6)]


def test_half_of_the_sizes_and_distances_have_wide_spacings(recordings):
    left_out = Counter()
    for recording in recordings:
        outcome = written(recording)
        found = spacings(outcome.questions)
        assert found and sum(ratio >= 1.2 for ratio in found) * 2 >= len(found), found
        for kind, counts in outcome.refusals.items():
            left_out[kind] += counts.get(Code.TOO_MANY_NARROW, 0)
    assert sum(left_out.values()) >= 5 and set(+left_out) <= {"size", "gap", "centre-distance", "camera-distance"}


def test_the_narrowest_are_left_out_and_nothing_else(recordings):
    """What is left are questions that are asked anyway, word for word."""
    for recording in recordings[:2]:
        every = {question.id: question for question in written(replace(recording, source="elsewhere")).questions}
        assert all(ratio >= 1.05 for ratio in spacings(every.values()))
        narrow = written(recording, spacing=(1.05, 1.1))
        assert spacings(narrow.questions) and not any(
            Code.TOO_MANY_NARROW in counts for counts in narrow.refusals.values()
        )
    paper = written(recordings[0], "paper")
    assert not any(Code.TOO_MANY_NARROW in counts for counts in paper.refusals.values())
