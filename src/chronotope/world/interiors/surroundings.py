"""The room around a table, and its light.

The room has a floor, walls, a window, pictures, a sideboard and a rug.
"""

from collections.abc import Iterator

import numpy as np

from chronotope.world.film_set import Light
from chronotope.world.slabs import slab
from chronotope.world.things import Look, Piece, textures
from chronotope.world.views import draw_view

Colour = tuple[float, float, float]

HEIGHT = 2.6  # m
WHITE: Colour = (1.0, 1.0, 1.0)
WOODS = {
    "oak": "light brown",
    "beech": "light brown",
    "birch": "light brown",
    "walnut": "dark brown",
    "cherry": "brown",
}
PAINTS: dict[str, Colour] = {
    "white": (0.74, 0.74, 0.72), "grey": (0.48, 0.51, 0.52), "black": (0.12, 0.12, 0.13), "beige": (0.78, 0.70, 0.56),
    "dark blue": (0.14, 0.20, 0.32), "dark green": (0.13, 0.26, 0.20), "light blue": (0.58, 0.70, 0.78),
}  # fmt: skip
STONES: dict[str, Colour] = {"white": (0.72, 0.71, 0.69), "grey": (0.46, 0.47, 0.48), "black": (0.16, 0.16, 0.17)}
WALLS: tuple[Colour, ...] = (
    (0.86, 0.83, 0.77), (0.74, 0.79, 0.76), (0.80, 0.75, 0.68), (0.70, 0.75, 0.80), (0.84, 0.78, 0.74),
    (0.90, 0.90, 0.88), (0.62, 0.66, 0.60), (0.56, 0.62, 0.70), (0.80, 0.66, 0.58), (0.86, 0.80, 0.60),
    (0.70, 0.62, 0.70), (0.52, 0.53, 0.55),
)  # fmt: skip
RUGS: tuple[Colour, ...] = (
    (0.42, 0.23, 0.22), (0.25, 0.30, 0.38), (0.36, 0.37, 0.30), (0.50, 0.44, 0.36), (0.30, 0.30, 0.31),
    (0.60, 0.56, 0.50), (0.44, 0.34, 0.46), (0.24, 0.36, 0.34),
)  # fmt: skip
FLOORS: tuple[Colour, ...] = ((0.72, 0.70, 0.66), (0.55, 0.48, 0.42), (0.42, 0.44, 0.46), (0.78, 0.74, 0.64))
LAMPS: tuple[Colour, ...] = ((0.60, 0.58, 0.53), (0.68, 0.58, 0.42), (0.54, 0.58, 0.64), (0.64, 0.54, 0.46))
WEAK: Colour = (0.22, 0.22, 0.21)


def wood_look(generator: np.random.Generator) -> tuple[Look, str]:
    """Make a random wooden surface, with the word for its colour."""
    kind = str(generator.choice(list(WOODS)))
    return Look(WHITE, 0.25, 0.3, textures.wood(generator, kind, planks=3)), WOODS[kind]


def top_look(generator: np.random.Generator) -> tuple[Look, str, str]:
    """Draw the surface of a table: its look, colour and material."""
    kind = generator.random()
    if kind < 0.5:
        return *wood_look(generator), "wood"
    if kind < 0.8:
        colour = str(generator.choice(list(PAINTS)))
        sheet = textures.plaster(generator, PAINTS[colour], 256)
        return Look(WHITE, 0.2, 0.35, sheet), colour, "painted wood"
    colour = str(generator.choice(list(STONES)))
    if generator.random() < 0.6:
        return Look(WHITE, 0.35, 0.5, textures.marble(generator, STONES[colour])), colour, "stone"
    return Look(WHITE, 0.3, 0.4, textures.tiles(generator, STONES[colour], count=6)), colour, "tiles"


