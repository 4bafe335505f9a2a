"""Pictures of surfaces made from random noise: (h, w, 3) uint8, seamless."""

import numpy as np

Colour = tuple[float, float, float]

WOODS: dict[str, tuple[Colour, Colour]] = {
    "beech": ((0.80, 0.62, 0.43), (0.70, 0.50, 0.32)),
    "oak": ((0.72, 0.54, 0.34), (0.56, 0.39, 0.22)),
    "walnut": ((0.44, 0.29, 0.19), (0.29, 0.18, 0.11)),
    "birch": ((0.88, 0.77, 0.60), (0.80, 0.66, 0.47)),
    "cherry": ((0.62, 0.34, 0.20), (0.48, 0.23, 0.13)),
}
"""Light and dark tone of each kind of wood."""


FINISHES = ("paint", "paint", "stripes", "diamonds")
"""The finishes of walls of living rooms and bedrooms."""


def _noise(generator: np.random.Generator, shape: tuple[int, int], grain: tuple[float, float]) -> np.ndarray:
    """Make smooth seamless noise (h, w), mean 0, deviation 1.

    `grain` is the height and the width (px) of the coarsest detail.
    """
    down, across = np.fft.fftfreq(shape[0])[:, None] * grain[0], np.fft.fftfreq(shape[1])[None] * grain[1]
    strength = 1 / (1 + down**2 + across**2) ** 1.1
    noise = np.fft.ifft2(np.fft.fft2(generator.normal(size=shape)) * strength).real
    return (noise - noise.mean()) / noise.std()


def _picture(values: np.ndarray) -> np.ndarray:
    return np.rint(np.clip(values, 0, 1) * 255).astype(np.uint8)


def _blend(first: Colour, second: Colour, share: np.ndarray) -> np.ndarray:
    share = np.clip(share, 0, 1)[..., None]
    return np.asarray(first) * (1 - share) + np.asarray(second) * share


def ink(colour: Colour) -> np.ndarray:
    """Return a colour as (3,) uint8."""
    return _picture(np.asarray(colour))


