"""Groups: asks that show the same media.

Groups are computed from the plan and are not stored.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from chronotope.evaluate.plan.asks import PlannedAsk
from chronotope.evaluate.plan.plan import Plan, picture_size, pictures_of
from chronotope.protocol import Image, Part, Picture, Video

# A JPEG picture has about a quarter of a byte for each pixel; it is stored as bytes and as base64.
BYTES_PER_PIXEL = 0.25 * (1 + 4 / 3)


# Limit on the calls of a group, because all prompts of a group are in memory together. If a clip has several groups,
# the later groups find its frames in the cache.
MOST_CALLS = 128


@dataclass(frozen=True)
class Call:
    """One call: its ask, the parts of its prompt, and the pictures of its prompt."""

    planned: PlannedAsk
    parts: tuple[Part, ...]
    shown: tuple[Picture | Video, ...]


@dataclass(frozen=True)
class Set:
    """Calls that show the same media in the same order.

    ``prefix`` contains the parts with which all their prompts begin.
    """

    calls: tuple[Call, ...]
    prefix: tuple[Part, ...]

    @property
    def shared(self) -> bool:
        """Check whether the prompts of several calls begin with the same media."""
        return len(self.calls) > 1 and any(isinstance(part, Image | Video) for part in self.prefix)


@dataclass(frozen=True)
class Group:
    """Calls about the same media.

    ``bytes`` estimates the memory for their encoded pictures.
    """

    sets: tuple[Set, ...]
    bytes: int

    @property
    def calls(self) -> list[Call]:
        """List all calls of the group."""
        return [call for one in self.sets for call in one.calls]

    @property
    def prefixes(self) -> int:
        """Count the sets that can profit from a service's prefix cache."""
        return sum(one.shared for one in self.sets)


def make_groups(plan: Plan, planned: Sequence[PlannedAsk]) -> Iterator[Group]:
    """Group the asks of a plan by the media that they show.

    The groups are in the order of their first asks.

    Questions with the same media form a group. Pictures of options are not considered. Each ask without media is a
    group of one ask. The calls of a group are made only when the group is requested.
    """
    by_media: dict[tuple[str, ...], list[int]] = {}
    for place, one in enumerate(planned):
        prompt = plan.prompts[one.ask.id]
        media = {path for item in prompt.media for path in item.paths}
        files = tuple(path for path in prompt.files if path in media)
        by_media.setdefault(files or (one.ask.id,), []).append(place)
    for places in by_media.values():
        for start in range(0, len(places), MOST_CALLS):
            asks = [planned[place] for place in places[start : start + MOST_CALLS]]
            calls = [make_call(one, tuple(plan.parts(one.ask))) for one in asks]
            yield Group(_sets(calls), _bytes(plan, calls))


def group_of_one(plan: Plan, planned: PlannedAsk, parts: tuple[Part, ...]) -> Group:
    """Make the group of a single call."""
    call = make_call(planned, parts)
    return Group((Set((call,), ()),), _bytes(plan, [call]))


def _sets(calls: Sequence[Call]) -> tuple[Set, ...]:
    """Sort calls into sets that show the same media in order.

    Only the calls of one set can have a common prefix.
    """
    sets: dict[tuple[Part, ...], list[Call]] = {}
    for call in calls:
        media = tuple(part for part in call.parts if isinstance(part, Image | Video))
        sets.setdefault(media, []).append(call)
    return tuple(Set(tuple(ones), _common_prefix(ones)) for ones in sets.values())


def make_call(planned: PlannedAsk, parts: tuple[Part, ...]) -> Call:
    """Make a call for an ask, with these parts of its prompt."""
    videos = [part for part in parts if isinstance(part, Video)]
    return Call(planned, parts, (*pictures_of(parts), *videos))


def _bytes(plan: Plan, calls: Sequence[Call]) -> int:
    different = {shown for call in calls for shown in call.shown}
    return round(BYTES_PER_PIXEL * sum(_pixels(plan, shown) for shown in different))


def _pixels(plan: Plan, shown: Picture | Video) -> int:
    """Estimate the number of pixels of a picture or video.

    For a video file, the estimate is a tenth of the pixels of all its frames, because this corresponds to the size of
    the file.
    """
    if isinstance(shown, Video) and shown.frames is not None:
        return sum(_pixels(plan, frame) for frame in shown.frames.frames)
    if not isinstance(shown, Video):
        width, height = picture_size(plan.benchmark, shown)
        return width * height
    file = plan.benchmark.media[shown.path]
    return (file.width or 0) * (file.height or 0) * (file.frames or 1) // 10


def _common_prefix(calls: Sequence[Call]) -> tuple[Part, ...]:
    """Return the parts with which the prompts of all calls begin.

    Returns an empty tuple for a single call.
    """
    if len(calls) < 2:
        return ()
    first = calls[0].parts
    length = min(len(call.parts) for call in calls)
    for place in range(length):
        if any(call.parts[place] != first[place] for call in calls):
            return first[:place]
    return first[:length]
