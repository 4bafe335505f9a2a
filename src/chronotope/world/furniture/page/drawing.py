"""A drawing of strokes and filled shapes, and the two forms in which it is written: PNG and SVG."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import lru_cache

import numpy as np
from PIL import Image, ImageDraw

BLACK, WHITE = "#000000", "#ffffff"
FINE = 3  # a picture is drawn so many times larger, and then made smaller


@dataclass(frozen=True, eq=False)
class Mark:
    """A stroke, a filled shape, or both, with ``points`` (N, 2) in px.

    ``width`` (px) is that of the stroke, or 0. ``fill`` is the colour of the inside, or None. Each array in ``holes``
    is an outline inside the shape, which stays white.
    """

    points: np.ndarray
    width: float = 0.0
    fill: str | None = None
    closed: bool = False
    holes: tuple[np.ndarray, ...] = ()


@dataclass
class Drawing:
    """The marks on a page of ``size`` (width, height) px, in the order in which they are drawn."""

    size: tuple[int, int]
    marks: list[Mark] = field(default_factory=list[Mark])

    def stroke(self, points: np.ndarray, width: float, closed: bool = False) -> None:
        """Draw a black line through points (N, 2)."""
        self.marks.append(Mark(np.asarray(points, float), width, None, closed))

    def shape(self, points: np.ndarray, fill: str = BLACK, width: float = 0.0) -> None:
        """Fill an outline (N, 2), with a black line around it if ``width`` is not 0."""
        self.marks.append(Mark(np.asarray(points, float), width, fill, True))

    def text(self, words: str, at: tuple[float, float], height: float) -> None:
        """Write bold words with their upper left corner at a point; ``height`` (px) is that of a digit."""
        for outline, holes in _letters(words):
            scaled = [np.asarray(at) + height * (loop * (1, -1) + (0, 1)) for loop in (outline, *holes)]
            self.marks.append(Mark(scaled[0], fill=BLACK, closed=True, holes=tuple(scaled[1:])))

    def png(self) -> Image.Image:
        """Return the drawing as a picture, RGB."""
        width, height = self.size
        picture = Image.new("L", (FINE * width, FINE * height), 255)
        pen = ImageDraw.Draw(picture)
        for mark in self.marks:
            corners = [(FINE * x, FINE * y) for x, y in mark.points]
            if mark.fill is not None:
                pen.polygon(corners, fill=0 if mark.fill == BLACK else 255)
                for hole in mark.holes:
                    pen.polygon([(FINE * x, FINE * y) for x, y in hole], fill=255)
            if mark.width:
                line = [*corners, corners[0]] if mark.closed else corners
                thick = max(1, round(FINE * mark.width))
                pen.line(line, fill=0, width=thick, joint="curve")
                for x, y in line if thick > 2 else ():  # round ends and corners
                    half = (thick - 1) / 2
                    pen.ellipse((x - half, y - half, x + half, y + half), fill=0)
        return picture.resize(self.size, Image.Resampling.BOX).convert("RGB")

    def svg(self) -> str:
        """Return the drawing as the text of an SVG file."""
        width, height = self.size
        rows = [
            f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" '
            f'viewBox="0 0 {width} {height}">',
            f'<rect width="{width}" height="{height}" fill="{WHITE}"/>',
        ]
        for mark in self.marks:
            way = " ".join(_path(loop, mark.closed) for loop in (mark.points, *mark.holes))
            stroke = f' stroke="{BLACK}" stroke-width="{mark.width:g}" stroke-linecap="round" stroke-linejoin="round"'
            rows.append(
                f'<path d="{way}" fill="{mark.fill or "none"}" fill-rule="evenodd"{stroke if mark.width else ""}/>'
            )
        return "\n".join([*rows, "</svg>", ""])


def _path(points: np.ndarray, closed: bool) -> str:
    return "M" + " L".join(f"{x:.1f},{y:.1f}" for x, y in points) + (" Z" if closed else "")


@lru_cache(maxsize=64)
def _letters(words: str) -> Sequence[tuple[np.ndarray, tuple[np.ndarray, ...]]]:
    """Return the outlines of bold words, each with its holes.

    Digits are 1 high and stand on y = 0.
    """
    # Imported here because Matplotlib takes long to import, and few commands draw pages.
    from matplotlib.font_manager import FontProperties
    from matplotlib.textpath import TextPath

    font = FontProperties(family="DejaVu Sans", weight="bold")
    tall = TextPath((0, 0), "0", size=100, prop=font).get_extents().height
    path = TextPath((0, 0), words, size=100, prop=font)
    loops = [found for loop in path.to_polygons() if len(found := np.asarray(loop, float) / tall) > 2]
    outer = [loop for loop in loops if not any(_holds(other, loop) for other in loops if other is not loop)]
    return [(loop, tuple(hole for hole in loops if hole is not loop and _holds(loop, hole))) for loop in outer]


def _holds(loop: np.ndarray, other: np.ndarray) -> bool:
    """Check whether the box of one outline is inside the box of another."""
    return bool(np.all(loop.min(axis=0) < other.min(axis=0)) and np.all(loop.max(axis=0) > other.max(axis=0)))