def wood(generator: np.random.Generator, kind: str | None = None, size: int = 512, planks: int = 1) -> np.ndarray:
    """Draw boards of wood with horizontal grain.

    `kind` is one of WOODS; by default it is chosen at random.
    """
    kind = kind or str(generator.choice(list(WOODS)))
    light, dark = WOODS[kind]
    down = np.arange(size)[:, None] / size
    bend = _noise(generator, (size, size), (size / 4, size * 1.5))
    fibres = _noise(generator, (size, size), (2.5, size / 3))
    share = np.empty((size, size))
    for k in range(planks):
        rows = slice(k * size // planks, (k + 1) * size // planks)
        shifted = np.roll(bend[rows], 97 * k, 1)
        rings = generator.integers(5, 9) * 2 * np.pi * down[rows] + generator.uniform(0, 6) + 0.9 * shifted
        share[rows] = 0.42 + 0.2 * np.sin(rings + 0.6 * np.sin(2 * rings)) + generator.normal(0, 0.08)
    values = _blend(light, dark, share + 0.14 * fibres)
    if planks > 1:
        edge = (np.arange(size) * planks % size) < planks * max(1.5, size / 400)
        values[edge] *= 0.55
    return _picture(values)


def parquet(generator: np.random.Generator, kind: str | None = None, size: int = 512) -> np.ndarray:
    """Return a floor of staggered boards, in eight rows of two boards."""
    kind = kind or str(generator.choice(["oak", "walnut", "beech", "cherry"]))
    light, dark = WOODS[kind]
    rows, fibres = 8, _noise(generator, (size, size), (2.5, size / 4))
    y, x = np.mgrid[:size, :size]
    row = y * rows // size
    start = generator.integers(0, size // 2, rows)[row]
    board = ((x + start) % size) * 2 // size
    tone = generator.normal(0, 0.2, (rows, 2))[row, board]
    values = _blend(light, dark, 0.45 + tone + 0.17 * fibres)
    gap = ((y * rows) % size < rows * 1.5) | ((x + start) % (size // 2) < 1.5)
    values[gap] *= 0.5
    return _picture(values)


def plaster(generator: np.random.Generator, colour: Colour = (0.86, 0.83, 0.77), size: int = 512) -> np.ndarray:
    """Return the plaster of a painted wall."""
    fine, broad = _noise(generator, (size, size), (5, 5)), _noise(generator, (size, size), (size / 3, size / 3))
    return _picture(np.asarray(colour) * (1 + 0.022 * fine + 0.02 * broad)[..., None])


def painted(generator: np.random.Generator, colour: Colour, finish: str, size: int = 256) -> np.ndarray:
    """Return a painted or papered wall.

    ``finish`` is one of FINISHES: even paint, or paper with upright stripes or with small diamonds, tone in tone. All
    of them draw the same random numbers.
    """
    fine, broad = _noise(generator, (size, size), (2.5, 2.5)), _noise(generator, (size, size), (size / 3, size / 3))
    values = 1 + 0.008 * fine + 0.004 * broad
    y, x = np.mgrid[:size, :size] / size
    if finish == "stripes":
        values -= 0.035 * (np.sin(2 * np.pi * 7 * x) > 0.2)
    elif finish == "diamonds":
        values -= 0.045 * (np.cos(2 * np.pi * 14 * x) + np.cos(2 * np.pi * 9 * y) > 1.1)
    return _picture(np.asarray(colour) * values[..., None])


def brick(generator: np.random.Generator, colour: Colour = (0.60, 0.30, 0.22), size: int = 512) -> np.ndarray:
    """Return a brick wall with eight courses of four bricks."""
    y, x = np.mgrid[:size, :size]
    course = y * 8 // size
    shifted = (x + (course % 2) * (size // 8)) % size
    tone = generator.normal(0, 0.1, (8, 4))[course, shifted * 4 // size]
    values = np.asarray(colour) * (1 + tone + 0.07 * _noise(generator, (size, size), (6, 6)))[..., None]
    joint = ((y * 8) % size < size * 0.1) | ((shifted * 4) % size < size * 0.05)
    values[joint] = (0.72, 0.70, 0.66)
    return _picture(values * (1 + 0.03 * _noise(generator, (size, size), (2, 2)))[..., None])


def tiles(
    generator: np.random.Generator,
    colour: Colour = (0.82, 0.80, 0.75),
    other: Colour | None = None,
    size: int = 512,
    count: int = 4,
) -> np.ndarray:
    """Draw square tiles with joints. A second colour makes a chequer-board."""
    y, x = np.mgrid[:size, :size]
    row, column = y * count // size, x * count // size
    tone = 1 + generator.normal(0, 0.03, (count, count))[row, column] + 0.02 * _noise(generator, (size, size), (40, 40))
    base = _blend(colour, other or colour, (row + column) % 2)
    values = base * tone[..., None]
    joint = ((y * count) % size < size * 0.025) | ((x * count) % size < size * 0.025)
    values[joint] = (0.55, 0.54, 0.52)
    return _picture(values)


def carpet(generator: np.random.Generator, colour: Colour = (0.45, 0.40, 0.42), size: int = 512) -> np.ndarray:
    """Return a carpet with a short pile."""
    fine, broad = _noise(generator, (size, size), (2, 2)), _noise(generator, (size, size), (70, 70))
    return _picture(np.asarray(colour) * (1 + 0.13 * fine + 0.05 * broad)[..., None])


def fabric(generator: np.random.Generator, colour: Colour, size: int = 256, threads: int = 48) -> np.ndarray:
    """Draw a plain weave."""
    y, x = np.mgrid[:size, :size] * (2 * np.pi * threads / 2 / size)
    weave = np.sin(x) * np.sign(np.sin(y)) * 0.5 + np.sin(y) * np.sign(np.sin(x)) * 0.5
    values = 1 + 0.10 * weave + 0.05 * _noise(generator, (size, size), (3, 3))
    return _picture(np.asarray(colour) * values[..., None])


def wicker(generator: np.random.Generator, colour: Colour, size: int = 256, strands: int = 8) -> np.ndarray:
    """Draw a basket weave."""
    y, x = np.mgrid[:size, :size] * strands / size
    over = (np.floor(y) + np.floor(x)) % 2
    across = 0.55 + 0.45 * np.sin(np.pi * (y % 1)) * (0.75 + 0.25 * np.sin(np.pi * (x % 1)))
    upright = 0.50 + 0.40 * np.sin(np.pi * (x % 1)) * (0.75 + 0.25 * np.sin(np.pi * (y % 1)))
    values = np.where(over > 0, across, upright) + 0.05 * _noise(generator, (size, size), (3, 12))
    return _picture(np.asarray(colour) * values[..., None] * 1.1)


def marble(generator: np.random.Generator, colour: Colour = (0.88, 0.87, 0.85), size: int = 512) -> np.ndarray:
    """Draw veined stone."""
    veins = np.abs(_noise(generator, (size, size), (size / 3, size / 3)))
    values = 1 - 0.28 * np.exp(-((veins / 0.12) ** 2)) + 0.02 * _noise(generator, (size, size), (30, 30))
    return _picture(np.asarray(colour) * values[..., None])


def cardboard(generator: np.random.Generator, colour: Colour = (0.70, 0.54, 0.36), size: int = 256) -> np.ndarray:
    """Draw corrugated board with faint parallel ridges."""
    flutes = np.sin(np.arange(size) * (2 * np.pi * 40 / size))[None]
    fine, broad = _noise(generator, (size, size), (3, 3)), _noise(generator, (size, size), (60, 60))
    return _picture(np.asarray(colour) * (1 + 0.012 * flutes + 0.02 * fine + 0.025 * broad)[..., None])


def paper(generator: np.random.Generator, colour: Colour, size: tuple[int, int] = (256, 256)) -> np.ndarray:
    """Draw a sheet (h, w) of one slightly uneven colour.

    The sheet is the background of labels and covers.
    """
    return _picture(np.asarray(colour) * (1 + 0.012 * _noise(generator, size, (4, 4)))[..., None])


def stripes(
    generator: np.random.Generator,
    colour: Colour,
    other: Colour,
    count: int = 6,
    size: int = 256,
    upright: bool = False,
) -> np.ndarray:
    """Draw painted stripes, horizontal or vertical."""
    along = np.arange(size) * count // size % 2
    values = _blend(colour, other, np.broadcast_to(along[:, None], (size, size)))
    values = values * (1 + 0.01 * _noise(generator, (size, size), (6, 6)))[..., None]
    return _picture(values.transpose(1, 0, 2) if upright else values)


_LETTERS = {  # 5 x 7 points; each row is two hexadecimal digits, and the left point of a row has the value 16
    "A": "0e11111f111111", "B": "1e11111e11111e", "C": "0e11101010110e", "D": "1e11111111111e",
    "E": "1f10101e10101f", "F": "1f10101e101010", "G": "0e11101713110f", "H": "1111111f111111",
    "I": "0e04040404040e", "J": "0702020202120c", "K": "11121418141211", "L": "1010101010101f",
    "M": "111b1515111111", "N": "11191513111111", "O": "0e11111111110e", "P": "1e11111e101010",
    "Q": "0e11111115120d", "R": "1e11111e141211", "S": "0f10100e01011e", "T": "1f040404040404",
    "U": "1111111111110e", "V": "11111111110a04", "W": "1111111515150a", "X": "11110a040a1111",
    "Y": "11110a04040404", "Z": "1f01020408101f", "1": "040c040404040e", "2": "0e11010204081f",
    "3": "1f02040201110e", "4": "02060a121f0202", "5": "1f101e0101110e", "6": "0608101e11110e",
    "7": "1f010204080808", "8": "0e11110e11110e", "9": "0e11110f01020c", "0": "0e11131519110e",
    " ": "00000000000000",
}  # fmt: skip


def write(picture: np.ndarray, text: str, colour: Colour, box: tuple[float, float, float, float]) -> np.ndarray:
    """Write capitals and digits into a copy of a picture.

    The text fills the box (left, top, right, bottom), which is given in shares of the picture.
    """
    points = _points(text)
    done = picture.copy()
    height, width = picture.shape[:2]
    left, top, right, bottom = (round(v) for v in np.multiply(box, (width, height, width, height)))
    down = np.arange(bottom - top) * points.shape[0] // max(bottom - top, 1)
    across = np.arange(right - left) * points.shape[1] // max(right - left, 1)
    inked = points[down][:, across]
    done[top:bottom, left:right][inked] = ink(colour)
    return done


def _points(text: str) -> np.ndarray:
    columns = []
    for letter in text:
        rows = np.array([int(_LETTERS[letter][2 * k : 2 * k + 2], 16) for k in range(7)])
        columns += [(rows[:, None] >> np.arange(4, -1, -1)) & 1, np.zeros((7, 1), int)]
    return np.concatenate(columns[:-1], axis=1).astype(bool)
