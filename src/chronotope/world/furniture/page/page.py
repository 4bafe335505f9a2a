"""The page of one step: finished parts, new parts moved out along their way, arrows, fasteners, and the number."""

from collections import Counter
from dataclasses import dataclass

import numpy as np

from chronotope.world.furniture.page.drawing import BLACK, WHITE, Drawing
from chronotope.world.furniture.page.icons import draw_fastener
from chronotope.world.furniture.page.lines import Buffers, rasterize, visible_lines, visible_pieces
from chronotope.world.furniture.page.view import View, fitted, towards
from chronotope.world.furniture.product import Entry, Fastener, Joining, Product
from chronotope.world.things.mesh import Mesh, moved

PAGE = (1100, 900)  # px
MARGIN, TOP = 90, 190  # px around the furniture, and above it, where the number and the fasteners are
THICK, THIN, DASHED = 2.6, 1.4, 1.2  # px, widths of outlines, edges and the ways of fasteners
DASH, GAP = 9.0, 5.0  # px
OUT = 0.28  # of the diagonal of the furniture: how far new parts are moved out
HOLE = 0.007  # m, radius of the hole of a fastener
CIRCLE, NUMBER, COUNT = 84, 52, 26  # px, radius of the circle of a fastener, and heights of digits
AZIMUTH, ELEVATION = (24.0, 52.0), (20.0, 34.0)  # degrees, limits of the view


@dataclass(frozen=True, eq=False)
class Exploded:
    """The parts of a step, with new parts moved ``away`` (3,) m from their places.

    ``meshes`` are those of the base, and then those of each entry, where they are shown.
    """

    ways: tuple[tuple[Entry, np.ndarray], ...]
    meshes: tuple[tuple[Mesh, ...], ...]

    @property
    def points(self) -> np.ndarray:
        """Return all corners (N, 3) m."""
        return np.concatenate([mesh.vertices for meshes in self.meshes for mesh in meshes])

    @property
    def fasteners(self) -> list[tuple[Fastener, np.ndarray]]:
        """Return each fastener, with the way (3,) m from its place to its part."""
        return [(fastener, away) for entry, away in self.ways for fastener in entry.fasteners]


def draw_step(product: Product, index: int, view: View, printed: bool = True) -> Drawing:
    """Draw the page of a step.

    ``view`` is one of `view_of`. With ``printed``, the number of the step (from 1) stands in the upper left corner.
    """
    step = product.steps[index]
    shown = explode(product, step.shown)
    view = fitted(view, shown.points, (MARGIN, TOP, PAGE[0] - MARGIN, PAGE[1] - MARGIN))
    buffers = rasterize(shown.meshes, view, PAGE)
    drawing = Drawing(PAGE)
    for mesh in (mesh for meshes in shown.meshes for mesh in meshes):
        for line in visible_lines(mesh, view, buffers):
            drawing.stroke(line.points, THICK if line.is_outline else THIN)
    for fastener, away in shown.fasteners:
        _draw_way(drawing, fastener, away, view, buffers)
    _draw_circles(drawing, shown.fasteners, view, buffers)
    _draw_arrows(drawing, shown, view)
    if len(step.joinings) > 1:
        drawing.text(f"{len(step.joinings)}x", (150.0, 46.0), 40)
    if printed:
        drawing.text(str(index + 1), (46.0, 40.0), NUMBER)
    return drawing


def view_of(generator: np.random.Generator, joining: Joining) -> View:
    """Draw the view of a joining, from the front on the left or on the right."""
    azimuth = generator.uniform(*AZIMUTH) * generator.choice([-1, 1])
    return towards(joining.up, float(azimuth), float(generator.uniform(*ELEVATION)))


def explode(product: Product, joining: Joining) -> Exploded:
    """Move the new parts of a joining out along their ways."""
    reach = OUT * float(np.linalg.norm(np.ptp(product.points(joining.joined), axis=0)))
    ways: list[tuple[Entry, np.ndarray]] = []
    for entry in joining.entries:
        outward = -np.array(entry.toward)
        end = _reach_of(product, entry, outward)
        # What lies outside another new group on the same way is moved further.
        before = [
            round(float(np.linalg.norm(away)) / reach)
            for other, away in ways
            if other.toward == entry.toward and _reach_of(product, other, outward) < end - 0.01
        ]
        ways.append((entry, outward * reach * (1 + max(before, default=0))))
    base = tuple(shape for part in joining.base for shape in product.parts[part].shapes)
    new = [
        tuple(moved(shape, by=away) for part in entry.parts for shape in product.parts[part].shapes)
        for entry, away in ways
    ]
    return Exploded(tuple(ways), (base, *new))


