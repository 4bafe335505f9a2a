"""Few plain colours for the surfaces of a model: pictures are averaged over each connected part."""

from dataclasses import dataclass

import numpy as np
from scipy.sparse import coo_matrix
from scipy.sparse.csgraph import connected_components

from chronotope.errors import InputError
from chronotope.world.forge.wavefront import Surface
from chronotope.world.things.colours import lab

MOST = 10  # colours of one model
ALIKE = 7.0  # surfaces whose colours have at most this distance in CIE Lab get one colour
PARTS = 20_000  # connected parts of one model
CLEAR = 0.2  # surfaces with less opacity are left out
_GRAIN = 1e-5  # of the model's size: vertices that are nearer are one vertex
_WEIGHTS = np.array([[1, 1, 1], [4, 1, 1], [1, 4, 1], [1, 1, 4]]) / np.array([[3.0], [6.0], [6.0], [6.0]])


@dataclass(eq=False)
class Patch:
    """Triangles of one colour: vertices (V, 3), faces (F, 3), and its look: sRGB, specular and shininess."""

    vertices: np.ndarray
    faces: np.ndarray
    look: tuple[float, float, float, float, float]


@dataclass(eq=False)
class _Part:
    """A connected part of a surface."""

    corners: np.ndarray
    area: float
    colour: np.ndarray
    gloss: tuple[float, float]


def patches_of(surfaces: list[Surface]) -> list[Patch]:
    """Join the surfaces of a model into patches of plain colours.

    The largest patches come first.

    Raises:
        InputError: If nothing of the model can be seen, or if it has too many parts.
    """
    everything = np.concatenate([surface.corners.reshape(-1, 3) for surface in surfaces])
    grain = _GRAIN * max(float(np.ptp(everything, axis=0).max()), 1e-9)
    parts = [part for surface in surfaces if surface.material.opacity >= CLEAR for part in _parts(surface, grain)]
    parts.sort(key=lambda part: -part.area)
    if not parts or len(parts) > PARTS:
        raise InputError(f"has {len(parts):,} visible parts: expected 1 to {PARTS:,}")
    groups: list[list[_Part]] = []
    firsts: list[np.ndarray] = []
    for part, colour in zip(parts, lab(np.array([part.colour for part in parts])), strict=True):
        away = [float(np.linalg.norm(colour - first)) for first in firsts]
        nearest = int(np.argmin(away)) if away else 0
        if away and (away[nearest] <= ALIKE or len(groups) >= MOST):
            groups[nearest].append(part)
        else:
            groups.append([part])
            firsts.append(colour)
    return [_patch(group, grain) for group in groups]


def _patch(group: list[_Part], grain: float) -> Patch:
    weights = np.array([part.area for part in group]) + 1e-12
    colour = np.average([part.colour for part in group], axis=0, weights=weights)
    gloss = np.average([part.gloss for part in group], axis=0, weights=weights)
    vertices, faces = _welded(np.concatenate([part.corners for part in group]), grain)
    r, g, b, specular, shininess = (round(float(each), 4) for each in (*colour, *gloss))
    return Patch(vertices, faces, (r, g, b, specular, shininess))


def _welded(corners: np.ndarray, grain: float) -> tuple[np.ndarray, np.ndarray]:
    """Join equal corners (F, 3, 3) of triangles, and drop flat triangles."""
    keys = np.round(corners.reshape(-1, 3) / grain).astype(np.int64)
    _, first, which = np.unique(keys, axis=0, return_index=True, return_inverse=True)
    faces = which.reshape(-1, 3)
    alive = (faces != np.roll(faces, 1, axis=1)).all(axis=1)
    return corners.reshape(-1, 3)[first], faces[alive]


def _parts(surface: Surface, grain: float) -> list[_Part]:
    # The connected parts of a surface; a surface without a picture is one part.
    a, b, c = surface.corners.transpose(1, 0, 2)
    areas = np.linalg.norm(np.cross(b - a, c - a), axis=1) / 2
    material = surface.material
    gloss = (material.specular, material.shininess)
    if material.picture is None:
        return [_Part(surface.corners, float(areas.sum()), np.array(material.colour), gloss)]
    colours, opacity = _sampled(material.picture, surface.uv)
    keys = np.round(surface.corners.reshape(-1, 3) / grain).astype(np.int64)
    _, which = np.unique(keys, axis=0, return_inverse=True)
    faces = which.reshape(-1, 3)
    links = np.concatenate([faces[:, [0, 1]], faces[:, [1, 2]]])
    graph = coo_matrix((np.ones(len(links)), links.T), shape=(which.max() + 1,) * 2)
    labels = connected_components(graph, directed=False)[1][faces[:, 0]]
    parts: list[_Part] = []
    order = np.argsort(labels, kind="stable")
    for chosen in np.split(order, np.flatnonzero(np.diff(labels[order])) + 1):
        weights = (areas[chosen] + 1e-12)[:, None] * opacity[chosen]
        if opacity[chosen].mean() >= CLEAR:
            colour = np.sqrt(np.average(colours[chosen].reshape(-1, 3) ** 2, axis=0, weights=weights.ravel()))
            parts.append(_Part(surface.corners[chosen], float(areas[chosen].sum()), colour, gloss))
    return parts


def _sampled(picture: np.ndarray, uv: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return colours (F, 4, 3) and opacities (F, 4) on triangles."""
    height, width, _ = picture.shape
    at = np.einsum("pk,fkc->fpc", _WEIGHTS, np.nan_to_num(uv))
    column = np.clip(((at[..., 0] % 1) * width).astype(int), 0, width - 1)
    row = np.clip(((1 - at[..., 1] % 1) * height).astype(int), 0, height - 1)
    found = picture[row, column] / 255.0
    return found[..., :3], found[..., 3] + 1e-6
