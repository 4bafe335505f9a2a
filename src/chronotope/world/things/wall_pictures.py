"""Pictures on walls and screens, drawn by rules: (h, w, 3) uint8."""

import numpy as np

from chronotope.world.things.textures import write

_SKIES = (
    ((0.30, 0.52, 0.85), (0.85, 0.92, 0.97)),
    ((0.28, 0.16, 0.42), (0.98, 0.62, 0.30)),
    ((0.62, 0.72, 0.80), (0.95, 0.90, 0.80)),
)
_BRIGHT = np.array(
    [
        (0.85, 0.16, 0.14),
        (0.96, 0.76, 0.15),
        (0.12, 0.33, 0.68),
        (0.10, 0.55, 0.42),
        (0.95, 0.93, 0.87),
        (0.10, 0.10, 0.12),
        (0.93, 0.50, 0.20),
        (0.55, 0.25, 0.55),
    ]
)


def _grid(height: int, width: int) -> tuple[np.ndarray, np.ndarray]:
    # Return y and x (h, w) of a picture, from 0 at the top left to 1.
    y, x = np.mgrid[:height, :width]
    return y / height, x / width


def _as_picture(values: np.ndarray) -> np.ndarray:
    return np.rint(255 * np.clip(values, 0, 1)).astype(np.uint8)


def _landscape(generator: np.random.Generator, height: int, width: int) -> np.ndarray:
    """Draw hills or a sea under a sky with a sun."""
    y, x = _grid(height, width)
    top, low = (np.array(c) for c in _SKIES[int(generator.integers(0, 3))])
    values = top * (1 - y[..., None]) + low * y[..., None]
    sun_x, sun_y, r = generator.uniform(0.2, 0.8), generator.uniform(0.15, 0.4), generator.uniform(0.06, 0.11)
    values[np.hypot((x - sun_x) * width / height, y - sun_y) < r] = (1.0, 0.94, 0.72)
    if generator.random() < 0.4:
        sea = y > 0.55
        shine = 0.5 + 0.5 * np.sin(260 * y + 6 * np.sin(30 * x)) * np.exp(-(((x - sun_x) / 0.15) ** 2))
        values[sea] = (np.array([0.10, 0.32, 0.48]) * (1 - 0.5 * shine[..., None]) + 0.5 * shine[..., None] * low)[sea]
        sail = (y > 0.36) & (y < 0.58) & (np.abs(x - 0.68) < 0.5 * (y - 0.36)) & (x > 0.62)
        values[sail] = (0.97, 0.95, 0.90)
        return _as_picture(values)
    tones = np.array([(0.42, 0.52, 0.58), (0.28, 0.46, 0.36), (0.20, 0.36, 0.20), (0.36, 0.44, 0.16)])
    for k, tone in enumerate(tones):
        phase = generator.uniform(0, 6, 2)
        ridge = 0.45 + 0.13 * k + 0.09 * np.sin(5 * x + phase[0]) + 0.03 * np.sin((11 + 5 * k) * x + phase[1])
        values[y > ridge] = tone
    return _as_picture(values)


def _blocks(generator: np.random.Generator, height: int, width: int) -> np.ndarray:
    """Draw coloured fields between black lines."""
    y, x = _grid(height, width)
    across, down = np.sort(generator.uniform(0.12, 0.88, 3)), np.sort(generator.uniform(0.12, 0.88, 3))
    tones = _BRIGHT[generator.choice(5, (4, 4), p=[0.2, 0.15, 0.2, 0.05, 0.4])]
    values = tones[np.searchsorted(down, y), np.searchsorted(across, x)]
    line = np.zeros((height, width), bool)
    for cut in across:
        line |= np.abs(x - cut) < 0.012
    for cut in down:
        line |= np.abs(y - cut) < 0.014
    values[line] = (0.06, 0.06, 0.07)
    return _as_picture(values)


def _discs(generator: np.random.Generator, height: int, width: int) -> np.ndarray:
    """Draw discs and rings of many colours on a plain ground."""
    y, x = _grid(height, width)
    tones = _BRIGHT[generator.permutation(len(_BRIGHT))]
    values = np.broadcast_to(tones[0], (height, width, 3)).copy()
    for k in range(9):
        cx, cy, r = generator.uniform(0.1, 0.9), generator.uniform(0.1, 0.9), generator.uniform(0.06, 0.22)
        far = np.hypot((x - cx) * width / height, y - cy)
        inked = far < r if k % 3 else np.abs(far - r) < 0.25 * r
        values[inked] = tones[1 + k % 7]
    return _as_picture(values)


def _flowers(generator: np.random.Generator, height: int, width: int) -> np.ndarray:
    """Draw a bunch of flowers in a vase on a table."""
    y, x = _grid(height, width)
    aspect = width / height
    ground, table, vase = _BRIGHT[generator.permutation([1, 2, 3, 4, 7])[:3]]
    values = np.broadcast_to(0.5 * ground + 0.3, (height, width, 3)).copy()
    values[y > 0.78] = 0.6 * table + 0.1
    u = (x - 0.5) * aspect
    for k in range(11):
        turn = np.pi * (0.1 + 0.8 * k / 10)
        reach = generator.uniform(0.2, 0.38)
        cx, cy = reach * 0.9 * np.cos(turn), 0.52 - reach * np.sin(turn)
        share = np.clip((0.6 - y) / max(0.6 - cy, 1e-3), 0, 1)
        values[(np.abs(u - cx * share) < 0.008) & (y > cy) & (y < 0.62)] = (0.14, 0.36, 0.16)
    for k in range(11):
        turn = np.pi * (0.1 + 0.8 * k / 10)
        reach = generator.uniform(0.2, 0.38)
        cx, cy = reach * 0.9 * np.cos(turn), 0.52 - reach * np.sin(turn)
        far, angle = np.hypot(u - cx, y - cy), np.arctan2(y - cy, u - cx)
        values[far < 0.062 * (1 + 0.25 * np.cos(5 * angle))] = _BRIGHT[(0, 1, 4, 6)[k % 4]]
        values[far < 0.02] = (0.95, 0.80, 0.25)
    body = (np.abs(u) < 0.075 + 0.05 * np.sin(np.clip((y - 0.56) / 0.3, 0, 1) * np.pi)) & (y > 0.56) & (y < 0.86)
    values[body] = vase * (0.75 + 0.5 * np.clip(0.5 - u / 0.25, 0, 1))[body][:, None]
    return _as_picture(values)


