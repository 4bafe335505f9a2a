"""Chairs, sofas and stools."""

import itertools

import numpy as np

from chronotope.world.things.colours import plain, shade
from chronotope.world.things.joinery import (
    BLACK,
    DARK,
    STEEL,
    board,
    clad,
    cushion,
    rod,
    surface,
    tilted,
    top_of,
    wooden,
)
from chronotope.world.things.kind import HomeState, Model
from chronotope.world.things.mesh import (
    Mesh,
    cylinder,
    ellipsoid,
    fillet,
    lathe,
    merge,
    moved,
    ring,
    tube,
)
from chronotope.world.things.thing import Look, Paint


def _legs(deep: float, wide: float, tall: float, radius: float = 0.018, lean: float = 0.03) -> list[Mesh]:
    """Make four round legs, whose feet are in the corners."""
    a, b = deep / 2 - radius, wide / 2 - radius
    return [
        rod((sx * a, sy * b, 0), (sx * (a - lean), sy * (b - lean), tall), (0.7 * radius, radius))
        for sx in (-1, 1)
        for sy in (-1, 1)
    ]


def chair(generator: np.random.Generator, paint: Paint, size: np.ndarray, state: HomeState) -> Model:
    """Make a chair: with slats, with spindles, upholstered, or for an office."""
    deep, wide, tall = size
    look, style, bare = surface(generator, paint), int(generator.integers(0, 4)), wooden(generator)
    seat_z = 0.46
    if style == 3:
        return _office_chair(deep, wide, tall, seat_z, look)
    rail = look if paint.material == "wood" else bare
    a, b = deep / 2, wide / 2
    post = 0.036
    base = [board((a - post, s * b, 0), (a, s * (b - post), seat_z - 0.02)) for s in (-1, 1)]
    base += [board((-a, s * b, 0), (-a + post, s * (b - post), tall)) for s in (-1, 1)]
    base += [
        board((-a + post, s * (b - 0.008), seat_z - 0.08), (a - post, s * (b - 0.028), seat_z - 0.021)) for s in (-1, 1)
    ]
    base.append(board((a - 0.03, -b + post, seat_z - 0.08), (a - 0.01, b - post, seat_z - 0.021)))
    if style == 2:
        seat = cushion((-a + post + 0.001, -b, seat_z - 0.05), (a, b, seat_z), 0.02)
        back = [cushion((-a + 0.002, -b + post, seat_z + 0.08), (-a + post + 0.03, b - post, tall - 0.01), 0.02)]
    else:
        seat = board((-a + post + 0.001, -b, seat_z - 0.02), (a, b, seat_z))
        back = _chair_back(a, b, post, seat_z, tall, style)
    parts = ((merge(seat, *back), look if style == 2 else rail), (merge(*base), rail))
    shelf = top_of((-a + post + 0.04, -b + 0.025), (a - 0.025, b - 0.025), seat_z)
    return Model(parts, (seat, *base, merge(*back)), (shelf,))


def _chair_back(a: float, b: float, post: float, low: float, high: float, style: int) -> list[Mesh]:
    """Make the slats (style 0) or spindles (1) between the back posts."""
    x0, x1 = -a + 0.008, -a + post - 0.008
    if style == 0:
        levels = np.linspace(low + 0.12, high - 0.07, 3)
        return [board((x0, -b + post, z), (x1, b - post, z + 0.05)) for z in levels]
    ends = [board((x0, -b + post, z), (x1, b - post, z + 0.06)) for z in (low + 0.06, high - 0.07)]
    places = np.linspace(-b + post + 0.04, b - post - 0.04, 6)
    x = (x0 + x1) / 2
    return [*ends, *(rod((x, y, low + 0.11), (x, y, high - 0.06), 0.009, 8) for y in places)]


