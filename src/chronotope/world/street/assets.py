"""Assets of streets: vehicles and street furniture from a folder of assets (see `world.asset_folder`)."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path

import numpy as np

from chronotope.errors import InputError
from chronotope.io import printable
from chronotope.world.asset_folder import AGAIN, AssetEntry, Part, open_folder, read_parts
from chronotope.world.street.street_types import STREET_KINDS
from chronotope.world.street.vehicle_model import CHASSIS, VehicleModel
from chronotope.world.street.wheels import Wheel
from chronotope.world.things.kind import Model, assemble
from chronotope.world.things.mesh import merge, slices
from chronotope.world.things.thing import Paint, Thing

SHARE = 0.5  # probability that a thing whose type has assets is one of them, if the type has a built-in shape, too
_SLICES = 6  # level slices of an asset, whose hulls are its shape in collisions
_EYE = 0.72, 0.05  # height of a driver's camera as a share of a vehicle's, and its distance (m) before the vehicle


@dataclass(frozen=True, eq=False)
class StreetAsset:
    """One asset of an open folder."""

    entry: AssetEntry
    folder: Path

    @cached_property
    def model(self) -> VehicleModel:
        """Return the model of a vehicle.

        Raises:
            InputError: If the file of the asset is missing or damaged.
        """
        return asset_vehicle(self.entry, read_parts(self.folder, self.entry))

    @cached_property
    def thing(self) -> Thing:
        """Return a piece of street furniture.

        Raises:
            InputError: If the file of the asset is missing or damaged.
        """
        parts = read_parts(self.folder, self.entry)
        try:
            return asset_furniture(self.entry, parts)
        except (ValueError, ArithmeticError, RuntimeError) as error:  # QhullError of a mesh without a volume
            raise InputError(
                f"{self.folder / self.entry.file}: cannot be made into a thing ({printable(str(error))}): {AGAIN}"
            ) from error


def asset_vehicle(entry: AssetEntry, parts: Sequence[Part]) -> VehicleModel:
    """Build the model of a vehicle from the parts of an asset."""
    wheels = tuple(Wheel(wheel.joint, wheel.centre, wheel.radius, wheel.width) for wheel in entry.wheels)
    joints = (CHASSIS, *(wheel.joint for wheel in wheels))
    height, ahead = _EYE
    eye = entry.size[0] / 2 + ahead, 0.0, height * entry.size[2]
    return VehicleModel(tuple((part.mesh, part.look, joints[part.joint]) for part in parts), wheels, eye)


def asset_furniture(entry: AssetEntry, parts: Sequence[Part]) -> Thing:
    """Build a piece of street furniture from the parts of an asset."""
    whole = merge(*(part.mesh for part in parts))
    low, high = whole.vertices[:, 2].min(), whole.vertices[:, 2].max()
    cut = slices(whole, np.linspace(low, high + 1e-9, _SLICES + 1).tolist())
    solids = tuple(points for points in cut if len(points) > 4 and np.ptp(points, axis=0).min() > 1e-3)
    model = Model(tuple((part.mesh, part.look) for part in parts), solids or (whole.vertices,))
    paint = Paint(entry.colour or "", "", parts[0].look)
    made = assemble(STREET_KINDS[entry.type].kind, paint, model, np.array(entry.size))
    return replace(made, colour=entry.colour)


@dataclass(frozen=True, eq=False)
class StreetAssets:
    """The assets of streets of a folder, by their ids; ``sha256`` is the hash of the folder's index."""

    folder: Path
    sha256: str
    by_id: dict[str, StreetAsset]

    @property
    def types(self) -> frozenset[str]:
        """Return the object types of which there are assets."""
        return frozenset(asset.entry.type for asset in self.by_id.values())

    def choose(
        self, generator: np.random.Generator, name: str, built_in: bool = True, colour: str | None = None
    ) -> StreetAsset | None:
        """Choose an asset of an object type at random.

        If the type is ``built_in``, some things have no asset, so the result may be None. With a ``colour``, only
        assets of this main colour are chosen.
        """
        found = [
            asset for asset in self.by_id.values() if asset.entry.type == name and colour in (None, asset.entry.colour)
        ]
        if not found or (built_in and generator.random() >= SHARE):
            return None
        return found[int(generator.integers(len(found)))]


def open_street_assets(folder: Path) -> StreetAssets:
    """Open a folder of assets, for its things of streets.

    Raises:
        InputError: If the folder has no index, or if its index is not an index of assets.
    """
    opened = open_folder(folder)
    by_id = {entry.id: StreetAsset(entry, folder) for entry in opened.of("street", tuple(STREET_KINDS))}
    return StreetAssets(folder, opened.sha256, by_id)
