"""Street furniture: benches, lamps, hydrants, bins, bollards, signals, stops; the front is at +x."""

import numpy as np

from chronotope.world.street.hull import plate
from chronotope.world.things import textures
from chronotope.world.things.colours import plain
from chronotope.world.things.kind import Model
from chronotope.world.things.mesh import (
    Mesh,
    along,
    block,
    curve,
    cylinder,
    ellipsoid,
    fillet,
    lathe,
    loft,
    merge,
    moved,
    pictured,
    ring,
    tube,
    turned,
)
from chronotope.world.things.thing import Paint

IRON, DARK = plain((0.10, 0.105, 0.11), "metal"), plain((0.16, 0.165, 0.17), "metal")
STEEL, STONE = plain((0.62, 0.63, 0.65), "metal"), plain((0.62, 0.60, 0.57), "stone")
GLASS, WATER = plain((0.62, 0.74, 0.80), "glass"), plain((0.35, 0.62, 0.78), "glass")
GLOW, RED, WHITE = (
    plain((0.98, 0.95, 0.82), "glass"),
    plain((0.76, 0.08, 0.09), "plastic"),
    plain((0.94, 0.94, 0.92), "plastic"),
)


def _at(mesh: Mesh, x: float, y: float, z: float) -> Mesh:
    return moved(mesh, by=(x, y, z))


def bench(generator: np.random.Generator, paint: Paint) -> Model:
    """Make a park bench: slats on two iron frames, with a back."""
    slats = [_at(block((0.085, 1.7, 0.032), 0.008), x, 0, 0.44) for x in (0.20, 0.10, 0.0, -0.10)]
    for step in range(3):
        slat = turned(block((0.032, 1.7, 0.095), 0.008), "y", -14)
        slats.append(_at(slat, -0.175 - 0.028 * step, 0, 0.54 + 0.115 * step))
    frames = []
    for y in (-0.68, 0.68):
        leg = fillet([(0.22, 0, 0.0), (0.20, 0, 0.405), (-0.14, 0, 0.405), (-0.26, 0, 0.84)], 0.05)
        frames.append(_at(tube(leg, 0.024, 10), 0, y, 0))
        frames.append(_at(tube(np.array([(-0.12, 0, 0.42), (-0.24, 0, 0.0)]), 0.024, 10), 0, y, 0))
        arm = fillet([(-0.20, 0, 0.62), (0.16, 0, 0.63), (0.21, 0, 0.42)], 0.06)
        frames.append(_at(tube(arm, 0.019, 10), 0, y, 0))
    seat, back = merge(*slats[:4]), merge(*slats[4:])
    return Model(((merge(seat, back), paint.look), (merge(*frames), IRON)), (seat, back, *frames))


def street_lamp(generator: np.random.Generator, paint: Paint) -> Model:
    """Make a tall lamp post whose arm carries a lamp over the road at +x."""
    tall = 6.0
    post = lathe([(0, 0), (0.14, 0), (0.14, 0.5), (0.10, 0.62), (0.075, 0.9), (0.05, tall - 0.5), (0, tall - 0.45)], 20)
    arm = tube(
        curve([(0, 0, tall - 0.6), (0.12, 0, tall - 0.12), (0.7, 0, tall), (1.1, 0, tall - 0.02)], 24), 0.035, 12
    )
    head = _at(block((0.62, 0.26, 0.11), 0.05, 0.1), 1.16, 0, tall - 0.02)
    lamp = _at(block((0.46, 0.19, 0.04), 0.015), 1.18, 0, tall - 0.085)
    return Model(((merge(post, arm, head), paint.look), (lamp, GLOW)), (post, arm, merge(head, lamp)))


