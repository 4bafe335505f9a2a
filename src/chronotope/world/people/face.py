"""The skin as a picture: tone, lips, brows, lashes, stubble, and the eyes."""

from dataclasses import dataclass

import numpy as np
from scipy.interpolate import LinearNDInterpolator
from scipy.ndimage import gaussian_filter

from chronotope.world.people.body import Ancestry, Body
from chronotope.world.people.head import Head
from chronotope.world.people.pack import open_pack
from chronotope.world.people.sheet import normals_of
from chronotope.world.things import Look

SRGB = tuple[float, float, float]

_SIZE = 256  # px
_EYE = 64  # px
_LOWEST = 1.6  # the picture begins so far under the eyes, in heights of the skull over the eyes
_FIRST = 0.012  # column (0 to 1) before which there are no vertices: the middle of the face
_EVEN = 2.5  # px
_FEWEST = 4  # vertices that are enough for the edge of a lid
_EDGE = 0.006  # part of the picture at its borders that is not used
# Light and dark skin of each ancestry (sRGB).
_TONES: dict[Ancestry, tuple[SRGB, SRGB]] = {
    "african": ((0.47, 0.31, 0.22), (0.25, 0.155, 0.11)),
    "asian": ((0.86, 0.68, 0.54), (0.68, 0.49, 0.36)),
    "caucasian": ((0.91, 0.73, 0.63), (0.77, 0.57, 0.45)),
}
_IRISES: dict[Ancestry, tuple[SRGB, ...]] = {
    "african": ((0.20, 0.11, 0.06),),
    "asian": ((0.22, 0.13, 0.07),),
    "caucasian": ((0.25, 0.15, 0.08), (0.23, 0.35, 0.47), (0.28, 0.36, 0.23), (0.31, 0.37, 0.40)),
}


@dataclass(frozen=True)
class Complexion:
    """The colours of a face (sRGB): skin, lips, hair, brows and irises; ``stubble`` is from 0 to 1."""

    skin: SRGB
    lips: SRGB
    hair: SRGB
    iris: SRGB
    stubble: float


def draw_complexion(generator: np.random.Generator, body: Body, hair: SRGB) -> Complexion:
    """Draw the colours of a face by ancestry, sex and age."""
    build = body.build
    share = float(generator.uniform(0, 1))
    light, dark = (sum(part * np.array(_TONES[name][end]) for name, part in build.ancestry.items()) for end in (0, 1))
    skin = (1 - share) * light + share * dark
    red = np.array((0.84, 0.64, 0.61)) if build.sex == "male" or build.age == "child" else np.array((0.80, 0.46, 0.47))
    main = max(build.ancestry, key=lambda name: build.ancestry[name])
    irises = _IRISES[main]
    iris = irises[int(generator.integers(len(irises)))]
    grown = build.sex == "male" and build.age != "child"
    stubble = float(generator.choice([0.0, 0.25, 0.5])) if grown else 0.0
    return Complexion(_srgb(np.asarray(skin)), _srgb(skin * red), hair, iris, stubble)


def _srgb(colour: np.ndarray) -> SRGB:
    red, green, blue = np.round(np.clip(colour, 0, 1), 4).tolist()
    return red, green, blue


def skin_uv(head: Head, points: np.ndarray) -> np.ndarray:
    """Return the places (N, 2) of points (N, 3) m of the skin in its picture.

    Both sides of the body have the same picture. u goes from the face to the back of the head, v from under the chin to
    the crown. The rest of the body is in the lowest rows, which have the plain colour of the skin.
    """
    height = (points[:, 2] - head.middle[2]) / head.rise
    u = head.angle(points) / np.pi
    v = (height + _LOWEST) / (1 + _LOWEST)
    return np.clip(np.stack([u, v], axis=1), _EDGE, 1 - _EDGE)