def _office_chair(deep: float, wide: float, tall: float, seat_z: float, look: Look) -> Model:
    """Make a chair on a column with five castors."""
    reach = min(deep, wide) / 2 - 0.03
    star, wheels = [], []
    for turn in np.arange(5) * (2 * np.pi / 5):
        end = np.array([np.cos(turn), np.sin(turn), 0]) * reach
        star.append(rod((0, 0, 0.1), tuple(np.add(end, (0, 0, 0.07))), (0.026, 0.014), 8))
        wheels.append(moved(cylinder(0.028, 0.03, "y", 0.006, 14), by=np.add(end, (0, 0, 0.028))))
    column = rod((0, 0, 0.06), (0, 0, seat_z - 0.06), 0.024)
    a, b = deep / 2, 0.46 * wide
    seat = cushion((-a + 0.07, -b, seat_z - 0.07), (a, b, seat_z), 0.03)
    back = cushion((-a, -b + 0.02, seat_z + 0.12), (-a + 0.06, b - 0.02, tall), 0.028)
    spine = tube(
        fillet([(-0.05, 0, seat_z - 0.08), (-a + 0.02, 0, seat_z - 0.08), (-a + 0.02, 0, seat_z + 0.3)], 0.06), 0.014, 8
    )
    arms = [
        tube(
            fillet(
                [
                    (0.05, s * (b - 0.02), seat_z - 0.08),
                    (0.05, s * (wide / 2 - 0.02), seat_z - 0.08),
                    (0.05, s * (wide / 2 - 0.02), seat_z + 0.18),
                ],
                0.05,
            ),
            0.013,
            8,
        )
        for s in (-1, 1)
    ]
    pads = [
        cushion((-0.1, s * wide / 2, seat_z + 0.17), (0.15, s * (wide / 2 - 0.05), seat_z + 0.2), 0.012)
        for s in (-1, 1)
    ]
    frame = (*star, column, spine, *arms)
    shelf = top_of((-a + 0.11, -b + 0.04), (a - 0.04, b - 0.04), seat_z)
    return Model(
        (
            (merge(seat, back), look),
            (merge(*frame), DARK if look.texture is not None or max(look.colour) > 0.2 else STEEL),
            (merge(*wheels, *pads), BLACK),
        ),
        (seat, back, merge(*star, *wheels), column, spine.vertices[spine.vertices[:, 0] < -a + 0.05], *arms),
        (shelf,),
    )


def _couch(size: np.ndarray, style: int, seats: int, look: Look, wood: Look) -> Model:
    """Make an upholstered seat with arms.

    ``style`` 0 is boxy, 1 has rolled arms, 2 stands on a wooden frame, and 3 has arms as high as its back.
    """
    deep, wide, tall = size
    a, b = deep / 2, wide / 2
    arm, foot = (0.14, 0.17, 0.06, 0.13)[style], (0.06, 0.09, 0.16, 0.12)[style]
    seat_z, arm_z = min(0.44, 0.52 * tall), tall if style == 3 else min(0.62, 0.74 * tall)
    back_x, side = -a + 0.16, arm if style == 2 else 0.0
    inset = max(side, 0.02)
    base = cushion((-a + 0.01, -b + inset, foot), (a - 0.035, b - inset, seat_z - 0.13), 0.02)
    back_z = tall if style == 3 else tall - 0.04
    back = cushion((-a, -b + side, foot + 0.02), (back_x, b - side, back_z), 0.05)
    arms, frame = [], []
    for s in (-1, 1):
        if style == 2:
            frame += _wooden_arm(a, s * b, s * (b - arm), foot, arm_z)
        else:
            arms += _soft_arm(a, s * b, s * (b - arm), foot, arm_z, style == 1)
    seat, rest, shelves = [], [], []
    for p, q in itertools.pairwise(np.linspace(-b + arm, b - arm, seats + 1)):
        seat.append(cushion((back_x - 0.02, p + 0.006, seat_z - 0.15), (a, q - 0.006, seat_z), 0.04))
        pillow = cushion((back_x - 0.05, p + 0.006, seat_z - 0.01), (back_x + 0.09, q - 0.006, tall), 0.055)
        pillow = tilted(pillow, (back_x, seat_z), -7)
        rest.append(moved(pillow, by=(0, 0, min(0.0, tall - float(pillow.vertices[:, 2].max())))))
        shelves.append(top_of((back_x + 0.13, p + 0.06), (a - 0.06, q - 0.06), seat_z, tall))
    if style != 2:
        frame += _legs(deep - 0.08, wide - 0.06, foot + 0.01, 0.024, 0.01)
    return Model(
        ((merge(base, back, *arms, *seat, *rest), look), (merge(*frame), wood)),
        (base, merge(back, *rest), *arms, merge(*seat), *frame),
        tuple(shelves),
    )


