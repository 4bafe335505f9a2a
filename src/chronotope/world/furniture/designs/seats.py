"""Furniture to sit on. A seat is built upside down, or between two frames that are built lying."""

import numpy as np

from chronotope.world.furniture.designs.kit import BACK, DOWN, FRONT, LEFT, OVER, RIGHT, SIDE, UP, Kit, bar, disc, post
from chronotope.world.furniture.product import Group, Product


def stool(generator: np.random.Generator, name: str) -> Product:
    """Draw a stool: a seat, three or four legs, perhaps rails and a cushion."""
    kit = Kit(generator)
    high, wide, thick = kit.size(0.40, 0.68), kit.size(0.32, 0.42), kit.size(0.02, 0.035)
    round_seat = kit.chance(0.5)
    low = high - thick
    seat_shape = (
        disc(wide / 2, low, high) if round_seat else bar((-wide / 2, -wide / 2, low), (wide / 2, wide / 2, high))
    )
    seat = kit.add("seat", "seat", seat_shape, look=kit.other)
    inset = wide * (0.30 if round_seat else 0.40)
    is_framed = kit.chance(0.5)
    whole = _framed_legs(kit, seat, low, inset) if is_framed else _single_legs(kit, seat, low, inset, round_seat)
    if kit.chance(0.5):
        soft = wide - 0.02
        shape = disc(soft / 2, high, high + 0.035) if round_seat else bar(
            (-soft / 2, -soft / 2, high), (soft / 2, soft / 2, high + 0.035)
        )  # fmt: skip
        kit.join(whole, (kit.add("pad", "pad", shape, look=kit.other), DOWN))
    return kit.product(stool.__name__, name)


def _single_legs(kit: Kit, seat: int, low: float, inset: float, round_seat: bool) -> Group:
    """Put legs on the seat one by one, and perhaps rails between them."""
    sides, width = (4, 0.035) if kit.chance(0.5) else (16, 0.036)
    foot = width * kit.generator.choice([1.0, 0.65])
    if round_seat and kit.chance(0.4):
        turns = np.radians([0, 120, 240])
        places = [(inset * np.cos(turn), inset * np.sin(turn)) for turn in turns]
    else:
        places = [(x, y) for x in (inset, -inset) for y in (inset, -inset)]
    legs = [kit.add(f"leg {n}", "leg", post(x, y, 0, low, width, foot, sides)) for n, (x, y) in enumerate(places, 1)]
    whole = kit.join(seat, *((leg, UP) for leg in legs), up=OVER)
    if foot == width and sides == 4 and len(legs) == 4 and kit.chance(0.7):
        z, half = kit.size(0.12, 0.22), inset - width / 2
        rails = [
            kit.add(f"rail {n}", "rail", bar((-half, y - 0.01, z), (half, y + 0.01, z + 0.03)))
            for n, y in enumerate((inset, -inset), 1)
        ]
        whole = kit.join(whole, (rails[0], LEFT), (rails[1], RIGHT), up=OVER)
        if kit.chance(0.5):
            cross = [
                kit.add(f"cross rail {n}", "rail", bar((x - 0.01, -half, z + 0.04), (x + 0.01, half, z + 0.07)))
                for n, x in enumerate((inset, -inset), 1)
            ]
            whole = kit.join(whole, (cross[0], BACK), (cross[1], (1.0, 0.0, 0.0)), up=OVER)
    return whole