class _Canvas:
    """The picture of the skin while it is painted.

    All arrays are (h, w). ``across`` and ``up`` are the distances from the left eye, to the left and upwards, in
    heights of the skull over the eyes; ``angle`` (rad) is from the face. ``lips`` and ``ears`` say how far a pixel
    belongs to them, and ``front`` which pixels are on the face.
    """

    def __init__(self, body: Body, head: Head, skin: SRGB) -> None:
        pack = open_pack()
        faces = pack.faces["body"]
        offset = body.vertices - head.middle
        # What faces outwards: not the holes of the eyes, of the mouth and of the nose.
        normals = normals_of(body.vertices, faces)
        outwards = (normals[:, :2] * offset[:, :2]).sum(axis=1) > 0.1 * np.linalg.norm(offset[:, :2], axis=1)
        near = (np.abs(offset[:, 2] + 0.4 * head.rise) < 1.4 * head.rise) & (offset[:, 1] > -1e-3)
        used = np.unique(faces)
        used = used[outwards[used] & near[used]]
        table = np.column_stack([body.vertices[used, :2], pack.masks["lips"][used], pack.masks["ears"][used]])
        v, u = (np.mgrid[:_SIZE, :_SIZE] + 0.5) / _SIZE
        values = LinearNDInterpolator(skin_uv(head, body.vertices[used]), table)(np.maximum(u, _FIRST), v)
        x, y, self.lips, self.ears = np.moveaxis(np.nan_to_num(values, nan=0.0), -1, 0)
        y = gaussian_filter(y, _EVEN, mode="nearest")  # the folds of the lids would tear lines that are painted there
        self.angle, self.u = u * np.pi, u
        self.height = head.middle[2] + (v * (1 + _LOWEST) - _LOWEST) * head.rise
        self.across, self.up = (y - head.eyes[0, 1]) / head.rise, (self.height - head.eyes[0, 2]) / head.rise
        self.front = (self.angle < np.radians(75)) & (x > 0)
        self.picture = np.empty((_SIZE, _SIZE, 3))
        self.picture[:] = skin

    def mix(self, share: np.ndarray, colour: SRGB | np.ndarray, soft: float = 0.0) -> None:
        """Blend a colour into the picture; ``soft`` (px) blurs the edges of the share."""
        share = gaussian_filter(share, soft, mode="nearest") if soft else share
        share = np.clip(share, 0, 1)[..., None]
        self.picture[:] = (1 - share) * self.picture + share * np.asarray(colour)


def skin_picture(
    generator: np.random.Generator, body: Body, head: Head, tones: Complexion, receding: float, under: float
) -> np.ndarray:
    """Paint the picture (h, w, 3) uint8 of the skin.

    ``under`` (0 to 1) is how much of the colour of the hair shows on the scalp.
    """
    canvas = _Canvas(body, head, tones.skin)
    uneven = gaussian_filter(generator.normal(size=(_SIZE, _SIZE)), 6, mode="nearest")
    canvas.picture *= 1 + 0.02 * (uneven / uneven.std())[..., None]
    skin, hair, is_male = np.array(tones.skin), np.array(tones.hair), body.build.sex == "male"
    rosy = skin * (1.0, 0.80, 0.78)
    cheek = np.exp(-((canvas.across - 0.12) ** 2 + (canvas.up + 0.38) ** 2) / 0.03)
    canvas.mix((0.22 if is_male else 0.4) * cheek * canvas.front, rosy)
    canvas.mix(0.4 * canvas.ears, rosy)
    beard = (canvas.up < -0.50) & (canvas.up > -1.25) & (canvas.angle < np.radians(82)) & (canvas.across > -1)
    canvas.mix(0.55 * tones.stubble * beard, 0.5 * skin + 0.35 * hair, soft=4)
    _paint_lips(canvas, head, np.array(tones.lips))
    _paint_eyes(canvas, body, head, skin, hair)
    along = np.clip((canvas.across + 0.17) / 0.42, 0, 1)
    arch = 0.20 + 0.055 * np.sin(0.9 * np.pi * along) - 0.02 * along
    thick = (0.050 if is_male else 0.034) * (1 - 0.6 * along)  # brows are thin at the temples
    brow = (np.abs(canvas.up - arch) < thick) & (canvas.across > -0.17) & (canvas.across < 0.25) & canvas.front
    canvas.mix(0.9 * brow, 0.75 * hair, soft=0.8)
    hairy = canvas.height - head.hairline(canvas.angle.ravel(), receding).reshape(canvas.angle.shape)
    canvas.mix(under * np.clip(hairy / (0.05 * head.rise), 0, 1) * (1 - np.clip(3 * canvas.ears, 0, 1)), tones.hair)
    return np.rint(255 * np.clip(canvas.picture, 0, 1)).astype(np.uint8)


