"""Closed meshes from profiles, outlines and paths, in m with z up.

Faces are counter-clockwise seen from outside. Every shape is a loft: a sequence of rings of points, in which each ring
is joined to the next ring. A mesh also has uv coordinates: u goes to the right, and v goes down from the top row of a
picture. The last point of a ring repeats its first point, so that a picture can wrap around the ring.
"""

from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from scipy.interpolate import PchipInterpolator
from scipy.sparse import coo_matrix
from scipy.sparse.csgraph import connected_components
from scipy.spatial import ConvexHull

GRAIN = 1e-6  # m; vertices are rounded to multiples of this length, and equal vertices are then joined


class Mesh(NamedTuple):
    """Triangles: vertices (V, 3) m, faces (F, 3), uv (V, 2)."""

    vertices: np.ndarray
    faces: np.ndarray
    uv: np.ndarray


def loft(rings: np.ndarray, closed: bool = False) -> Mesh:
    """Join rings (K, N, 3) and cap the open ends.

    The rings are counter-clockwise seen from the end of the loft. `closed` joins the last ring to the first ring
    instead of capping the ends. All points of an end must be visible from the middle of this end.
    """
    rings = np.concatenate([rings, rings[:, :1]], axis=1)
    if closed:
        rings = np.concatenate([rings, rings[:1]])
    count, around = rings.shape[:2]
    steps = np.linalg.norm(np.diff(rings, axis=0), axis=2).mean(axis=1)
    along = np.concatenate([[0.0], np.cumsum(steps)]) / max(steps.sum(), 1e-12)
    uv = np.stack(np.broadcast_arrays(np.linspace(0, 1, around)[None], 1 - along[:, None]), axis=2)
    corner = (np.arange(count - 1)[:, None] * around + np.arange(around - 1)[None]).ravel()
    faces = [
        np.stack([corner, corner + 1, corner + around + 1], axis=1),
        np.stack([corner, corner + around + 1, corner + around], axis=1),
    ]
    vertices, pictures = [rings.reshape(-1, 3)], [uv.reshape(-1, 2)]
    if not closed:
        for end, turn in ((0, -1), (count - 1, 1)):
            if np.ptp(rings[end], axis=0).max() == 0:  # a point needs no cap
                continue
            first = sum(len(part) for part in vertices)
            vertices.append(np.concatenate([rings[end], rings[end, :-1].mean(axis=0, keepdims=True)]))
            pictures.append(_flat_uv(vertices[-1]))
            fan = first + np.stack([np.arange(around - 1), np.arange(1, around), np.full(around - 1, around)], axis=1)
            faces.append(fan[:, ::turn])
    return Mesh(np.concatenate(vertices), np.concatenate(faces), np.concatenate(pictures))


def _flat_uv(points: np.ndarray) -> np.ndarray:
    low, high = points.min(axis=0), points.max(axis=0)
    first, second = np.sort(np.argsort(high - low)[1:])
    scaled = (points - low) / np.maximum(high - low, 1e-12)
    return np.stack([scaled[:, first], 1 - scaled[:, second]], axis=1)


def lathe(profile: Sequence[Sequence[float]] | np.ndarray, segments: int = 40, closed: bool = False) -> Mesh:
    """Turn a profile (N, 2) of (radius, z) about z.

    The profile goes from the bottom outwards, up, and back to the axis. A `closed` profile is a loop that does not
    touch the axis. The loop is counter-clockwise in a drawing with the radius to the right and z up.
    """
    profile = np.asarray(profile, float)
    profile = np.where(np.abs(profile) < 1e-9, 0.0, profile)  # the poles of a sphere are exactly on the axis
    circle = ring(1.0, segments=segments)
    rings = profile[:, 0, None, None] * circle[None]
    rings[:, :, 2] = profile[:, 1, None]
    return loft(rings, closed=closed)


def cylinder(radius: float, length: float, axis: str = "z", bevel: float = 0.0, segments: int = 32) -> Mesh:
    """Return a cylinder about the origin along an axis, its edges bevelled."""
    corner = [(radius - bevel, -length / 2), (radius, -length / 2 + bevel), (radius, length / 2 - bevel)]
    return along(lathe([(0, -length / 2), *corner, (radius - bevel, length / 2), (0, length / 2)], segments), axis)


def along(mesh: Mesh, axis: str) -> Mesh:
    """Turn a mesh from +z to +x, +y or +z."""
    return {"x": lambda: turned(mesh, "y", 90), "y": lambda: turned(mesh, "x", -90), "z": lambda: mesh}[axis]()


