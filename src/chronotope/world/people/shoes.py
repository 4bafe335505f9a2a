"""Shoes and socks, shaped after the feet of a body."""

from dataclasses import replace

import numpy as np
from scipy.spatial import ConvexHull

from chronotope.world.people.measures import LEG, SIDES, Measures
from chronotope.world.people.sheet import Sheet, cut, hemmed, kept, loosened, sheet_of, strongest
from chronotope.world.rig import Weights
from chronotope.world.things import Look, Piece
from chronotope.world.things.mesh import Mesh, loft, merge

SOLE = 0.012  # thickness of a sole as a share of the stature
RISE = 0.012  # height of the upper edge over the ankle, as a share of the stature
_AROUND = 28  # points around a sole
_UPPER = 0.004  # share of the stature from the foot to the outside of the shoe
_LOW = 0.03  # the outline of a foot is that of what is lower, as a share of the stature
_BEND = 0.02  # length over which a sole bends under the toes, as a share of the stature
# The side of a sole, from the bottom up: how far it stands out, and its height over the naked sole, as shares of the
# stature.
_PROFILE = ((0.001, -SOLE), (0.004, -0.8 * SOLE), (0.004, 0.005), (0.001, 0.008))


def opening(measures: Measures) -> float:
    """Return the height (m) of the upper edge of the shoes, in the frame of the body."""
    return float(measures.body.joint("LeftFoot")[2] + RISE * measures.stature)


def make_uppers(measures: Measures) -> Sheet:
    """Make the uppers of both shoes."""
    s = measures.stature
    suit = sheet_of(measures.body, "cloth")
    foot = cut(suit, opening(measures) - suit.vertices[:, 2])
    upper = loosened(foot, _UPPER * s, 4)
    places = upper.vertices.copy()
    places[:, 2] = np.maximum(places[:, 2], 0.0)
    return hemmed(replace(upper, vertices=places), 0.012 * s, 0.004 * s)


def make_soles(measures: Measures, look: Look) -> tuple[Piece, Weights]:
    """Make both soles, which stand ``SOLE`` of the stature under the naked feet."""
    s, uppers = measures.stature, make_uppers(measures)
    soles: list[Mesh] = []
    shares: list[np.ndarray] = []
    for side, sign in zip(SIDES, (1, -1), strict=True):
        foot = kept(uppers, (sign * uppers.vertices[uppers.faces][..., 1] > 0).all(axis=1))
        low = foot.vertices[foot.vertices[:, 2] < _LOW * s, :2]
        outline = low[ConvexHull(low).vertices]
        middle = outline.mean(axis=0)
        ring = _evenly(outline, _AROUND)
        away = (ring - middle) / np.linalg.norm(ring - middle, axis=1, keepdims=True)
        levels = [np.column_stack([ring + s * wide * away, np.full(_AROUND, s * height)]) for wide, height in _PROFILE]
        sole = loft(np.array(levels))
        soles.append(sole)
        bend = np.clip((sole.vertices[:, 0] - measures.body.joint(f"{side}ToeBase")[0]) / (_BEND * s) + 0.5, 0, 1)
        share = np.zeros((len(bend), len(measures.names)))
        share[:, measures.number(f"{side}Foot")], share[:, measures.number(f"{side}ToeBase")] = 1 - bend, bend
        shares.append(share)
    both = merge(*soles)
    return Piece(both.vertices, both.faces, None, look), strongest(np.concatenate(shares))


def _evenly(outline: np.ndarray, count: int) -> np.ndarray:
    """Return points (N, 2) at equal distances on a closed outline (K, 2)."""
    closed = np.concatenate([outline, outline[:1]])
    way = np.concatenate([[0], np.cumsum(np.linalg.norm(np.diff(closed, axis=0), axis=1))])
    at = np.linspace(0, way[-1], count, endpoint=False)
    return np.stack([np.interp(at, way, closed[:, k]) for k in range(2)], axis=1)


def make_socks(measures: Measures, top: float) -> Sheet:
    """Make socks that end at ``top`` along the leg (1 at the knee, 2 at the ankle)."""
    s, suit = measures.stature, sheet_of(measures.body, "cloth")
    sock = cut(suit, suit.vertices[:, 2] - opening(measures) + 0.015 * s)
    sock = cut(sock, (measures.along_leg(sock.anchor) - top) * measures.length(LEG))
    return hemmed(loosened(sock, 0.002 * s, 2), 0.01 * s, 0.002 * s)