def _reach_of(product: Product, entry: Entry, outward: np.ndarray) -> float:
    return float((product.points(entry.parts) @ outward).max())


def _draw_way(drawing: Drawing, fastener: Fastener, away: np.ndarray, view: View, buffers: Buffers) -> None:
    """Draw the hole of a fastener, and a dashed line from there to the moved part."""
    at, inward = np.array(fastener.at), np.array(fastener.inward)
    first = np.cross(inward, np.eye(3)[np.argmin(np.abs(inward))])
    second = np.cross(inward, first)
    angle = np.linspace(0, 2 * np.pi, 17)[:, None]
    circle = at - 0.004 * inward + HOLE * (np.cos(angle) * first + np.sin(angle) * second)
    if bool(buffers.shows(view.flat(circle), view.depth(circle)).all()):
        drawing.shape(view.flat(circle), WHITE, THIN)
    for line in visible_pieces(np.stack([at, at + away]), view, buffers):
        start, end = line.points
        length = float(np.linalg.norm(end - start))
        for first_px in np.arange(0, length, DASH + GAP):
            shares = np.array([[first_px], [min(first_px + DASH, length)]]) / length
            drawing.stroke(start + shares * (end - start), DASHED)


def _draw_arrows(drawing: Drawing, shown: Exploded, view: View) -> None:
    """Draw one arrow for each direction in which parts are brought in, beside the new parts."""
    done: set[tuple[float, float, float]] = set()
    for (entry, _), meshes in zip(shown.ways, shown.meshes[1:], strict=True):
        way = view.flat(np.array(entry.toward)) - view.flat(np.zeros(3))
        if entry.toward in done or np.linalg.norm(way) < 0.15 * view.scale:
            continue
        done.add(entry.toward)
        way = way / np.linalg.norm(way)
        flat = view.flat(np.concatenate([mesh.vertices for mesh in meshes]))
        side = np.array([way[1], -way[0]])
        beside = flat[np.argmax(flat @ side)] + 40 * side
        drawing.shape(_arrow(np.clip(beside, 48, np.array(PAGE) - 48), way), BLACK)


def _arrow(middle: np.ndarray, way: np.ndarray, long: float = 84.0, wide: float = 20.0) -> np.ndarray:
    side = np.array([-way[1], way[0]])
    tip, back, neck = middle + way * long / 2, middle - way * long / 2, middle + way * (long / 2 - 36)
    half = side * wide / 2
    return np.stack([back + half, neck + half, neck + 2 * half, tip, neck - 2 * half, neck - half, back - half])


def _draw_circles(drawing: Drawing, fasteners: list[tuple[Fastener, np.ndarray]], view: View, buffers: Buffers) -> None:
    """Draw a circle with each kind of fastener and its count, in a corner that is free."""
    edge = CIRCLE + 24
    corners = [(PAGE[0] - edge, edge), (edge, PAGE[1] - edge), (PAGE[0] - edge, PAGE[1] - edge)]
    for kind, count in Counter(fastener.kind for fastener, _ in fasteners).items():
        place = np.array(min(corners, key=lambda corner: _covered(buffers, corner)), float)
        ends = [view.flat(np.array(fastener.at) + away / 2) for fastener, away in fasteners if fastener.kind == kind]
        end = min(ends, key=lambda one: float(np.linalg.norm(one - place)))
        way = (end - place) / max(float(np.linalg.norm(end - place)), 1e-9)
        side, foot = np.array([-way[1], way[0]]), place + way * CIRCLE * 0.96
        drawing.shape(np.stack([foot + 12 * side, end, foot - 12 * side]), WHITE, THIN)
        angle = np.linspace(0, 2 * np.pi, 73)[:-1, None]
        drawing.shape(place + CIRCLE * np.concatenate([np.cos(angle), np.sin(angle)], axis=1), WHITE, THIN)
        draw_fastener(drawing, kind, (place[0] + (30 if count < 10 else 40), place[1]), 1.2 * CIRCLE, THIN)
        drawing.text(f"{count}x", (place[0] - (0.8 if count < 10 else 0.9) * CIRCLE, place[1] - COUNT / 2), COUNT)


def _covered(buffers: Buffers, corner: tuple[float, float]) -> int:
    """Return how many pixels of a circle's place show furniture."""
    x, y = map(round, corner)
    window = buffers.identity[max(0, y - CIRCLE) : y + CIRCLE, max(0, x - CIRCLE) : x + CIRCLE]
    return int((window >= 0).sum())