def upright(mesh: Mesh) -> Mesh:
    """Stand a lying mesh on edge, so that its top faces +x.

    Its x goes to y, and its y to z.
    """
    return mesh._replace(vertices=mesh.vertices[:, [2, 0, 1]])


def pictured(mesh: Mesh) -> Mesh:
    """Map a picture onto a mesh from above.

    The picture covers the whole extent in x (rightwards) and y (upwards).
    """
    return mesh._replace(uv=_flat_uv(np.column_stack([mesh.vertices[:, :2], np.zeros(len(mesh.vertices))])))


def panel(width: float, height: float, depth: float = 0.001) -> Mesh:
    """Make an upright slab about the origin with a picture on it.

    The picture is not mirrored when seen from -y.
    """
    return turned(pictured(block((width, height, depth))), "x", 90)


def ring(radius: float, segments: int = 40, z: float = 0.0) -> np.ndarray:
    """Return points (N, 3) of a circle about z, counter-clockwise from +x."""
    angle = np.arange(segments) * (2 * np.pi / segments)
    return np.stack([radius * np.cos(angle), radius * np.sin(angle), np.full(segments, z)], axis=1)


def ellipsoid(radii: Sequence[float] | float, segments: int = 28, flattened: float = 0.0) -> Mesh:
    """Make an ellipsoid about the origin.

    `flattened` is the share of the height that is cut off at the bottom.
    """
    rx, ry, rz = np.broadcast_to(np.asarray(radii, float), 3)
    polar = np.linspace(np.pi, 0, segments // 2 + 1)
    profile = np.stack([np.sin(polar), np.cos(polar)], axis=1)
    if flattened:
        lowest = -1 + 2 * flattened
        kept = profile[profile[:, 1] > lowest + 1e-3]
        profile = np.concatenate([[[0, lowest], [np.sqrt(1 - lowest**2), lowest]], kept])
    return moved(lathe(profile, segments), scale=(rx, ry, rz))


def block(
    size: Sequence[float],
    radius: float = 0.0,
    corner: float | None = None,
    taper: float = 1.0,
    steps: int = 3,
) -> Mesh:
    """Make a box about the origin with rounded edges.

    `corner` is another radius for the upright edges; `taper` scales the top.
    """
    length, width, height = size
    corner = radius if corner is None else corner
    turn = np.linspace(0, np.pi / 2, steps + 1) if radius else np.zeros(1)
    inset, rise = radius * (1 - np.sin(turn)), radius * (1 - np.cos(turn))
    levels = [(d, -height / 2 + z) for d, z in zip(inset, rise, strict=True)]
    levels += [(d, -z) for d, z in reversed(levels)]
    rings = []
    for d, z in levels:
        grown = 1 + (taper - 1) * (z / height + 0.5)
        outline = rounded_rectangle(length - 2 * d, width - 2 * d, max(corner - d, 0.0), steps) * grown
        rings.append(np.column_stack([outline, np.full(len(outline), z)]))
    return loft(np.array(rings))


def rounded_rectangle(length: float, width: float, radius: float, steps: int = 3) -> np.ndarray:
    """Return an outline (4 (steps + 1), 2) about the origin, counter-clockwise."""
    radius = min(radius, length / 2, width / 2)
    quarter = np.linspace(0, np.pi / 2, steps + 1)
    parts = []
    for k, (sx, sy) in enumerate(((1, 1), (-1, 1), (-1, -1), (1, -1))):
        angle = quarter + k * np.pi / 2
        parts.append(
            np.stack(
                [
                    sx * (length / 2 - radius) + radius * np.cos(angle),
                    sy * (width / 2 - radius) + radius * np.sin(angle),
                ],
                axis=1,
            )
        )
    return np.concatenate(parts)


def tube(
    path: np.ndarray,
    radius: ArrayLike,
    segments: int = 12,
    closed: bool = False,
    up: Sequence[float] = (0.0, 0.0, 1.0),
) -> Mesh:
    """Make a tube along a path (N, 3).

    The radius is a number, an array (N,) with one value per point, or an array (N, 2) with a radius across the path and
    a radius towards `up`.
    """
    path = np.asarray(path, float)
    radii = np.asarray(radius, float)
    radii = np.broadcast_to(radii[:, None] if radii.ndim == 1 else radii, (len(path), 2))
    ahead = np.roll(path, -1, axis=0) - np.roll(path, 1, axis=0) if closed else np.gradient(path, axis=0)
    ahead /= np.linalg.norm(ahead, axis=1, keepdims=True)
    normal = np.empty_like(path)
    last = np.asarray(up, float)
    for k, tangent in enumerate(ahead):  # parallel transport: no twist along the way
        last = last - tangent * (last @ tangent)
        if np.linalg.norm(last) < 1e-6:
            last = np.cross(tangent, (0.0, 1.0, 0.0))
        last = last / np.linalg.norm(last)
        normal[k] = last
    across = np.cross(normal, ahead)
    angle = np.arange(segments) * (2 * np.pi / segments)
    rings = (
        path[:, None]
        + radii[:, None, :1] * np.cos(angle)[None, :, None] * across[:, None]
        + radii[:, None, 1:] * np.sin(angle)[None, :, None] * normal[:, None]
    )
    return loft(rings, closed=closed)


def extrude(outline: Sequence[Sequence[float]] | np.ndarray, height: float, radius: float = 0.0) -> Mesh:
    """Extrude an outline (N, 2) to a height about z = 0.

    The outline is counter-clockwise and does not cross itself. The edges of the mesh are bevelled.
    """
    outline = np.asarray(outline, float)
    levels = [(0.0, -height / 2), (0.0, height / 2)]
    if radius:
        levels = [
            (radius, -height / 2),
            (0.0, -height / 2 + radius),
            (0.0, height / 2 - radius),
            (radius, height / 2),
        ]
    rings = np.array([np.column_stack([_inset(outline, d), np.full(len(outline), z)]) for d, z in levels])
    body = loft(rings, closed=True)
    wall = body.faces[np.all(body.faces < len(rings) * (len(outline) + 1), axis=1)]
    lids = triangulate(outline)
    vertices, faces, uv = [body.vertices], [wall], [body.uv]
    for end, turn in ((0, -1), (-1, 1)):
        faces.append(lids[:, ::turn] + sum(len(part) for part in vertices))
        vertices.append(rings[end])
        uv.append(_flat_uv(rings[end]))
    return Mesh(np.concatenate(vertices), np.concatenate(faces), np.concatenate(uv))


def _inset(outline: np.ndarray, distance: float) -> np.ndarray:
    """Move an outline inwards.

    Each side moves by `distance` along its normal (a mitre), except at very sharp corners.
    """
    if not distance:
        return outline
    ahead = np.roll(outline, -1, axis=0) - outline
    ahead /= np.linalg.norm(ahead, axis=1, keepdims=True)
    inward = np.stack([-ahead[:, 1], ahead[:, 0]], axis=1)
    both = inward + np.roll(inward, 1, axis=0)
    share = np.maximum(np.sum(both * inward, axis=1, keepdims=True), 0.4)
    return outline + distance * both / share


def triangulate(outline: np.ndarray) -> np.ndarray:
    """Triangulate a simple counter-clockwise outline by ear clipping: (N - 2, 3)."""

    def cross(a: np.ndarray, b: np.ndarray, c: np.ndarray) -> np.ndarray:
        return (b[..., 0] - a[..., 0]) * (c[..., 1] - a[..., 1]) - (b[..., 1] - a[..., 1]) * (c[..., 0] - a[..., 0])

    left = list(range(len(outline)))
    triangles = []
    while len(left) > 3:
        for k in range(len(left)):
            a, b, c = left[k - 1], left[k], left[(k + 1) % len(left)]
            corner = outline[[a, b, c]]
            if cross(*corner) <= 1e-14:
                continue
            others = outline[[i for i in left if i not in (a, b, c)]]
            inside = [cross(corner[i], corner[(i + 1) % 3], others) >= 0 for i in range(3)]
            if not np.any(np.all(inside, axis=0)):
                triangles.append((a, b, c))
                del left[k]
                break
        else:  # only triangles of nearly no area are left
            triangles.append((left[-1], left[0], left[1]))
            del left[0]
    return np.array([*triangles, tuple(left)])


def moved(
    mesh: Mesh,
    by: ArrayLike = (0.0, 0.0, 0.0),
    scale: ArrayLike = 1.0,
) -> Mesh:
    """Scale a mesh about the origin (positive factors), then shift it."""
    return mesh._replace(vertices=mesh.vertices * np.asarray(scale, float) + np.asarray(by, float))


def turned(mesh: Mesh, axis: str, degrees: float) -> Mesh:
    """Turn a mesh about an axis by the right-hand rule."""
    first, second = {"x": (1, 2), "y": (2, 0), "z": (0, 1)}[axis]
    cosine, sine = np.cos(np.radians(degrees)), np.sin(np.radians(degrees))
    vertices = mesh.vertices.copy()
    vertices[:, first] = cosine * mesh.vertices[:, first] - sine * mesh.vertices[:, second]
    vertices[:, second] = sine * mesh.vertices[:, first] + cosine * mesh.vertices[:, second]
    return mesh._replace(vertices=vertices)


def merge(*meshes: Mesh) -> Mesh:
    """Merge several meshes into one."""
    first = np.cumsum([0, *(len(mesh.vertices) for mesh in meshes[:-1])])
    return Mesh(
        np.concatenate([mesh.vertices for mesh in meshes]),
        np.concatenate([mesh.faces + k for mesh, k in zip(meshes, first, strict=True)]),
        np.concatenate([mesh.uv for mesh in meshes]),
    )


def curve(points: Sequence[Sequence[float]] | np.ndarray, count: int) -> np.ndarray:
    """Draw a smooth curve (count, D) through points.

    The curve does not overshoot between the points.
    """
    points = np.asarray(points, float)
    along = np.concatenate([[0.0], np.cumsum(np.linalg.norm(np.diff(points, axis=0), axis=1))])
    return PchipInterpolator(along, points)(np.linspace(0, along[-1], count))


def fillet(points: Sequence[Sequence[float]] | np.ndarray, radius: float, steps: int = 4) -> np.ndarray:
    """Return a polyline (N, D) with rounded corners and unchanged ends."""
    points = np.asarray(points, float)
    share = np.linspace(0, 1, steps + 1)[:, None]
    parts = [points[:1]]
    for before, here, after in zip(points[:-2], points[1:-1], points[2:], strict=True):
        back, on = before - here, after - here
        reach = min(radius, 0.49 * np.linalg.norm(back), 0.49 * np.linalg.norm(on))
        start = here + back / np.linalg.norm(back) * reach
        end = here + on / np.linalg.norm(on) * reach
        parts.append((1 - share) ** 2 * start + 2 * share * (1 - share) * here + share**2 * end)
    return np.concatenate([*parts, points[-1:]])


def hollow(outer: np.ndarray, wall: float, floor: float | None = None) -> np.ndarray:
    """Make the profile of a vessel with a wall.

    `outer` (N, 2) goes from the axis at the bottom to the rim; the wall is added inside.
    """
    ahead = np.gradient(outer, axis=0)
    ahead /= np.maximum(np.linalg.norm(ahead, axis=1, keepdims=True), 1e-12)
    inner = outer + wall * np.stack([-ahead[:, 1], ahead[:, 0]], axis=1)
    inner[-1] = outer[-1] - [wall, 0]
    bottom = outer[0, 1] + (wall if floor is None else floor)
    first = int(np.argmax((inner[:, 1] > bottom + 1e-4) & (inner[:, 0] > wall)))
    inside, beneath = inner[first:], inner[max(first - 1, 0)]
    lip = (outer[-1] + inside[-1]) / 2 + [0, wall * 0.35]
    share = np.clip((bottom - beneath[1]) / (inside[0, 1] - beneath[1]), 0, 1)
    foot = [beneath[0] + share * (inside[0, 0] - beneath[0]), bottom]
    return np.concatenate([outer, [lip], inside[::-1], [foot, [0.0, bottom]]])


def finish(mesh: Mesh, pictured: bool, crease: float = 38.0, grain: float = GRAIN) -> Mesh:
    """Clean a mesh, and split its vertices at sharp edges.

    Coinciding vertices are joined, faces without area are removed, and vertices are duplicated at edges sharper than
    `crease` degrees. A renderer with one normal per vertex then shades curved surfaces smoothly and edges sharply.
    Vertices are rounded to multiples of `grain` (m), and a mesh reaches less than 2^20 grains from the origin.
    """
    places, kept, which = _unique(np.round(mesh.vertices / grain).astype(np.int64))
    flat = which[mesh.faces]
    alive = np.all(flat != np.roll(flat, 1, axis=1), axis=1)
    if pictured:  # where the two edges of a picture meet, there are two vertices
        keys = np.column_stack([which, np.round(mesh.uv * 1e5).astype(np.int64)])
        place = which
        _, kept, which = _unique(keys)
        places = places[place[kept]]
    points, faces, uv = places * grain, which[mesh.faces[alive]], mesh.uv[kept]
    corner = _part_creases(points, faces, np.cos(np.radians(crease)))
    _, first, new = np.unique(corner, return_index=True, return_inverse=True)
    old = faces.ravel()[first]
    return Mesh(points[old], new.reshape(-1, 3), uv[old])


def _unique(rows: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Find the different rows of (N, 3) whole numbers.

    The absolute values of the numbers are below 2^20. Returns three arrays: the distinct rows, the index of the first
    equal input row for each distinct row, and the index of the equal distinct row for each input row.
    """
    packed = (rows + 2**20) @ np.array([2**42, 2**21, 1])
    _, first, which = np.unique(packed, return_index=True, return_inverse=True)
    return rows[first], first, which


def _part_creases(points: np.ndarray, faces: np.ndarray, cosine: float) -> np.ndarray:
    """Return a new vertex number for each face corner, (3 F,).

    If two faces have a common edge that is not sharp, they share the two vertices of this edge.
    """
    normal = np.cross(points[faces[:, 1]] - points[faces[:, 0]], points[faces[:, 2]] - points[faces[:, 0]])
    normal /= np.maximum(np.linalg.norm(normal, axis=1, keepdims=True), 1e-18)
    here = np.arange(faces.size)
    there = here // 3 * 3 + (here % 3 + 1) % 3
    start, end = faces.ravel(), faces.ravel()[there]
    edge, back = start * len(points) + end, end * len(points) + start
    order = np.argsort(edge)
    twin = order[np.minimum(np.searchsorted(edge, back, sorter=order), len(order) - 1)]
    smooth = np.einsum("ij,ij->i", normal[here // 3], normal[twin // 3]) >= cosine
    one = here[(edge[twin] == back) & smooth]
    links = np.column_stack([one, there[twin[one]]])
    graph = coo_matrix((np.ones(len(links)), (links[:, 0], links[:, 1])), shape=(faces.size, faces.size))
    return connected_components(graph, directed=False)[1]


def volume(vertices: np.ndarray, faces: np.ndarray) -> float:
    """Return the volume of a closed mesh, below 0 if inside out."""
    a, b, c = (vertices[faces[:, k]] for k in range(3))
    return float(np.einsum("ij,ij->", a, np.cross(b, c)) / 6)


def vertex_normals(vertices: np.ndarray, faces: np.ndarray) -> np.ndarray:
    """Return the normals (V, 3) of vertices, weighted by area."""
    a, b, c = (vertices[faces[:, k]] for k in range(3))
    area = np.cross(b - a, c - a)
    total = np.zeros_like(vertices, dtype=float)
    for k in range(3):
        np.add.at(total, faces[:, k], area)
    return total / np.maximum(np.linalg.norm(total, axis=1, keepdims=True), 1e-18)


def slices(mesh: Mesh, cuts: Sequence[float], axis: int = 2) -> tuple[np.ndarray, ...]:
    """Cut a mesh along an axis, and return each slice's points.

    A face belongs to the slice that contains its middle.
    """
    middle = mesh.vertices[mesh.faces, axis].mean(axis=1)
    between = [(middle >= low) & (middle < high) for low, high in pairwise(cuts)]
    return tuple(mesh.vertices[np.unique(mesh.faces[faces])] for faces in between if faces.any())


def support_points(vertices: np.ndarray, within: float = 0.003) -> np.ndarray:
    """Choose a few vertices (N, 3) whose hull contains nearly all vertices.

    The other vertices are outside the hull by at most `within` m. Vertices at the rims of top, bottom and waist are
    chosen first, so that a thing with a round foot does not tilt.
    """
    rim = ring(1.0, 20)
    ways = np.concatenate(
        [rim * across + [0, 0, up] for across, up in ((1, 0), (0.004, 1), (0.004, -1), (1, 1), (1, -1))]
    )
    chosen = np.unique(np.argmax(vertices @ ways.T, axis=0))
    for _ in range(20):
        planes = ConvexHull(vertices[chosen], qhull_options="QJ").equations
        beyond = vertices @ planes[:, :3].T + planes[:, 3]
        furthest = beyond.max(axis=0)
        if furthest.max() <= within:
            break
        worst = np.argsort(-furthest)[:12]
        chosen = np.union1d(chosen, np.argmax(beyond[:, worst[furthest[worst] > within]], axis=0))
    return vertices[chosen]
