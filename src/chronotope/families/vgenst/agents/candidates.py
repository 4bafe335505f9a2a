"""Clips from generation services: several candidates for a scene, checks of each, and which one may be chosen.

Candidates are ordered from the prompts of validated drafts. Checks use pixels alone, and a judge model counts what it
sees. A person has the last word; a candidate that fails a check is never chosen by code.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from pydantic import BaseModel, Field

from chronotope.families.vgenst.agents.first_frame import seen_first
from chronotope.families.vgenst.agents.items import Item
from chronotope.families.vgenst.agents.translators import has_anchor
from chronotope.media import decode_frames, encode_picture, probe
from chronotope.models import Asker, Stage
from chronotope.models.media import Made, MediaLimits, MediaRequest, Order
from chronotope.models.media.clip_checks import CameraMotion, ClipCheck, check_clip
from chronotope.world.kinds.stage.graph import SceneGraph

SECONDS = 8.0
CANDIDATES = 3
FRAMES = 8  # that the judge sees
FIXED = ("QC", "CM", "IO", "VI")  # tasks with a camera that does not move
COUNT = Stage(
    "judge",
    "You check generated clips. You get frames of a clip in their order, and names of things. Say for each name how "
    "many such things are in the clip at the same time, at most; 0 if none is. Say, too, whether the frames show one "
    "continuous shot, and whether words or captions that belong to no sign are seen.",
    {"temperature": 0.0, "max_tokens": 1000},
)


class Count(BaseModel):
    """How many things of a name a clip shows."""

    name: str
    count: int = Field(ge=0, le=1000)


class Seen(BaseModel):
    """What a judge sees in a clip."""

    counts: list[Count]
    is_one_shot: bool
    has_captions: bool


@dataclass(frozen=True)
class CandidateClip:
    """A candidate with its checks, and the faults that a judge saw; None if no judge was asked."""

    made: Made
    checks: Sequence[ClipCheck] = ()
    seen: Sequence[str] | None = None

    @property
    def may_be_chosen(self) -> bool:
        """Check whether nothing speaks against the candidate."""
        return self.made.state == "made" and all(check.passed for check in self.checks) and not self.seen

    @property
    def faults(self) -> list[str]:
        """Return all faults in words."""
        made = [self.made.told] if self.made.state != "made" and self.made.told else []
        return [
            *made,
            *(f"{check.name}: {check.told}" for check in self.checks if not check.passed),
            *(self.seen or ()),
        ]


def clip_orders(
    item: Item,
    prompt: str,
    limits: MediaLimits,
    anchor: Path | None = None,
    candidates: int = CANDIDATES,
    seed: int = 0,
) -> list[Order]:
    """Return the orders for the candidates of an item.

    The duration is 8 s, or the nearest one that the service makes. The anchor is shown if the task has one and the
    service takes it. Services whose seeds change nothing get equal requests with different numbers.
    """
    seconds = min(limits.seconds, key=lambda one: abs(one - SECONDS)) if limits.seconds else SECONDS
    shown = anchor if has_anchor(item.task) and "first_frame" in limits.takes else None
    request = MediaRequest(
        "video", prompt, shown, seconds=seconds, seed=seed, is_camera_fixed=item.task in FIXED
    )  # fmt: skip
    return [
        Order(f"{item.id}--{number}", replace(request, seed=seed + number, candidate=number))
        for number in range(candidates)
    ]


def checked_clip(item: Item, made: Made, anchor: Path | None, seconds: float = SECONDS) -> CandidateClip:
    """Check a candidate by its pixels.

    Raises:
        InputError: If the clip cannot be read.
    """
    if made.path is None:
        return CandidateClip(made)
    camera: CameraMotion = "fixed" if item.task in FIXED else "moving"
    return CandidateClip(made, check_clip(made.path, seconds, anchor if has_anchor(item.task) else None, camera))


async def judged_clip(candidate: CandidateClip, item: Item, graph: SceneGraph, judge: Asker) -> CandidateClip:
    """Let a judge count what a candidate shows.

    Raises:
        OverBudgetError: If the next call could exceed the limit on the cost.
        InputError: If the service refuses every call, or the clip cannot be read.
    """
    path = candidate.made.path
    if path is None:
        return candidate
    expected = _expected(graph)
    total = probe(path).frames
    wanted = np.linspace(0, total - 1, FRAMES).round().astype(int).tolist()
    pictures = [encode_picture(picture) for _, picture in decode_frames(path, wanted)]
    names = "Names: " + "; ".join(expected)
    seen = await judge.ask(COUNT, f"{item.id}--count {candidate.made.name}", [*pictures, names], Seen)
    if seen is None:
        judge.require_answers()
        return replace(candidate, seen=("the judge gave no readable reply",))
    return replace(candidate, seen=tuple(_faults(seen, expected)))


def chosen(candidates: Sequence[CandidateClip]) -> CandidateClip | None:
    """Return the first candidate against which nothing speaks, as a proposal for a person, or None."""
    return next((candidate for candidate in candidates if candidate.may_be_chosen), None)


def _expected(graph: SceneGraph) -> Mapping[str, int]:
    """Return how many things of each label a clip shows at once; QC's items are many."""
    counts: dict[str, int] = {}
    for entity in graph.objects:
        if entity.role == "ego":
            continue
        many = graph.params.initial_surface_count if entity.role == "countable_items" else 1
        shared = graph.task == "CI" and entity.label in counts  # the same look in both containers, seen one by one
        counts[entity.label] = counts.get(entity.label, 0) if shared else many
    first = {entity.label for entity in seen_first(graph)}
    return dict(sorted(counts.items(), key=lambda pair: pair[0] not in first))


def _faults(seen: Seen, expected: Mapping[str, int]) -> list[str]:
    counted = {count.name.casefold().strip(): count.count for count in seen.counts}
    faults = []
    for name, wanted in expected.items():
        found = counted.get(name.casefold())
        if found != wanted:
            faults.append(f"{name}: {'not told' if found is None else found} instead of {wanted}")
    if not seen.is_one_shot:
        faults.append("not one continuous shot")
    if seen.has_captions:
        faults.append("words or captions")
    return faults