def fire_hydrant(generator: np.random.Generator, paint: Paint) -> Model:
    """Make a fire hydrant with a domed bonnet, two side outlets and a large one at the front."""
    body = [(0, 0), (0.165, 0), (0.165, 0.045), (0.115, 0.055), (0.105, 0.10), (0.10, 0.46), (0.145, 0.475)]
    body += [(0.145, 0.52), (0.125, 0.535), (0.115, 0.60), (0.085, 0.66), (0.04, 0.70), (0.035, 0.72), (0.035, 0.76)]
    trunk = lathe([*body, (0, 0.76)], 28)
    bolts = merge(*(moved(cylinder(0.014, 0.03, "z", 0.003, 8), by=place) for place in ring(0.142, 8, 0.055)))
    side = [_at(cylinder(0.058, 0.10, "y", 0.006, 20), 0, y * 0.13, 0.36) for y in (-1, 1)]
    caps = [_at(cylinder(0.070, 0.045, "y", 0.008, 8), 0, y * 0.195, 0.36) for y in (-1, 1)]
    large = [
        _at(cylinder(0.075, 0.10, "x", 0.006, 22), 0.13, 0, 0.34),
        _at(cylinder(0.09, 0.05, "x", 0.01, 8), 0.195, 0, 0.34),
    ]
    nuts = [_at(cylinder(0.022, 0.03, "y", 0.004, 6), 0, y * 0.228, 0.36) for y in (-1, 1)]
    nuts.append(_at(cylinder(0.026, 0.03, "x", 0.004, 6), 0.23, 0, 0.34))
    trim = plain((0.80, 0.80, 0.78), "metal") if generator.random() < 0.4 else paint.look
    return Model(
        ((merge(trunk, *side, large[0]), paint.look), (merge(bolts, *caps, large[1], *nuts), trim)),
        (trunk, merge(*side, *caps), merge(*large)),
    )


def litter_bin(generator: np.random.Generator, paint: Paint) -> Model:
    """Make a round litter bin with slats and a domed hood, open on two sides."""
    barrel = lathe([(0, 0.04), (0.185, 0.04), (0.21, 0.10), (0.215, 0.70), (0, 0.70)], 32)
    slats = [turned(_at(block((0.022, 0.042, 0.64), 0.006), 0.222, 0, 0.39), "z", k * 18) for k in range(20)]
    foot = lathe([(0, 0), (0.15, 0), (0.15, 0.05), (0, 0.05)], 24)
    rim = lathe([(0.0, 0.69), (0.235, 0.69), (0.24, 0.72), (0.0, 0.72)], 32)
    posts = [
        _at(cylinder(0.016, 0.26, "z", 0.0, 10), x, y, 0.84)
        for x, y in ((0, 0.20), (0, -0.20), (0.17, 0.1), (-0.17, -0.1))
    ]
    hood = lathe([(0, 0.90), (0.24, 0.90), (0.245, 0.93), (0.20, 0.99), (0.10, 1.035), (0, 1.045)], 32)
    hole = lathe([(0, 0.715), (0.18, 0.715), (0.18, 0.728), (0, 0.728)], 28)
    return Model(
        ((merge(*slats, rim, hood), paint.look), (merge(barrel, foot, *posts, hole), DARK)),
        (merge(barrel, rim, foot, *slats), merge(*posts), hood),
    )


def wheelie_bin(generator: np.random.Generator, paint: Paint) -> Model:
    """Make a tall plastic bin on two wheels with a lid; its front is opposite its handle."""
    body = _at(block((0.60, 0.54, 0.90), 0.04, 0.06, 1.0), 0.02, 0, 0.50)
    points = body.vertices.copy()
    low = np.clip((0.95 - points[:, 2]) / 0.9, 0, 1)[:, None]
    points[:, :2] *= 1 - 0.22 * low
    body = body._replace(vertices=points)
    lip = _at(block((0.66, 0.58, 0.05), 0.015, 0.06), 0.02, 0, 0.955)
    lid = _at(turned(block((0.68, 0.58, 0.05), 0.02, 0.06), "y", 3), 0.0, 0, 1.005)
    dome = _at(block((0.50, 0.44, 0.05), 0.02, 0.08), 0.02, 0, 1.035)
    handle = tube(
        fillet([(-0.32, -0.22, 0.97), (-0.42, -0.22, 1.0), (-0.42, 0.22, 1.0), (-0.32, 0.22, 0.97)], 0.04), 0.017, 8
    )
    wheels = merge(*(_at(cylinder(0.10, 0.05, "y", 0.012, 24), -0.22, y, 0.10) for y in (-0.255, 0.255)))
    hubs = merge(*(_at(cylinder(0.045, 0.056, "y", 0.004, 16), -0.22, y, 0.10) for y in (-0.255, 0.255)))
    ribs = merge(*(_at(block((0.012, 0.03, 0.5), 0.004), 0.287, y, 0.55) for y in (-0.12, 0.12)))
    return Model(
        ((merge(body, lip, lid, dome, ribs), paint.look), (merge(wheels, handle), DARK), (hubs, STEEL)),
        (merge(body, lip), merge(lid, dome), handle, wheels),
    )