def _wooden_arm(a: float, outer: float, inner: float, foot: float, top: float) -> list[Mesh]:
    # Make the arm of a wooden frame between y = ``outer`` and ``inner``: two legs and two rails.
    return [
        board((a - 0.06, outer, 0), (a - 0.01, inner, top - 0.03)),
        board((-a + 0.03, outer, 0), (-a + 0.08, inner, top - 0.03)),
        board((-a, outer, top - 0.03), (a, inner, top)),
        board((-a + 0.08, 0.8 * outer + 0.2 * inner, foot + 0.05), (a - 0.06, inner, foot + 0.1)),
    ]


def _soft_arm(a: float, outer: float, inner: float, foot: float, top: float, rolled: bool) -> list[Mesh]:
    # Make an upholstered arm between y = ``outer`` and ``inner``, perhaps with a roll on it.
    if not rolled:
        return [cushion((-a + 0.02, outer, foot), (a - 0.02, inner, top), 0.035)]
    radius, middle = abs(outer - inner) / 2, (outer + inner) / 2
    wall = cushion((-a + 0.02, 0.82 * outer + 0.18 * inner, foot), (a - 0.02, inner, top - radius), 0.035)
    roll = moved(cylinder(radius, 2 * a - 0.03, "x", 0.02, 20), by=(0.005, middle, top - radius))
    return [wall, clad(roll, 0.3)]


def armchair(generator: np.random.Generator, paint: Paint, size: np.ndarray, state: HomeState) -> Model:
    """Make an upholstered chair with arms."""
    look, style = surface(generator, paint), int(generator.integers(0, 4))
    return _couch(size, style, 1, look, wooden(generator))


def sofa(generator: np.random.Generator, paint: Paint, size: np.ndarray, state: HomeState) -> Model:
    """Make a sofa with two or three cushions."""
    look, style = surface(generator, paint), int(generator.integers(0, 4))
    return _couch(size, style, 2 if size[1] < 1.85 else 3, look, wooden(generator))


def stool(generator: np.random.Generator, paint: Paint, size: np.ndarray, state: HomeState) -> Model:
    """Make a stool: round on leaning legs, square with rails, or high on one column."""
    deep, wide, tall = size
    look, style = surface(generator, paint), int(generator.integers(0, 3))
    if style == 1:
        soft = plain(shade(paint.look.colour, 0.55) if paint.colour != "black" else (0.55, 0.16, 0.12), "leather")
        seat = cushion((-deep / 2, -wide / 2, tall - 0.075), (deep / 2, wide / 2, tall), 0.035)
        made = _square_stool(deep / 2 - 0.01, wide / 2 - 0.01, tall - 0.07)
        shelf = top_of((-deep / 2 + 0.06, -wide / 2 + 0.06), (deep / 2 - 0.06, wide / 2 - 0.06), tall)
        return Model(((merge(*made), look), (seat, soft)), (seat, *made), (shelf,))
    thick = 0.035 if style == 0 else 0.07
    radius = min(deep, wide) / 2
    seat = clad(moved(cylinder(radius, thick, "z", 0.008, 32), by=(0, 0, tall - thick / 2)), 0.4)
    shelf = top_of((-0.62 * radius, -0.62 * radius), (0.62 * radius, 0.62 * radius), tall)
    if style == 0:
        legs = _legs(1.9 * radius, 1.9 * radius, tall - thick + 0.002, 0.02, 0.075)
        at, z = 0.95 * radius - 0.045, 0.35 * tall
        corners = [(at, at, z), (-at, at, z), (-at, -at, z), (at, -at, z)]
        hoop = [rod(p, q, 0.01, 8) for p, q in itertools.pairwise([*corners, corners[0]])]
        return Model(((merge(seat, *legs, *hoop), look),), (seat, *legs, *hoop), (shelf,))
    foot, hoop = _bar_foot(radius, tall - thick)
    low, column = foot.vertices[foot.vertices[:, 2] < 0.05], foot.vertices[foot.vertices[:, 2] > 0.03]
    return Model(((seat, look), (merge(foot, hoop), STEEL)), (seat, low, column, hoop), (shelf,))