def _framed_legs(kit: Kit, seat: int, low: float, inset: float) -> Group:
    """Build two lying frames of legs and rails; put the frames on the seat and join them."""
    width, rails = 0.04, kit.count(1, 2)
    half = inset - width / 2
    levels = [low - 0.06, kit.size(0.1, 0.2)][:rails]
    frames = []
    for side, x in (("front", inset), ("back", -inset)):
        left, right = (
            kit.add(f"{side} leg {n}", "leg", post(x, y, 0, low, width)) for n, y in ((1, -inset), (2, inset))
        )
        beams = [
            kit.add(f"{side} rail {n}", "rail", bar((x - 0.012, -half, z), (x + 0.012, half, z + 0.035)))
            for n, z in enumerate(levels, 1)
        ]
        frames.append(kit.join(left, *((beam, LEFT) for beam in beams), (right, LEFT), up=SIDE, again=bool(frames)))
    whole = kit.join(seat, (frames[0], UP), (frames[1], UP), up=OVER)
    if kit.chance(0.7):
        z = kit.size(0.22, 0.3)
        sides = [
            kit.add(f"side rail {n}", "side rail", bar((-half, y - 0.012, z), (half, y + 0.012, z + 0.03)))
            for n, y in enumerate((-inset, inset), 1)
        ]
        whole = kit.join(whole, (sides[0], RIGHT), (sides[1], LEFT), up=OVER)
    return whole


def chair(generator: np.random.Generator, name: str) -> Product:
    """Draw a chair: two side frames, cross rails, a seat, a back, perhaps arms."""
    kit = Kit(generator)
    deep, wide, seat_high, back_high = (
        kit.size(0.38, 0.46),
        kit.size(0.38, 0.5),
        kit.size(0.42, 0.47),
        kit.size(0.78, 1.0),
    )
    width, arms = 0.035, kit.chance(0.4)
    front_high = seat_high + (0.2 if arms else 0.0)
    x0, x1, y1 = -deep / 2 + width / 2, deep / 2 - width / 2, wide / 2 - width / 2
    lower = kit.chance(0.6)
    frames = []
    for side, y in (("left", -y1), ("right", y1)):
        back = kit.add(f"{side} back leg", "back leg", post(x0, y, 0, back_high, width))
        front = kit.add(f"{side} front leg", "front leg", post(x1, y, 0, front_high, width))
        low, high = (x0 + width / 2, y - 0.011), (x1 - width / 2, y + 0.011)
        bars = [kit.add(f"{side} seat rail", "seat rail", bar((*low, seat_high - 0.06), (*high, seat_high - 0.005)))]
        if lower:
            bars.append(kit.add(f"{side} lower rail", "lower rail", bar((*low, 0.14), (*high, 0.17))))
        frames.append(kit.join(back, *((one, BACK) for one in bars), (front, BACK), up=SIDE, again=bool(frames)))
    across = (-y1 + width / 2, y1 - width / 2)
    rails = [
        kit.add(f"{end} rail", "cross rail", bar((x - 0.011, across[0], z), (x + 0.011, across[1], z + 0.055)))
        for end, x, z in (("back", x0, seat_high - 0.06), ("front", x1, seat_high - 0.06))
    ]
    whole = kit.join(frames[0], *((rail, LEFT) for rail in rails), (frames[1], LEFT), up=SIDE)
    whole = _back(kit, whole, x0, across, (seat_high + 0.1, back_high))
    base = (x0 + width / 2, across[0] + 0.001) if arms else (x0 + width / 2, -wide / 2)
    top = (deep / 2 + 0.01, -base[1])
    high = seat_high + 0.02
    limits = ((base[0], base[1], seat_high), (x1 - width / 2 if arms else top[0], top[1], high))
    # Between arms, the seat lies on the rails within the legs.
    if arms:
        limits = ((base[0], base[1], seat_high - 0.005), (limits[1][0], top[1], high))
    seat_z = limits[0][2]
    whole = kit.join(
        whole, (kit.add("seat", "seat", bar((limits[0][0], limits[0][1], seat_z), limits[1]), look=kit.other), DOWN)
    )
    if arms:
        rests = [
            kit.add(
                f"{side} arm",
                "arm",
                bar((x0 + width / 2, y - 0.025, front_high), (deep / 2 + 0.01, y + 0.025, front_high + 0.02)),
            )
            for side, y in (("left", -y1), ("right", y1))
        ]
        whole = kit.join(whole, *((rest, DOWN) for rest in rests))
    return kit.product(chair.__name__, name)


