"""The renderer of a set: colours in one pass, depth and identities in a second.

Depth and identities are read in the same call. The set is passed to the engine once. For each frame, only the camera
and the moving things are updated. Under baked light, the colours come from a separate model; depth and identities come
from the usual model at every quality.
"""

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from scipy.spatial.transform import Rotation

from chronotope.world.engine import open_context, require_mujoco
from chronotope.world.film_set import FilmSet
from chronotope.world.light.paint import Baked
from chronotope.world.model import SUN_AWAY, Switch, build_baked_model, build_model
from chronotope.world.over_baked import SHADOW_MAP, Overlay, lamp_set
from chronotope.world.quality import Quality
from chronotope.world.shadow_caster import hide

AHEAD = 0.7  # of the sun's window: how far before the camera its middle is


@dataclass(frozen=True, eq=False)
class Drawn:
    """One frame: colours, depth and identities.

    Identities are uint8, or uint16 if the set has more than 255 placements. Value v means placement v - 1, and 0 means
    the backdrop. Depth is NaN where the ray hits nothing. ``camera`` is world_T_camera (4, 4), if the engine that drew
    the frame moves the camera itself.
    """

    rgb: np.ndarray
    depth: np.ndarray
    identities: np.ndarray
    camera: np.ndarray | None = None