def draw_lights(generator: np.random.Generator, azimuth: float, top: float) -> tuple[Light, ...]:
    """Draw a strong lamp to one side, and a weak lamp above.

    The strong lamp casts shadows. Seen from ``azimuth``, the strong lamp is never behind the things, because the things
    would then show their dark side. Both lamps are inside the room, because its walls block the sun. ``top`` (m) is the
    height of the table.
    """
    angle = azimuth + float(generator.choice([-1.0, 1.0])) * float(generator.uniform(0.25, 1.3))
    away, height = float(generator.uniform(0.8, 1.7)), float(generator.uniform(2.0, 2.45))
    place = np.array([away * np.cos(angle), away * np.sin(angle), height])
    towards = np.array([0.0, 0.0, top]) - place
    towards /= np.linalg.norm(towards)
    red, green, blue = np.array(LAMPS[generator.integers(len(LAMPS))]) * generator.uniform(0.85, 1.12)
    weak = float(generator.uniform(0.7, 1.2))
    return (
        Light((place[0], place[1], place[2]), (towards[0], towards[1], towards[2]), (red, green, blue), shadows=True),
        Light((0.0, 0.0, 2.5), (0.0, 0.0, -1.0), (weak * WEAK[0], weak * WEAK[1], weak * WEAK[2])),
    )


def draw_room(
    generator: np.random.Generator, walls: tuple[float, float] = (2.4, 3.1), has_rug: bool = True
) -> tuple[tuple[Piece, ...], np.ndarray]:
    """Draw a room of four furnished walls about the origin.

    z = 0 is the floor. Returns its pieces, and the distance (2,) m of the ``walls`` along x and y, which is drawn
    between two limits.
    """
    half = generator.uniform(*walls, 2)
    wall = WALLS[generator.integers(len(WALLS))]
    plaster = Look(WHITE, 0.05, 0.05, textures.plaster(generator, wall))
    floor = Look(WHITE, 0.2, 0.3, _floor(generator))
    pieces = [slab((2 * half[0], 2 * half[1], 0.1), (0, 0, -0.05), floor, 1.6)]
    pieces.append(slab((2 * half[0], 2 * half[1], 0.1), (0, 0, HEIGHT + 0.05), Look((0.92, 0.92, 0.9), 0, 0)))
    if has_rug:
        rug = textures.carpet(generator, RUGS[generator.integers(len(RUGS))])
        pieces.append(slab((2.2, 1.6, 0.012), (0, 0, 0.006), Look(WHITE, 0, 0, rug), 0.7))
    skirting, _ = wood_look(generator)
    roles = list(generator.permutation(["window", "sideboard", "pictures", "door"]))
    for side, role in enumerate(roles):
        turn = side % 2
        width, distance = 2 * half[1 - turn], half[turn]
        pieces += [_to_wall(piece, side, distance) for piece in _wall(generator, str(role), width, plaster, skirting)]
    return tuple(pieces), half


def _floor(generator: np.random.Generator) -> np.ndarray:
    kind = generator.integers(4)
    if kind == 0:
        return textures.tiles(generator, FLOORS[generator.integers(len(FLOORS))])
    if kind == 1:
        return textures.carpet(generator, RUGS[generator.integers(len(RUGS))])
    return textures.parquet(generator)


def _to_wall(piece: Piece, side: int, distance: float) -> Piece:
    """Place a piece of a wall on one side of the room.

    The piece is made for a wall at x = 0 that faces -x.
    """
    angle = side * np.pi / 2
    c, s = np.cos(angle), np.sin(angle)
    rotation = np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]])
    return Piece((piece.vertices + np.array([distance, 0.0, 0.0])) @ rotation.T, piece.faces, piece.uv, piece.look)


def _wall(generator: np.random.Generator, role: str, width: float, plaster: Look, skirting: Look) -> Iterator[Piece]:
    """Make a wall, with the furniture of its role.

    The x axis points into the wall, and the y axis along the wall.
    """
    yield slab((0.1, width, HEIGHT), (0.05, 0, HEIGHT / 2), plaster, 1.3)
    yield slab((0.016, width, 0.09), (-0.008, 0, 0.045), skirting, 0.8)
    yield from {"window": _window, "sideboard": _sideboard, "pictures": _pictures, "door": _door}[role](
        generator, width
    )


