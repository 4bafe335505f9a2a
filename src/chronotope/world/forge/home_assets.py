"""Assets of homes from the models of a library: pictures become plain colours, and flat tops carry things."""

import numpy as np

from chronotope.world.asset_folder import AssetEntry, Part, ShelfEntry, pack_parts
from chronotope.world.forge import colouring, shaping, tops
from chronotope.world.forge.colouring import Patch, patches_of
from chronotope.world.forge.library import LibraryRow
from chronotope.world.forge.main_colour import colour_of
from chronotope.world.forge.models import Models
from chronotope.world.forge.shaping import MOST, shaped
from chronotope.world.forge.tops import flat_top
from chronotope.world.forge.wavefront import Surface
from chronotope.world.homes.assets import asset_thing
from chronotope.world.things.mesh import Mesh
from chronotope.world.things.object_types import HOME_KINDS
from chronotope.world.things.thing import Look

HIGHEST = 1.4  # m, things are put on tops that are at most as high
LIMITS = [shaping.TRIANGLES, shaping.FEWEST, shaping.SHEET, colouring.MOST, colouring.ALIKE, tops.CELL, tops.LEVEL]


def make_home_asset(
    row: LibraryRow, surfaces: list[Surface], models: Models, facts: dict[str, str]
) -> tuple[AssetEntry, bytes] | str:
    """Make an asset of a home: its entry, and the bytes of its file.

    Returns the reason if the model is left out. ``facts`` are the fields of the entry that are known.
    """
    name = models.types[row.id]
    yaw = models.yaw.get(row.id, 0.0)
    wide, deep, tall = row.size
    size = np.array([deep, wide, tall] if yaw % 180 == 0 else [wide, deep, tall])
    patches = shaped(patches_of(surfaces), row.turn, size, yaw)
    triangles = sum(len(patch.faces) for patch in patches)
    if triangles > MOST:
        return f"has {triangles} triangles after it was made smaller, and at most {MOST} are used"
    patches = [_rounded(patch) for patch in patches]
    parts = [Part(Mesh(patch.vertices, patch.faces, patch.vertices[:, :2]), _look(patch)) for patch in patches]
    length, width, height = (float(side) for side in size)
    fields = {**facts, "type": name, "shelves": _shelves(name, patches), "colour": None, "sha256": ""}
    entry = AssetEntry(**fields, size=(length, width, height), triangles=triangles)
    made = asset_thing(entry, [(part.mesh, part.look) for part in parts])
    return entry.model_copy(update={"colour": colour_of(made.thing.pieces)}), pack_parts(parts)


def _look(patch: Patch) -> Look:
    r, g, b, specular, shininess = patch.look
    return Look((r, g, b), specular, shininess)


def _rounded(patch: Patch) -> Patch:
    return Patch(patch.vertices.astype(np.float32).astype(float), patch.faces, patch.look)


def _shelves(name: str, patches: list[Patch]) -> tuple[ShelfEntry, ...]:
    if not HOME_KINDS[name].use.flat_top:
        return ()
    found = flat_top(np.concatenate([patch.vertices[patch.faces] for patch in patches]))
    if found is None or found[0][2] > HIGHEST:
        return ()
    centre, length, width = found
    return (ShelfEntry(centre=centre, length=length, width=width),)