class Renderer:
    """Renders one set from any pose; ``open_renderer`` makes it."""

    def __init__(
        self, mujoco: Any, film_set: FilmSet, quality: Quality, focal: float, baked: Sequence[Baked] = ()
    ) -> None:
        has_overlay = bool(baked) and film_set.has_movers
        if has_overlay:
            film_set, quality = lamp_set(film_set), replace(quality, shadow_map=SHADOW_MAP)
        compiled = build_model(film_set, quality)
        model = compiled.model
        self._mujoco, self._model, self._focal = mujoco, model, focal
        self._near, self._far, self._daylight = film_set.near, film_set.far, film_set.daylight
        self._casters = compiled.casters
        self._turns = [Rotation.from_matrix(path[:, :3, :3]).as_quat()[:, [3, 0, 1, 2]] for path in compiled.paths]
        self._paths, self._switches = compiled.paths, compiled.switches
        self._shown: int | None = None  # the frame to whose poses and looks the things were last brought
        self._height, self._width = quality.height, quality.width
        self._rect = mujoco.MjrRect(0, 0, quality.width, quality.height)
        # Blended edges would give wrong identities, so identities are drawn without smoothing, in a separate context.
        self._truth = self._context(model, 0)
        self._data = mujoco.MjData(model)
        mujoco.mj_forward(model, self._data)
        self._scene = mujoco.MjvScene(model, maxgeom=model.ngeom + model.nskin + 16)
        self._rebuild()
        starts, counts = self._scene.skinvertadr, self._scene.skinvertnum
        self._casting = [
            slice(3 * int(starts[skin]), 3 * int(starts[skin] + counts[skin])) for skin in sorted(compiled.casters)
        ]
        self._scene.flags[mujoco.mjtRndFlag.mjRND_SHADOW] = quality.shadow_map > 0
        self._scene.flags[mujoco.mjtRndFlag.mjRND_REFLECTION] = False
        self._starts = [start for start, _ in film_set.stages] if baked else [0]
        self._painted = [self._painting(build_baked_model(film_set, quality, each), quality.samples) for each in baked]
        self._colours = None if baked and not has_overlay else self._context(model, quality.samples)
        self._overlay: Overlay | None = None
        if has_overlay:
            self._overlay = Overlay(
                mujoco, model, self._data, self._scene, compiled.still, compiled.casters, self._draw_colours
            )
        self._before: tuple[np.ndarray, int, np.ndarray] | None = None  # a camera, a stage and its baked picture
        self._values = np.zeros(self._scene.ngeom + 1, compiled.geoms.dtype)
        parts = {mujoco.mjtObj.mjOBJ_GEOM: compiled.geoms, mujoco.mjtObj.mjOBJ_SKIN: compiled.skins}
        for geom in self._scene.geoms[: self._scene.ngeom]:
            if geom.objtype in parts and geom.segid >= 0:
                self._values[geom.segid + 1] = parts[geom.objtype][geom.objid]
        self._rgb = np.empty((quality.height, quality.width, 3), np.uint8)
        self._ids = np.empty((quality.height, quality.width, 3), np.uint8)
        self._distance = np.empty((quality.height, quality.width), np.float32)

    def _painting(self, model: Any, samples: int) -> tuple[Any, Any]:
        """Return the context and the scene of a model of baked light."""
        return self._context(model, samples), self._still(model)

    def _still(self, model: Any) -> Any:
        """Make the scene of a model without motion and lamps."""
        mujoco, data = self._mujoco, self._mujoco.MjData(model)
        mujoco.mj_forward(model, data)
        scene = mujoco.MjvScene(model, maxgeom=model.ngeom + 16)
        options, camera = mujoco.MjvOption(), mujoco.MjvCamera()
        mujoco.mjv_updateScene(model, data, options, None, camera, mujoco.mjtCatBit.mjCAT_ALL, scene)
        for flag in (mujoco.mjtRndFlag.mjRND_SHADOW, mujoco.mjtRndFlag.mjRND_REFLECTION):
            scene.flags[flag] = False
        return scene

    def _context(self, model: Any, samples: int) -> Any:
        """Make a drawing context for a model.

        ``samples`` is the number of samples per pixel. Edges are smoothed if it is above 0.
        """
        model.vis.quality.offsamples = samples
        context = self._mujoco.MjrContext(model, self._mujoco.mjtFontScale.mjFONTSCALE_100)
        context.readDepthMap = self._mujoco.mjtDepthMap.mjDEPTH_ZEROFAR
        return context

    def _rebuild(self) -> None:
        """Update the engine with the current poses."""
        mujoco, everything = self._mujoco, self._mujoco.mjtCatBit.mjCAT_ALL
        options, camera = mujoco.MjvOption(), mujoco.MjvCamera()
        mujoco.mjv_updateScene(self._model, self._data, options, None, camera, everything, self._scene)
        # The scene lists skins first.
        for number, geom in enumerate(self._scene.geoms[: self._model.nskin]):
            geom.castshadow = number in self._casters
            if geom.castshadow:
                hide(geom)

    def _move(self, frame: int) -> None:
        """Bring things to their poses and looks in a frame.

        If nothing has changed since the last drawn frame, nothing is updated.
        """
        before, self._shown = self._shown, frame
        changed = [each for each in self._switches if before is None or _looks(each, frame) != _looks(each, before)]
        moves = before is None or any(not np.array_equal(path[frame], path[before]) for path in self._paths)
        if not changed and not moves:
            return
        for switch in changed:
            materials = self._model.geom_matid if switch.of == "geom" else self._model.skin_matid
            materials[switch.index] = _looks(switch, frame)
        for number, (path, turns) in enumerate(zip(self._paths, self._turns, strict=True)):
            self._data.mocap_pos[number], self._data.mocap_quat[number] = path[frame, :3, 3], turns[frame]
        self._mujoco.mj_kinematics(self._model, self._data)
        flags = self._scene.flags.copy()  # _rebuild resets the flags
        self._rebuild()
        self._scene.flags[:] = flags

    def draw(self, pose: np.ndarray, frame: int = 0) -> Drawn:
        """Draw the view from ``pose`` (4, 4) in a frame.

        The pose is world_T_camera with OpenCV axes; the frame is given by its number.
        """
        mujoco, flags = self._mujoco, self._scene.flags
        if self._paths or self._switches:
            self._move(frame)
        self._look_from(pose)
        rgb = self._draw_picture(pose, frame)
        flags[mujoco.mjtRndFlag.mjRND_SEGMENT] = flags[mujoco.mjtRndFlag.mjRND_IDCOLOR] = True
        # What only casts shadows is not part of the truth, even where it comes through the surface around it.
        casters = [self._scene.skinvert[part].copy() for part in self._casting]
        for part in self._casting:
            self._scene.skinvert[part] = 0.0  # a skin without area is not drawn
        mujoco.mjr_setBuffer(mujoco.mjtFramebuffer.mjFB_OFFSCREEN, self._truth)
        mujoco.mjr_render(self._rect, self._scene, self._truth)
        mujoco.mjr_readPixels(self._ids, self._distance, self._rect, self._truth)
        for part, vertices in zip(self._casting, casters, strict=True):
            self._scene.skinvert[part] = vertices
        flags[mujoco.mjtRndFlag.mjRND_SEGMENT] = flags[mujoco.mjtRndFlag.mjRND_IDCOLOR] = False
        # OpenGL's first row is the lowest; there are at most 65,535 geoms, so the third channel is always zero.
        numbers = self._ids[::-1, :, 0].astype(np.uint16) + (self._ids[::-1, :, 1].astype(np.uint16) << 8)
        return Drawn(rgb[::-1].copy(), self._metric(self._distance[::-1]), self._values[numbers])

    def _draw_picture(self, pose: np.ndarray, frame: int) -> np.ndarray:
        """Draw the colours (h, w, 3), with the lowest row first."""
        if not self._painted:
            return self._draw_colours(self._scene)
        stage = bisect_right(self._starts, frame) - 1
        if self._overlay is None:
            return self._draw_into(*self._painted[stage])
        before = self._before
        if before is not None and before[1] == stage and np.array_equal(before[0], pose):
            return self._overlay.over(before[2], is_new=False)
        picture = self._draw_into(*self._painted[stage]).copy()
        self._before = pose.copy(), stage, picture  # a camera that stands still sees the same still things
        return self._overlay.over(picture, is_new=True)

    def _draw_colours(self, scene: Any) -> np.ndarray:
        return self._draw_into(self._colours, scene)

    def _draw_into(self, context: Any, scene: Any) -> np.ndarray:
        """Draw a scene; the next drawing overwrites the result."""
        mujoco = self._mujoco
        mujoco.mjr_setBuffer(mujoco.mjtFramebuffer.mjFB_OFFSCREEN, context)
        mujoco.mjr_render(self._rect, scene, context)
        mujoco.mjr_readPixels(self._rgb, None, self._rect, context)
        return self._rgb

    def _look_from(self, pose: np.ndarray) -> None:
        """Set the camera; OpenGL's up is OpenCV's minus y."""
        self._follow_sun(pose)
        scenes = [self._scene, *(scene for _, scene in self._painted)]
        scenes += [] if self._overlay is None else self._overlay.scenes
        for camera in [camera for scene in scenes for camera in scene.camera]:
            camera.pos, camera.forward, camera.up = pose[:3, 3], pose[:3, 2], -pose[:3, 1]
            camera.frustum_near, camera.frustum_far, camera.frustum_center = self._near, self._far, 0.0
            camera.frustum_top = self._near * self._height / 2 / self._focal
            camera.frustum_bottom = -camera.frustum_top
            camera.frustum_width = self._near * self._width / 2 / self._focal

    def _follow_sun(self, pose: np.ndarray) -> None:
        """Move the square in which the sun casts shadows to the view of the camera."""
        if self._daylight is None:
            return
        towards = np.array(self._daylight.towards)
        middle = pose[:3, 3] + AHEAD * self._daylight.window * pose[:3, 2]
        for scene in (self._scene, *(() if self._overlay is None else self._overlay.scenes)):
            for light in scene.lights[: scene.nlight]:
                if light.type == self._mujoco.mjtLightType.mjLIGHT_DIRECTIONAL and light.castshadow:
                    light.pos = middle + SUN_AWAY * towards

    def _metric(self, buffer: np.ndarray) -> np.ndarray:
        """Convert OpenGL's reversed depth to metres.

        OpenGL's reversed depth is 1 at the near plane and 0 at the far plane.
        """
        depth = buffer * np.float32(self._far - self._near)
        depth += np.float32(self._near)
        np.divide(np.float32(self._near * self._far), depth, out=depth)
        depth[buffer <= 0] = np.nan
        return depth

    def close(self) -> None:
        """Release the engine's buffers."""
        for context in (self._truth, self._colours, *(context for context, _ in self._painted)):
            if context is not None:
                context.free()


def _looks(switch: Switch, frame: int) -> int:
    """Return the number of the material in a frame."""
    return switch.materials[bisect_right(switch.frames, frame) - 1]


@contextmanager
def open_renderer(film_set: FilmSet, quality: Quality, focal: float, baked: Sequence[Baked] = ()) -> Iterator[Renderer]:
    """Open a renderer for a set.

    The camera has the focal length ``focal`` (px). ``baked`` is the baked light of each stage of the set, if the
    quality has it.

    Raises:
        InputError: If this machine cannot render. The message names the missing packages.
    """
    mujoco = require_mujoco()
    context = open_context(quality.width, quality.height)
    try:
        renderer = Renderer(mujoco, film_set, quality, focal, baked)
        try:
            yield renderer
        finally:
            renderer.close()
    finally:
        context.free()


def render(
    film_set: FilmSet, quality: Quality, focal: float, poses: Iterable[np.ndarray], baked: Sequence[Baked] = ()
) -> Iterator[Drawn]:
    """Render each frame in turn; only one frame is in memory."""
    with open_renderer(film_set, quality, focal, baked) as renderer:
        for frame, pose in enumerate(poses):
            yield renderer.draw(pose, frame)
