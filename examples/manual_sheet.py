"""Draw the pages of a few random manuals on one sheet.

    python examples/manual_sheet.py manuals.png

Each row has the pages of one product of ``world:furniture``.
"""

import argparse
from pathlib import Path

import numpy as np
from PIL import Image

from chronotope.world.furniture.page.page import PAGE, draw_step, view_of
from chronotope.world.furniture.random_product import draw_product

SHARE = 3  # a page is shown so many times smaller


def main() -> None:
    """Write the sheet."""
    parser = argparse.ArgumentParser(description="Draw the pages of a few random manuals on one sheet.")
    parser.add_argument("out", type=Path, help="the picture to write")
    parser.add_argument("--products", type=int, default=2, help="the number of products")
    parser.add_argument("--seed", type=int, default=2, help="other numbers give other products")
    given = parser.parse_args()
    rows: list[list[Image.Image]] = []
    for number in range(given.products):
        generator = np.random.default_rng([given.seed, number])
        product = draw_product(generator, number)
        views = [view_of(generator, step.shown) for step in product.steps]
        pages = [draw_step(product, index, view).png() for index, view in enumerate(views)]
        rows.append([page.resize((PAGE[0] // SHARE, PAGE[1] // SHARE), Image.Resampling.LANCZOS) for page in pages])
        print(f"{product.category} {product.name}: {len(product.parts)} parts, {len(product.steps)} steps")
    wide, high = rows[0][0].size
    sheet = Image.new("RGB", (wide * max(map(len, rows)), high * len(rows)), "white")
    for place, row in enumerate(rows):
        for column, page in enumerate(row):
            sheet.paste(page, (column * wide, place * high))
    sheet.convert("L").save(given.out, optimize=True)


if __name__ == "__main__":
    main()
