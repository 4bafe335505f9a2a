"""Cloth as a sheet of triangles over a body: cut along lines, loosened, and given hems."""

from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise

import numpy as np
from numpy.typing import ArrayLike
from scipy.sparse import coo_matrix, csr_matrix
from scipy.spatial import KDTree

from chronotope.world.people.body import Body
from chronotope.world.people.pack import open_pack
from chronotope.world.rig import Weights

BONES = 6  # most joints that move a vertex
FIRM = 0.5  # share of the way to the mean of its neighbours that a vertex goes in one round of smoothing
EVEN = 8  # rounds of smoothing after which hollows, such as that of the back, do not turn the directions any more
LINING = 5.0  # distance of a lining from the cloth, relative to the thickness of edges: it spans the folds
NEVER = 1.0  # m, the distance from a line that does not cut a part


@dataclass(frozen=True, eq=False)
class Sheet:
    """A surface over a body.

    ``vertices`` (V, 3) m; ``faces`` (F, 3) counter-clockwise seen from outside; ``shares`` (V, J) of the joints. For
    each vertex, ``anchor`` (V, 3) is its place on the tight suit, and ``out`` (V, 3) the direction away from the body.
    """

    vertices: np.ndarray
    faces: np.ndarray
    shares: np.ndarray
    anchor: np.ndarray
    out: np.ndarray

    @cached_property
    def links(self) -> csr_matrix:
        """Return a sparse matrix (V, V) that replaces each vertex by the mean of its neighbours.

        Vertices at an edge of the sheet have neighbours at edges only.
        """
        a, b = np.concatenate([self.faces[:, [0, 1]], self.faces[:, [1, 2]], self.faces[:, [2, 0]]]).T
        count = len(self.vertices)
        joined = coo_matrix((np.ones(2 * len(a)), (np.r_[a, b], np.r_[b, a])), (count, count)).tocsr()
        border = np.zeros(count, bool)
        border[self.rim.ravel()] = True
        first, second = joined.nonzero()
        single = np.asarray(joined[first, second]).ravel() == 1  # the edge of one face only
        kept = ~border[first] | single
        links = coo_matrix((np.ones(kept.sum()), (first[kept], second[kept])), (count, count)).tocsr()
        total = np.maximum(np.asarray(links.sum(axis=1)).ravel(), 1)
        return csr_matrix(links.multiply(1 / total[:, None]))

    @cached_property
    def rim(self) -> np.ndarray:
        """Return the edges (E, 2) of one face only, in the direction of this face."""
        return rim_of(self.faces)

    def weights(self) -> Weights:
        """Return the strongest joints of each vertex."""
        return strongest(self.shares)


def rim_of(faces: np.ndarray) -> np.ndarray:
    """Return the edges (E, 2) that only one of the faces (F, 3) has, in its direction."""
    edges = np.concatenate([faces[:, [0, 1]], faces[:, [1, 2]], faces[:, [2, 0]]])
    _, place, count = np.unique(np.sort(edges, axis=1), axis=0, return_index=True, return_counts=True)
    return edges[place[count == 1]]


def strongest(shares: np.ndarray) -> Weights:
    """Return the strongest joints of shares (V, J), with the sum 1."""
    bones = np.argsort(-shares, axis=1, kind="stable")[:, :BONES]
    kept = np.take_along_axis(shares, bones, axis=1)
    kept /= kept.sum(axis=1, keepdims=True)
    used = int((kept > 0).sum(axis=1).max())
    return Weights(np.where(kept > 0, bones, 0)[:, :used], kept[:, :used])


def all_shares(weights: Weights) -> np.ndarray:
    """Return weights as shares (V, J) of all joints."""
    shares = np.zeros((len(weights.bones), len(open_pack().joint_names)))
    np.add.at(shares, (np.arange(len(shares))[:, None], weights.bones), weights.shares)
    return shares


