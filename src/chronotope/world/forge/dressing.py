"""The surfaces of a model for streets: connected components that keep their pictures, within a number of triangles."""

from dataclasses import dataclass, field

import numpy as np
from scipy.sparse import coo_matrix
from scipy.sparse.csgraph import connected_components
from scipy.spatial import KDTree

from chronotope.errors import InputError
from chronotope.world.asset_folder import Part
from chronotope.world.forge.axles import Component
from chronotope.world.forge.colouring import ALIKE, CLEAR, PARTS
from chronotope.world.forge.shaping import FEWEST, SHEET, is_closed, require_simplification, upright
from chronotope.world.forge.wavefront import Surface
from chronotope.world.things.colours import lab
from chronotope.world.things.mesh import Mesh, merge, vertex_normals, volume
from chronotope.world.things.thing import Look

GRAIN = 1e-5  # m; corners that are nearer are one vertex
EVEN = 6.0  # a picture whose colours differ by less than this (CIE Lab, deviation) is one plain colour
_SPECK = 1e-6  # m2; smaller components are left out: MuJoCo refuses meshes with tiny surfaces
_LEAVES = 60  # components of a surface that is foliage
_AGGRESSION = 4


@dataclass(eq=False)
class Patch(Component):
    """A component with its uv (F, 3, 2) and its look."""

    uv: np.ndarray = field(default_factory=lambda: np.zeros((0, 3, 2)))
    look: Look = field(default_factory=lambda: Look((1.0, 1.0, 1.0), 0.0, 0.0))

    @property
    def area(self) -> float:
        """Return its area (m2)."""
        return float(_areas(self.corners).sum())


def patches_of(surfaces: list[Surface], turn: np.ndarray, size: np.ndarray, yaw: float, wanted: int) -> list[Patch]:
    """Divide the visible surfaces of a model into components, as an asset has them.

    ``turn``, ``size`` and ``yaw`` are those of `shaping.shaped`. If the model has more than the ``wanted`` number of
    triangles, its surfaces are simplified, and foliage gets fewer and larger leaves.

    Raises:
        InputError: If nothing of the model can be seen, or if it has too many components.
    """
    whole = upright(turn, yaw)
    seen = [surface for surface in surfaces if surface.material.opacity >= CLEAR]
    if not seen:
        raise InputError("has no visible parts: expected a mesh with an area")
    placed = [surface.corners @ whole.T for surface in seen]
    everything = np.concatenate([corners.reshape(-1, 3) for corners in placed])
    low, high = everything.min(axis=0), everything.max(axis=0)
    origin = np.array([(low[0] + high[0]) / 2, (low[1] + high[1]) / 2, low[2]])
    scale = size / np.maximum(high - low, 1e-9)
    total = sum(len(corners) for corners in placed)
    patches: list[Patch] = []
    looks: list[Look] = []
    for surface, corners in zip(seen, placed, strict=True):
        look = _look(surface, looks)
        corners, uv = _solid((corners - origin) * scale, surface)
        mine = _components(corners, uv, look)
        if total > wanted:
            budget = max(FEWEST, int(wanted * len(corners) / total))
            mine = (
                _thinned(mine, budget)
                if len(mine) >= _LEAVES and look.texture is not None
                else (_simplified(mine, budget))
            )
        patches += mine
        if len(patches) > PARTS:
            raise InputError(f"has more than {PARTS:,} visible parts: make the model smaller, or leave it out")
    patches = [patch for patch in patches if patch.area > _SPECK]
    if not patches:
        raise InputError("has only triangles without an area: expected a mesh with an area")
    return _fitted(patches, size)


def parts_of(patches: list[Patch]) -> list[Part]:
    """Join components of one joint and one look into parts, and close them.

    Normals point outwards, and open sheets get a back. The parts with the largest areas come first.
    """
    groups: dict[tuple[int, int], list[Patch]] = {}
    for patch in patches:
        groups.setdefault((patch.joint, id(patch.look)), []).append(patch)
    made = [
        Part(merge(*(_closed(patch) for patch in group)), group[0].look, joint) for (joint, _), group in groups.items()
    ]
    made = [part for part in made if len(part.mesh.faces)]
    return sorted(made, key=lambda part: -float(_areas(part.mesh.vertices[part.mesh.faces]).sum()))


