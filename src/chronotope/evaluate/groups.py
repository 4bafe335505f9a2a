"""Groups: all asks that show the same media. They are computed from the plan and stored nowhere."""

from collections.abc import Sequence
from dataclasses import dataclass

from chronotope.evaluate.asks import PlannedAsk
from chronotope.evaluate.plan import Plan, pictures_of
from chronotope.media import FramePlan
from chronotope.protocol import Part, Picture, Video

__all__ = ["Call", "Group", "common_prefix", "make_calls", "make_groups", "sharing"]


@dataclass(frozen=True)
class Group:
    """Asks that show the same ``files``; ``pictures`` is how many different pictures they show, all together."""

    asks: tuple[PlannedAsk, ...]
    files: tuple[str, ...]
    pictures: int


@dataclass(frozen=True)
class Call:
    """One call to be made: the ask it is for, its prompt, and the pictures and videos of the prompt, in order."""

    planned: PlannedAsk
    parts: tuple[Part, ...]
    shown: tuple[Picture | Video, ...]


def make_groups(plan: Plan, planned: Sequence[PlannedAsk]) -> list[Group]:
    """The groups of some asks of a plan, in the order in which their first asks stand.

    Asks that show nothing have nothing in common: each is a group of its own.
    """
    by_files: dict[tuple[str, ...], list[PlannedAsk]] = {}
    alone: list[Group] = []
    for one in planned:
        files = plan.prompts[one.ask.id].files
        if files:
            by_files.setdefault(files, []).append(one)
        else:
            alone.append(Group((one,), (), 0))
    groups = [Group(tuple(asks), files, _different_pictures(plan, asks, files)) for files, asks in by_files.items()]
    return [*groups, *alone]


def _different_pictures(plan: Plan, asks: Sequence[PlannedAsk], files: Sequence[str]) -> int:
    frames: dict[FramePlan, int] = {p: len(set(p.indices)) for one in asks for p in one.ask.plans if p is not None}
    return sum(frames.values()) + sum(isinstance(plan.facts[path], str) for path in files)


def make_calls(plan: Plan, group: Group) -> list[Call]:
    """The calls of a group, with their prompts."""
    calls: list[Call] = []
    for one in group.asks:
        parts = tuple(plan.parts(one.ask))
        videos = [part for part in parts if isinstance(part, Video)]
        calls.append(Call(one, parts, (*pictures_of(parts), *videos)))
    return calls


def sharing(calls: Sequence[Call]) -> list[list[Call]]:
    """Calls in sets that show the same pictures in the same order: what a prefix can be common to."""
    sets: dict[tuple[Picture | Video, ...], list[Call]] = {}
    for call in calls:
        sets.setdefault(call.shown, []).append(call)
    return list(sets.values())


def common_prefix(calls: Sequence[Call]) -> tuple[Part, ...]:
    """The parts that all prompts begin with; none where there is but one prompt, which shares nothing."""
    if len(calls) < 2:
        return ()
    first = calls[0].parts
    for place in range(min(len(call.parts) for call in calls)):
        if any(call.parts[place] != first[place] for call in calls):
            return first[:place]
    return first[: min(len(call.parts) for call in calls)]
