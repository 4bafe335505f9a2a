"""Assets of streets from the models of a library: vehicles with wheels, and street furniture, with their pictures."""

import numpy as np

from chronotope.world.asset_folder import AssetEntry, Part, WheelEntry, pack_parts
from chronotope.world.forge import axles, dressing, plates
from chronotope.world.forge.axles import Component, find_wheels
from chronotope.world.forge.dressing import Patch, parts_of, patches_of
from chronotope.world.forge.library import LibraryRow
from chronotope.world.forge.main_colour import colour_of
from chronotope.world.forge.models import Models
from chronotope.world.forge.plates import blank_plates
from chronotope.world.forge.wavefront import Surface
from chronotope.world.street.assets import asset_furniture, asset_vehicle
from chronotope.world.street.street_types import STREET_KINDS
from chronotope.world.street.vehicles import vehicle_of

VERTICES = 2**16  # of a part; the file counts them with 16 bits
FRONTS = 0.46  # share of the triangles of an asset that are no backs
LIMITS = [FRONTS, dressing.EVEN, axles.SMALLEST, axles.LARGEST, *plates.LIMITS]


def make_street_asset(
    row: LibraryRow, surfaces: list[Surface], models: Models, facts: dict[str, str]
) -> tuple[AssetEntry, bytes] | str:
    """Make an asset of a street: its entry, and the bytes of its file.

    Returns the reason if the model is left out. ``facts`` are the fields of the entry that are known.
    """
    name = models.street[row.id]
    kind = STREET_KINDS[name]
    yaw, scale = models.yaw.get(row.id, 0.0), models.scale.get(row.id, 1.0)
    wide, deep, tall = row.size
    size = scale * np.array([deep, wide, tall] if yaw % 180 == 0 else [wide, deep, tall])
    if size not in kind.real:
        return f"is {' x '.join(f'{side:.2f}' for side in size)} m, which no real {kind.kind.noun} is"
    # Open sheets get a back, which doubles their triangles, and small surfaces keep more than their share.
    patches = patches_of(surfaces, row.turn, size, yaw, int(FRONTS * kind.triangles))
    wheels: tuple[WheelEntry, ...] = ()
    if kind.use == "vehicle":
        wheels = find_wheels(list[Component](patches), float(size[2]))
        if len(wheels) < 2:
            return f"has {len(wheels)} wheels that can be told from the rest: expected at least two"
        blank_plates(patches, size)
    wheels = _centred(patches, wheels)
    parts = [_rounded(part) for part in parts_of(patches)]
    triangles = sum(len(part.mesh.faces) for part in parts)
    if triangles > kind.triangles:
        return f"has {triangles} triangles after it was made smaller, and at most {kind.triangles} are used"
    if max(len(part.mesh.vertices) for part in parts) > VERTICES:
        return f"has a part with more than {VERTICES} vertices"
    everything = np.concatenate([part.mesh.vertices for part in parts])
    length, width, height = np.ptp(everything, axis=0).round(6).tolist()
    fields = {**facts, "use": "street", "type": name, "shelves": (), "wheels": wheels, "colour": None, "sha256": ""}
    entry = AssetEntry(**fields, size=(length, width, height), triangles=triangles)
    if kind.use == "vehicle":
        pieces = vehicle_of(kind, asset_vehicle(entry, parts), None, "").thing.pieces
    else:
        pieces = asset_furniture(entry, parts).pieces
    colour = models.colours[row.id] if row.id in models.colours else colour_of(pieces)
    return entry.model_copy(update={"colour": colour}), pack_parts(parts)


def _centred(patches: list[Patch], wheels: tuple[WheelEntry, ...]) -> tuple[WheelEntry, ...]:
    """Shift components to the origin of an asset, and return the shifted wheels.

    The components stand on z = 0, and the middle of their box is at x = y = 0. Wheels that were turned straight may
    have changed the box.
    """
    everything = np.concatenate([patch.corners.reshape(-1, 3) for patch in patches])
    low, high = everything.min(axis=0), everything.max(axis=0)
    shift = np.array([(low[0] + high[0]) / 2, (low[1] + high[1]) / 2, low[2]])
    for patch in patches:
        patch.corners = patch.corners - shift
    moved = []
    for wheel in wheels:
        x, y, z = (round(float(part), 5) for part in wheel.centre - shift)
        moved.append(wheel.model_copy(update={"centre": (x, y, z)}))
    return tuple(moved)


def _rounded(part: Part) -> Part:
    # As the file has them, so that what is measured here is what is read.
    mesh = part.mesh
    return part._replace(
        mesh=mesh._replace(
            vertices=mesh.vertices.astype(np.float32).astype(float), uv=mesh.uv.astype(np.float32).astype(float)
        )
    )
