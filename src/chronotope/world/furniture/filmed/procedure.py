"""A product with its manual and its takes."""

import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np

from chronotope.errors import InputError
from chronotope.recording import Procedure, Take
from chronotope.world.furniture.filmed.takes import TakeName, make_take
from chronotope.world.furniture.manual import manual_of, truth_of
from chronotope.world.furniture.product import Product
from chronotope.world.furniture.random_product import draw_product
from chronotope.world.quality import Quality
from chronotope.world.refused import RefusedError

ATTEMPTS = 5  # to film a take

Tell = Callable[[float, str], None]


def make_filmed(
    generator: np.random.Generator, name: str, number: int, folder: Path, count: int, quality: Quality, tell: Tell
) -> Procedure:
    """Draw a product with its manual, and film some takes of its assembly.

    The manual is the same without takes. ``folder`` is that of the procedure in the folder of a build, in which clips
    and recordings have their own folders.

    Raises:
        InputError: If the engine or OpenGL is missing, or if every attempt to film a take is refused.
    """
    product = draw_product(generator, number)
    procedure = manual_of(product, generator, name, folder)
    takes: list[Take] = []
    for at, own in enumerate(generator.spawn(count)):

        def told(share: float, stage: str, at: int = at) -> None:
            tell((at + share) / count, stage)

        takes.append(_filmed(own, product, TakeName(name, at), quality, folder.parent.parent, told))
    return replace(procedure, takes=tuple(takes))


def _filmed(
    generator: np.random.Generator, product: Product, name: TakeName, quality: Quality, folder: Path, tell: Tell
) -> Take:
    """Film a take in at most five attempts, each with another room and another person."""
    refused: RefusedError | None = None
    for own in generator.spawn(ATTEMPTS):
        try:
            return make_take(own, product, name, quality, folder, truth_of(product), tell)
        except RefusedError as error:
            refused = error
            for left in name.places(folder):
                shutil.rmtree(left, ignore_errors=True)
    assert refused is not None, "there is at least one attempt"
    raise InputError(
        f"{refused} (refused in all {ATTEMPTS} attempts: leave out this product with --keep-going, or use another "
        "--seed)"
    )
