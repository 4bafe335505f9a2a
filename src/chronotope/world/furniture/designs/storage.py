"""Furniture with boards between two sides. One side lies on the floor while the boards are put on it."""

import numpy as np

from chronotope.world.furniture.designs.kit import BACK, DOWN, FRONT, LEFT, OVER, SIDE, UP, Kit, bar, post
from chronotope.world.furniture.product import Group, Product

SHEET = 0.006  # m, thickness of a back, which lies on the edges of the sides
FOOT = 0.065  # m, width of a foot, which is still seen between two hands


def shelf(generator: np.random.Generator, name: str) -> Product:
    """Draw a shelf: two sides of boards or ladders, boards, perhaps a back or a top."""
    kit = Kit(generator)
    high, deep, wide, thick = kit.size(0.7, 1.9), kit.size(0.26, 0.38), kit.size(0.45, 0.85), 0.018
    count = max(2, min(5, round(high / kit.size(0.28, 0.4))))
    x0, x1, y1 = -deep / 2, deep / 2, wide / 2
    ladders = kit.chance(0.4)
    levels = [0.06 + n * (high - 0.06 - thick) / count for n in range(count + 1)]
    if ladders:
        sides = [_ladder(kit, side, y, (x0, x1), high, levels, y > 0) for side, y in (("left", -y1), ("right", y1))]
        inner = y1 - 0.0175
    else:
        sides = [
            (kit.add(f"{side} side", "side", bar((x0, y - thick / 2, 0), (x1, y + thick / 2, high))),)
            for side, y in (("left", -y1), ("right", y1))
        ]
        inner = y1 - thick / 2
    fixed = [0, count] if count > 2 and kit.chance(0.5) else [*range(count + 1)]
    rear = not ladders and kit.chance(0.6)
    boards = {
        n: kit.add(f"board {n + 1}", "board", bar((x0, -inner, z), (x1, inner, z + thick)), look=kit.other)
        for n, z in enumerate(levels)
    }
    whole = kit.join(sides[0], *((boards[n], LEFT) for n in fixed), (sides[1], LEFT), up=SIDE)
    if rear:
        outer = y1 + thick / 2
        sheet = bar((x0 - SHEET, -outer, levels[0]), (x0, outer, high))
        whole = kit.join(whole, (kit.add("back", "back", sheet, look=kit.other), FRONT), up=BACK)
    loose = [n for n in range(count + 1) if n not in fixed]
    if loose:
        whole = kit.join(whole, *((boards[n], BACK) for n in loose))
    if kit.chance(0.4) or (not rear and not loose):
        cap = bar((x0 - SHEET, -wide / 2 - 0.02, high), (x1 + 0.01, wide / 2 + 0.02, high + 0.02))
        kit.join(whole, (kit.add("top", "top", cap), DOWN))
    return kit.product(shelf.__name__, name)


def _ladder(
    kit: Kit, side: str, y: float, x: tuple[float, float], high: float, levels: list[float], again: bool
) -> Group:
    """Build a side of two posts with a rung under each board, lying."""
    width = 0.035
    back, front = (
        kit.add(f"{side} {end} post", "post", post(at, y, 0, high, width))
        for end, at in (("back", x[0] + width / 2), ("front", x[1] - width / 2))
    )
    rungs = [
        kit.add(f"{side} rung {n}", "rung", bar((x[0] + width, y - 0.0175, z), (x[1] - width, y + 0.0175, z + 0.018)))
        for n, z in enumerate(levels[:: max(1, len(levels) // 2)], 1)
    ]
    return kit.join(back, *((rung, BACK) for rung in rungs), (front, BACK), up=SIDE, again=again)


def cabinet(generator: np.random.Generator, name: str) -> Product:
    """Draw a cabinet: a case on feet, a back, shelves, and one or two doors or drawers."""
    kit = Kit(generator)
    high, deep, wide, thick = kit.size(0.6, 1.3), kit.size(0.32, 0.45), kit.size(0.45, 0.9), 0.018
    foot = kit.size(0.08, 0.18)
    x0, x1, y1 = -deep / 2, deep / 2, wide / 2
    left, right = (
        kit.add(f"{side} side", "side", bar((x0, y - thick, foot), (x1, y, high)))
        for side, y in (("left", -y1 + thick), ("right", y1))
    )
    inner = y1 - thick
    floor = kit.add("floor board", "board", bar((x0, -inner, foot), (x1, inner, foot + thick)))
    ceiling = kit.add("top board", "board", bar((x0, -inner, high - thick), (x1, inner, high)))
    fixed = [floor, ceiling]
    if kit.chance(0.5):
        middle = foot + thick + (high - foot - 2 * thick) / 2
        fixed.insert(
            1,
            kit.add(
                "middle board",
                "board",
                bar((x0, -inner, middle), (x1 - 0.02, inner, middle + thick)),
                look=kit.other,
            ),
        )
    whole = kit.join(left, *((one, LEFT) for one in fixed), (right, LEFT), up=SIDE)
    sheet = kit.add("back", "back", bar((x0 - SHEET, -y1, foot), (x0, y1, high)), look=kit.other)
    whole = kit.join(whole, (sheet, FRONT), up=BACK)
    square = kit.chance(0.5)
    feet = [
        kit.add(f"foot {n}", "foot", post(x, y, 0, foot, FOOT, FOOT if square else 0.7 * FOOT, 4 if square else 16))
        for n, (x, y) in enumerate([(x, y) for x in (x0 + 0.05, x1 - 0.05) for y in (-y1 + 0.05, y1 - 0.05)], 1)
    ]
    whole = kit.join(whole, *((one, UP) for one in feet), up=OVER)
    if kit.chance(0.6):
        slab = bar((x0 - SHEET, -y1 - 0.01, high), (x1 + 0.025, y1 + 0.01, high + 0.02))
        whole = kit.join(whole, (kit.add("top", "top", slab, look=kit.other), DOWN))
    doors = 2 if wide > 0.6 else 1  # one above the other, so that hands have room at both edges
    step, at = (high - foot) / doors, y1 - 0.04
    made = []
    for n in range(doors):
        low = foot + n * step + 0.002
        face = bar((x1, -y1 + 0.002, low), (x1 + 0.018, y1 - 0.002, low + step - 0.004))
        middle = low + step / 2
        grip = bar((x1 + 0.018, at - 0.008, middle - 0.05), (x1 + 0.04, at + 0.008, middle + 0.05))
        made.append(kit.add(f"door {n + 1}", "door", face, grip, look=kit.other))
    kit.join(whole, *((door, BACK) for door in made))
    return kit.product(cabinet.__name__, name)
