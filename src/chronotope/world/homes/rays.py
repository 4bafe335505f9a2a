"""Rays into the things of a home: the thing that each ray meets first, and its colour there."""

from collections.abc import Collection, Iterable, Mapping
from typing import Any

import numpy as np

from chronotope.world.engine import require_mujoco
from chronotope.world.homes.home import HomeObject
from chronotope.world.things import Piece
from chronotope.world.things.colours import lab, shades_of

FARTHEST = 40.0  # m
PALETTE, _STRIDE = 64, 23  # colours of a surface; the stride has no common factor with their number
_LEFT_OUT = 5  # the number of the group of geoms that a cast ignores


def pieces_of(thing: HomeObject) -> tuple[Piece, ...]:
    """Return the pieces of an object in world coordinates."""
    pose = thing.thing_pose
    return tuple(
        Piece(piece.vertices @ pose[:3, :3].T + pose[:3, 3], piece.faces, None, piece.look)
        for piece in thing.made.thing.pieces
    )


class Rays:
    """Casts rays on groups of pieces in world coordinates; each group has a name.

    Raises:
        InputError: If the engine is missing.
    """

    def __init__(self, groups: Mapping[str, Iterable[Piece]]) -> None:
        self._mujoco = require_mujoco()
        spec = self._mujoco.MjSpec()
        shades: list[np.ndarray] = []
        self._geoms: dict[str, list[int]] = {}
        names: list[str] = []
        for name, pieces in groups.items():
            for piece in pieces:
                self._geoms.setdefault(name, []).append(len(shades))
                names.append(name)
                _add(self._mujoco, spec, piece, f"g{len(shades)}")
                shades.append(_palette(shades_of(piece.look)))
        self._shades = lab(np.array(shades))
        self._names = np.array(["", *names])
        self._model = spec.compile()
        self._data = self._mujoco.MjData(self._model)
        self._mujoco.mj_forward(self._model, self._data)

    def cast(self, eye: np.ndarray, ways: np.ndarray, without: Collection[str] = ()) -> tuple[np.ndarray, np.ndarray]:
        """Return the distance and colour of the first surfaces.

        The result has, for each direction, the distance (N,) in m to the first surface, and the colour (N, 3) of this
        surface.

        ``eye`` is (3,) m, and ``ways`` (N, 3) are unit vectors. Colours are CIE Lab. The groups ``without`` are
        ignored. Where nothing is met, the distance is infinite. On a surface with a picture, each ray takes the colour
        of one of its pixels, the same at every call, so that stains count by their share of the surface.
        """
        away, geoms = self._first(eye, ways, without)
        return away, self._shades[geoms, np.arange(len(ways)) * _STRIDE % PALETTE]

    def meet(self, eye: np.ndarray, ways: np.ndarray) -> np.ndarray:
        """Return the names (N,) of the groups that rays meet first.

        The groups are found as by `cast`; nothing has the name ``""``.
        """
        return self._names[self._first(eye, ways, ())[1] + 1]

    def _first(self, eye: np.ndarray, ways: np.ndarray, without: Collection[str]) -> tuple[np.ndarray, np.ndarray]:
        """Return the distance and the geom of the first surfaces.

        The geom is -1 if the ray meets nothing.
        """
        left_out = [geom for name in without for geom in self._geoms.get(name, ())]
        self._model.geom_group[:] = 0
        self._model.geom_group[left_out] = _LEFT_OUT
        shown = np.ones(6, np.uint8)
        shown[_LEFT_OUT] = 0
        geoms, away = np.full(len(ways), -1, np.int32), np.full(len(ways), -1.0)
        # Versions before 3.4 have no argument for normals.
        more = {"normal": None} if "normal" in (self._mujoco.mj_multiRay.__doc__ or "") else {}
        self._mujoco.mj_multiRay(
            m=self._model, d=self._data, pnt=eye, vec=np.ascontiguousarray(ways, float).ravel(), geomgroup=shown,
            flg_static=True, bodyexclude=-1, geomid=geoms, dist=away, nray=len(ways), cutoff=FARTHEST, **more,
        )  # fmt: skip
        return np.where(geoms < 0, np.inf, away), geoms


def _palette(shades: np.ndarray) -> np.ndarray:
    """Choose colours (PALETTE, 3) evenly from the colours of a surface (N, 3)."""
    return shades[np.linspace(0, len(shades) - 1, PALETTE).round().astype(int)]


def _add(mujoco: Any, spec: Any, piece: Piece, name: str) -> None:
    spec.add_mesh(
        name=name,
        uservert=np.ascontiguousarray(piece.vertices, np.float32).ravel(),
        userface=np.ascontiguousarray(piece.faces, np.int32).ravel(),
        inertia=mujoco.mjtMeshInertia.mjMESH_INERTIA_SHELL,
        maxhullvert=16,
    )
    spec.worldbody.add_geom(type=mujoco.mjtGeom.mjGEOM_MESH, meshname=name, contype=0, conaffinity=0)