def bollard(generator: np.random.Generator, paint: Paint) -> Model:
    """Make a bollard: a short post with a round top and a bright band."""
    post = lathe(
        [
            (0, 0),
            (0.078, 0),
            (0.078, 0.03),
            (0.06, 0.05),
            (0.056, 0.80),
            (0.066, 0.81),
            (0.066, 0.87),
            (0.05, 0.92),
            (0, 0.945),
        ],
        28,
    )
    band = lathe([(0.05, 0.68), (0.0595, 0.68), (0.0595, 0.76), (0.05, 0.76)], 28, closed=True)
    pale = RED if paint.colour == "white" else plain((0.92, 0.92, 0.90), "plastic")
    return Model(((post, paint.look), (band, pale)), (post,))


def traffic_light(generator: np.random.Generator, paint: Paint) -> Model:
    """Make a signal on a post: three lamps one above the other, one of them lit."""
    post = merge(
        _at(cylinder(0.055, 3.1, "z", 0.01, 20), 0, 0, 1.55), _at(cylinder(0.13, 0.04, "z", 0.01, 24), 0, 0, 0.02)
    )
    box = _at(block((0.20, 0.33, 0.95), 0.03), 0.12, 0, 2.80)
    board = _at(block((0.02, 0.42, 1.08), 0.004, 0.05), 0.04, 0, 2.80)
    lit = int(generator.integers(3))
    bright = ((0.98, 0.10, 0.08), (1.0, 0.72, 0.05), (0.10, 0.95, 0.35))
    dull = ((0.30, 0.05, 0.05), (0.32, 0.22, 0.03), (0.03, 0.24, 0.12))
    lenses, hoods = [], []
    for number, z in enumerate((3.10, 2.80, 2.50)):
        lens = _at(turned(moved(ellipsoid(0.11, 20), scale=(1, 1, 0.25)), "y", 90), 0.222, 0, z)
        lenses.append((lens, plain(bright[number] if number == lit else dull[number], "glass")))
        turn = np.radians(np.linspace(-35, 215, 16))
        rim = np.column_stack([np.zeros(16), 0.125 * np.cos(turn), 0.125 * np.sin(turn)])
        hoods += [_hood(rim, (0.215, 0, z), 0.17)]
    return Model(
        ((merge(post, board), DARK), (merge(box, *hoods), paint.look), *lenses),
        (post, merge(box, board, *hoods)),
    )


def _hood(rim: np.ndarray, place: tuple[float, float, float], deep: float) -> Mesh:
    """Make the visor over a lamp: a curved plate along x, over a rim (N, 3) m."""
    points = np.stack([rim, rim + np.array([deep, 0, 0])], axis=1)
    return moved(plate(points, 0.006, 0.006), by=place)


def traffic_cone(generator: np.random.Generator, paint: Paint) -> Model:
    """Make a traffic cone with two white bands on a square foot."""
    foot = _at(block((0.38, 0.38, 0.035), 0.008, 0.04), 0, 0, 0.0175)

    def radius(z: float) -> float:
        return 0.145 - 0.115 * (z - 0.03) / 0.67

    cone = lathe([(0, 0.03), (radius(0.03), 0.03), (radius(0.70), 0.70), (0.018, 0.71), (0, 0.71)], 32)
    bands = [
        lathe(
            [(radius(a) - 0.01, a), (radius(a) + 0.003, a), (radius(b) + 0.003, b), (radius(b) - 0.01, b)],
            32,
            closed=True,
        )
        for a, b in ((0.25, 0.37), (0.48, 0.56))
    ]
    return Model(((merge(foot, cone), paint.look), (merge(*bands), WHITE)), (foot, cone))


def mailbox(generator: np.random.Generator, paint: Paint) -> Model:
    """Make a mailbox on a post: a tunnel with a door at +x and a red flag."""
    turn = np.radians(np.linspace(0, 180, 13))
    outline = np.concatenate(
        [np.column_stack([0.10 * np.cos(turn), 0.10 + 0.10 * np.sin(turn)]), [(-0.10, 0.0), (0.10, 0.0)]]
    )
    rings = np.array([np.column_stack([np.full(len(outline), x), s * outline]) for x, s in ((-0.24, 1.0), (0.22, 1.0))])
    box = _at(loft(rings), 0, 0, 0.95)
    door = _at(loft(np.array([rings[0] * [0, 1.03, 1.03] + [x, 0, 0] for x in (0.215, 0.24)])), 0, 0, 0.948)
    knob = _at(block((0.03, 0.03, 0.05), 0.008), 0.25, 0, 1.12)
    post = _at(block((0.10, 0.10, 0.96), 0.006), 0, 0, 0.48)
    arm = _at(block((0.36, 0.09, 0.03), 0.004), 0, 0, 0.935)
    flag = merge(
        _at(block((0.015, 0.012, 0.16), 0.003), 0.06, 0.108, 1.12),
        _at(block((0.09, 0.012, 0.06), 0.003), 0.03, 0.108, 1.18),
    )
    wood = plain((1.0, 1.0, 1.0), "wood", textures.wood(generator, "oak", 128))
    return Model(
        ((merge(box, door), paint.look), (merge(post, arm), wood), (flag, RED), (knob, STEEL)),
        (merge(box, door), post),
    )


