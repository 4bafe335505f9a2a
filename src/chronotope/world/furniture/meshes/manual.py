"""The manual of a product from IKEA Manuals at Work: pages drawn from its meshes."""

from dataclasses import replace
from pathlib import Path

import numpy as np

from chronotope.recording import Procedure
from chronotope.world.furniture.manual import Photograph, manual_of
from chronotope.world.furniture.meshes.assembling import product_of

LICENCE = "CC-BY-4.0 (meshes and steps of IKEA Manuals at Work; the pages are drawn from them)"


def manual_of_meshes(
    generator: np.random.Generator, name: str, number: int, folder: Path, path: Path,
    photograph: Photograph | None = None,
) -> Procedure:  # fmt: skip
    """Draw the pages of a product's manual from meshes, and write them into a folder.

    ``path`` is the folder of IKEA Manuals at Work, and ``number`` the place of the product among those with meshes.

    Raises:
        InputError: If a mesh or a group of parts is missing or wrong.
    """
    product, entry = product_of(path, number)
    drawn = manual_of(product, generator, name, folder, photograph)
    numbers = [step.number for step in entry.steps]
    return replace(
        drawn,
        source="world:furniture",
        licence=LICENCE,
        attribution=entry.attribution,
        steps=tuple(replace(step, number=own) for step, own in zip(drawn.steps, numbers, strict=True)),
        provenance={**drawn.provenance, "from": entry.source, "unit": "the longest side is 1"},
    )