def normals_of(vertices: np.ndarray, faces: np.ndarray) -> np.ndarray:
    """Return the normals (V, 3) of a surface, weighted by the areas of the faces."""
    a, b, c = vertices[faces].transpose(1, 0, 2)
    normals = np.zeros_like(vertices)
    for corner in faces.T:
        np.add.at(normals, corner, np.cross(b - a, c - a))
    return normals / np.maximum(np.linalg.norm(normals, axis=1, keepdims=True), 1e-12)


def sheet_of(body: Body, mesh: str) -> Sheet:
    """Return a mesh of the pack on a body; its outward directions are those of the evened-out mesh."""
    pack = open_pack()
    used, faces = np.unique(pack.faces[mesh], return_inverse=True)
    faces, vertices = faces.reshape(-1, 3), body.vertices[used]
    shares = all_shares(Weights(pack.weights.bones[used], pack.weights.shares[used]))
    sheet = Sheet(vertices, faces, shares, vertices, normals_of(vertices, faces))
    smooth = vertices
    for _ in range(EVEN):
        smooth = 0.5 * smooth + 0.5 * (sheet.links @ smooth)
    return replace(sheet, out=normals_of(smooth, faces))


def cut(sheet: Sheet, values: np.ndarray) -> Sheet:
    """Cut a sheet where the values (V,) of its vertices are 0, and keep the positive part."""
    # A vertex that is nearly on the line is on it, so that no splinters arise.
    values = np.where(np.abs(values) < 1e-5, 0.0, values)
    inside = values > 0
    count = inside[sheet.faces].sum(axis=1)
    table = np.hstack([sheet.vertices, sheet.anchor, sheet.out, sheet.shares])
    new: dict[tuple[int, int], int] = {}
    rows: list[np.ndarray] = []

    def crossing(a: int, b: int) -> int:
        first, second = (a, b) if a < b else (b, a)
        if (first, second) not in new:
            new[first, second] = len(table) + len(rows)
            at = values[first] / (values[first] - values[second])
            rows.append((1 - at) * table[first] + at * table[second])
        return new[first, second]

    faces = list(sheet.faces[count == 3])
    for face in sheet.faces[(count == 1) | (count == 2)]:
        # The lone corner is on its own side of the line.
        lone = int(np.flatnonzero(inside[face] == (inside[face].sum() == 1))[0])
        a, b, c = (int(face[(lone + step) % 3]) for step in range(3))
        near, far = crossing(a, b), crossing(a, c)
        faces += [[a, near, far]] if inside[a] else [[near, b, c], [near, c, far]]
    if rows:
        table = np.vstack([table, *rows])
    return _compact(table, np.array(faces, int).reshape(-1, 3))


def kept(sheet: Sheet, faces: ArrayLike) -> Sheet:
    """Keep some faces (F,) bool of a sheet."""
    return _compact(
        np.hstack([sheet.vertices, sheet.anchor, sheet.out, sheet.shares]), sheet.faces[np.asarray(faces, bool)]
    )


def _compact(table: np.ndarray, faces: np.ndarray) -> Sheet:
    used, faces = np.unique(faces, return_inverse=True)
    faces, table = faces.reshape(-1, 3), table[used]
    a, b, c = faces.T
    faces = faces[(a != b) & (b != c) & (c != a)]
    out = table[:, 6:9] / np.maximum(np.linalg.norm(table[:, 6:9], axis=1, keepdims=True), 1e-12)
    return Sheet(table[:, :3], faces, table[:, 9:], table[:, 3:6], out)


def loosened(sheet: Sheet, ease: np.ndarray | float, rounds: int = 10) -> Sheet:
    """Stretch a sheet over the body like an elastic skin.

    The sheet spans the hollows of the body, as cloth does, and is nowhere nearer to the suit than ``ease`` (m).
    """
    ease = np.broadcast_to(np.asarray(ease, float), len(sheet.vertices))[:, None]
    places = sheet.vertices + np.maximum(ease - _away(sheet, sheet.vertices), 0) * sheet.out
    for _ in range(rounds):
        places = (1 - FIRM) * places + FIRM * (sheet.links @ places)
        places = places + np.maximum(ease - _away(sheet, places), 0) * sheet.out
    return replace(sheet, vertices=places)