def barrier(generator: np.random.Generator, paint: Paint) -> Model:
    """Make a gate across a road: a red and white bar along y on a motor post."""
    post = _at(block((0.32, 0.28, 1.02), 0.02), 0, -1.6, 0.51)
    rest = merge(
        _at(block((0.08, 0.08, 0.86), 0.006), 0, 1.95, 0.43), _at(block((0.16, 0.16, 0.03), 0.006), 0, 1.95, 0.015)
    )
    fork = _at(block((0.10, 0.12, 0.04), 0.006), 0, 1.95, 0.86)
    ends = np.linspace(-1.85, 2.05, 11)
    stripes = [
        _at(block((0.06, ends[k + 1] - ends[k], 0.12), 0.004), 0, (ends[k] + ends[k + 1]) / 2, 0.94) for k in range(10)
    ]
    lamp = _at(cylinder(0.05, 0.09, "z", 0.01, 16), 0, -1.6, 1.065)
    return Model(
        (
            (merge(*stripes[::2]), plain((0.76, 0.08, 0.09), "metal")),
            (merge(*stripes[1::2]), paint.look),
            (merge(post, rest, fork), plain((0.40, 0.42, 0.44), "metal")),
            (lamp, plain((0.97, 0.46, 0.05), "glass")),
        ),
        (merge(*stripes), post, rest),
    )


def railing(generator: np.random.Generator, paint: Paint) -> Model:
    """Make a railing that keeps walkers off the road: two posts and upright bars between two rails."""
    posts = [_at(cylinder(0.024, 1.05, "z", 0.004, 14), 0, y, 0.525) for y in (-1.0, 1.0)]
    rails = [_at(cylinder(0.02, 2.0, "y", 0.0, 12), 0, 0, z) for z in (0.14, 1.02)]
    bars = [_at(cylinder(0.009, 0.88, "z", 0.0, 8), 0, y, 0.58) for y in np.linspace(-0.88, 0.88, 15)]
    return Model(((merge(*posts, *rails, *bars), paint.look),), (merge(*posts, *rails),))


def bus_stop(generator: np.random.Generator, paint: Paint) -> Model:
    """Make a shelter with glass walls, a bench and a roof, open at +x.

    Beside it is a sign with the letter H of bus stops.
    """
    frame = [_at(block((0.07, 0.07, 2.35), 0.01), x, y, 1.175) for x in (-0.62, 0.05) for y in (-1.55, 1.55)]
    frame.append(_at(block((0.05, 3.1, 0.07), 0.01), -0.62, 0, 2.25))
    frame.append(_at(block((0.05, 3.1, 0.05), 0.01), -0.62, 0, 0.22))
    roof = _at(turned(block((1.5, 3.6, 0.09), 0.03), "y", -2.5), -0.05, 0, 2.42)
    panes = [_at(block((0.014, 0.98, 1.85)), -0.62, y, 1.20) for y in (-1.02, 0.0, 1.02)]
    side = _at(block((0.55, 0.014, 1.85)), -0.29, -1.55, 1.20)
    seat = _at(block((0.34, 2.2, 0.05), 0.012), -0.40, 0.2, 0.46)
    legs = [_at(block((0.06, 0.06, 0.44), 0.006), -0.42, y, 0.22) for y in (-0.7, 1.1)]
    poster = _at(block((0.60, 0.10, 1.75), 0.012), -0.29, 1.55, 1.15)
    picture = [_at(block((0.50, 0.012, 1.50)), -0.29, y, 1.18) for y in (1.493, 1.607)]
    pole = _at(cylinder(0.032, 2.62, "z", 0.004, 16), 0.62, -1.70, 1.31)
    disc, letter = _stop_sign()
    wood = plain((1.0, 1.0, 1.0), "wood", textures.wood(generator, "oak", 128))
    return Model(
        (
            (merge(*frame, roof, poster, pole, *legs), paint.look),
            (merge(*panes, side), GLASS),
            (pictured(seat), wood),
            (merge(*picture), plain((0.85, 0.55, 0.25), "paper")),
            (moved(disc, by=(0.62, -1.70, 2.42)), plain((0.98, 0.85, 0.12), "metal")),
            (moved(letter, by=(0.62, -1.70, 2.42)), plain((0.10, 0.45, 0.20), "metal")),
        ),
        (roof, *frame, merge(*panes), side, seat, poster, merge(pole, moved(disc, by=(0.62, -1.70, 2.42)))),
    )