def _areas(corners: np.ndarray) -> np.ndarray:
    a, b, c = corners.transpose(1, 0, 2)
    return np.linalg.norm(np.cross(b - a, c - a), axis=1) / 2


def _look(surface: Surface, looks: list[Look]) -> Look:
    """Return the look of a surface; surfaces of nearly equal plain colours have one look."""
    material = surface.material
    colour = tuple(float(part) for part in material.colour)
    picture = material.picture
    if picture is not None:
        kept = picture[picture[..., 3] > 127, :3] if (picture[..., 3] > 127).any() else picture[..., :3].reshape(-1, 3)
        colours = kept / 255
        if lab(colours).std(axis=0).max() < EVEN:
            colour, picture = tuple(float(part) for part in colours.mean(axis=0)), None
    if picture is not None:
        texture = np.ascontiguousarray(picture[::-1, :, :3])
        for look in looks:
            if look.texture is not None and np.array_equal(look.texture, texture):
                return look
        look = Look((1.0, 1.0, 1.0), round(material.specular, 4), round(material.shininess, 4), texture)
    else:
        here = lab(np.array(colour))
        for look in looks:
            if look.texture is None and np.linalg.norm(lab(np.array(look.colour)) - here) <= ALIKE:
                return look
        r, g, b = (round(part, 4) for part in colour)
        look = Look((r, g, b), round(material.specular, 4), round(material.shininess, 4))
    looks.append(look)
    return look


def _solid(corners: np.ndarray, surface: Surface) -> tuple[np.ndarray, np.ndarray]:
    """Return the triangles and uv without those that the picture makes clear, and with small uv coordinates."""
    uv = np.nan_to_num(surface.uv)
    uv = uv - np.floor(uv.min(axis=1, keepdims=True))  # pictures repeat
    uv = np.where(np.ptp(uv, axis=1, keepdims=True) > 100, 0.0, uv)
    picture = surface.material.picture
    if picture is None or (picture[..., 3] > 127).all():
        return corners, uv
    height, width, _ = picture.shape
    inner = np.concatenate([uv.mean(axis=1, keepdims=True), (uv + uv.mean(axis=1, keepdims=True)) / 2], axis=1) % 1
    row = np.clip(((1 - inner[..., 1]) * height).astype(int), 0, height - 1)
    column = np.clip((inner[..., 0] * width).astype(int), 0, width - 1)
    there = (picture[row, column, 3] > 127).any(axis=1)
    return corners[there], uv[there]


def _components(corners: np.ndarray, uv: np.ndarray, look: Look) -> list[Patch]:
    """Divide triangles into connected components."""
    if not len(corners):
        return []
    keys = np.round(corners.reshape(-1, 3) / GRAIN).astype(np.int64)
    _, which = np.unique(keys, axis=0, return_inverse=True)
    faces = which.reshape(-1, 3)
    links = np.concatenate([faces[:, [0, 1]], faces[:, [1, 2]]])
    graph = coo_matrix((np.ones(len(links)), links.T), shape=(which.max() + 1,) * 2)
    labels = connected_components(graph, directed=False)[1][faces[:, 0]]
    order = np.argsort(labels, kind="stable")
    parts = np.split(order, np.flatnonzero(np.diff(labels[order])) + 1)
    return [Patch(corners[part], 0, uv[part], look) for part in parts]


def _thinned(patches: list[Patch], budget: int) -> list[Patch]:
    """Keep every n-th leaf, and enlarge it so that the leaves cover the same area."""
    count = sum(len(patch.corners) for patch in patches)
    step = count / max(budget, 1)
    if step <= 1:
        return patches
    # Leaves that are neighbours in the file are neighbours in the tree, so every n-th leaf is a fair choice.
    kept = [patches[int(number)] for number in np.arange(0, len(patches) - 0.5, step)]
    grown = []
    for patch in kept:
        middle = patch.corners.reshape(-1, 3).mean(axis=0)
        grown.append(Patch(middle + (patch.corners - middle) * np.sqrt(step), 0, patch.uv, patch.look))
    return grown