def _paint_lips(canvas: _Canvas, head: Head, colour: np.ndarray) -> None:
    canvas.mix(np.clip(1.6 * canvas.lips - 0.2, 0, 1) * canvas.front, colour, soft=0.8)
    middle = canvas.height[(canvas.lips > 0.5) & (canvas.u < 0.08)]
    if len(middle):  # the line between the lips
        line = np.exp(-(((canvas.height - middle.mean()) / (0.018 * head.rise)) ** 2)) * (canvas.lips > 0.3)
        canvas.mix(0.6 * line, 0.45 * colour, soft=0.7)


def _paint_eyes(canvas: _Canvas, body: Body, head: Head, skin: np.ndarray, hair: np.ndarray) -> None:
    """Paint the edges of the lids, with dark lashes on the upper ones."""
    wide = (np.abs(canvas.across) < 0.135) & canvas.front
    for is_upper, strength, thick, colour in ((True, 0.9, 0.016, 0.25 * hair + 0.02), (False, 0.4, 0.010, 0.5 * skin)):
        away = np.abs(canvas.up - _lid(body, head, is_upper)(canvas.across))
        canvas.mix(strength * np.clip(1.5 - away / thick, 0, 1) * wide, colour)


def _lid(body: Body, head: Head, is_upper: bool) -> np.poly1d:
    """Fit the edge of a lid, in heights of the skull over the eyes.

    The polynomial maps the distance to the side from the middle of the eye to the height over it.
    """
    pack = open_pack()
    skin, ball = np.unique(pack.faces["body"]), np.unique(pack.faces["left_eye"])
    eye, radius = head.eyes[0], 0.5 * float(np.ptp(body.vertices[ball, 2]))
    offset = body.vertices[skin] - eye
    # The edges touch the ball of the eye.
    near = (np.abs(np.linalg.norm(offset, axis=1) / radius - 1) < 0.10) & (offset[:, 0] > 0.35 * radius)
    near &= offset[:, 2] > 0 if is_upper else offset[:, 2] <= 0
    if near.sum() < _FEWEST:
        return np.poly1d([0.06 if is_upper else -0.06])
    return np.poly1d(np.polyfit(offset[near, 1] / head.rise, offset[near, 2] / head.rise, 2))


def eye_look(tones: Complexion) -> Look:
    """Return the look of an eye: its white, iris and pupil."""
    v, u = (np.mgrid[:_EYE, :_EYE] + 0.5) / _EYE - 0.5
    far = np.hypot(u, v)[..., None] * 2
    white = np.array((0.74, 0.71, 0.69))
    picture = np.where(far < 0.20, 0.03, np.where(far < 0.46, np.array(tones.iris) * (0.55 + 0.8 * far), white))
    picture = np.where((far > 0.40) & (far < 0.48), 0.4 * np.array(tones.iris), picture)
    picture = picture * np.clip(1.15 - 1.6 * np.maximum(v, 0), 0.3, 1)[..., None]  # the upper lid shades the ball
    return Look((1.0, 1.0, 1.0), 0.35, 0.6, np.rint(255 * np.clip(picture, 0, 1)).astype(np.uint8))


def eye_uv(vertices: np.ndarray) -> np.ndarray:
    """Return the places (N, 2) of the vertices of an eye in its picture, seen from the front."""
    low, high = vertices.min(axis=0), vertices.max(axis=0)
    size = (high - low)[1:].max()
    return np.clip(0.5 + (vertices - 0.5 * (low + high))[:, 1:] / size, 0.01, 0.99)