def _stop_sign() -> tuple[Mesh, Mesh]:
    """Make a round sign that faces along y, the direction of the traffic, and its letter."""
    disc = cylinder(0.225, 0.02, "y", 0.002, 36)
    rim = along(lathe([(0.19, -0.013), (0.225, -0.013), (0.225, 0.013), (0.19, 0.013)], 36, closed=True), "y")
    letter = [_at(block((0.045, 0.026, 0.22)), x, 0, 0) for x in (-0.07, 0.07)]
    return disc, merge(rim, *letter, block((0.14, 0.026, 0.045)))


def fountain(generator: np.random.Generator, paint: Paint) -> Model:
    """Make a fountain with a round basin, a bowl on a column and water that falls from it."""
    basin = lathe(
        [
            (0, 0),
            (1.15, 0),
            (1.2, 0.06),
            (1.12, 0.12),
            (1.12, 0.38),
            (1.2, 0.42),
            (1.2, 0.48),
            (1.02, 0.48),
            (1.0, 0.2),
            (0, 0.2),
        ],
        48,
    )
    pool = lathe([(0, 0.21), (1.01, 0.21), (1.01, 0.38), (0, 0.38)], 48)
    column = lathe(
        [
            (0, 0.2),
            (0.22, 0.2),
            (0.2, 0.45),
            (0.10, 0.6),
            (0.12, 0.85),
            (0.2, 0.92),
            (0.55, 1.05),
            (0.58, 1.10),
            (0.52, 1.10),
            (0, 1.0),
        ],
        36,
    )
    bowl = lathe([(0, 1.02), (0.50, 1.04), (0.50, 1.085), (0, 1.085)], 36)
    jet = lathe([(0, 1.05), (0.03, 1.05), (0.02, 1.35), (0.06, 1.44), (0.03, 1.50), (0, 1.51)], 16)
    falls = []
    for k in range(12):
        way = np.array([np.cos(k * np.pi / 6), np.sin(k * np.pi / 6), 0])
        path = np.array([way * r + [0, 0, z] for r, z in ((0.55, 1.10), (0.64, 1.06), (0.72, 0.85), (0.77, 0.40))])
        falls.append(tube(curve(path, 10), 0.016, 6))
    return Model(
        ((merge(basin, column), STONE), (merge(pool, bowl, jet, *falls), WATER)),
        (basin, merge(column, bowl, jet)),
    )


def marker_post(generator: np.random.Generator, paint: Paint) -> Model:
    """Make a marker post beside a road: white, with a slanted black band and a reflector."""
    post = _at(block((0.12, 0.09, 1.05), 0.02, taper=0.92), 0, 0, 0.525)
    band = _at(block((0.124, 0.094, 0.22), 0.01), 0, 0, 0.84)
    glass = _at(block((0.02, 0.05, 0.16), 0.004), 0.056, 0, 0.84)
    return Model(((post, paint.look), (band, IRON), (glass, plain((0.98, 0.62, 0.05), "plastic"))), (post,))


def beach_ball(generator: np.random.Generator, paint: Paint) -> Model:
    """Make a beach ball of six strips, every second one white, which shows that the ball rolls."""
    turn, rise = np.linspace(0, 2 * np.pi, 7), np.linspace(-np.pi / 2 + 0.03, np.pi / 2 - 0.03, 17)
    strips: list[list[Mesh]] = [[], []]
    for number in range(6):
        across = np.linspace(turn[number], turn[number + 1], 9)
        arc = np.column_stack([np.cos(across), np.sin(across), np.ones(9)])
        loop = np.concatenate([arc, arc[::-1] * (0.96, 0.96, 1.0)])  # from outside, then back on the inside
        rings = np.array([loop * (np.cos(r), np.cos(r), np.sin(r)) for r in rise])
        strips[number % 2].append(moved(loft(rings), scale=0.225))
    return Model(((merge(*strips[0]), paint.look), (merge(*strips[1]), WHITE)), (ellipsoid(0.225, 24),))
