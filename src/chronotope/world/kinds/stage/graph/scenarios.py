"""Scenarios: the phases of a clip with their times, drawn from a graph by code; the prose follows from the phases."""

from typing import Annotated

from pydantic import Field

from chronotope.world.kinds.stage.graph.structure import Part, Prose, Word

SECONDS = 8.0
LONGEST = 16.0  # s, of the clips of the extended profile

Seconds = Annotated[float, Field(ge=0, le=60)]


class ScriptEvent(Part):
    """What an entity does between two times (s); the kinds are those of the events of recordings."""

    kind: Word
    agent: str | None = None
    object: str | None = None
    t0: Seconds
    t1: Seconds


class Phase(Part):
    """A phase of a clip: ``camera`` says in a few words what the camera does."""

    name: Word
    t0: Seconds
    t1: Seconds
    camera: Word
    events: tuple[ScriptEvent, ...] = ()


class Scenario(Part):
    """What a viewer sees in which order, and what the viewer must infer; ``phases`` are an addition of ours."""

    reasoning_goal: Prose
    timeline: dict[str, Prose]
    phases: tuple[Phase, ...]

    def phase(self, name: str) -> Phase:
        """Return the phase with a name."""
        return next(phase for phase in self.phases if phase.name == name)


def told(goal: str, *phases: tuple[Phase, str]) -> Scenario:
    """Make a scenario of phases and their descriptions."""
    return Scenario(
        reasoning_goal=goal, timeline={phase.name: text for phase, text in phases}, phases=tuple(p for p, _ in phases)
    )
