"""Things that move or change their look, drawn over a picture of baked light.

Baked light is computed once, so it shows only what is still. Three more pictures of each frame show the rest: the set
under one lamp with the movers (lit), the same without them (bare), and the share of each pixel that movers cover. Lit
divided by bare is the shadow of the movers, which darkens the baked picture. Baked divided by bare is the brightness
that the movers take from their surroundings.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from PIL import Image
from scipy.ndimage import gaussian_filter

from chronotope.world.film_set import FilmSet, Light, Placement
from chronotope.world.light.surfaces import encoded, linear
from chronotope.world.light.tone import glossy
from chronotope.world.shadow_caster import hide
from chronotope.world.things import Look

AMBIENT = (0.50, 0.50, 0.49)
SKYLIGHT = (0.42, 0.44, 0.48)
LAMPLIGHT = (0.62, 0.60, 0.56)
SHADOWED = 0.55  # share of the lamp's cone in which movers cast shadows
SHADOW_MAP = 2048  # px
DARKEST = 0.35  # least share of the light that is left in a shadow
GAINS = (0.45, 1.7)  # range of the brightness of movers, relative to their brightness under the one lamp
AROUND = 0.09  # of the height of the picture: the surroundings from which a mover takes its brightness
TINT = 0.5  # share of the tint of the surroundings that a mover takes; with more, its own colour would be misnamed
SMALLER = 8  # times smaller are the pictures from which this brightness is computed
WIDE = 4.5  # times the softness: how far a soft edge reaches
SOFT = 0.006  # of the height of the picture: the softness of shadows
OFFSET = 4.0  # added to both pictures of a quotient, so that dark pixels are not noisy
HEIGHT = 2.2  # m above the movers, of the lamp of a set that has none


def lamp_set(film_set: FilmSet) -> FilmSet:
    """Return the set under one lamp, which is near the movers; outdoors, under the sun."""
    film_set = replace(film_set, placements=tuple(_glossy_mover(each) for each in film_set.placements))
    if film_set.daylight is not None:
        return replace(film_set, lights=(), ambient=SKYLIGHT)
    return replace(film_set, lights=(_lamp(film_set),), ambient=AMBIENT, shadowed=SHADOWED)


def _lamp(film_set: FilmSet) -> Light:
    """Return the lamp that is nearest to the largest mover: under a ceiling, or above the mover."""
    mover = _largest(film_set.placements)
    middle = mover.poses[len(mover.poses) // 2][:3, 3]
    places = [np.array(lamp.place) for lamp in film_set.lamps]
    if places:
        place = min(places, key=lambda each: float(np.linalg.norm(each[:2] - middle[:2]))) - np.array([0.0, 0.0, 0.05])
    elif film_set.lights:
        place = np.array(max(film_set.lights, key=lambda light: sum(light.diffuse)).position)
    else:
        place = middle + np.array([0.4, 0.3, HEIGHT])
    way = middle - place
    x, y, z = (way / max(np.linalg.norm(way), 1e-9)).tolist()
    return Light((float(place[0]), float(place[1]), float(place[2])), (x, y, z), LAMPLIGHT, shadows=True)


def _glossy_mover(placement: Placement) -> Placement:
    """Give a mover the colours that things have under baked light, where each surface reflects a little white."""
    if not placement.moves:
        return placement
    pieces = tuple(replace(piece, look=_glossy_look(piece.look)) for piece in placement.thing.pieces)
    changes = tuple(
        replace(change, looks={piece: _glossy_look(look) for piece, look in change.looks.items()})
        for change in placement.changes
    )
    return replace(placement, thing=replace(placement.thing, pieces=pieces), changes=changes)


def _glossy_look(look: Look) -> Look:
    colour = linear(np.array(look.colour))
    if look.texture is None:
        red, green, blue = encoded(glossy(colour, look.specular)).tolist()
        return replace(look, colour=(red, green, blue))
    picture = encoded(glossy(colour * linear(look.texture / 255), look.specular))
    return replace(look, colour=(1.0, 1.0, 1.0), texture=np.rint(255 * picture).astype(np.uint8))


def _largest(placements: Sequence[Placement]) -> Placement:
    return max((each for each in placements if each.moves), key=lambda each: float(np.prod(each.thing.size)))


class Overlay:
    """Draws the movers of one set over pictures of its baked light.

    ``model`` and ``data`` are the model of `lamp_set` and its state. Its first ``still`` geoms are still, and of its
    skins, the ``casters`` only cast shadows. ``scene`` shows the model with its movers. ``draw`` draws a scene into a
    picture (h, w, 3) uint8 with smooth edges.
    """

    def __init__(
        self,
        mujoco: Any,
        model: Any,
        data: Any,
        scene: Any,
        still: int,
        casters: frozenset[int],
        draw: Callable[[Any], np.ndarray],
    ) -> None:
        self._mujoco, self._model, self._data, self._scene, self._draw = mujoco, model, data, scene, draw
        self._bare, self._mask = self._copy(), self._copy()
        for flag in (mujoco.mjtRndFlag.mjRND_SHADOW, mujoco.mjtRndFlag.mjRND_SKYBOX):
            self._mask.flags[flag] = False
        # The scene lists skins first, then geoms in the order of the model.
        self._still = self._model.nskin + still
        self._bare.ngeom = self._still
        self._bare.skinvert[:] = 0.0  # a skin without area is not drawn
        self._mask.nlight = 0
        for number, geom in enumerate(self._mask.geoms[: self._mask.ngeom]):
            is_mover = not self._model.nskin <= number < self._still
            geom.matid, geom.texid = -1, -1
            geom.rgba = (1, 1, 1, 1) if is_mover else (0, 0, 0, 1)
            geom.emission, geom.specular = float(is_mover), 0.0
            if number in casters:
                hide(geom)
        self._seen: tuple[np.ndarray, np.ndarray] | None = None  # the last bare picture and its gains

    @property
    def scenes(self) -> tuple[Any, Any]:
        """Return the scenes whose cameras must look where the camera looks."""
        return self._bare, self._mask

    def _copy(self) -> Any:
        """Make a scene of the model."""
        mujoco = self._mujoco
        scene = mujoco.MjvScene(self._model, maxgeom=self._model.ngeom + self._model.nskin + 16)
        options, camera = mujoco.MjvOption(), mujoco.MjvCamera()
        everything = mujoco.mjtCatBit.mjCAT_ALL
        mujoco.mjv_updateScene(self._model, self._data, options, None, camera, everything, scene)
        scene.flags[mujoco.mjtRndFlag.mjRND_REFLECTION] = False
        return scene

    def over(self, baked: np.ndarray, is_new: bool) -> np.ndarray:
        """Draw the movers over a picture (h, w, 3) uint8 of baked light.

        ``is_new`` is false if camera and picture are the same as before.
        """
        if is_new or self._seen is None:
            bare = self._draw(self._bare).copy()
            self._seen = bare, _gains(baked, bare)
        bare, gains = self._seen
        lit = self._draw(self._scene).copy()
        share = self._covered()
        part = _changed(lit, bare, share, round(WIDE * SOFT * len(baked)) + 1)
        picture = baked.copy()
        if part is not None:
            picture[part] = _combined(baked[part], lit[part], bare[part], gains[part], share[part], SOFT * len(baked))
        return picture

    def _covered(self) -> np.ndarray:
        """Return the share (h, w) of each pixel that movers cover."""
        for geom, moved in zip(
            self._mask.geoms[self._still : self._mask.ngeom],
            self._scene.geoms[self._still : self._scene.ngeom],
            strict=True,
        ):
            geom.pos, geom.mat = moved.pos, moved.mat
        if self._model.nskin:
            self._mask.skinvert[:] = self._scene.skinvert
        return self._draw(self._mask)[:, :, 0].astype(np.float32) / 255


def _changed(lit: np.ndarray, bare: np.ndarray, share: np.ndarray, margin: int) -> tuple[slice, slice] | None:
    """Return the part of the picture that movers or their shadows change, with a margin (px), or None."""
    is_changed = (lit != bare).any(axis=2) | (share > 0)
    rows, columns = np.flatnonzero(is_changed.any(axis=1)), np.flatnonzero(is_changed.any(axis=0))
    if not len(rows):
        return None
    down, across = (slice(max(int(each[0]) - margin, 0), int(each[-1]) + margin + 1) for each in (rows, columns))
    return down, across


def _combined(
    baked: np.ndarray, lit: np.ndarray, bare: np.ndarray, gains: np.ndarray, share: np.ndarray, soft: float
) -> np.ndarray:
    """Return a part of a picture (h, w, 3) uint8, with movers and their ``soft`` (px) shadows."""
    lit = lit.astype(np.float32)
    ratio = (lit + OFFSET) / (bare.astype(np.float32) + OFFSET)
    least = np.minimum(np.minimum(ratio[:, :, 0], ratio[:, :, 1]), ratio[:, :, 2])
    shadow = np.clip(least, DARKEST, 1.0)
    shadow = _softened(np.where(share > 0, 1.0, shadow), 1 - share, soft)[:, :, None]
    share = share[:, :, None]
    return np.rint(share * np.minimum(lit * gains, 255) + (1 - share) * baked * shadow).astype(np.uint8)


def _gains(baked: np.ndarray, bare: np.ndarray) -> np.ndarray:
    """Return the brightness (h, w, 3) that surroundings give, relative to their brightness under the one lamp.

    Both pictures (h, w, 3) are uint8. The result is smooth, so it is computed from small copies of the pictures.
    """
    height, width, _ = baked.shape
    small = max(width // SMALLER, 1), max(height // SMALLER, 1)
    sigma = AROUND * small[1]
    parts = [
        gaussian_filter(
            np.asarray(Image.fromarray(picture).resize(small, Image.Resampling.BOX), np.float32) + OFFSET,
            (sigma, sigma, 0),
            mode="nearest",
        )
        for picture in (baked, bare)
    ]
    gains = parts[0] / parts[1]
    gains = np.clip(TINT * gains + (1 - TINT) * gains.mean(axis=2, keepdims=True), *GAINS)
    channels = [Image.fromarray(gains[:, :, k]).resize((width, height), Image.Resampling.BILINEAR) for k in range(3)]
    return np.stack([np.asarray(channel) for channel in channels], axis=2)


def _softened(values: np.ndarray, weights: np.ndarray, sigma: float) -> np.ndarray:
    """Blur values (h, w), each with its weight."""
    return gaussian_filter(values * weights, sigma) / np.maximum(gaussian_filter(weights, sigma), 1e-3)
