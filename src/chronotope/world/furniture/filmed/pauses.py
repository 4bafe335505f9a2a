"""Pauses: the person stops with a group in the hands, and looks around."""

from dataclasses import dataclass
from typing import Literal

import numpy as np

from chronotope.world.people.motion import Act, LookAt, Stand

OFTEN = 0.3  # share of the groups before which the person stops
ASIDE, FAR = (np.radians(38.0), np.radians(60.0)), 2.2  # how far aside the person looks, and how far away (m)
HEIGHTS = (0.5, 1.5)  # m, of what the person looks at
TURN, STAY, BACK = 0.8, (0.1, 0.5), 0.7  # s for a turn of the head, at rest, and back


@dataclass(frozen=True)
class Pause:
    """A stop: ``when``, and the directions (rad from ahead, m above the floor) of the looks with the rest (s) there.

    A stop between two groups is before the person walks up; a stop inside a step is before the product.
    """

    when: Literal["between", "inside"]
    looks: tuple[tuple[float, float, float], ...]

    def acts(self, at: np.ndarray) -> list[Act]:
        """Return the acts of a person who stands at a place with a heading (3,): m, m, rad."""
        acts: list[Act] = []
        for aside, height, rest in self.looks:
            angle = at[2] + aside
            point = np.array([at[0] + FAR * np.cos(angle), at[1] + FAR * np.sin(angle), height])
            acts += [LookAt(point, TURN), Stand(rest)]
        return [*acts, LookAt(None, BACK)]


def draw_pause(generator: np.random.Generator) -> Pause | None:
    """Draw whether the person stops before a group, and where the person then looks."""
    stops, inside, side = generator.random(), generator.random() < 0.5, 1 if generator.random() < 0.5 else -1
    looks = tuple(
        (turn * float(generator.uniform(*ASIDE)), float(generator.uniform(*HEIGHTS)), float(generator.uniform(*STAY)))
        for turn in (side, -side)
    )
    if stops >= OFTEN:
        return None
    return Pause("inside" if inside else "between", looks[: 1 + int(generator.integers(2))])
