"""Signs with any words, in real type: in halls, at doors, over shops and beside roads.

A sign shows its words towards +x, and its back is blank. All measures of a sign follow from the height of its capitals.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

import numpy as np

from chronotope.errors import InputError
from chronotope.world.things.colours import COLOURS, plain
from chronotope.world.things.joinery import mapped, rod
from chronotope.world.things.lettering import LEADING, draw_type, inked, require_type, width_of
from chronotope.world.things.mesh import Mesh, extrude, merge, moved, ring, rounded_rectangle, upright
from chronotope.world.things.pictograms import disc, figure, polygon
from chronotope.world.things.textures import Colour, ink
from chronotope.world.things.thing import Look, Piece, Thing, finished, size_of

Direction = Literal["left", "right", "ahead"]
SIGNS = ("direction", "street", "shop", "door", "exit", "stop", "no entry", "speed limit", "one way", "crossing")
"""The kinds of signs."""

WHITE, BLACK, RED, BLUE = (0.96, 0.96, 0.95), (0.05, 0.05, 0.06), (0.78, 0.06, 0.08), (0.05, 0.22, 0.62)
GREEN, GREY, YELLOW = (0.02, 0.42, 0.24), (0.25, 0.27, 0.30), (0.98, 0.80, 0.08)
CAPITAL = 64  # px, height of a capital in the picture of a sign
WIDEST = 2048  # px, largest width of such a picture
THICK, RELIEF = 0.012, 0.004  # m, the plate of a sign, and what stands out from it
MARGIN, ARROW, GAP = 0.75, 1.25, 0.6  # around the words, side of an arrow, and between both, in heights of a capital
HANGER, POST = 0.35, 0.03  # m, length of the rods of a hanging sign, and radius of a post
FAR = 0.82  # size of the far end of a stripe of a crossing, as a share of the near end
GRAIN = 1e-5  # m, of the vertices
DENSITY = 2700.0  # kg/m3, aluminium
STEEL = plain((0.62, 0.63, 0.65), "steel")


class Line(NamedTuple):
    """A line of words on a sign; ``arrow`` is the direction of its arrow, as the reader sees it."""

    text: str
    arrow: Direction | None = None


class _Face(NamedTuple):
    """The face of a sign: its outline (N, 2) m, its picture, and the meshes and look of the arrows on it."""

    outline: np.ndarray
    picture: np.ndarray
    arrows: tuple[Mesh, ...] = ()
    arrow_look: Look | None = None


@dataclass(frozen=True)
class _Style:
    """How a kind of sign looks.

    ``schemes`` are colours: the name and the tone of the ground, and the tone of the letters. ``capital`` (m) is the
    usual height of a capital. ``low`` (m) is the height of the lower edge above the ground, if the sign has a post.
    ``words`` are the usual words; a sign without usual words needs words of its own.
    """

    noun: str
    draw: Callable[[tuple[Line, ...], float, Colour, Colour], _Face]
    schemes: tuple[tuple[str, Colour, Colour], ...]
    capital: float
    mount: Literal["ceiling", "post", "wall"]
    low: float = 2.1
    words: tuple[Line, ...] = ()
    glow: float = 0.0


def draw_sign(
    generator: np.random.Generator,
    kind: str,
    words: str | Line | Sequence[str | Line] = (),
    capital: float | None = None,
) -> Thing:
    """Draw a sign with its front towards +x.

    ``kind`` is one of SIGNS. ``words`` are its lines, with arrows where the sign has them; stop signs, exit signs and
    one-way signs have usual words. ``capital`` (m) is the height of its capitals, by default the usual height. Seen
    straight from the front at a distance d, a capital has the height focal * capital / d px. A hanging sign ends at the
    ceiling, a sign on a post stands on the ground, and a sign for a wall is only its plate.

    Raises:
        InputError: If there is no such kind, if words are missing or not possible, or if ``capital`` is not above 0.
    """
    if kind not in _STYLES:
        raise InputError(f"world: no kind of sign {kind!r}: choose one of {', '.join(SIGNS)}")
    style = _STYLES[kind]
    lines = _lines(kind, style, words)
    if capital is not None and not 0.002 <= capital <= 5:
        raise InputError(f"world: letters of a {style.noun} are {capital} m high: give from 0.002 to 5 m")
    name, ground, letters = style.schemes[generator.integers(len(style.schemes))]
    face = style.draw(lines, capital or style.capital, ground, letters)
    return _thing(style, name, ground, face)


def _lines(kind: str, style: _Style, words: str | Line | Sequence[str | Line]) -> tuple[Line, ...]:
    given = (words,) if isinstance(words, str | Line) else tuple(words)
    lines = tuple(Line(line) if isinstance(line, str) else line for line in given) or style.words
    wordless = kind in ("no entry", "crossing")
    if wordless and lines:
        raise InputError(f"world: a {style.noun} shows a picture: leave out the words {lines[0].text!r}")
    if not wordless and (not lines or not all(line.text.strip() or line.arrow for line in lines)):
        raise InputError(f"world: a {style.noun} has no words: give at least one, such as 'Library'")
    if kind in ("stop", "speed limit", "one way") and len(lines) > 1:
        raise InputError(f"world: a {style.noun} has one line: it cannot show {len(lines)} lines")
    for line in lines:
        require_type(line.text)
        if line.arrow not in (None, "left", "right", "ahead"):
            raise InputError(f"world: no arrow {line.arrow!r}: choose left, right or ahead")
    return lines


def _panel(lines: tuple[Line, ...], capital: float, ground: Colour, letters: Colour, framed: bool = True) -> _Face:
    """Lay out lines of words on a rectangle with a thin frame."""
    rows = [width_of(line.text) + (0 if line.arrow is None else ARROW + GAP * bool(line.text)) for line in lines]
    wide = (max(rows) + 2 * MARGIN) * capital
    tall = (LEADING * (len(lines) - 1) + 1 + 2 * MARGIN) * capital
    picture, scale = _sheet(wide, tall, capital, ground)
    if framed:
        inset = 0.16 * capital * scale
        picture = _framed(picture, inset, max(1.5, 0.45 * inset), letters)
    arrows = []
    for number, (line, row) in enumerate(zip(lines, rows, strict=True)):
        z = ((len(lines) - 1) / 2 - number) * LEADING * capital
        free = wide / 2 - MARGIN * capital  # from the middle to where the words begin or end
        left = -free if line.arrow in ("left", "ahead") else free - row * capital if line.arrow else -row * capital / 2
        start = left + (ARROW + GAP) * capital if line.arrow in ("left", "ahead") else left
        middle = start + width_of(line.text) * capital / 2
        if line.text:
            picture = draw_type(
                picture, line.text, ((middle + wide / 2) * scale, (tall / 2 - z) * scale), capital * scale, letters
            )
        if line.arrow is not None:
            y = left + (ARROW / 2 if line.arrow in ("left", "ahead") else row - ARROW / 2) * capital
            arrows.append(_arrow(line.arrow, ARROW * capital, (y, z)))
    return _Face(
        rounded_rectangle(wide, tall, 0.22 * capital if framed else 0.0),
        picture,
        tuple(arrows),
        plain(letters, "paint"),
    )


def _board(lines: tuple[Line, ...], capital: float, ground: Colour, letters: Colour) -> _Face:
    return _panel(lines, capital, ground, letters, framed=False)


def _exit(lines: tuple[Line, ...], capital: float, ground: Colour, letters: Colour) -> _Face:
    """Lay out an exit sign: its words, with a running person at the right."""
    words = _panel(lines, capital, ground, letters, framed=False)
    height, width = words.picture.shape[:2]
    side = round(0.82 * height)
    picture = np.concatenate([words.picture, np.broadcast_to(ink(ground), (height, height, 3))], axis=1)
    flipped = any(line.arrow == "left" for line in lines)
    runner = figure(
        "runner", (height, width + height), (width + (height - side) / 3, (height - side) / 2), side, flipped
    )
    tall, wide = np.ptp(words.outline[:, 1]), np.ptp(words.outline[:, 0])
    arrows = tuple(moved(arrow, by=(0, -tall / 2, 0)) for arrow in words.arrows)
    return _Face(rounded_rectangle(wide + tall, tall, 0), inked(picture, runner, letters), arrows, words.arrow_look)


def _stop(lines: tuple[Line, ...], capital: float, ground: Colour, letters: Colour) -> _Face:
    """Lay out an octagon with a white border."""
    side = 3 * capital
    angle = np.radians(22.5 + 45 * np.arange(8))
    eight = np.stack([np.cos(angle), np.sin(angle)], axis=1) / np.cos(np.radians(22.5)) / 2
    picture, scale = _sheet(side, side, capital, letters)
    middle = side * scale / 2
    picture = inked(picture, polygon(picture.shape[:2], 0.95 * eight * side * scale + middle), ground)
    fitting = min(capital, 0.84 * side / width_of(lines[0].text))
    picture = draw_type(picture, lines[0].text, (middle, middle), fitting * scale, letters)
    return _Face(eight * side, picture)


def _no_entry(lines: tuple[Line, ...], capital: float, ground: Colour, letters: Colour) -> _Face:
    """Lay out a red disc with a white bar."""
    side = 3 * capital
    picture, scale = _sheet(side, side, capital, letters)
    middle = side * scale / 2
    picture = inked(picture, disc(picture.shape[:2], (middle, middle), 0.96 * middle), ground)
    bar = [(x * side * scale + middle, y * side * scale + middle) for x, y in _rectangle(0.72, 0.155)]
    return _Face(ring(side / 2, 48)[:, :2], inked(picture, polygon(picture.shape[:2], bar), letters))


def _limit(lines: tuple[Line, ...], capital: float, ground: Colour, letters: Colour) -> _Face:
    """Lay out a white disc with a red ring."""
    side = 2.6 * capital
    picture, scale = _sheet(side, side, capital, RED)
    middle = side * scale / 2
    picture = inked(picture, disc(picture.shape[:2], (middle, middle), 0.79 * middle), ground)
    fitting = min(capital, 0.66 * side / width_of(lines[0].text))
    picture = draw_type(picture, lines[0].text, (middle, middle), fitting * scale, letters)
    return _Face(ring(side / 2, 48)[:, :2], picture)


def _one_way(lines: tuple[Line, ...], capital: float, ground: Colour, letters: Colour) -> _Face:
    """Lay out a wide arrow on a plate, with the words in the arrow."""
    line = lines[0]
    wide, tall = (width_of(line.text) + 3.6) * capital, 3.1 * capital
    picture, scale = _sheet(wide, tall, capital, ground)
    picture = _framed(picture, 0.12 * capital * scale, 0.1 * capital * scale, letters)
    way = -1 if line.arrow == "left" else 1
    a, b, head = wide / 2 - 0.4 * capital, 0.78 * capital, 1.6 * capital
    outline = [(-a, -b), (a - head, -b), (a - head, -1.25 * capital), (a, 0), (a - head, 1.25 * capital), (a - head, b)]
    outline.append((-a, b))
    placed = [((way * x + wide / 2) * scale, (y + tall / 2) * scale) for x, y in outline]
    picture = inked(picture, polygon(picture.shape[:2], placed), letters)
    middle = (wide / 2 - way * 0.55 * capital) * scale
    picture = draw_type(picture, line.text, (middle, tall * scale / 2), capital * scale, ground)
    return _Face(rounded_rectangle(wide, tall, 0.2 * capital), picture)


def _crossing(lines: tuple[Line, ...], capital: float, ground: Colour, letters: Colour) -> _Face:
    """Lay out a blue square: in a white triangle, a person walks over the stripes of a crossing."""
    side = 3 * capital
    picture, scale = _sheet(side, side, capital, ground)
    whole = side * scale
    picture = _framed(picture, 0.025 * whole, 0.02 * whole, letters)
    size = picture.shape[:2]
    triangle = [(0.5 * whole, 0.10 * whole), (0.93 * whole, 0.86 * whole), (0.07 * whole, 0.86 * whole)]
    picture = inked(picture, polygon(size, triangle), letters)
    stripes = [
        [((0.5 + x) * whole, 0.84 * whole), ((0.575 + x) * whole, 0.84 * whole),
         ((0.5 + FAR * (x + 0.075)) * whole, 0.76 * whole), ((0.5 + FAR * x) * whole, 0.76 * whole)]
        for x in (-0.34, -0.20, -0.06, 0.08, 0.22)
    ]  # fmt: skip
    picture = inked(picture, polygon(size, *stripes), BLACK)
    return _Face(
        rounded_rectangle(side, side, 0.05 * side),
        inked(picture, figure("walker", size, (0.26 * whole, 0.27 * whole), 0.50 * whole, flipped=True), BLACK),
    )


def _sheet(wide: float, tall: float, capital: float, ground: Colour) -> tuple[np.ndarray, float]:
    """Return an empty picture of a face in m, and its px per m."""
    scale = min(CAPITAL / capital, WIDEST / wide)
    size = max(1, round(tall * scale)), max(1, round(wide * scale))
    return np.broadcast_to(ink(ground), (*size, 3)).copy(), scale


def _framed(picture: np.ndarray, inset: float, thick: float, colour: Colour) -> np.ndarray:
    """Draw a thin frame (px) into a picture."""
    height, width = picture.shape[:2]
    outer, inner = (
        polygon(
            (height, width), [(x + width / 2, y + height / 2) for x, y in _rectangle(width - 2 * d, height - 2 * d)]
        )
        for d in (inset, inset + thick)
    )
    return inked(picture, outer - inner, colour)


def _rectangle(wide: float, tall: float) -> tuple[tuple[float, float], ...]:
    a, b = wide / 2, tall / 2
    return (-a, -b), (a, -b), (a, b), (-a, b)


def _arrow(way: Direction, side: float, at: tuple[float, float]) -> Mesh:
    """Make a flat arrow in a square, with its middle at (y, z) m.

    The mesh is upright and stands out towards +x.
    """
    shaft, head, stem = 0.10 * side, 0.36 * side, 0.06 * side
    points = np.array([(-0.5 * side, -shaft), (stem, -shaft), (stem, -head), (0.5 * side, 0.0), (stem, head),
                       (stem, shaft), (-0.5 * side, shaft)])  # fmt: skip
    c, s = {"right": (1, 0), "left": (-1, 0), "ahead": (0, 1)}[way]
    turned = points @ np.array([[c, s], [-s, c]])
    return moved(upright(extrude(turned, RELIEF)), by=(THICK / 2 + RELIEF / 2, *at))


def _thing(style: _Style, colour: str, ground: Colour, face: _Face) -> Thing:
    """Mount a face on its plate, with rods or a post."""
    low, high = face.outline.min(axis=0), face.outline.max(axis=0)
    sheet = moved(upright(extrude(face.outline * 0.999, RELIEF)), by=(THICK / 2 - RELIEF / 2 + 0.0005, 0, 0))
    front = mapped(sheet, (low[0], low[1]), (high[0], high[1]))
    gloss = plain((1.0, 1.0, 1.0), "paper")
    lit = Look(gloss.colour, gloss.specular, gloss.shininess, face.picture, glow=style.glow)
    plate = upright(extrude(face.outline, THICK))
    parts = [(front, lit), (plate, plain(ground, "paint") if style.mount == "ceiling" else STEEL)]
    if face.arrows and face.arrow_look is not None:
        parts.append((merge(*face.arrows), face.arrow_look))
    if style.mount == "ceiling":
        y = 0.36 * (high[0] - low[0])
        rods = [rod((0, s * y, high[1] - 0.01), (0, s * y, high[1] + HANGER), 0.006, 10) for s in (-1, 1)]
        parts.append((merge(*rods), STEEL))
    elif style.mount == "post":
        x = -THICK / 2 - POST + 0.002
        parts.append((rod((x, 0, low[1] - style.low), (x, 0, high[1] - 0.02), POST, 16), STEEL))
    return _centred(style, colour, parts)


def _centred(style: _Style, colour: str, parts: list[tuple[Mesh, Look]]) -> Thing:
    points = np.concatenate([mesh.vertices for mesh, _ in parts])
    middle = np.round((points.min(axis=0) + points.max(axis=0)) / 2, 6)
    pieces = tuple(finished(moved(mesh, by=-middle), look, GRAIN) for mesh, look in parts)
    size = size_of(pieces)
    plate = pieces[1].vertices
    area = float(np.ptp(plate[:, 1]) * np.ptp(plate[:, 2]))
    return Thing(
        category=style.noun,
        colour=colour,
        material="metal",
        pieces=pieces,
        size=size,
        symmetry="none",
        front="its front",
        mass=area * THICK * DENSITY,
        solids=tuple(_hull(piece) for piece in pieces[1:]),
        support=None,
    )


def _hull(piece: Piece) -> np.ndarray:
    return np.unique(np.round(piece.vertices, 6), axis=0)


_PLAIN = ("white", WHITE, BLACK)
_STYLES = {
    "direction": _Style(
        "direction sign", _panel,
        (("blue", BLUE, WHITE), ("green", GREEN, WHITE), ("black", BLACK, YELLOW)), 0.12, "ceiling",
    ),
    "street": _Style("street sign", _panel, (("green", GREEN, WHITE), ("blue", BLUE, WHITE)), 0.11, "post", 2.4),
    "shop": _Style(
        "shop sign", _board, (
            ("red", COLOURS["red"], WHITE), ("green", COLOURS["green"], WHITE), ("blue", COLOURS["blue"], YELLOW),
            ("yellow", COLOURS["yellow"], BLACK), ("black", BLACK, WHITE), ("white", WHITE, RED),
        ), 0.30, "wall",
    ),
    "door": _Style("door sign", _board, (_PLAIN, ("blue", BLUE, WHITE), ("black", BLACK, WHITE)), 0.035, "wall"),
    "exit": _Style("exit sign", _exit, (("green", GREEN, WHITE),), 0.10, "ceiling", words=(Line("EXIT"),), glow=0.6),
    "stop": _Style("stop sign", _stop, (("red", RED, WHITE),), 0.25, "post", words=(Line("STOP"),)),
    "no entry": _Style("no-entry sign", _no_entry, (("red", RED, WHITE),), 0.22, "post"),
    "speed limit": _Style("speed limit sign", _limit, (_PLAIN,), 0.24, "post"),
    "one way": _Style("one-way sign", _one_way, (("black", BLACK, WHITE), ("blue", BLUE, WHITE)), 0.11, "post",
                      words=(Line("ONE WAY", "right"),)),
    "crossing": _Style("crossing sign", _crossing, (("blue", BLUE, WHITE),), 0.2, "post"),
}  # fmt: skip
