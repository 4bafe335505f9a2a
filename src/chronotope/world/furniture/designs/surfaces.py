"""Furniture with a large top, which is often built upside down."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from chronotope.world.furniture.designs.kit import BACK, DOWN, LEFT, OVER, RIGHT, SIDE, UP, Kit, bar, disc, post
from chronotope.world.furniture.product import Group, Product, Vector
from chronotope.world.things.mesh import Mesh

Span = tuple[float, float]
SHORT = 0.55  # m; who brings a rail bows over legs of at most this length
BOARD, LEG = 0.018, 0.045  # m, thickness of the boards of a desk and width of its legs


def table(generator: np.random.Generator, name: str) -> Product:
    """Draw a table: a top, an apron, legs, perhaps rails and a shelf under the top."""
    kit = Kit(generator)
    low_table = kit.chance(0.4)
    high = kit.size(0.40, 0.5) if low_table else kit.size(0.70, 0.75)
    deep, wide, thick = kit.size(0.5, 0.8), kit.size(0.8, 1.2), kit.size(0.02, 0.035)
    under = high - thick
    if kit.chance(0.3):
        deep = wide = kit.size(0.6, 0.9)
        shape = disc(wide / 2, under, high)
        x1 = y1 = 0.29 * wide
    else:
        shape = bar((-deep / 2, -wide / 2, under), (deep / 2, wide / 2, high))
        x1, y1 = deep / 2 - 0.06, wide / 2 - 0.06
    top = kit.add("top", "top", shape, look=kit.other)
    width = kit.size(0.045, 0.06)
    build = _trestles if kit.chance(0.3) else _legs
    build(kit, top, under, x1, y1, width)
    return kit.product(table.__name__, name)


def _legs(kit: Kit, top: int, under: float, x1: float, y1: float, width: float) -> Group:
    """Put an apron and four legs under the top."""
    sides = 4 if kit.chance(0.6) else 16
    foot = width if kit.chance(0.5) else 0.6 * width
    legs = [
        kit.add(f"leg {n}", "leg", post(x, y, 0, under, width, foot, sides))
        for n, (x, y) in enumerate(((x1, y1), (x1, -y1), (-x1, -y1), (-x1, y1)), 1)
    ]
    half, z = width / 2, under - kit.size(0.06, 0.09)
    long = [
        kit.add(f"long rail {n}", "long rail", bar((x - 0.01, -y1 + half, z), (x + 0.01, y1 - half, under)))
        for n, x in enumerate((x1, -x1), 1)
    ]
    short = [
        kit.add(f"short rail {n}", "short rail", bar((-x1 + half, y - 0.01, z), (x1 - half, y + 0.01, under)))
        for n, y in enumerate((y1, -y1), 1)
    ]
    if kit.chance(0.5) or under > SHORT:
        whole = kit.join(top, *((rail, UP) for rail in (*long, *short)), up=OVER)
        whole = kit.join(whole, *((leg, UP) for leg in legs), up=OVER)
    else:
        whole = kit.join(top, *((leg, UP) for leg in legs), up=OVER)
        whole = kit.join(whole, *((rail, UP) for rail in short), up=OVER)
        whole = kit.join(whole, *((rail, UP) for rail in long), up=OVER)
    if sides == 4 and foot == width and kit.chance(0.7):
        z = kit.size(0.1, 0.2)
        rails = [
            kit.add(f"lower rail {n}", "lower rail", bar((-x1 + half, y - 0.015, z), (x1 - half, y + 0.015, z + 0.04)))
            for n, y in enumerate((-y1, y1), 1)
        ]
        whole = kit.join(whole, (rails[0], RIGHT), (rails[1], LEFT), up=OVER)
        count = kit.count(1, 3)
        starts = [0.1 * (n - (count - 1) / 2) - 0.045 for n in range(count)]
        shapes = [bar((x, -y1 - 0.015, z - 0.015), (x + 0.09, y1 + 0.015, z)) for x in starts]
        boards = [kit.add(f"shelf board {n}", "shelf board", one, look=kit.other) for n, one in enumerate(shapes, 1)]
        whole = kit.join(whole, *((one, UP) for one in boards), up=OVER)  # under the rails
    return whole


def _trestles(kit: Kit, top: int, under: float, x1: float, y1: float, width: float) -> Group:
    """Build two trestles, join them by a beam, and put the top on them."""
    frames = []
    for side, y in (("left", -y1), ("right", y1)):
        foot = kit.add(f"{side} foot", "foot", bar((-x1, y - width / 2, 0), (x1, y + width / 2, 0.05)))
        head = kit.add(
            f"{side} head rail", "head rail", bar((-x1, y - width / 2, under - 0.05), (x1, y + width / 2, under))
        )
        apart = kit.size(0.08, x1 - 0.05)
        posts = [
            kit.add(
                f"{side} post {n}",
                "post",
                bar((x - 0.03, y - width / 2, 0.05), (x + 0.03, y + width / 2, under - 0.05)),
            )
            for n, x in ((1, -apart), (2, apart))
        ]
        frames.append(kit.join(foot, *((one, DOWN) for one in posts), (head, DOWN), again=bool(frames)))
    beam = kit.add("beam", "beam", bar((-0.05, -y1 + width / 2, 0.0), (0.05, y1 - width / 2, 0.04)))
    whole = kit.join(frames[0], (beam, LEFT), (frames[1], LEFT), up=SIDE)
    return kit.join(whole, (top, DOWN))


@dataclass(frozen=True)
class _Desk:
    """The measures (m) of a desk. ``side`` is 1 if the chest of drawers is on the side of +y, else -1.

    Distances across begin at the middle of the desk, and grow towards the chest.
    """

    side: float
    back: float
    front: float
    under: float
    edge: float
    inner: float

    @property
    def outward(self) -> Vector:
        """Return the direction towards the chest."""
        return 0.0, self.side, 0.0

    @property
    def inward(self) -> Vector:
        """Return the direction away from the chest."""
        return 0.0, -self.side, 0.0

    def bar(self, across: Span, x: Span, z: Span) -> Mesh:
        """Make a box, from its limits in the three directions."""
        return bar((x[0], self.side * across[0], z[0]), (x[1], self.side * across[1], z[1]))


def desk(generator: np.random.Generator, name: str) -> Product:
    """Draw a desk: a chest of drawers, a side panel or legs, a back board, a top."""
    kit = Kit(generator)
    high, deep, wide = kit.size(0.72, 0.76), kit.size(0.5, 0.65), kit.size(1.0, 1.3)
    side, edge, under = 1.0 if kit.chance(0.5) else -1.0, wide / 2 - 0.02, high - 0.022
    sizes = _Desk(side, -deep / 2 + 0.02, deep / 2 - 0.02, under, edge, edge - kit.size(0.32, 0.42))
    drawers = kit.count(2, 3)
    levels = [0.06 + n * (under - 0.06) / drawers for n in range(drawers + 1)]
    whole = _far_side(kit, sizes, _chest(kit, sizes, levels[:-1]))
    top = kit.add("top", "top", bar((-deep / 2, -wide / 2, under), (deep / 2, wide / 2, high)), look=kit.other)
    whole = kit.join(whole, (top, DOWN))
    boxes = [
        _drawer(kit, sizes, f"drawer {n}", (low + BOARD, high)) for n, (low, high) in enumerate(pairwise(levels), 1)
    ]
    kit.join(whole, *((box, BACK) for box in boxes))
    return kit.product(desk.__name__, name)


def _chest(kit: Kit, sizes: _Desk, levels: Sequence[float]) -> Group:
    """Build the case of the drawers, lying on its outer side."""
    edge, inner, depth = sizes.edge, sizes.inner, (sizes.back, sizes.front)
    within = (inner + BOARD, edge - BOARD)
    outer, inside = (
        kit.add(f"{name} side", "chest side", sizes.bar(across, depth, (0, sizes.under)))
        for name, across in (("outer", (edge - BOARD, edge)), ("inner", (inner, inner + BOARD)))
    )
    shelves = [
        kit.add(
            f"chest board {n}", "chest board", sizes.bar(within, (depth[0] + 0.01, depth[1] - 0.02), (z, z + BOARD))
        )
        for n, z in enumerate(levels, 1)
    ]
    sheet = sizes.bar(within, (depth[0], depth[0] + 0.01), (0.06, sizes.under))
    back = kit.add("chest back", "chest back", sheet, look=kit.other)
    return kit.join(outer, *((one, sizes.outward) for one in (*shelves, back, inside)), up=sizes.inward)


def _far_side(kit: Kit, sizes: _Desk, chest: Group) -> Group:
    """Put a back board and the other side on the lying chest."""
    far, depth, has_panel = -sizes.edge, (sizes.back, sizes.front), kit.chance(0.5)
    thick = BOARD if has_panel else LEG
    across = (far + thick, sizes.inner)
    sheet = sizes.bar(across, (depth[0] + 0.02, depth[0] + 0.036), (sizes.under - 0.3, sizes.under))
    screen = kit.add("back board", "back board", sheet)
    if has_panel:
        panel = kit.add("side panel", "side panel", sizes.bar((far, far + BOARD), depth, (0, sizes.under)))
        return kit.join(chest, (screen, sizes.outward), (panel, sizes.outward), up=sizes.inward)
    legs = [
        kit.add(f"{end} leg", "leg", sizes.bar((far, far + LEG), (x, x + LEG), (0, sizes.under - 0.05)))
        for end, x in (("front", depth[1] - LEG - 0.01), ("back", depth[0] + 0.01))
    ]
    beam = kit.add("leg beam", "leg beam", sizes.bar((far, far + LEG), depth, (sizes.under - 0.05, sizes.under)))
    frame = kit.join(beam, *((leg, UP) for leg in legs), up=OVER)
    return kit.join(chest, (screen, sizes.outward), (frame, sizes.outward), up=sizes.inward)


def _drawer(kit: Kit, sizes: _Desk, name: str, z: Span) -> int:
    """Add a drawer between two heights: a box without lid behind a front, with a handle."""
    low, high = sizes.inner + BOARD + 0.003, sizes.edge - BOARD - 0.003
    back, front, floor, top = sizes.back + 0.03, sizes.front - 0.02, z[0], z[1] - 0.03
    middle = (low + high) / 2
    return kit.add(
        name,
        "drawer",
        sizes.bar((low, high), (back, front), (floor, floor + 0.008)),
        sizes.bar((low, low + 0.01), (back, front), (floor + 0.008, top)),
        sizes.bar((high - 0.01, high), (back, front), (floor + 0.008, top)),
        sizes.bar((low + 0.01, high - 0.01), (back, back + 0.01), (floor + 0.008, top)),
        sizes.bar((low, high), (front, front + 0.018), (floor, z[1] - 0.003)),
        sizes.bar(
            (middle - 0.04, middle + 0.04),
            (front + 0.018, front + 0.036),
            ((floor + top) / 2, (floor + top) / 2 + 0.015),
        ),
        look=kit.other,
    )
