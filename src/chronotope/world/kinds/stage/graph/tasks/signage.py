"""DS: which signed destination the walker's real heading leads to."""

from collections.abc import Iterator
from itertools import permutations
from typing import Annotated, Any, Literal

import numpy as np
from pydantic import Field

from chronotope.world.kinds.stage.graph.cycles import Cycle, crossed
from chronotope.world.kinds.stage.graph.rulebook import Fault, Rulebook, counted
from chronotope.world.kinds.stage.graph.scenarios import Phase, Scenario, told
from chronotope.world.kinds.stage.graph.stage_task import StageTask
from chronotope.world.kinds.stage.graph.structure import (
    Camera,
    Ours,
    Params,
    Part,
    SceneGraph,
    SceneObject,
    Word,
    Words,
)
from chronotope.world.kinds.stage.graph.themes import category_of, setting_of
from chronotope.world.kinds.stage.graph.vocabulary import DESTINATIONS, EXITS

WAYS = ("Straight", "Left", "Right")
APPROACH, PASS, STOP = 3.6, 1.2, 8.0  # s: to the sign, past it or around the corner, and the end
Way = Literal["Straight", "Left", "Right"]
SHORTEST = 2.5  # s, on the way after the turn


class DsParams(Params):
    """The way of the walker, and the arrows of the entries; in the extended profile, there are two or three."""

    agent_path: Way
    arrows: tuple[Way, ...]


class Entry(Part):
    """A line of the sign: its text and its arrow."""

    text: Annotated[Word, Words("destinations")]
    arrow: Word


class SignAttributes(Part):
    """The entries of the sign, and where it hangs."""

    entry_A: Entry  # noqa: N815
    entry_B: Entry  # noqa: N815
    entry_C: Annotated[Entry | None, Ours()] = None  # noqa: N815
    placement: Word

    @property
    def entries(self) -> tuple[Entry, ...]:
        """Return the entries in their order."""
        return tuple(entry for entry in (self.entry_A, self.entry_B, self.entry_C) if entry is not None)


class Sign(SceneObject):
    """The only sign of the scene."""

    role: Literal["sign"] = "sign"
    attributes: SignAttributes


class HallWalk(Camera):
    """A walk to the sign, past it and on; all three exits of the junction are open."""

    exits: Annotated[tuple[Word, ...], Ours()] = WAYS
    seconds_after: Annotated[float, Field(ge=0, le=20), Ours()] = STOP - APPROACH - PASS


class DsTruth(Part):
    """Where the walker goes, and what the sign says of that direction."""

    agent_heading: str
    destination: str
    reasoning: str


class DsGraph(SceneGraph):
    """A hall with a sign before a junction."""

    params: Annotated[DsParams, Ours()]
    objects: tuple[Sign, ...]
    camera_movement: HallWalk
    ground_truth: DsTruth


def draw(generator: np.random.Generator, params: DsParams, theme: str) -> dict[str, Any]:
    """Draw the parts of a graph."""
    names = (category_of("DS", theme), setting_of("DS", theme), "station hall")
    texts = next(DESTINATIONS[name] for name in names if name in DESTINATIONS)
    ways = params.arrows
    chosen = [str(text) for text in generator.choice(texts, len(ways), replace=False)]
    entries = {f"entry_{'ABC'[k]}": Entry(text=t, arrow=w) for k, (t, w) in enumerate(zip(chosen, ways, strict=True))}
    sign = Sign(
        id="sign", label="sign", attributes=SignAttributes(**entries, placement="hangs from the ceiling over the way")
    )
    leads = dict(zip(ways, chosen, strict=True)).get(params.agent_path, EXITS)
    return {
        "objects": (sign,),
        "camera_movement": HallWalk(type="walk", trajectory=_trajectory(params)),
        "ground_truth": DsTruth(
            agent_heading=params.agent_path, destination=leads, reasoning=_reasoning(params, leads)
        ),
    }


def _trajectory(params: DsParams) -> str:
    return f"to_the_sign_then_{params.agent_path.lower()}"


def _reasoning(params: DsParams, leads: str) -> str:
    way = "goes straight on" if params.agent_path == "Straight" else f"turns {params.agent_path.lower()}"
    says = "no entry has this arrow" if leads == EXITS else f"this arrow stands beside {leads}"
    return f"The walker {way}; {says}."


def truth(graph: DsGraph) -> DsTruth:
    """Compute the ground truth from the entries of the sign and the trajectory."""
    heading = graph.camera_movement.trajectory.rpartition("_")[2].capitalize()
    found = [entry.text for sign in graph.objects for entry in sign.attributes.entries if entry.arrow == heading]
    leads = found[0] if found else EXITS
    return DsTruth(agent_heading=heading, destination=leads, reasoning=_reasoning(graph.params, leads))


