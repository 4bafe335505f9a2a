"""The data from which people are made: a base mesh, its targets, its joints and its weights (see LICENCE.md)."""

from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

import numpy as np

from chronotope.world.rig import Weights

FILE = Path(__file__).with_name("people.npz")
STEP = 1e-4  # m, the step of the stored lengths


class Pack(NamedTuple):
    """The contents of the pack, in m; x is forward, y is left, z is up.

    ``vertices`` (V, 3) and ``joints`` (J, 3) are the base mesh. A target moves them by ``moves[name]`` (V, 3) and
    ``joint_moves[name]`` (J, 3). ``joint_names`` and ``parents`` (J,) describe the joints; the root has the parent -1.
    ``weights`` bind all vertices to the joints. ``faces`` are the triangles (F, 3) of each mesh: "body", "cloth" (a
    tight suit), "skirt", "left_eye" and "right_eye". ``masks`` say how far (V,), from 0 to 1, a vertex belongs to the
    "lips", "eyelids", "ears" and "fingernails".
    """

    vertices: np.ndarray
    moves: Mapping[str, np.ndarray]
    joint_names: tuple[str, ...]
    parents: np.ndarray
    joints: np.ndarray
    joint_moves: Mapping[str, np.ndarray]
    weights: Weights
    faces: Mapping[str, np.ndarray]
    masks: Mapping[str, np.ndarray]


@lru_cache
def open_pack() -> Pack:
    """Read the pack once."""
    with np.load(FILE, allow_pickle=False) as stored:
        names = [str(name) for name in stored["names"]]
        shares = stored["shares"].astype(float)
        return Pack(
            stored["vertices"] * STEP,
            dict(zip(names, stored["moves"] * STEP, strict=True)),
            tuple(str(name) for name in stored["joint_names"]),
            stored["parents"].astype(int),
            stored["joints"].astype(float),
            dict(zip(names, stored["joint_moves"].astype(float), strict=True)),
            Weights(stored["bones"].astype(int), shares / shares.sum(axis=1, keepdims=True)),
            {name[6:]: stored[name].astype(int) for name in stored.files if name.startswith("faces_")},
            {name[5:]: stored[name] / 255 for name in stored.files if name.startswith("mask_")},
        )