def _simplified(patches: list[Patch], budget: int) -> list[Patch]:
    """Reduce the triangles of components together; a new vertex has the uv of the nearest old one."""
    corners = np.concatenate([patch.corners for patch in patches])
    uv = np.concatenate([patch.uv for patch in patches])
    look = patches[0].look
    if len(corners) <= budget:
        return patches
    keys = np.round(corners.reshape(-1, 3) / GRAIN).astype(np.int64)
    _, first, which = np.unique(keys, axis=0, return_index=True, return_inverse=True)
    faces = which.reshape(-1, 3)
    faces = faces[(faces != np.roll(faces, 1, axis=1)).all(axis=1)]
    if len(faces) <= budget:
        return patches
    vertices, faces = require_simplification().simplify(
        np.ascontiguousarray(corners.reshape(-1, 3)[first], np.float64),
        np.ascontiguousarray(faces, np.int32),
        target_count=budget,
        agg=_AGGRESSION,
    )
    made = np.asarray(vertices, float)[np.asarray(faces, np.int64)]
    if look.texture is None:
        return _components(made, np.zeros((*made.shape[:2], 2)), look)
    middles = KDTree(corners.mean(axis=1))
    _, nearest = middles.query(made.mean(axis=1))
    return _components(made, _carried(made, corners[nearest], uv[nearest]), look)


def _carried(made: np.ndarray, old: np.ndarray, uv: np.ndarray) -> np.ndarray:
    """Return the uv (F, 3, 2) of new triangles from those of old ones.

    The barycentric coordinates of the new corners in the old triangles give their uv.
    """
    a, ab, ac = old[:, 0], old[:, 1] - old[:, 0], old[:, 2] - old[:, 0]
    d00, d01, d11 = (np.einsum("fi,fi->f", p, q) for p, q in ((ab, ab), (ab, ac), (ac, ac)))
    away = made - a[:, None]
    d20, d21 = np.einsum("fki,fi->fk", away, ab), np.einsum("fki,fi->fk", away, ac)
    whole = np.maximum(d00 * d11 - d01 * d01, 1e-18)[:, None]
    v = np.clip((d11[:, None] * d20 - d01[:, None] * d21) / whole, -3, 3)
    w = np.clip((d00[:, None] * d21 - d01[:, None] * d20) / whole, -3, 3)
    return uv[:, :1] + v[..., None] * (uv[:, 1:2] - uv[:, :1]) + w[..., None] * (uv[:, 2:] - uv[:, :1])


def _fitted(patches: list[Patch], size: np.ndarray) -> list[Patch]:
    """Scale and shift components so that their box has a size and stands on z = 0."""
    everything = np.concatenate([patch.corners.reshape(-1, 3) for patch in patches])
    low, high = everything.min(axis=0), everything.max(axis=0)
    scale = size / np.maximum(high - low, 1e-9)
    origin = np.array([(low[0] + high[0]) / 2, (low[1] + high[1]) / 2, low[2]])
    for patch in patches:
        patch.corners = (patch.corners - origin) * scale
    return patches


def _closed(patch: Patch) -> Mesh:
    """Make a mesh of a component with normals outwards, and a back if it is an open sheet."""
    corners = patch.corners.reshape(-1, 3)
    places = np.round(corners / GRAIN).astype(np.int64)
    _, place = np.unique(places, axis=0, return_inverse=True)
    triangles = place.reshape(-1, 3)
    alive = (triangles != np.roll(triangles, 1, axis=1)).all(axis=1)
    keys = np.column_stack([place, np.round(patch.uv.reshape(-1, 2) * 1e4).astype(np.int64)])
    _, first, which = np.unique(keys, axis=0, return_index=True, return_inverse=True)
    faces = which.reshape(-1, 3)[alive]
    vertices, uv = corners[first], patch.uv.reshape(-1, 2)[first]
    if not len(faces):
        return Mesh(np.zeros((0, 3)), np.zeros((0, 3), int), np.zeros((0, 2)))
    if is_closed(triangles[alive]):
        return Mesh(vertices, faces if volume(vertices, faces) >= 0 else faces[:, ::-1], uv)
    # The back follows the normals of places, so that it stays joined where the picture has a seam.
    _, opened, where = np.unique(triangles[alive], return_index=True, return_inverse=True)
    normals = vertex_normals(corners.reshape(-1, 3, 3)[alive].reshape(-1, 3)[opened], where.reshape(-1, 3))
    per_vertex = np.zeros_like(vertices)
    per_vertex[faces.ravel()] = normals[where.ravel()]
    back = vertices - SHEET * per_vertex
    return Mesh(
        np.concatenate([vertices, back]),
        np.concatenate([faces, faces[:, ::-1] + len(vertices)]),
        np.concatenate([uv, uv]),
    )
