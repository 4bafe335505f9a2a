"""Drawing a scene: colours in one pass, depth and identities in a second one, read in the same call.

Nothing moves but the camera, so the scene is handed to the engine once and only the camera is set for each frame.
"""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np

from chronotope.world.engine import open_context, require_mujoco
from chronotope.world.model import FAR, NEAR, build_model
from chronotope.world.quality import Quality
from chronotope.world.scene import Scene

__all__ = ["Drawn", "Renderer", "open_renderer", "render"]


@dataclass(frozen=True, eq=False)
class Drawn:
    """One frame: colours (H, W, 3) uint8, depth (H, W) float32 m along the optical axis, identities (H, W) uint8.

    Identity value v is the scene's placement v - 1; 0 is the backdrop. Depth is NaN where nothing was hit.
    """

    rgb: np.ndarray
    depth: np.ndarray
    identities: np.ndarray


class Renderer:
    """Draws one scene from any pose; made by ``open_renderer``."""

    def __init__(self, mujoco: Any, model: Any, identities: np.ndarray, quality: Quality, focal: float) -> None:
        self._mujoco, self._model, self._focal = mujoco, model, focal
        self._height, self._width = quality.height, quality.width
        self._rect = mujoco.MjrRect(0, 0, quality.width, quality.height)
        # Blended edges would be identities that nobody has: they are drawn without smoothing, in a context of its own.
        self._colours = self._context(quality.samples)
        self._truth = self._context(0)
        data = mujoco.MjData(model)
        mujoco.mj_forward(model, data)
        self._scene = mujoco.MjvScene(model, maxgeom=model.ngeom + 16)
        camera, everything = mujoco.MjvCamera(), mujoco.mjtCatBit.mjCAT_ALL
        mujoco.mjv_updateScene(model, data, mujoco.MjvOption(), None, camera, everything, self._scene)
        self._scene.flags[mujoco.mjtRndFlag.mjRND_SHADOW] = quality.shadow_map > 0
        self._scene.flags[mujoco.mjtRndFlag.mjRND_REFLECTION] = False
        self._values = np.zeros(self._scene.ngeom + 1, np.uint8)
        for geom in self._scene.geoms[: self._scene.ngeom]:
            if geom.objtype == mujoco.mjtObj.mjOBJ_GEOM and geom.segid >= 0:
                self._values[geom.segid + 1] = identities[geom.objid]
        self._rgb = np.empty((quality.height, quality.width, 3), np.uint8)
        self._ids = np.empty((quality.height, quality.width, 3), np.uint8)
        self._distance = np.empty((quality.height, quality.width), np.float32)

    def _context(self, samples: int) -> Any:
        """A drawing context that smooths edges over so many samples for each pixel."""
        self._model.vis.quality.offsamples = samples
        context = self._mujoco.MjrContext(self._model, self._mujoco.mjtFontScale.mjFONTSCALE_100)
        context.readDepthMap = self._mujoco.mjtDepthMap.mjDEPTH_ZEROFAR
        return context

    def draw(self, pose: np.ndarray) -> Drawn:
        """The frame seen from ``pose`` (4, 4), world_T_camera with OpenCV axes."""
        mujoco, flags = self._mujoco, self._scene.flags
        self._look_from(pose)
        mujoco.mjr_setBuffer(mujoco.mjtFramebuffer.mjFB_OFFSCREEN, self._colours)
        mujoco.mjr_render(self._rect, self._scene, self._colours)
        mujoco.mjr_readPixels(self._rgb, None, self._rect, self._colours)
        flags[mujoco.mjtRndFlag.mjRND_SEGMENT] = flags[mujoco.mjtRndFlag.mjRND_IDCOLOR] = True
        mujoco.mjr_setBuffer(mujoco.mjtFramebuffer.mjFB_OFFSCREEN, self._truth)
        mujoco.mjr_render(self._rect, self._scene, self._truth)
        mujoco.mjr_readPixels(self._ids, self._distance, self._rect, self._truth)
        flags[mujoco.mjtRndFlag.mjRND_SEGMENT] = flags[mujoco.mjtRndFlag.mjRND_IDCOLOR] = False
        # OpenGL's rows go up; at most 65,535 geoms are told apart, so the third channel is always zero.
        numbers = self._ids[::-1, :, 0].astype(np.uint16) + (self._ids[::-1, :, 1].astype(np.uint16) << 8)
        return Drawn(self._rgb[::-1].copy(), _metric(self._distance[::-1]), self._values[numbers])

    def _look_from(self, pose: np.ndarray) -> None:
        """Set the camera; OpenGL's up is OpenCV's minus y."""
        for camera in self._scene.camera:
            camera.pos, camera.forward, camera.up = pose[:3, 3], pose[:3, 2], -pose[:3, 1]
            camera.frustum_near, camera.frustum_far, camera.frustum_center = NEAR, FAR, 0.0
            camera.frustum_top = NEAR * self._height / 2 / self._focal
            camera.frustum_bottom = -camera.frustum_top
            camera.frustum_width = NEAR * self._width / 2 / self._focal

    def close(self) -> None:
        """Give the engine's buffers back."""
        self._colours.free()
        self._truth.free()


def _metric(buffer: np.ndarray) -> np.ndarray:
    """Metres from OpenGL's reversed depth (1 at the near plane, 0 at the far one)."""
    depth = buffer * np.float32(FAR - NEAR)
    depth += np.float32(NEAR)
    np.divide(np.float32(NEAR * FAR), depth, out=depth)
    depth[buffer <= 0] = np.nan
    return depth


@contextmanager
def open_renderer(scene: Scene, quality: Quality, focal: float) -> Iterator[Renderer]:
    """A renderer for a scene whose camera has the focal length ``focal`` (px).

    Raises InputError, naming packages, where nothing can be drawn on this machine.
    """
    mujoco = require_mujoco()
    context = open_context(quality.width, quality.height)
    try:
        model, identities = build_model(scene, quality)
        renderer = Renderer(mujoco, model, identities, quality, focal)
        try:
            yield renderer
        finally:
            renderer.close()
    finally:
        context.free()


def render(scene: Scene, quality: Quality, focal: float, poses: Iterable[np.ndarray]) -> Iterator[Drawn]:
    """Each frame in turn; one is held at a time."""
    with open_renderer(scene, quality, focal) as renderer:
        for pose in poses:
            yield renderer.draw(pose)
