"""The renderer of a set: colours in one pass, depth and identities in a second.

Depth and identities are read in the same call. The set is passed to the engine once. For each frame, only the camera
and the moving things are updated. Under baked light, the colours come from a separate model; depth and identities come
from the usual model at every quality.
"""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.spatial.transform import Rotation

from chronotope.world.engine import open_context, require_mujoco
from chronotope.world.film_set import FilmSet
from chronotope.world.light.paint import Baked
from chronotope.world.model import build_baked_model, build_model
from chronotope.world.quality import Quality


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
        self, mujoco: Any, film_set: FilmSet, quality: Quality, focal: float, baked: Baked | None = None
    ) -> None:
        model, identities = build_model(film_set, quality)
        self._mujoco, self._model, self._focal = mujoco, model, focal
        self._near, self._far = film_set.near, film_set.far
        self._paths = [placement.path for placement in film_set.placements if placement.path is not None]
        self._shown: int | None = None  # the frame to whose poses the things were last moved
        self._height, self._width = quality.height, quality.width
        self._rect = mujoco.MjrRect(0, 0, quality.width, quality.height)
        # Blended edges would give wrong identities, so identities are drawn without smoothing, in a separate context.
        self._truth = self._context(model, 0)
        painted = None if baked is None else build_baked_model(film_set, quality, baked)
        self._colours = self._context(model if painted is None else painted, quality.samples)
        self._data = mujoco.MjData(model)
        mujoco.mj_forward(model, self._data)
        self._scene = mujoco.MjvScene(model, maxgeom=model.ngeom + 16)
        self._rebuild()
        self._scene.flags[mujoco.mjtRndFlag.mjRND_SHADOW] = quality.shadow_map > 0
        self._scene.flags[mujoco.mjtRndFlag.mjRND_REFLECTION] = False
        self._painted = self._scene if painted is None else self._still(painted)
        self._values = np.zeros(self._scene.ngeom + 1, identities.dtype)
        for geom in self._scene.geoms[: self._scene.ngeom]:
            if geom.objtype == mujoco.mjtObj.mjOBJ_GEOM and geom.segid >= 0:
                self._values[geom.segid + 1] = identities[geom.objid]
        self._rgb = np.empty((quality.height, quality.width, 3), np.uint8)
        self._ids = np.empty((quality.height, quality.width, 3), np.uint8)
        self._distance = np.empty((quality.height, quality.width), np.float32)

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

    def _move(self, frame: int) -> None:
        """Move things to their poses in a frame.

        If no thing has moved since the last drawn frame, nothing is updated.
        """
        before, self._shown = self._shown, frame
        if all(before is not None and np.array_equal(path[frame], path[before]) for path in self._paths):
            return
        for number, path in enumerate(self._paths):
            self._data.mocap_pos[number] = path[frame, :3, 3]
            self._data.mocap_quat[number] = Rotation.from_matrix(path[frame, :3, :3]).as_quat()[[3, 0, 1, 2]]
        self._mujoco.mj_kinematics(self._model, self._data)
        flags = self._scene.flags.copy()  # _rebuild resets the flags
        self._rebuild()
        self._scene.flags[:] = flags

    def draw(self, pose: np.ndarray, frame: int = 0) -> Drawn:
        """Draw the view from ``pose`` (4, 4) in a frame.

        The pose is world_T_camera with OpenCV axes; the frame is given by its number.
        """
        mujoco, flags = self._mujoco, self._scene.flags
        if self._paths:
            self._move(frame)
        self._look_from(pose)
        mujoco.mjr_setBuffer(mujoco.mjtFramebuffer.mjFB_OFFSCREEN, self._colours)
        mujoco.mjr_render(self._rect, self._painted, self._colours)
        mujoco.mjr_readPixels(self._rgb, None, self._rect, self._colours)
        flags[mujoco.mjtRndFlag.mjRND_SEGMENT] = flags[mujoco.mjtRndFlag.mjRND_IDCOLOR] = True
        mujoco.mjr_setBuffer(mujoco.mjtFramebuffer.mjFB_OFFSCREEN, self._truth)
        mujoco.mjr_render(self._rect, self._scene, self._truth)
        mujoco.mjr_readPixels(self._ids, self._distance, self._rect, self._truth)
        flags[mujoco.mjtRndFlag.mjRND_SEGMENT] = flags[mujoco.mjtRndFlag.mjRND_IDCOLOR] = False
        # OpenGL's first row is the lowest; there are at most 65,535 geoms, so the third channel is always zero.
        numbers = self._ids[::-1, :, 0].astype(np.uint16) + (self._ids[::-1, :, 1].astype(np.uint16) << 8)
        return Drawn(self._rgb[::-1].copy(), self._metric(self._distance[::-1]), self._values[numbers])

    def _look_from(self, pose: np.ndarray) -> None:
        """Set the camera; OpenGL's up is OpenCV's minus y."""
        for camera in (*self._scene.camera, *(self._painted.camera if self._painted is not self._scene else ())):
            camera.pos, camera.forward, camera.up = pose[:3, 3], pose[:3, 2], -pose[:3, 1]
            camera.frustum_near, camera.frustum_far, camera.frustum_center = self._near, self._far, 0.0
            camera.frustum_top = self._near * self._height / 2 / self._focal
            camera.frustum_bottom = -camera.frustum_top
            camera.frustum_width = self._near * self._width / 2 / self._focal

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
        self._colours.free()
        self._truth.free()


@contextmanager
def open_renderer(film_set: FilmSet, quality: Quality, focal: float, baked: Baked | None = None) -> Iterator[Renderer]:
    """Open a renderer for a set.

    The camera has the focal length ``focal`` (px). ``baked`` is the set's baked light, if the quality has it.

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
    film_set: FilmSet, quality: Quality, focal: float, poses: Iterable[np.ndarray], baked: Baked | None = None
) -> Iterator[Drawn]:
    """Render each frame in turn; only one frame is in memory."""
    with open_renderer(film_set, quality, focal, baked) as renderer:
        for frame, pose in enumerate(poses):
            yield renderer.draw(pose, frame)
