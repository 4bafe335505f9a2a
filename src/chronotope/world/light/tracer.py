"""Ray casts on triangles; the answers for the common triangles of all states are remembered.

Two states of a home share nearly all triangles. Rays meet these common triangles in the same places, so the answers are
kept under a name, and only the triangles of a state are asked anew.
"""

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from chronotope.world.engine import require_embree
from chronotope.world.light.surfaces import Surfaces

FAR = 1e4  # m


@dataclass(frozen=True, eq=False)
class Hits:
    """The first triangle on each ray.

    ``triangle`` (N,) is its number, or -1, and ``distance`` (N,) is in m. ``u`` and ``v`` (N,) are the weights of the
    second and the third corner of the triangle.
    """

    triangle: np.ndarray
    distance: np.ndarray
    u: np.ndarray
    v: np.ndarray


@dataclass
class Memory:
    """The common triangles that rays met, by the names of the rays."""

    first: dict[str, Hits] = field(default_factory=dict)
    blocked: dict[str, np.ndarray] = field(default_factory=dict)


class Tracer:
    """Casts rays on common triangles and on the triangles of one state.

    Triangles of the state are numbered after the common ones.
    """

    def __init__(self, common: Surfaces, own: Surfaces | None = None, memory: Memory | None = None) -> None:
        self._common, self._own = _scene(common), None if own is None else _scene(own)
        self._first, self._memory = len(common.faces), memory

    def meet(self, origins: np.ndarray, ways: np.ndarray, name: str | None = None) -> Hits:
        """Find the first triangle on each ray.

        Rays start at ``origins`` (N, 3) m along unit vectors ``ways`` (N, 3). The answers of the common triangles are
        remembered under ``name``.
        """
        start, way = _floats(origins), _floats(ways)
        known = self._memory.first.get(name) if self._memory is not None and name is not None else None
        if known is None:
            known = _meet(self._common, start, way, np.full(len(start), FAR, np.float32))
            if self._memory is not None and name is not None:
                self._memory.first[name] = known
        if self._own is None:
            return known
        new = _meet(self._own, start, way, np.minimum(known.distance, FAR))
        is_new = new.triangle >= 0
        return Hits(
            np.where(is_new, new.triangle + self._first, known.triangle).astype(np.int32),
            np.where(is_new, new.distance, known.distance),
            np.where(is_new, new.u, known.u),
            np.where(is_new, new.v, known.v),
        )

    def is_blocked(
        self, origins: np.ndarray, ways: np.ndarray, lengths: np.ndarray, name: str | None = None
    ) -> tuple[np.ndarray, np.ndarray]:
        """Check whether a triangle lies on each ray.

        Rays end after their lengths (N,) m. Returns which rays (N,) a common triangle blocks, and which rays (N,) any
        triangle blocks.
        """
        start, way, far = _floats(origins), _floats(ways), _floats(lengths)
        known = self._memory.blocked.get(name) if self._memory is not None and name is not None else None
        if known is None:
            known = _is_blocked(self._common, start, way, far)
            if self._memory is not None and name is not None:
                self._memory.blocked[name] = known
        if self._own is None:
            return known, known
        blocked = known.copy()
        free = np.flatnonzero(~known)
        blocked[free] = _is_blocked(self._own, start[free], way[free], far[free])
        return known, blocked


def _floats(array: np.ndarray) -> np.ndarray:
    return np.ascontiguousarray(array, np.float32)


def _scene(surfaces: Surfaces) -> Any | None:
    scenes, meshes = require_embree()
    if not len(surfaces.faces):
        return None
    scene = scenes.EmbreeScene()
    meshes.TriangleMesh(scene, _floats(surfaces.vertices), np.ascontiguousarray(surfaces.faces, np.int32))
    return scene


def _meet(scene: Any, origins: np.ndarray, ways: np.ndarray, lengths: np.ndarray) -> Hits:
    nothing = np.zeros(len(origins), np.float32)
    if scene is None or not len(origins):
        return Hits(np.full(len(origins), -1, np.int32), nothing + np.float32(FAR), nothing, nothing)
    found = scene.run(origins, ways, dists=lengths.copy(), query="INTERSECT", output=1)
    triangle = found["primID"].astype(np.int32)
    distance = np.where(triangle < 0, np.float32(FAR), found["tfar"])
    return Hits(triangle, distance, found["u"], found["v"])


def _is_blocked(scene: Any, origins: np.ndarray, ways: np.ndarray, lengths: np.ndarray) -> np.ndarray:
    if scene is None or not len(origins):
        return np.zeros(len(origins), bool)
    return scene.run(origins, ways, dists=lengths.copy(), query="OCCLUDED") >= 0
