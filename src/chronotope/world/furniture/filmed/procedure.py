"""A product with its manual and its takes."""

import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Protocol

import numpy as np

from chronotope.errors import InputError
from chronotope.recording import Procedure, Take
from chronotope.world.furniture.course.course import straight
from chronotope.world.furniture.course.mistakes import draw_mistake
from chronotope.world.furniture.filmed.takes import TakeName, make_take
from chronotope.world.furniture.manual import Photograph, manual_of, truth_of
from chronotope.world.furniture.product import Product
from chronotope.world.furniture.random_product import draw_product
from chronotope.world.quality import Quality
from chronotope.world.refused import RefusedError

ATTEMPTS, WORN = 5, 2  # to film a take, and with a worn camera

Tell = Callable[[float, str], None]


class Counts(Protocol):
    """How many takes are filmed: without a mistake, and with one."""

    @property
    def takes(self) -> int:
        """Return the number of takes without a mistake."""
        ...

    @property
    def mistakes(self) -> int:
        """Return the number of takes with a mistake."""
        ...


def make_filmed(
    generator: np.random.Generator, name: str, number: int, folder: Path, options: Counts, quality: Quality, tell: Tell,
    photograph: Photograph | None = None,
) -> Procedure:  # fmt: skip
    """Draw a product with its manual, and film some takes of its assembly.

    The manual is the same without takes. ``folder`` is that of the procedure in the folder of a build, in which clips
    and recordings have their own folders.

    Raises:
        InputError: If the engine or OpenGL is missing, or if every attempt to film a take is refused.
    """
    product = draw_product(generator, number)
    procedure = manual_of(product, generator, name, folder, photograph)
    takes: list[Take] = []
    names = [TakeName(name, at) for at in range(options.takes)]
    names += [TakeName(name, at, is_wrong=True) for at in range(options.mistakes)]
    # Takes without mistakes are the same, however many takes with mistakes there are.
    generators = [*generator.spawn(options.takes), *generator.spawn(options.mistakes)]
    for at, (own, called) in enumerate(zip(generators, names, strict=True)):

        def told(share: float, stage: str, at: int = at) -> None:
            tell((at + share) / len(names), stage)

        turn = number * options.mistakes + called.number
        take = _filmed(own, product, called, turn, quality, folder.parent.parent, told)
        takes += [] if take is None else [take]
    return replace(procedure, takes=tuple(takes))


def _filmed(
    generator: np.random.Generator, product: Product, name: TakeName, turn: int, quality: Quality, folder: Path,
    tell: Tell,
) -> Take | None:  # fmt: skip
    """Film a take in at most five attempts, each with another room and another person.

    At most two attempts have a worn camera.

    Of takes with mistakes, each attempt has another mistake; ``turn`` counts them in all products. The result is None
    if no mistake is possible with this product, or none can be filmed.
    """
    refused: RefusedError | None = None
    for attempt, own in enumerate(generator.spawn(ATTEMPTS)):
        course = draw_mistake(own, product, turn + attempt // 2) if name.is_wrong else straight(product)
        if course is None:
            return None
        try:
            tried = replace(name, may_wear=attempt < WORN)
            return make_take(own, course, tried, quality, folder, truth_of(product), tell)
        except RefusedError as error:
            refused = error
            for left in name.places(folder):
                shutil.rmtree(left, ignore_errors=True)
    if name.is_wrong:
        return None
    assert refused is not None, "there is at least one attempt"
    raise InputError(
        f"{refused} (refused in all {ATTEMPTS} attempts: leave out this product with --keep-going, or use another "
        "--seed)"
    )