def _window(generator: np.random.Generator, width: float) -> Iterator[Piece]:
    frame = Look((0.93, 0.93, 0.91), 0.2, 0.3)
    y, wide, low, high = float(generator.uniform(-0.3, 0.3)), float(generator.uniform(1.2, 1.7)), 0.85, 2.15
    middle, tall = (low + high) / 2, high - low
    yield slab((0.012, wide, tall), (-0.006, y, middle), Look(WHITE, 0.1, 0.1, draw_view(generator)), max(wide, tall))
    for edge in (-1, 0, 1):
        yield slab((0.05, 0.06, tall + 0.06), (-0.025, y + edge * wide / 2, middle), frame)
        yield slab((0.05, wide + 0.06, 0.06), (-0.025, y, middle + edge * tall / 2), frame)
    yield slab((0.16, wide + 0.2, 0.03), (-0.08, y, low - 0.03), frame)
    cloth = Look(WHITE, 0, 0, textures.fabric(generator, RUGS[generator.integers(len(RUGS))]))
    for edge in (-1, 1):
        yield slab((0.06, 0.3, 2.1), (-0.08, y + edge * (wide / 2 + 0.2), 1.25), cloth, 0.4)


def _sideboard(generator: np.random.Generator, width: float) -> Iterator[Piece]:
    look, _ = wood_look(generator)
    y, wide, tall = float(generator.uniform(-0.4, 0.4)), 1.5, float(generator.uniform(0.72, 0.9))
    yield slab((0.42, wide, tall - 0.1), (-0.21, y, tall / 2 + 0.05), look, 0.9)
    knob = Look((0.25, 0.24, 0.22), 0.6, 0.6)
    for edge in (-1, 0, 1):
        yield slab((0.012, 0.46, tall - 0.2), (-0.426, y + edge * 0.49, tall / 2 + 0.05), look, 0.7)
        yield slab((0.02, 0.02, 0.12), (-0.442, y + edge * 0.49 + 0.18, tall / 2 + 0.1), knob)
    # Only kinds that are not in the catalogue: "the blue book" must not also fit a book on the sideboard.
    cloth = Look(WHITE, 0, 0, textures.fabric(generator, RUGS[generator.integers(len(RUGS))]))
    yield slab((0.3, 0.9, 0.006), (-0.2, y, tall + 0.003), cloth, 0.3)


def _pictures(generator: np.random.Generator, width: float) -> Iterator[Piece]:
    frame, _ = wood_look(generator)
    for y in (-0.32, 0.22, 0.3)[: int(generator.integers(2, 3))] if width < 4.4 else (-1.0, 0.0, 1.0):
        wide, tall = generator.uniform(0.42, 0.62, 2)
        place = (-0.015, 2.2 * y if width < 4.4 else 1.1 * y, 1.35)
        yield slab((0.03, wide, tall), place, frame, 0.5)
        colours = generator.uniform(0.25, 0.85, (3, 3))
        ramp = np.linspace(0, 1, 64)[:, None, None] + 0.3 * np.sin(np.linspace(0, 6, 64))[None, :, None]
        art = np.clip(colours[0] * (1 - ramp) + colours[1] * ramp, 0, 1)
        art = np.where((np.hypot(*np.mgrid[-32:32, -32:32]) < 14)[..., None], colours[2], art)
        canvas = Look(WHITE, 0, 0, np.rint(255 * art).astype(np.uint8))
        yield slab((0.012, wide - 0.08, tall - 0.08), (-0.033, *place[1:]), canvas, float(max(wide, tall)) - 0.08)


def _door(generator: np.random.Generator, width: float) -> Iterator[Piece]:
    look, _ = wood_look(generator)
    y = float(generator.uniform(-0.6, 0.6))
    yield slab((0.04, 1.02, 2.12), (-0.02, y, 1.06), look, 0.9)
    panel = Look(WHITE, 0.25, 0.3, look.texture)
    for low, high in ((0.15, 0.9), (1.05, 1.95)):
        for edge in (-1, 1):
            yield slab((0.02, 0.34, high - low), (-0.045, y + edge * 0.22, (low + high) / 2), panel, 0.7)
    yield slab((0.05, 0.12, 0.025), (-0.065, y + 0.4, 1.0), Look((0.75, 0.72, 0.65), 0.8, 0.8))