def tell(graph: DsGraph) -> Scenario:
    """Make the scenario."""
    path = graph.params.agent_path
    way = "goes straight on" if path == "Straight" else f"turns {path.lower()}"
    entries = "; ".join(
        f"{entry.text} with an arrow {entry.arrow.lower()}" for s in graph.objects for entry in s.attributes.entries
    )
    return told(
        "Read the sign, watch where the walker really goes, and tell which destination lies there, if any is signed.",
        (Phase(name="setup", t0=0, t1=0.8, camera="still at eye level"),
         f"A long hall; a sign ahead says: {entries}. Ways lead on, to the left and to the right."),
        (Phase(name="approach_and_pass", t0=0.8, t1=APPROACH + PASS, camera=f"walks to the sign and {way}"),
         f"The camera walks to the sign, passes under it and {way}."),
        (Phase(name="continued_heading", t0=APPROACH + PASS, t1=STOP, camera="walks on"),
         "The camera walks on in this direction; the sign is out of view."),
    )  # fmt: skip


RULES = Rulebook("DS")


@RULES.rule("R1", "exactly one sign with two entries (two or three in the extended profile)", "keep one sign")
def _counts(graph: DsGraph) -> Iterator[Fault]:
    yield from counted(graph, {"sign": 1})
    for index, sign in enumerate(graph.objects):
        if len(sign.attributes.entries) != len(graph.params.arrows):
            yield f"objects.{index}.attributes", f"{len(sign.attributes.entries)} entries"


@RULES.rule("R2", "the arrows of the entries are different, and each is Straight, Left or Right, never diagonal",
            "use the arrows of params.arrows, one for each entry")  # fmt: skip
def _arrows(graph: DsGraph) -> Iterator[Fault]:
    for index, sign in enumerate(graph.objects):
        arrows = [entry.arrow for entry in sign.attributes.entries]
        for number, arrow in enumerate(arrows):
            if arrow not in WAYS or arrow in arrows[:number]:
                yield f"objects.{index}.attributes.entry_{'ABC'[number]}.arrow", arrow
        if set(arrows) <= set(WAYS) and len(set(arrows)) == len(arrows) and tuple(arrows) != graph.params.arrows:
            yield f"objects.{index}.attributes", ", ".join(arrows)


@RULES.rule("R3", "texts are different, short and legible: 2 to 16 letters of ASCII", "shorten the text")
def _texts(graph: DsGraph) -> Iterator[Fault]:
    for index, sign in enumerate(graph.objects):
        seen: list[str] = []
        for number, entry in enumerate(sign.attributes.entries):
            if not 2 <= len(entry.text) <= 16 or not entry.text.isascii() or entry.text.casefold() in seen:
                yield f"objects.{index}.attributes.entry_{'ABC'[number]}.text", entry.text
            seen.append(entry.text.casefold())


@RULES.rule("R4", "the sign is part of the place, not a poster: it hangs or stands over the way",
            "say that the sign hangs from the ceiling")  # fmt: skip
def _placement(graph: DsGraph) -> Iterator[Fault]:
    for index, sign in enumerate(graph.objects):
        placement = sign.attributes.placement.casefold()
        if "poster" in placement or not any(word in placement for word in ("hang", "stand", "mounted", "overhead")):
            yield f"objects.{index}.attributes.placement", sign.attributes.placement


@RULES.rule("R5", "all three ways of the junction are open and can be seen in the first frame, one without an entry",
            "list Straight, Left and Right as exits")  # fmt: skip
def _exits(graph: DsGraph) -> Iterator[Fault]:
    if sorted(graph.camera_movement.exits) != sorted(WAYS):
        yield "camera_movement.exits", ", ".join(graph.camera_movement.exits)


@RULES.rule("R6", "the camera walks to the sign, passes it, and goes on along agent_path for at least 2.5 s",
            "set type walk, the trajectory of params.agent_path, and seconds_after to at least 2.5")  # fmt: skip
def _walk(graph: DsGraph) -> Iterator[Fault]:
    camera = graph.camera_movement
    if camera.type != "walk":
        yield "camera_movement.type", camera.type
    if camera.trajectory != _trajectory(graph.params):
        yield "camera_movement.trajectory", camera.trajectory
    if camera.seconds_after < SHORTEST:
        yield "camera_movement.seconds_after", camera.seconds_after


_PATHS = tuple({"agent_path": way} for way in WAYS)
TASK = StageTask(
    code="DS_E_EGO_STA",
    name="Directional Signage Grounding",
    graph=DsGraph,
    params=DsParams,
    cycles={
        "paper": Cycle(_PATHS, crossed(arrows=tuple(permutations(WAYS, 2)))),
        "extended": Cycle(_PATHS, crossed(arrows=(*permutations(WAYS, 2), *permutations(WAYS)))),
    },
    draw=draw,
    truth=truth,
    tell=tell,
    rules=RULES,
)
