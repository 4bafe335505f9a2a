"""The sets of stages: rooms and places outdoors that people recognise, in the tones of a theme."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from chronotope.io import read_yaml
from chronotope.world.film_set import CeilingLamp, Daylight, Light, Placement
from chronotope.world.homes.floor_plan import FloorPlan, RoomPlan, WindowPlan
from chronotope.world.homes.home import pose_at
from chronotope.world.homes.shell import Finish, shell_of
from chronotope.world.kinds.stage.wall_dressing import dress
from chronotope.world.slabs import slab
from chronotope.world.street.backdrop import ASPHALT
from chronotope.world.things import HOME_KINDS, HomeState, Look, Piece, draw_home_thing, draw_thing, textures
from chronotope.world.things.mesh import cylinder, ellipsoid, merge, moved
from chronotope.world.things.thing import finished
from chronotope.world.town.solids import LEAVES, look

Colour = tuple[float, float, float]
WHITE: Colour = (1.0, 1.0, 1.0)
WALLS: dict[str, tuple[Colour, ...]] = {
    "warm": ((0.88, 0.77, 0.60), (0.85, 0.70, 0.56)),
    "cool": ((0.68, 0.77, 0.85), (0.72, 0.80, 0.80)),
    "pale": ((0.92, 0.91, 0.88), (0.90, 0.87, 0.82)),
    "dark": ((0.42, 0.45, 0.50), (0.48, 0.40, 0.40)),
    "green": ((0.62, 0.74, 0.60), (0.70, 0.76, 0.58)),
    "brick": ((0.60, 0.32, 0.24), (0.66, 0.44, 0.32)),
}
GAP = 0.12  # m, between two pieces of furniture along a wall
BACK = 0.8  # m by which a back wall without dressing is farther away, since a bed may stand there
DRESSED = 2.6  # m of the back wall that are dressed
LAMP, LAMPLIGHT = 0.42, 0.42  # m, side of a ceiling lamp, and its glow for each m2 of floor
AMBIENT: Colour = (0.50, 0.50, 0.49)
SEEDS = 2**31
HANGS, USUAL_WIDTH = {"board": 2.0, "clock": 0.64}, 1.0  # m, widths of what hangs on a wall
PICTURE_LOW = 1.25  # m
TALL = 1.0  # m; lower furniture can have a picture above


@dataclass(frozen=True)
class Interior:
    """What makes a kind of room recognisable: its finishes and its furniture, by the object types of homes.

    ``floor`` and ``wall`` name textures; ``floor_colour`` is that of a floor of tiles, carpet or concrete. ``dressing``
    is what hangs on the wall, or "".
    """

    wall: str
    floor: str
    floor_colour: Colour
    stands: tuple[str, ...]
    hangs: tuple[str, ...]
    dressing: str


def _interior(floor_colour: list[float], stands: list[str], hangs: list[str], **rest: str) -> Interior:
    red, green, blue = floor_colour
    return Interior(floor_colour=(red, green, blue), stands=tuple(stands), hangs=tuple(hangs), **rest)


_ROWS: Mapping[str, Any] = read_yaml(Path(__file__).with_name("interiors.yaml"))
INTERIORS = {name: _interior(**row) for name, row in _ROWS["interiors"].items()}
WORN: Mapping[str, str] = _ROWS["worn"]
FRONTS: Mapping[str, str] = _ROWS["fronts"]
AROUND: Mapping[str, list[str]] = _ROWS["around"]
GOODS: Mapping[str, list[str]] = _ROWS["goods"]
PICTURE, PLANT = str(_ROWS["picture"]), str(_ROWS["plant"])
OUTDOORS = ("plaza", "street", "park")
VARIANTS = 2  # of each kind of goods on the shelves of a room
SPACED = (0.16, 0.26)  # m between two goods


@dataclass(frozen=True, eq=False)
class Setting:
    """A set without the things that the task is about: its backdrop, its furniture and its light."""

    backdrop: tuple[Piece, ...]
    props: tuple[Placement, ...]
    lights: tuple[Light, ...] = ()
    lamps: tuple[CeilingLamp, ...] = ()
    ambient: Colour = AMBIENT
    daylight: Daylight | None = None


def finishes_of(generator: np.random.Generator, place: str, tones: Sequence[str]) -> tuple[Finish, Finish]:
    """Draw the finishes of the walls and the floor of a kind of room in some tones."""
    interior, tone = INTERIORS[place], tones[0] if tones else "pale"
    choice = WALLS[tone]
    colour = choice[int(generator.integers(len(choice)))]
    if tone == "brick" and interior.wall != "tiles":
        wall = Finish(Look(WHITE, 0.05, 0.05, textures.brick(generator, colour)), 1.0)
    elif interior.wall == "tiles":
        wall = Finish(Look(WHITE, 0.3, 0.4, textures.tiles(generator, colour, count=6)), 1.2)
    elif interior.wall == "paper":
        wall = Finish(Look(WHITE, 0.05, 0.05, textures.painted(generator, colour, "stripes")), 1.3)
    elif interior.wall == "stone":
        wall = Finish(Look(WHITE, 0.1, 0.1, textures.tiles(generator, colour, count=2)), 2.4)
    else:
        wall = Finish(Look(WHITE, 0.05, 0.05, textures.plaster(generator, colour)), 1.3)
    floors = {
        "tiles": lambda: Finish(Look(WHITE, 0.25, 0.35, textures.tiles(generator, interior.floor_colour)), 1.6),
        "marble": lambda: Finish(Look(WHITE, 0.3, 0.4, textures.marble(generator, interior.floor_colour)), 2.0),
        "concrete": lambda: Finish(Look(WHITE, 0.05, 0.1, textures.plaster(generator, interior.floor_colour)), 2.0),
        "carpet": lambda: Finish(Look(WHITE, 0.0, 0.0, textures.carpet(generator, interior.floor_colour)), 0.9),
        "parquet": lambda: Finish(Look(WHITE, 0.2, 0.3, textures.parquet(generator)), 1.6),
    }
    return wall, floors[interior.floor]()


def draw_room(
    generator: np.random.Generator,
    place: str,
    tones: Sequence[str],
    size: tuple[float, float, float, float],
    height: float,
    back: bool = True,
    lift: float = 0.0,
) -> Setting:
    """Draw a room with a window on the left, and furniture along two walls.

    ``size`` (m) is its lowest x and y, and its highest x and y. Without ``back``, the back wall is left free. What
    hangs on the back wall hangs ``lift`` (m) higher than usual.
    """
    x0, y0, x1, y1 = size
    dressing = dressing_of(place, tones) if back else ""
    y1 += 0.0 if dressing or not back else BACK
    room = RoomPlan("room", place, np.array([(x0, y0), (x1, y0), (x1, y1), (x0, y1)], float), height)
    middle = (y0 + y1) / 2
    window = WindowPlan("window", "room", np.array([(x0, middle + 0.9), (x0, middle - 0.9)]), 0.9, 2.3)
    shell = shell_of(generator, FloorPlan((room,), (), (window,)), finishes_of(generator, place, tones))
    interior = INTERIORS[place]
    extra: list[Piece] = []
    props: list[Placement] = []
    inside = 0.07  # m, half a wall and a little more
    if back:
        wide = DRESSED if dressing else 0.0
        centre = (x0 + x1) / 2
        for low, high in ((x0 + inside, centre - wide / 2), (centre + wide / 2, x1 - inside)) if wide else (
            (x0 + inside, x1 - inside),):  # fmt: skip
            stands = interior.stands if not wide else interior.stands[:2] if high < centre else interior.stands[2:]
            props += line(generator, stands, (low, y1 - inside), (high, y1 - inside), props)
        extra += _stock(generator, GOODS.get(place, ()), props)
        if dressing:
            spot, inward = np.array([centre, y1 - inside]), np.array([0.0, -1.0])
            extra += dress(generator, dressing, wide, spot, inward, lift)
        else:
            extra += _hung(generator, interior, (x0, x1), y1 - inside, props)
    side = [name for name in interior.stands[::-1] if HOME_KINDS.get(name) and HOME_KINDS[name].mount == "floor"]
    props += line(generator, side[:2], (x1 - inside, y1 - 1.3), (x1 - inside, y0 + 1.0), props)
    lamp = CeilingLamp(((x0 + x1) / 2, (y0 + y1) / 2, height), LAMP, LAMPLIGHT * max(room.area, 6.0))
    return Setting((*shell, *extra), tuple(props), lights_of(height), (lamp,))


def dressing_of(place: str, tones: Sequence[str]) -> str:
    """Return what dresses a wall of a kind of room in some tones, or ""."""
    worn = [WORN[tone] for tone in tones if tone in WORN]
    return worn[0] if worn else INTERIORS[place].dressing if place in INTERIORS else ""


def lights_of(height: float) -> tuple[Light, ...]:
    """Return the lights of a room: a strong one from the left, and a weak one above."""
    place = np.array([-1.2, -1.4, min(height - 0.25, 2.9)])
    towards = np.array([0.2, 0.6, 0.6]) - place
    x, y, z = (towards / np.linalg.norm(towards)).tolist()
    return (
        Light((float(place[0]), float(place[1]), float(place[2])), (x, y, z), (0.44, 0.43, 0.40), shadows=True),
        Light((0.5, -0.5, height - 0.1), (0.0, 0.15, -1.0), (0.20, 0.20, 0.20)),
    )


def line(
    generator: np.random.Generator,
    types: Sequence[str],
    start: tuple[float, float],
    end: tuple[float, float],
    before: Sequence[Placement] = (),
) -> list[Placement]:
    """Place furniture along a wall; its front faces to the right of the way.

    What does not fit is left out. Their ids differ from those of ``before``.
    """
    way = np.subtract(end, start)
    length = float(np.linalg.norm(way))
    way = way / length
    inward = np.array([way[1], -way[0]])
    yaw = float(np.arctan2(inward[1], inward[0]))
    floor = [name for name in types if name in HOME_KINDS and HOME_KINDS[name].mount == "floor"]
    drawn = [draw_home_thing(name, int(generator.integers(SEEDS)), HomeState()) for name in floor]
    while drawn and sum(made.closed[1] for made in drawn) + GAP * (len(drawn) - 1) > length:
        drawn.pop()
    free = length - sum(float(made.closed[1]) for made in drawn)
    at, placed = free / (len(drawn) + 1) if drawn else 0.0, []
    for made in drawn:
        deep, wide, _ = made.closed
        middle = np.asarray(start) + way * (at + wide / 2) + inward * (deep / 2 + 0.01)
        number = len(before) + len(placed) + 1
        name = made.kind.noun.replace(" ", "-")
        pose = made.pose(pose_at(np.array([*middle, 0.0]), yaw))
        placed.append(Placement(f"prop-{number}-{name}", made.thing, pose, role="furniture"))
        at += wide + free / (len(drawn) + 1)
    return placed


def _stock(generator: np.random.Generator, goods: Sequence[str], props: Sequence[Placement]) -> list[Piece]:
    """Fill the open shelves of shelving units with goods, as parts of the backdrop."""
    pieces: list[Piece] = []
    units = [each for each in props if goods and each.thing.category == "shelving unit"]
    drawn = [draw_thing(generator, noun) for noun in goods for _ in range(VARIANTS if units else 0)]
    for unit in units:
        deep, wide, tall = unit.thing.size
        for low in _boards(unit):
            at = -wide / 2 + 0.1
            while at < wide / 2 - 0.1:
                thing = drawn[int(generator.integers(len(drawn)))]
                pose = unit.pose @ pose_at(np.array([0.0, at, low + thing.size[2] / 2 - tall / 2]), 0.0)
                if thing.size[0] < deep:
                    pieces += [
                        replace(piece, vertices=piece.vertices @ pose[:3, :3].T + pose[:3, 3], caster=None)
                        for piece in thing.pieces
                    ]
                at += float(generator.uniform(*SPACED))
    return pieces


def _boards(unit: Placement) -> list[float]:
    """Return the heights (m) of the boards of a shelving unit above its foot."""
    pieces = unit.thing.pieces
    corners = np.concatenate([piece.vertices[piece.faces] for piece in pieces])
    normals = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    level = normals[:, 2] > 0.999 * np.linalg.norm(normals, axis=1)
    heights = np.round(corners[level, 0, 2], 3)
    found = [
        float(h)
        for h in np.unique(heights)
        if normals[level][heights == h, 2].sum() / 2 > 0.4 * np.prod(unit.thing.size[:2])
    ]
    return [height + unit.thing.size[2] / 2 for height in found if height < unit.thing.size[2] / 2 - 0.02]


def draw_picture(generator: np.random.Generator, spot: np.ndarray, inward: np.ndarray, number: int) -> Placement:
    """Hang a painting at a spot (2,) m of a wall; ``inward`` points into the room."""
    made = draw_home_thing(PICTURE, int(generator.integers(SEEDS)), HomeState())
    middle = spot + inward * (float(made.closed[0]) / 2 + 0.002)
    pose = made.pose(pose_at(np.array([*middle, PICTURE_LOW]), float(np.arctan2(inward[1], inward[0]))))
    return Placement(f"prop-{number}-painting", made.thing, pose, role="furniture")


def _hung(
    generator: np.random.Generator, interior: Interior, span: tuple[float, float], y: float, props: list[Placement]
) -> list[Piece]:
    """Hang things on the back wall where no tall furniture stands; return the pieces that are not things."""
    pieces: list[Piece] = []
    low = [each for each in props if each.thing.size[2] < TALL]
    places = [float(each.pose[0, 3]) for each in low] or [sum(span) / 2]
    taken = [_along_x(each) for each in props if each.thing.size[2] >= TALL]
    for name, wanted in zip(interior.hangs, places, strict=False):
        x = _free(wanted, HANGS.get(name, USUAL_WIDTH), span, taken)
        if x is None:
            continue
        if name == "board":
            frame = Look((0.55, 0.42, 0.28), 0.2, 0.3)
            pieces.append(slab((2.0, 0.03, 1.1), (x, y - 0.015, 1.65), frame))
            pieces.append(slab((1.9, 0.02, 1.0), (x, y - 0.03, 1.65), Look((0.12, 0.24, 0.18), 0.05, 0.1)))
        elif name == "clock":
            pieces += _clock(x, y)
        elif name in HOME_KINDS:
            made = draw_home_thing(name, int(generator.integers(SEEDS)), HomeState())
            bottom = max((each.thing.size[2] for each in low if abs(each.pose[0, 3] - x) < 0.6), default=0.0) + 0.25
            place = np.array([x, y - made.closed[0] / 2, max(bottom, 1.25)])
            pose = made.pose(pose_at(place, -np.pi / 2))
            props.append(Placement(f"prop-{len(props) + 1}-{made.kind.noun.replace(' ', '-')}", made.thing, pose,
                                   role="furniture"))  # fmt: skip
    stone = Look((0.80, 0.77, 0.72), 0.2, 0.2)
    spots = (span[0] + 0.6, span[1] - 0.6) if "pillar" in interior.stands else ()
    return [*pieces, *(slab((0.45, 0.45, 3.6), (x, y - 0.24, 1.8), stone) for x in spots)]


def _along_x(prop: Placement) -> tuple[float, float]:
    """Return from where to where (m) along the back wall a piece of furniture reaches."""
    half = float(np.abs(prop.pose[0, :3]) @ prop.thing.size) / 2
    return float(prop.pose[0, 3]) - half, float(prop.pose[0, 3]) + half


def _free(wanted: float, wide: float, span: tuple[float, float], taken: list[tuple[float, float]]) -> float | None:
    """Return the place next to the ``wanted`` one where something ``wide`` (m) covers nothing, and take it."""
    half = wide / 2 + GAP / 2
    steps = np.arange(span[0] + half, span[1] - half, 0.05)
    for x in sorted([wanted, *map(float, steps)], key=lambda place: abs(place - wanted)):
        inside = span[0] + half <= x <= span[1] - half
        if inside and all(x + half <= start or x - half >= end for start, end in taken):
            taken.append((x - half, x + half))
            return x
    return None


def _clock(x: float, y: float) -> list[Piece]:
    """Make a plain wall clock."""
    rim, face, hand = (0.12, 0.12, 0.13), (0.95, 0.95, 0.93), Look((0.1, 0.1, 0.1), 0.1, 0.1)
    made = []
    for radius, deep, colour in ((0.32, 0.05, rim), (0.29, 0.07, face)):
        mesh = cylinder(radius, deep, "y", 0.0, 40)
        made.append(finished(moved(mesh, by=(x, y - deep / 2, 2.35)), Look(colour, 0.1, 0.2)))
    return [
        *made,
        slab((0.02, 0.01, 0.2), (x, y - 0.08, 2.44), hand),
        slab((0.14, 0.01, 0.02), (x + 0.06, y - 0.08, 2.35), hand),
    ]


def draw_outdoors(generator: np.random.Generator, place: str, tones: Sequence[str]) -> Setting:
    """Draw a place outdoors about the origin, with houses or trees at y > 6 m and daylight."""
    tone = tones[0] if tones else "pale"
    wall = WALLS[tone][int(generator.integers(len(WALLS[tone])))]
    ground = {
        "plaza": Look(WHITE, 0.05, 0.1, textures.tiles(generator, (0.66, 0.63, 0.58), (0.60, 0.56, 0.52))),
        "street": Look(WHITE, 0.05, 0.1, textures.tiles(generator, (0.58, 0.57, 0.55))),
        "park": Look(WHITE, 0.0, 0.0, textures.carpet(generator, (0.30, 0.44, 0.20))),
    }[place]
    pieces = [slab((120.0, 120.0, 0.2), (0, 0, -0.1), ground, 2.4)]
    if place == "street":
        pieces.append(slab((120.0, 7.0, 0.02), (0, 7.0, 0.01), Look(ASPHALT, 0.0, 0.0)))
        pieces.append(slab((120.0, 0.15, 0.024), (0, 7.0, 0.012), Look((0.92, 0.92, 0.90), 0.0, 0.0)))
    if place != "park":
        pieces += _houses(generator, wall, 12.0)
    spots = [(x, float(generator.uniform(8, 16))) for x in np.arange(-22, 23, 3.4 if place == "park" else 9.0)]
    for x, y in spots:
        if place == "park" or abs(x) > 3:
            leaf = look(LEAVES[int(generator.integers(3))])
            height = float(generator.uniform(4.5, 7.5))
            at = y if place == "park" else 9.8
            pieces += _tree(generator, float(x), at, height, leaf)
    direction = np.array([-0.5, -0.55, 0.75])
    x, y, z = (direction / np.linalg.norm(direction)).tolist()
    return Setting(tuple(pieces), (), ambient=(0.45, 0.45, 0.46), daylight=Daylight((x, y, z), window=6.0))


def _tree(generator: np.random.Generator, x: float, y: float, height: float, leaf: Look) -> list[Piece]:
    """Make a tree with a trunk and a crown of several round masses of leaves."""
    crown = []
    for _ in range(7):
        turn, away = generator.uniform(0, 2 * np.pi), generator.uniform(0, 0.17) * height
        radius = generator.uniform(0.13, 0.19) * height
        mass = ellipsoid((radius, radius, 0.85 * radius), 18)
        middle = (x + away * np.cos(turn), y + away * np.sin(turn), generator.uniform(0.5, 0.82) * height)
        crown.append(moved(mass, by=middle))
    trunk = moved(cylinder(0.035 * height, 0.5 * height, "z", 0.0, 14), by=(x, y, 0.25 * height))
    return [finished(merge(*crown), leaf, 1e-3), finished(trunk, Look((0.30, 0.22, 0.15), 0.0, 0.0), 1e-3)]


def _houses(generator: np.random.Generator, wall: Colour, y: float) -> list[Piece]:
    """Build a row of houses with windows and roofs along x, with their fronts at a distance."""
    made, x = [], -30.0
    glass = Look((0.20, 0.25, 0.30), 0.5, 0.6)
    while x < 30:
        wide, tall = float(generator.uniform(6, 9)), float(generator.uniform(6, 10))
        tint = np.clip(np.array(wall) * generator.uniform(0.8, 1.12), 0, 1)
        face = Look(WHITE, 0.0, 0.0, textures.plaster(generator, (float(tint[0]), float(tint[1]), float(tint[2])), 256))
        made.append(slab((wide, 6.0, tall), (x + wide / 2, y + 3, tall / 2), face, 3.0))
        made.append(slab((wide, 6.6, 0.3), (x + wide / 2, y + 3, tall + 0.15), Look((0.45, 0.22, 0.17), 0.0, 0.0)))
        count = int(wide // 2.2)
        for level in np.arange(1.6, tall - 1.2, 2.8):
            for number in range(count):
                at = x + (number + 0.5) * wide / count
                made.append(slab((1.1, 0.06, 1.5), (at, y - 0.02, level + 0.3), glass))
        x += wide
    return made


def draw_setting(
    generator: np.random.Generator,
    place: str,
    tones: Sequence[str],
    size: tuple[float, float, float, float],
    height: float,
    back: bool = True,
    lift: float = 0.0,
) -> Setting:
    """Draw a room, or a place outdoors, by the name of its set."""
    if place in OUTDOORS:
        return draw_outdoors(generator, place, tones)
    return draw_room(generator, place if place in INTERIORS else "living room", tones, size, height, back, lift)
