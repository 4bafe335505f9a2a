"""The manual of a random product: a page for each step, in three forms, and the procedure that names them.

``step-1.png`` is the page as it is printed, ``clean/step-1.png`` is the same page without the number of the step, and
``step-1.svg`` has the lines of the page.
"""

import json
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from chronotope.recording import Procedure, Step
from chronotope.recording import group as group_of
from chronotope.world.furniture.page.page import draw_step, view_of
from chronotope.world.furniture.page.view import View
from chronotope.world.furniture.product import AssemblyStep, Group, Product
from chronotope.world.furniture.random_product import draw_product
from chronotope.world.furniture.words import describe

LICENCE = "CC0-1.0"
TRUTH = "product.json"
DIGITS = 4  # lengths are rounded to a tenth of a millimetre


Photograph = Callable[[Product, Sequence[View], str, Path], Sequence[Path]]


def make_manual(
    generator: np.random.Generator, name: str, number: int, folder: Path, photograph: Photograph | None = None
) -> Procedure:
    """Draw a product and the pages of its manual, and write them into a folder.

    ``number`` is the place of the product in its set, from 0, which chooses its category. The procedure has the id
    ``name``. Its diagrams are the pages without printed numbers.
    """
    return manual_of(draw_product(generator, number), generator, name, folder, photograph)


def manual_of(
    product: Product, generator: np.random.Generator, name: str, folder: Path, photograph: Photograph | None = None
) -> Procedure:
    """Draw the pages of a product's manual, and write them into a folder.

    ``photograph`` draws a picture like a photograph of each step from its view, and returns the files.
    """
    (folder / "clean").mkdir(parents=True, exist_ok=True)
    steps: list[Step] = []
    views: list[View] = []
    for index, step in enumerate(product.steps):
        view = view_of(generator, step.shown)
        views.append(view)
        printed, clean = (draw_step(product, index, view, is_printed) for is_printed in (True, False))
        printed.png().save(folder / f"step-{index + 1}.png")
        (folder / f"step-{index + 1}.svg").write_text(printed.svg(), encoding="utf-8")
        diagram = folder / "clean" / f"step-{index + 1}.png"
        clean.png().save(diagram)
        steps.append(_step(product, index, step, diagram))
    if photograph is not None:
        photos = photograph(product, views, name, folder)
        steps = [replace(step, photo=photo) for step, photo in zip(steps, photos, strict=True)]
    (folder / TRUTH).write_text(json.dumps(truth_of(product), indent=1) + "\n", encoding="utf-8")
    return Procedure(
        id=name, product=product.name, category=product.category, source="world:furniture", steps=tuple(steps),
        licence=LICENCE, provenance={"world": "furniture", "parts": [part.name for part in product.parts]},
    )  # fmt: skip


def _step(product: Product, index: int, step: AssemblyStep, diagram: Path) -> Step:
    # Of equal joinings, the page shows one.
    groups = tuple(_named(group) for group in step.shown.groups)
    pairs = tuple((groups[0], group) for group in groups[1:])
    return Step(index, diagram, diagram, parts=groups, connections=pairs, description=describe(product, step))


def _named(group: Group) -> tuple[str, ...]:
    return group_of(str(part) for part in group)


def truth_of(product: Product) -> dict[str, Any]:
    """Return the parts and steps of a product, with lengths in m."""
    return {
        "category": product.category,
        "name": product.name,
        "parts": [
            {"name": part.name, "kind": part.kind, "solids": [np.round(one, DIGITS).tolist() for one in part.solids]}
            for part in product.parts
        ],
        "steps": [
            [
                {
                    "base": joining.base,
                    "up": joining.up,
                    "entries": [
                        {"parts": entry.parts, "toward": entry.toward,
                         "fasteners": [[one.kind, one.at] for one in entry.fasteners]}
                        for entry in joining.entries
                    ],
                }
                for joining in step.joinings
            ]
            for step in product.steps
        ],
    }  # fmt: skip
