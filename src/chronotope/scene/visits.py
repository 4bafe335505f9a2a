"""The visits of a camera to the rooms of a home."""

from collections.abc import Sequence
from dataclasses import dataclass

from chronotope.recording import stays


@dataclass(frozen=True)
class Visit:
    """A visit to a room, from frame ``first`` to frame ``last``."""

    room: str | None
    first: int
    last: int

    @property
    def frames(self) -> int:
        """Return the number of frames."""
        return self.last - self.first + 1


def merged_visits(rooms: Sequence[str | None], least: int) -> tuple[Visit, ...]:
    """Return the visits of a way through rooms.

    ``rooms`` has one room for each frame. A visit of less than ``least`` frames becomes a part of the visit before it,
    or of the next visit if it is the first.
    """
    visits = _visits(rooms)
    while len(visits) > 1:
        short = next((place for place, visit in enumerate(visits) if visit.frames < least), None)
        if short is None:
            break
        room = visits[short - 1 if short else 1].room
        told: list[str | None] = []
        for place, visit in enumerate(visits):
            told += [room if place == short else visit.room] * visit.frames
        visits = _visits(told)
    return tuple(visits)


def _visits(rooms: Sequence[str | None]) -> list[Visit]:
    return [Visit(*stay) for stay in stays(rooms)]