def _away(sheet: Sheet, places: np.ndarray) -> np.ndarray:
    """Return the distances (V, 1) m of places from the suit."""
    return ((places - sheet.anchor) * sheet.out).sum(axis=1, keepdims=True)


def outside(sheet: Sheet, under: Sheet, gap: float, reach: float = 0.06) -> Sheet:
    """Push a sheet outwards until it is ``gap`` (m) away from the sheet under it.

    Only parts within ``reach`` (m) of that sheet are pushed.
    """
    tree, normals = KDTree(under.vertices), normals_of(under.vertices, under.faces)
    places = sheet.vertices
    for _ in range(3):
        near, number = (np.asarray(found) for found in tree.query(places, k=6))
        deep = gap - ((places[:, None] - under.vertices[number]) * normals[number]).sum(axis=2)
        deep = np.where(near < reach, np.clip(deep, 0, None), 0)
        worst = deep.argmax(axis=1)
        rows = np.arange(len(places))
        places = places + deep[rows, worst][:, None] * normals[number[rows, worst]]
        places = np.where((deep.max(axis=1) > 0)[:, None], 0.5 * places + 0.5 * (sheet.links @ places), places)
    near, number = tree.query(places)
    deep = gap - ((places - under.vertices[number]) * normals[number]).sum(axis=1)
    deep = np.where(near < reach, np.clip(deep, 0, None), 0)
    return replace(sheet, vertices=places + deep[:, None] * normals[number])


def hemmed(sheet: Sheet, depth: float, thick: float, lining: np.ndarray | None = None) -> Sheet:
    """Fold all edges of a sheet inwards to the body.

    Sleeves and legs thus have a thickness and an inside. ``depth`` (m) is how far the fold goes back under the cloth,
    and ``thick`` (m) how thick the edge is. Where one looks far inside, such as at a skirt or a neck, the cloth has a
    lining in place of a fold, which stays close to the cloth. ``lining`` (V,) m is its depth at each vertex, or 0.
    """
    rim = sheet.rim
    edge = np.unique(rim)
    place = np.searchsorted(edge, rim)
    lining = np.zeros(len(sheet.vertices)) if lining is None else lining
    normals = normals_of(sheet.vertices, sheet.faces)
    across = np.cross(sheet.vertices[rim[:, 1]] - sheet.vertices[rim[:, 0]], normals[rim].mean(axis=1))
    away = np.zeros((len(edge), 3))
    for end in place.T:
        np.add.at(away, end, across)
    away /= np.maximum(np.linalg.norm(away, axis=1, keepdims=True), 1e-12)
    start, inwards = sheet.vertices[edge], thick * normals[edge]
    # A fold goes in until it meets the body, so that nobody sees through a sleeve. It moves as the cloth over it.
    end = start - np.maximum(lining[edge], depth)[:, None] * away
    far, near = KDTree(sheet.vertices).query(end, k=3)
    part = 1 / (far + 1e-3)
    part /= part.sum(axis=1, keepdims=True)
    inside = np.where(lining[:, None] > 0, sheet.vertices - LINING * thick * normals, sheet.anchor)
    end = (part[..., None] * inside[near]).sum(axis=1)
    bound = (part[..., None] * sheet.shares[near]).sum(axis=1)
    # The fold has vertices of its own, so that its edge is sharp.
    rings = (start, start - inwards + 0.2 * thick * away, end)
    shares = (sheet.shares[edge], sheet.shares[edge], bound)
    first = len(sheet.vertices) + len(edge) * np.arange(3)
    a, b = place.T
    strips = [
        np.concatenate([np.stack([up + b, up + a, down + a], axis=1), np.stack([up + b, down + a, down + b], axis=1)])
        for up, down in pairwise(first)
    ]
    return Sheet(
        np.concatenate([sheet.vertices, *rings]),
        np.concatenate([sheet.faces, *strips]),
        np.concatenate([sheet.shares, *shares]),
        np.concatenate([sheet.anchor, *3 * [sheet.anchor[edge]]]),
        np.concatenate([sheet.out, *3 * [sheet.out[edge]]]),
    )