def painted(generator: np.random.Generator, height: int, width: int) -> np.ndarray:
    """Draw a painting (h, w, 3).

    The painting shows a landscape, flowers, or an abstract picture.
    """
    draw = (_landscape, _blocks, _discs, _flowers, _landscape)[int(generator.integers(0, 5))]
    picture = draw(generator, height, width).astype(float)
    return np.rint(np.clip(picture * (1 + 0.03 * generator.normal(size=(height, width, 1))), 0, 255)).astype(np.uint8)


def printed(generator: np.random.Generator, height: int, width: int) -> np.ndarray:
    """Draw a poster (h, w, 3).

    The poster is a picture with a title in a plain margin.
    """
    draw = (_landscape, _discs, _flowers, _blocks)[int(generator.integers(0, 4))]
    text = str(generator.choice(["PARIS", "JAZZ", "CINEMA", "OCEAN", "TOKYO", "SUMMER"]))
    ground = _BRIGHT[int(generator.choice([0, 2, 4, 5, 3]))]
    sheet = np.broadcast_to(_as_picture(ground), (height, width, 3)).copy()
    inner = draw(generator, round(0.68 * height), round(0.86 * width))
    top, left = round(0.06 * height), round(0.07 * width)
    sheet[top : top + inner.shape[0], left : left + inner.shape[1]] = inner
    ink = (0.95, 0.93, 0.85) if ground.sum() < 1.8 else (0.10, 0.10, 0.14)
    return write(sheet, text, ink, (0.1, 0.79, 0.9, 0.93))


def broadcast(generator: np.random.Generator, height: int = 144, width: int = 256) -> np.ndarray:
    """Draw the picture on a television (h, w, 3).

    The television shows a sunny landscape, or news with a person and a line of text.
    """
    if generator.random() < 0.5:
        picture = _landscape(generator, height, width).astype(float)
        return np.rint(np.clip(picture * 1.15 + 25, 0, 255)).astype(np.uint8)
    y, x = _grid(height, width)
    values = np.array([0.25, 0.55, 0.95]) * (1.15 - 0.4 * y)[..., None] + 0.1 * np.sin(40 * x + 20 * y)[..., None]
    shoulders = (np.hypot((x - 0.36) / 0.2, (y - 0.9) / 0.36) < 1) & (y > 0.5)
    values[shoulders] = (0.14, 0.17, 0.30)
    values[np.hypot((x - 0.36) / 0.068, (y - 0.4) / 0.17) < 1] = (0.93, 0.72, 0.57)
    values[(np.hypot((x - 0.36) / 0.078, (y - 0.33) / 0.16) < 1) & (y < 0.33)] = (0.25, 0.14, 0.08)
    values[(y > 0.8) & (y < 0.95)] = (0.85, 0.10, 0.12)
    values[(x > 0.64) & (x < 0.92) & (y > 0.15) & (y < 0.6)] = (0.98, 0.88, 0.35)
    return write(_as_picture(values), "NEWS TODAY", (1, 1, 1), (0.06, 0.83, 0.62, 0.92))


def desktop(generator: np.random.Generator) -> np.ndarray:
    """Draw the screen of a computer (150, 240, 3).

    The screen shows a window over a blue picture, icons, and a bar below.
    """
    y, x = _grid(150, 240)
    tone = np.array([(0.10, 0.32, 0.62), (0.12, 0.45, 0.55), (0.32, 0.22, 0.55)][int(generator.integers(0, 3))])
    values = tone * (0.75 + 0.5 * (1 - y[..., None])) + 0.06 * np.sin(7 * x + 5 * y)[..., None]
    for k in range(4):
        values[(np.abs(x - 0.06) < 0.028) & (np.abs(y - 0.13 - 0.19 * k) < 0.05)] = _BRIGHT[(k * 3 + 1) % 8]
    left, top = generator.uniform(0.2, 0.3), generator.uniform(0.1, 0.16)
    is_in = (x > left) & (x < 0.95) & (y > top) & (y < 0.82)
    values[is_in] = (0.97, 0.97, 0.98)
    values[is_in & (y < top + 0.08)] = (0.20, 0.24, 0.32)
    values[is_in & (y < top + 0.06) & (y > top + 0.02) & (x > 0.9) & (x < 0.93)] = (0.9, 0.25, 0.2)
    values[is_in & (x < left + 0.16) & (y > top + 0.08)] = (0.82, 0.86, 0.92)
    rows = np.linspace(top + 0.15, 0.76, 7)
    for row, end in zip(rows, generator.uniform(0.7, 0.92, 7), strict=True):
        values[(np.abs(y - row) < 0.016) & (x > left + 0.2) & (x < end)] = (0.36, 0.40, 0.48)
    values[y > 0.92] = (0.08, 0.09, 0.13)
    for k in range(5):
        values[(y > 0.935) & (y < 0.985) & (np.abs(x - 0.36 - 0.07 * k) < 0.018)] = _BRIGHT[(2 * k + 1) % 8]
    return _as_picture(values)
