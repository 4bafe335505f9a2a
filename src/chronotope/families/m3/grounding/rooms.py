"""Descriptions of rooms that fit exactly one room of a home."""

from collections.abc import Callable, Iterator
from functools import lru_cache, partial

from chronotope.families.m3.layout import OTHER_SHAPE, Layout
from chronotope.scene import Descriptor, fits_only

ROOM_KINDS = ("type", "biggest_room", "smallest_room", "biggest_type", "smallest_type", "shape")


@lru_cache(maxsize=1024)  # the names of all objects in a room use those of the room
def describe_room(layout: Layout, room: str, kind: str, gap: float) -> Descriptor[str] | None:
    """Describe a room in a certain way.

    ``gap`` is the smallest gap of two areas that are compared, as a share of the larger area.
    The result is None if the description fits another room too.
    """
    found = next((made for made in _candidates(layout, room, gap) if made.kind == kind), None)
    return found if found is not None and fits_only(found, room, layout.by_id) else None


def _candidates(layout: Layout, room: str, gap: float) -> Iterator[Descriptor[str]]:
    kind, shape = layout.types[room], layout.shapes[room]
    yield Descriptor("type", f"the {kind}", lambda each: layout.types[each] == kind)
    for word, sign in (("largest", 1), ("smallest", -1)):
        name = "biggest" if sign > 0 else "smallest"
        rival = partial(_is_extreme, layout, sign, gap)
        yield Descriptor(f"{name}_room", f"the {word} room", partial(rival, lambda each: True))
        yield Descriptor(f"{name}_type", f"the {word} {kind}", partial(rival, lambda each: layout.types[each] == kind))
    if shape != OTHER_SHAPE:
        yield Descriptor("shape", f"the {_adjective(shape)} room", lambda each: layout.shapes[each] == shape)


def _is_extreme(layout: Layout, sign: int, gap: float, among: Callable[[str], bool], room: str) -> bool:
    """Check that a room is the extreme of a group.

    The extreme is clearly larger (``sign`` 1) or smaller (-1) than all others.
    """
    if not among(room):
        return False
    own = layout.areas[room]
    others = [area for name, area in layout.areas.items() if name != room and among(name)]
    return bool(others) and all(sign * (own - area) >= gap * max(own, area) for area in others)


def _adjective(shape: str) -> str:
    return {"rectangle": "rectangular", "staircase": "staircase-shaped"}.get(shape, shape.replace("-shape", "-shaped"))
