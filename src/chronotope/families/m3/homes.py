"""The sizes of the homes of a set: areas, rooms, things and videos (Figure 7 draws the areas)."""

from collections.abc import Mapping, Sequence
from typing import Any

from chronotope.families import Measure
from chronotope.families.m3.layout import words_of

_AREAS = "Figure 7"  # draws them without printing numbers
_FRAMES = 505.7  # the mean of the paper's videos


def measures(recordings: Sequence[Mapping[str, Any]]) -> tuple[Measure, ...]:
    """Measure the homes and the videos of a set.

    Each home counts once.

    ``recordings`` are summaries, as `chronotope.recording.summarise` makes them; recordings without rooms are left out.
    Areas are those of the floors, in m2.
    """
    known = [recording for recording in recordings if recording.get("rooms")]
    homes = {one.get("scene") or one["id"]: one for one in reversed(known)}  # of its first state
    rooms = [room for home in homes.values() for room in home["rooms"]]
    types = dict.fromkeys(sorted(room["type"] for room in rooms))
    found = [
        Measure("area of a home, m2", tuple(home["area_m2"] for home in homes.values()), figure=_AREAS),
        Measure("rooms of a home", tuple(float(len(home["rooms"])) for home in homes.values())),
        Measure("area of a room, m2", tuple(room["area_m2"] for room in rooms)),
        *(
            Measure(f"area of a {words_of(kind)}, m2", tuple(room["area_m2"] for room in rooms if room["type"] == kind))
            for kind in types
        ),
        Measure("things of a home", tuple(float(len(home.get("entities", ()))) for home in homes.values())),
        Measure("frames of a video", tuple(float(one["frames"]) for one in known), paper=_FRAMES),
    ]
    return tuple(found) if known else ()
