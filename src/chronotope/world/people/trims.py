"""Parts that show that cloth is a garment: collars, and plackets with buttons."""

from itertools import pairwise

import numpy as np

from chronotope.world.people.measures import Measures
from chronotope.world.people.sheet import Sheet, normals_of, strongest
from chronotope.world.rig import Weights
from chronotope.world.things import Look, Piece

_COLLAR = 0.0012  # thickness of a collar as a share of the stature
_BUTTONS, _CORNERS = 6, 8


def make_collar(measures: Measures, sheet: Sheet) -> Sheet:
    """Make a turned-down collar at the neck of a garment; it is open in front."""
    s, neck = measures.stature, measures.body.joint("Neck")
    rim, middle = sheet.rim, sheet.vertices[sheet.rim].mean(axis=1) - neck
    near = (np.hypot(middle[:, 0], middle[:, 1]) < 0.085 * s) & (middle[:, 2] > -0.05 * s)
    rim = rim[near & ((middle[:, 0] < 0) | (np.abs(middle[:, 1]) > 0.010 * s))]
    edge = np.unique(rim)
    place = np.searchsorted(edge, rim)
    start = sheet.vertices[edge]
    away = start - neck
    away[:, 2] = 0
    away /= np.maximum(np.linalg.norm(away, axis=1, keepdims=True), 1e-9)
    up = np.array([0.0, 0.0, 1.0])
    # Up along the neck, over, and down outside, over the shoulder.
    profile = ((0.000, -0.004), (-0.004, 0.014), (-0.001, 0.017), (0.004, 0.014), (0.017, -0.006), (0.015, -0.008))
    rings = [start + s * (out * away + rise * up) for out, rise in profile]
    first = len(edge) * np.arange(len(rings))
    a, b = place.T
    strips = [
        np.concatenate([np.stack([i + b, i + a, j + a], axis=1), np.stack([i + b, j + a, j + b], axis=1)])
        for i, j in pairwise(first)
    ]
    faces = np.concatenate(strips)
    again = np.tile(edge, len(rings))
    places = np.concatenate(rings)
    under = places - _COLLAR * s * normals_of(places, faces)
    return Sheet(
        np.concatenate([places, under]),
        np.concatenate([faces, faces[:, ::-1] + len(places)]),
        np.tile(sheet.shares[again], (2, 1)),
        np.tile(sheet.anchor[again], (2, 1)),
        np.tile(sheet.out[again], (2, 1)),
    )


def make_placket(measures: Measures, sheet: Sheet, cloth: Look, buttons: Look) -> list[tuple[Piece, Weights]]:
    """Make the strip in front of a shirt on which its buttons are."""
    s = measures.stature
    front = (np.abs(sheet.vertices[:, 1]) < 0.03 * s) & (sheet.vertices[:, 0] > measures.body.joint("Spine1")[0])
    order = np.flatnonzero(front)[np.argsort(sheet.vertices[front, 2])]
    low, high = sheet.vertices[order[[0, -1]], 2] + np.array([0.004, -0.004]) * s
    levels = np.linspace(high, low, 12)

    def across(y: float) -> tuple[np.ndarray, np.ndarray]:
        places, shares = [], []
        for level in levels:
            offset = np.hypot(sheet.vertices[order, 1] - y, sheet.vertices[order, 2] - level)
            near = np.argsort(offset, kind="stable")[:6]
            part = 1 / (offset[near] + 0.002) ** 2
            part /= part.sum()
            places.append([(part @ sheet.vertices[order[near], 0]) + 0.0035 * s, y, level])
            shares.append(part @ sheet.shares[order[near]])
        return np.array(places), np.array(shares)

    wide = 0.0085 * s
    columns = [across(y) for y in (-wide, wide)]
    inside = [places - np.array([0.006 * s, 0, 0]) for places, _ in columns]
    ring = np.stack([inside[0], columns[0][0], columns[1][0], inside[1]])  # (4, N, 3)
    shares = np.stack([columns[0][1], columns[0][1], columns[1][1], columns[1][1]])
    count = len(levels)
    here = np.arange(count - 1)
    faces = [
        np.concatenate(
            [
                np.stack([k * count + here, k * count + here + 1, (k + 1) * count + here + 1], axis=1),
                np.stack([k * count + here, (k + 1) * count + here + 1, (k + 1) * count + here], axis=1),
            ]
        )
        for k in range(3)
    ]
    strip = Piece(ring.reshape(-1, 3), np.concatenate(faces), None, cloth)
    middle, middle_shares = across(0.0)
    chosen = np.linspace(0.6, count - 2, _BUTTONS).astype(int)
    turn = np.arange(_CORNERS) * (2 * np.pi / _CORNERS)
    disc = 0.0032 * s * np.stack([np.zeros(_CORNERS), np.cos(turn), np.sin(turn)], axis=1)
    rims = middle[chosen, None] + disc[None] + np.array([0.0012 * s, 0, 0])
    hubs = middle[chosen] + np.array([0.002 * s, 0, 0])
    around = np.arange(_CORNERS)
    fans = [
        np.stack(
            [np.full(_CORNERS, _BUTTONS * _CORNERS + k), k * _CORNERS + around, k * _CORNERS + np.roll(around, -1)], 1
        )
        for k in range(_BUTTONS)
    ]
    discs = Piece(np.concatenate([rims.reshape(-1, 3), hubs]), np.concatenate(fans), None, buttons)
    moved = np.concatenate([np.repeat(middle_shares[chosen], _CORNERS, axis=0), middle_shares[chosen]])
    return [(strip, strongest(shares.reshape(-1, shares.shape[-1]))), (discs, strongest(moved))]
