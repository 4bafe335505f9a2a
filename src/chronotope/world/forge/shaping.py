"""The shape of an asset: turned to its front, scaled to its size, with few triangles, and closed."""

import importlib
from collections import Counter
from types import ModuleType

import numpy as np
from scipy.sparse import coo_matrix
from scipy.sparse.csgraph import connected_components

from chronotope.errors import InputError
from chronotope.world.forge.colouring import Patch
from chronotope.world.things.mesh import vertex_normals, volume

TRIANGLES = 3000  # wanted number of triangles before open sheets get a back
MOST = 12000  # triangles; a model that cannot be made smaller is left out
FEWEST = 24  # triangles that each colour keeps
SHEET = 0.0006  # m, thickness of open sheets
_AGGRESSION = 5
_GRAIN = 1e-5  # m


def require_simplification() -> ModuleType:
    """Import the library that reduces the number of triangles.

    Raises:
        InputError: If it is missing. The message states the command that installs it.
    """
    try:
        return importlib.import_module("fast_simplification")
    except ImportError as error:
        raise InputError(
            'forging assets needs fast-simplification, which is missing: pip install "chronotope[forge]"'
        ) from error


def shaped(patches: list[Patch], turn: np.ndarray, size: np.ndarray, yaw: float) -> list[Patch]:
    """Shape the patches of a model as an asset.

    If more than ``MOST`` triangles are left, the model cannot be used, so the open sheets do not get a back.

    ``turn`` (3, 3) turns the vertices of the file, whose y is up and whose front is +z. ``size`` (3,) m is along x (to
    the front), y and z of the asset, after the turn by ``yaw`` (degrees) about z. The result stands on z = 0, its
    middle is at x = y = 0, and its front is +x.

    Raises:
        InputError: If no triangle has an area.
    """
    whole = upright(turn, yaw)
    patches = [Patch(patch.vertices @ whole.T, patch.faces, patch.look) for patch in patches]
    patches = [patch for patch in patches if len(patch.faces)]
    if not patches:
        raise InputError("has only triangles without an area: expected a mesh with an area")
    patches = [_reduced(patch, budget) for patch, budget in zip(_fitted(patches, size), _budgets(patches), strict=True)]
    if sum(len(patch.faces) for patch in patches) > MOST:
        return patches
    patches = [_closed(patch) for patch in _fitted(patches, size)]
    return [patch for patch in _fitted(patches, size) if len(patch.faces)]


def upright(turn: np.ndarray, yaw: float) -> np.ndarray:
    """Return the matrix (3, 3) that turns the vertices of a file to the axes of an asset.

    ``turn`` and ``yaw`` are those of `shaped`.
    """
    axes = np.array([[0.0, 0.0, 1.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]])  # z, x, y of the file
    c, s = np.round(np.cos(np.radians(yaw)), 9), np.round(np.sin(np.radians(yaw)), 9)
    return np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]]) @ axes @ turn


def _fitted(patches: list[Patch], size: np.ndarray) -> list[Patch]:
    """Scale and shift patches so that their box has a size."""
    corners = np.concatenate([patch.vertices for patch in patches])
    low, high = corners.min(axis=0), corners.max(axis=0)
    scale = size / np.maximum(high - low, 1e-9)
    origin = np.array([(low[0] + high[0]) / 2, (low[1] + high[1]) / 2, low[2]])
    return [Patch((patch.vertices - origin) * scale, patch.faces, patch.look) for patch in patches]


def _budgets(patches: list[Patch]) -> list[int]:
    """Share the wanted number of triangles among patches."""
    counts = np.array([len(patch.faces) for patch in patches], float)
    share = counts / counts.sum()
    return [max(FEWEST, int(TRIANGLES * each)) for each in share]


def _reduced(patch: Patch, budget: int) -> Patch:
    if len(patch.faces) <= budget:
        return patch
    vertices, faces = require_simplification().simplify(
        np.ascontiguousarray(patch.vertices, np.float64),
        np.ascontiguousarray(patch.faces, np.int32),
        target_count=budget,
        agg=_AGGRESSION,
    )
    return Patch(np.asarray(vertices, float), np.asarray(faces, np.int64), patch.look)


def _closed(patch: Patch) -> Patch:
    """Make all normals point outwards, and give open sheets a back."""
    keys = np.round(patch.vertices / _GRAIN).astype(np.int64)
    _, first, which = np.unique(keys, axis=0, return_index=True, return_inverse=True)
    vertices, faces = patch.vertices[first], which.ravel()[patch.faces]
    faces = faces[(faces != np.roll(faces, 1, axis=1)).all(axis=1)]
    if not len(faces):
        return Patch(vertices, faces.reshape(-1, 3), patch.look)
    links = np.concatenate([faces[:, [0, 1]], faces[:, [1, 2]]])
    graph = coo_matrix((np.ones(len(links)), links.T), shape=(len(vertices),) * 2)
    labels = connected_components(graph, directed=False)[1][faces[:, 0]]
    points, triangles, count = [], [], 0
    for label in np.unique(labels):
        mine = faces[labels == label]
        used, index = np.unique(mine, return_inverse=True)
        part, corners = vertices[used], index.reshape(-1, 3)
        if is_closed(corners):
            corners = corners if volume(part, corners) >= 0 else corners[:, ::-1]
        else:
            back = part - SHEET * vertex_normals(part, corners)
            part, corners = np.concatenate([part, back]), np.concatenate([corners, corners[:, ::-1] + len(part)])
        points.append(part)
        triangles.append(corners + count)
        count += len(part)
    return Patch(np.concatenate(points), np.concatenate(triangles), patch.look)


def is_closed(faces: np.ndarray) -> bool:
    """Check whether triangles (F, 3) of vertex numbers have no open edge."""
    # Solids may touch in an edge, which then belongs to more than two triangles.
    edges = Counter(map(tuple, np.concatenate([faces[:, [0, 1]], faces[:, [1, 2]], faces[:, [2, 0]]]).tolist()))
    return all(edges[(b, a)] == count for (a, b), count in edges.items())
