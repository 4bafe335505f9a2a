"""Room between things that move over the ground: whether their outlines ever meet."""

from dataclasses import dataclass

import numpy as np

_SIGNS = np.array([[1, 1], [-1, 1], [-1, -1], [1, -1]])


@dataclass(frozen=True, eq=False)
class Outline:
    """The rectangle on the ground that a thing covers in each frame.

    ``middles`` (T, 2) m, ``headings`` (T,) rad, and ``half`` (2,) m is half its length and its width. T is 1 for a
    thing that stands.
    """

    middles: np.ndarray
    headings: np.ndarray
    half: np.ndarray

    def grown(self, ahead: float, aside: float) -> "Outline":
        """Return a larger outline, by some metres before and behind, and on both sides."""
        return Outline(self.middles, self.headings, self.half + np.array([ahead, aside]))

    @property
    def sides(self) -> np.ndarray:
        """Return the unit vectors (T, 2, 2) along the length and the width."""
        cosine, sine = np.cos(self.headings), np.sin(self.headings)
        return np.stack([np.stack([cosine, sine], -1), np.stack([-sine, cosine], -1)], 1)

    @property
    def corners(self) -> np.ndarray:
        """Return the corners (T, 4, 2) m."""
        return self.middles[:, None] + np.einsum("cs,s,tsx->tcx", _SIGNS, self.half, self.sides)


def outline_of(poses: np.ndarray, size: tuple[float, float, float]) -> Outline:
    """Return the outline of a thing with poses (T, 4, 4) and a size (m)."""
    headings = np.arctan2(poses[:, 1, 0], poses[:, 0, 0])
    return Outline(poses[:, :2, 3], headings, np.array(size[:2]) / 2)


def meet(first: Outline, second: Outline) -> bool:
    """Check whether two outlines overlap in a frame: no side of either separates them."""
    apart = np.zeros(max(len(first.middles), len(second.middles)), bool)
    corners = first.corners, second.corners
    for sides in (first.sides, second.sides):
        for number in range(2):
            spans = [(corner * sides[:, None, number]).sum(-1) for corner in corners]
            apart |= (spans[0].max(1) < spans[1].min(1)) | (spans[1].max(1) < spans[0].min(1))
    return not apart.all()
