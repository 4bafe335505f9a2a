"""Repair of faces: doubled and empty ones are left out, and neighbours show the same side."""

import numpy as np

from chronotope.world.things.mesh import Mesh, volume

WELD = 1e-4  # of the longest side: corners this near are one


def repaired(mesh: Mesh) -> Mesh:
    """Return a mesh whose lines can be drawn: joined corners, each face once, and outsides outside."""
    size = float(np.ptp(mesh.vertices, axis=0).max())
    _, first, which = np.unique(
        np.round(mesh.vertices / max(WELD * size, 1e-12)).astype(np.int64), axis=0, return_index=True,
        return_inverse=True,
    )  # fmt: skip
    faces = which.reshape(-1)[mesh.faces]
    _, once = np.unique(np.sort(faces, axis=1), axis=0, return_index=True)
    faces = faces[np.sort(once)]
    points = mesh.vertices[first]
    a, b, c = (points[faces[:, k]] for k in range(3))
    sizes = np.linalg.norm(np.cross(b - a, c - a), axis=1)
    faces = _oriented(points, faces[sizes > 1e-12 * size**2])
    return Mesh(points, faces, np.zeros((len(points), 2)))


def _oriented(points: np.ndarray, faces: np.ndarray) -> np.ndarray:
    """Turn faces over so that neighbours agree, and each connected piece shows its outside.

    A piece that is not closed shows the side that is away from the middle of the mesh.
    """
    middle = (points.min(axis=0) + points.max(axis=0)) / 2
    at: dict[tuple[int, int], list[tuple[int, bool]]] = {}
    for number, face in enumerate(faces.tolist()):
        for a, b in zip(face, (face[1], face[2], face[0]), strict=True):
            at.setdefault((min(a, b), max(a, b)), []).append((number, a < b))
    beside: list[list[tuple[int, bool]]] = [[] for _ in faces]
    for found in at.values():
        if len(found) == 2:
            (one, forward), (other, also) = found
            beside[one].append((other, forward == also))
            beside[other].append((one, forward == also))
    turned, done = faces.copy(), np.zeros(len(faces), bool)
    for start in range(len(faces)):
        if done[start]:
            continue
        done[start], piece, flips = True, [start], {start: False}
        for number in piece:
            for other, differs in beside[number]:
                if not done[other]:
                    done[other], flips[other] = True, flips[number] != differs
                    piece.append(other)
        over = [number for number in piece if flips[number]]
        turned[over] = turned[over][:, ::-1]
        if volume(points - middle, turned[piece]) < 0:
            turned[piece] = turned[piece][:, ::-1]
    return turned