def _back(kit: Kit, whole: Group, x: float, across: tuple[float, float], heights: tuple[float, float]) -> Group:
    """Put a back between the back legs of a lying chair: slats, or one board."""
    low, high = heights
    if kit.chance(0.5):
        count = kit.count(2, 4)
        step = (high - low) / count
        heights_of = [low + n * step for n in range(count)]
        shapes = [bar((x - 0.008, across[0], z), (x + 0.008, across[1], z + 0.05)) for z in heights_of]
        slats = [kit.add(f"slat {n}", "slat", shape, look=kit.other) for n, shape in enumerate(shapes, 1)]
        return kit.join(whole, *((slat, BACK) for slat in slats), up=FRONT)
    tall = kit.size(0.12, high - low - 0.02)
    board = bar((x - 0.009, across[0], high - tall - 0.01), (x + 0.009, across[1], high - 0.01))
    return kit.join(whole, (kit.add("backrest", "backrest", board, look=kit.other), BACK), up=FRONT)


def bench(generator: np.random.Generator, name: str) -> Product:
    """Draw a bench: two leg frames, a beam, planks, perhaps a back."""
    kit = Kit(generator)
    long, deep, high = kit.size(0.9, 1.3), kit.size(0.3, 0.4), kit.size(0.40, 0.47)
    width, y1, x1 = 0.05, long / 2 - kit.size(0.06, 0.14), deep / 2 - 0.025
    frames = []
    for side, y in (("left", -y1), ("right", y1)):
        front, back = (
            kit.add(f"{side} {end} leg", "leg", post(x, y, 0, high - 0.04, width))
            for end, x in (("front", x1), ("back", -x1))
        )
        beam = kit.add(f"{side} beam", "beam", bar((-deep / 2, y - 0.025, high - 0.04), (deep / 2, y + 0.025, high)))
        frames.append(kit.join(beam, (front, UP), (back, UP), up=OVER, again=bool(frames)))
    z = kit.size(0.1, high - 0.16)
    inner = [
        kit.add(f"{side} brace", "brace", bar((-x1 + width / 2, y - 0.012, z), (x1 - width / 2, y + 0.012, z + 0.05)))
        for side, y in (("left", -y1), ("right", y1))
    ]
    frames = [
        kit.join(frame, (brace, RIGHT), again=n == 1)
        for n, (frame, brace) in enumerate(zip(frames, inner, strict=True))
    ]
    stretch = kit.add("stretcher", "stretcher", bar((-0.012, -y1 + 0.012, z), (0.012, y1 - 0.012, z + 0.06)))
    whole = kit.join(frames[0], (stretch, LEFT), (frames[1], LEFT), up=SIDE)
    count, gap = kit.count(2, 4), 0.012
    plank = (deep - (count - 1) * gap) / count
    starts = [-deep / 2 + n * (plank + gap) for n in range(count)]
    shapes = [bar((x, -long / 2, high), (x + plank, long / 2, high + 0.022)) for x in starts]
    planks = [kit.add(f"plank {n}", "plank", shape, look=kit.other) for n, shape in enumerate(shapes, 1)]
    whole = kit.join(whole, *((one, DOWN) for one in planks))
    if kit.chance(0.5):
        tall, x = kit.size(0.3, 0.42), -deep / 2
        posts = [
            kit.add(f"back post {n}", "back post", bar((x - 0.03, y - 0.02, high - 0.04), (x, y + 0.02, high + tall)))
            for n, y in ((1, -y1), (2, y1))
        ]
        whole = kit.join(whole, *((one, (1.0, 0.0, 0.0)) for one in posts))
        back = [
            kit.add(
                f"back board {n + 1}",
                "back board",
                bar(
                    (x - 0.048, -long / 2, high + tall - 0.15 * n - 0.08), (x - 0.03, long / 2, high + tall - 0.15 * n)
                ),
                look=kit.other,
            )
            for n in range(kit.count(1, 2))
        ]
        whole = kit.join(whole, *((one, FRONT) for one in back))  # nobody reaches them across the seat
    return kit.product(bench.__name__, name)
