"""Linear blend skinning of the verifier's own: the surface of an articulated entity in each frame."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy.sparse import csr_array
from scipy.spatial import KDTree

from chronotope.recording import Body, Recording
from chronotope.world.verify.triangles import nearest_shares

FINE = 24  # a triangle longer than the surface's size divided by this is searched through several of its points
LONGEST_M = 0.15  # m; a triangle longer than this is always searched through several of its points
CANDIDATES = 4  # triangles that are compared with a point at first
NEAR_M = 0.002  # m; a point this near to a compared triangle is not compared with further triangles
STRETCHED = 1.5  # largest factor by which a posed triangle is longer than at rest


class Skin:
    """The surface of a body, which its joints move.

    ``samples`` (S,) are triangles, with the shares (S, 3) of their corners in a point of each of them: every point of
    the surface at rest is within ``reach`` (m) of such a point of its own triangle.
    """

    def __init__(self, body: Body) -> None:
        self.body = body
        self.faces = np.asarray(body.faces, np.int64)
        self.used = np.unique(self.faces)
        count, width = body.bones.shape
        rows = np.repeat(np.arange(count), width)
        shape = count, len(body.joints)
        self._bound = csr_array((np.ravel(body.weights), (rows, np.ravel(body.bones))), shape=shape)
        self._from_rest = _inverted(body.rest)
        self.samples, self.shares, self.reach = _samples(np.asarray(body.vertices, float), self.faces)

    def weights_of(self, joints: np.ndarray) -> np.ndarray:
        """Return the sum of the weights (V,) of some joints for each vertex."""
        return self._bound[:, joints].sum(axis=1)

    def part(self, joints: np.ndarray, least: float) -> np.ndarray:
        """Return the triangles (M,) whose corners some joints move with at least a given sum of weights."""
        return np.flatnonzero((self.weights_of(joints)[self.faces] >= least).all(axis=1))

    def vertices_at(self, frame: int) -> np.ndarray:
        """Return the places (V, 3) m of the vertices in the world in a frame."""
        moved = (self.body.poses[frame] @ self._from_rest)[:, :3].reshape(-1, 12)
        mixed = (self._bound @ moved).reshape(-1, 3, 4)
        return np.einsum("vij,vj->vi", mixed[..., :3], self.body.vertices) + mixed[..., 3]

    def spread(self, most: int, chosen: np.ndarray | None = None) -> tuple[np.ndarray, np.ndarray]:
        """Choose points of the surface, or of the ``chosen`` triangles (M,), spread evenly over their area.

        Returns their triangles (N,) and the shares (N, 3) of the corners.
        """
        chosen = np.arange(len(self.faces)) if chosen is None else chosen
        corners = self.body.vertices[self.faces[chosen]]
        area = np.linalg.norm(np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]), axis=1)
        ends = np.cumsum(area)
        triangles = np.searchsorted(ends, (np.arange(most) + 0.5) / most * ends[-1])
        # Multiples of two irrational numbers cover the unit square evenly.
        u, v = np.sqrt(np.arange(1, most + 1) * 0.7548776662466927 % 1), np.arange(1, most + 1) * 0.5698402909980532 % 1
        return chosen[np.minimum(triangles, len(chosen) - 1)], np.stack([1 - u, u * (1 - v), u * v], axis=1)


def _inverted(poses: np.ndarray) -> np.ndarray:
    """Return the inverses (N, 4, 4) of rigid poses."""
    inverse = np.zeros_like(poses, float)
    inverse[:, :3, :3] = poses[:, :3, :3].transpose(0, 2, 1)
    inverse[:, :3, 3] = -np.einsum("nji,nj->ni", poses[:, :3, :3], poses[:, :3, 3])
    inverse[:, 3, 3] = 1.0
    return inverse


def _samples(vertices: np.ndarray, faces: np.ndarray) -> tuple[np.ndarray, np.ndarray, float]:
    """Choose points on each triangle, more of them on long triangles."""
    corners = vertices[faces]
    sides = np.linalg.norm(corners - np.roll(corners, 1, axis=1), axis=2).max(axis=1)
    size = float(np.linalg.norm(corners.max(axis=(0, 1)) - corners.min(axis=(0, 1))))
    longest = min(size / FINE, LONGEST_M)
    cuts = np.maximum(np.ceil(sides / longest), 1).astype(np.int64)
    triangles, shares = [], []
    for cut in np.unique(cuts):
        own = np.flatnonzero(cuts == cut)
        # The middles of the small triangles into which a triangle is cut along lines parallel to its sides.
        i, j = np.indices((cut, cut)).reshape(2, -1)
        up, down = i + j < cut, i + j < cut - 1
        second = np.concatenate([(i[up] + 1 / 3), (i[down] + 2 / 3)]) / cut
        third = np.concatenate([(j[up] + 1 / 3), (j[down] + 2 / 3)]) / cut
        triangles.append(np.repeat(own, len(second)))
        shares.append(np.tile(np.stack([1 - second - third, second, third], axis=1), (len(own), 1)))
    # The middle of a triangle is within 2/3 of its longest side of each of its points.
    return np.concatenate(triangles), np.concatenate(shares), float((sides / cuts).max()) * 2 / 3


@dataclass(frozen=True, eq=False)
class Posed:
    """The surface of a body in a frame; ``vertices`` (V, 3) m are in the world."""

    skin: Skin
    vertices: np.ndarray

    @cached_property
    def _corners(self) -> np.ndarray:
        return self.vertices[self.skin.faces]

    @cached_property
    def _tree(self) -> KDTree:
        places = self.places(self.skin.samples, self.skin.shares)
        return KDTree(places, leafsize=16, compact_nodes=False, balanced_tree=False)

    def places(self, triangles: np.ndarray, shares: np.ndarray) -> np.ndarray:
        """Return the places (N, 3) m in the world of points of the surface.

        ``triangles`` (N,) are their triangles, and ``shares`` (N, 3) the shares of the corners.
        """
        return np.einsum("nk,nkj->nj", shares, self._corners[triangles])

    def nearest(self, points: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Find the places of the surface that are nearest to points (N, 3) m in the world.

        Returns their triangles (N,), the shares (N, 3) of the corners, and their distances (N,) m from the points.
        """
        count = min(CANDIDATES, len(self.skin.samples))
        _, found = self._tree.query(points, count)
        triangles, shares, apart = self._best(points, np.repeat(np.arange(len(points)), count), found.ravel())
        far = np.flatnonzero(apart > NEAR_M)
        if len(far):
            # Any nearer place is in a triangle with a sample within this distance.
            within = self._tree.query_ball_point(points[far], apart[far] + STRETCHED * self.skin.reach)
            lengths = np.array([len(each) for each in within])
            owners, chosen = np.repeat(np.arange(len(far)), lengths), np.concatenate(within).astype(np.int64)
            triangles[far], shares[far], apart[far] = self._best(points[far], owners, chosen)
        return triangles, shares, apart

    def _best(
        self, points: np.ndarray, owners: np.ndarray, samples: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return the nearest place of each point among the triangles of its samples.

        ``owners`` (M,) are the points to which the ``samples`` (M,) belong, in ascending order.
        """
        pairs = np.unique(owners * len(self.skin.faces) + self.skin.samples[samples])
        owners, candidates = np.divmod(pairs, len(self.skin.faces))
        shares, apart = nearest_shares(points[owners], self._corners[candidates])
        order = np.lexsort((apart, owners))
        first = order[np.searchsorted(owners[order], np.arange(len(points)))]
        return candidates[first], shares[first], apart[first]


class Skins:
    """The bodies of a recording, posed frame by frame.

    The last frame is kept, so that several checks of a frame pose each body once.
    """

    def __init__(self, recording: Recording) -> None:
        self.by_identity = {
            identity: Skin(entity.body)
            for identity, entity in enumerate(recording.entities, 1)
            if entity.body is not None and len(entity.body.faces)
        }
        self._frame = -1
        self._posed: dict[int, Posed] = {}

    def at(self, frame: int) -> dict[int, Posed]:
        """Return the posed surface of each body by identity."""
        if frame != self._frame:
            self._frame = frame
            self._posed = {
                identity: Posed(skin, skin.vertices_at(frame)) for identity, skin in self.by_identity.items()
            }
        return self._posed