def _square_stool(a: float, b: float, tall: float) -> list[Mesh]:
    # Make a square stool of half sides ``a`` and ``b``: its seat, legs and rails.
    seat = board((-a, -b, tall - 0.03), (a, b, tall))
    a, b, z, t = 0.96 * a, 0.96 * b, 0.3 * tall, 0.034
    legs = [board((x * a, y * b, 0), (x * (a - t), y * (b - t), tall - 0.03)) for x in (-1, 1) for y in (-1, 1)]
    rails = [board((t - a, s * (b - 0.005), z), (a - t, s * (b - 0.028), z + 0.03)) for s in (-1, 1)]
    rails += [board((s * (a - 0.005), t - b, z + 0.08), (s * (a - 0.028), b - t, z + 0.11)) for s in (-1, 1)]
    return [seat, *legs, *rails]


def _bar_foot(radius: float, tall: float) -> tuple[Mesh, Mesh]:
    # Make the column of a bar stool on its round foot, and the hoop for the feet.
    r, z = 0.95 * radius, 0.32 * tall
    foot = lathe([(0, 0), (r, 0), (r, 0.012), (0.05, 0.04), (0.024, 0.07), (0.024, tall), (0, tall)], 32)
    hoop = tube(ring(0.7 * radius, 20, z), 0.01, 8, closed=True)
    return foot, merge(hoop, rod((0, -0.7 * radius, z), (0, 0.7 * radius, z), 0.007, 8))


def ottoman(generator: np.random.Generator, paint: Paint, size: np.ndarray, state: HomeState) -> Model:
    """Make an upholstered bench without a back: with buttons, on wooden legs, or with a lid."""
    deep, wide, tall = size
    look, style, wood = surface(generator, paint), int(generator.integers(0, 3)), wooden(generator)
    a, b, foot = deep / 2, wide / 2, (0.06, 0.15, 0.03)[style]
    lid = cushion((-a, -b, tall - 0.13), (a, b, tall), 0.045)
    body = cushion((-a + 0.015, -b + 0.015, foot), (a - 0.015, b - 0.015, tall - 0.11), 0.012)
    legs = _legs(deep - 0.06, wide - 0.06, foot + 0.005, 0.025, 0.02 if style == 1 else 0.0)
    parts: list[tuple[Mesh, Look]] = [(merge(lid, body), look), (merge(*legs), wood)]
    tone = plain(shade(look.colour, 0.55), "leather")
    if style == 0:
        dots = [
            moved(ellipsoid((0.014, 0.014, 0.003), 10), by=(x, y, tall - 0.003))
            for x in (-0.45 * a, 0.45 * a)
            for y in np.array([-0.6, 0, 0.6]) * b
        ]
        parts.append((merge(*dots), tone))
    if style == 2:
        parts.append(
            (cushion((-a + 0.008, -b + 0.008, tall - 0.135), (a - 0.008, b - 0.008, tall - 0.115), 0.004), tone)
        )
    return Model(tuple(parts), (merge(lid, body), *legs), (top_of((-a + 0.06, -b + 0.06), (a - 0.06, b - 0.06), tall),))


def footstool(generator: np.random.Generator, paint: Paint, size: np.ndarray, state: HomeState) -> Model:
    """Make a low stool for the feet: a cushion on legs, a round one, or a wooden step."""
    deep, wide, tall = size
    look, style, wood = surface(generator, paint), int(generator.integers(0, 3)), wooden(generator)
    a, b = deep / 2, wide / 2
    if style == 2:
        top = board((-a, -b, tall - 0.025), (a, b, tall))
        ends = [board((-a + 0.02, s * (b - 0.03), 0), (a - 0.02, s * (b - 0.055), tall - 0.025)) for s in (-1, 1)]
        bar = board((-0.012, -b + 0.055, 0.35 * tall), (0.012, b - 0.055, 0.55 * tall))
        return Model(((merge(top, *ends, bar), wood),), (top, *ends, bar), (top_of((-a, -b), (a, b), tall),))
    legs = _legs(deep * 0.92, wide * 0.92, tall - 0.11, 0.02, 0.03)
    if style == 0:
        pad = cushion((-a, -b, tall - 0.12), (a, b, tall), 0.04)
        flat = (a - 0.06, b - 0.06)
    else:
        pad = clad(moved(cylinder(1.0, 0.12, "z", 0.0, 32), scale=(a, b, 1.0), by=(0, 0, tall - 0.06)), 0.3)
        legs = _legs(deep * 0.72, wide * 0.72, tall - 0.11, 0.02, 0.02)
        flat = (0.6 * a, 0.6 * b)
    return Model(((pad, look), (merge(*legs), wood)), (pad, *legs), (top_of((-flat[0], -flat[1]), flat, tall),))
