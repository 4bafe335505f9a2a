"""Show manuals of a simulated workshop above frames of their videos, on one sheet.

    chronotope build ikea world:furniture:4 --takes 1 --quality fast --seed 5 --out bench
    python examples/take_sheet.py bench sheet.jpg --products furniture-5-0002 furniture-5-0003

Each column is a step: its page, and below it frames while its groups come to their places. With ``--take mistake-1``,
only the two steps are shown that the person does.
"""

import argparse
import json
from pathlib import Path

import numpy as np
from PIL import Image

from chronotope.media import decode_frames

WIDTH, GAP, QUALITY = 200, 6, 60  # px; JPEG
SHARES = (0.4, 0.68, 0.98)  # of a shot, of which frames are shown


def shrunk(picture: Image.Image) -> Image.Image:
    """Return a picture as wide as a column."""
    size = (WIDTH, round(WIDTH * picture.height / picture.width))
    return picture.convert("RGB").resize(size, Image.Resampling.LANCZOS)


def columns_of(bench: Path, product: str, take: str) -> list[list[Image.Image]]:
    """Return the page and the frames of each step that a take shows."""
    told = json.loads((bench / "recordings" / f"{product}-{take}" / "assembly.json").read_text(encoding="utf-8"))
    columns: list[list[Image.Image]] = []
    for step in dict.fromkeys(shot["step"] for shot in told["shots"]):
        page = Image.open(bench / "procedures" / product / f"step-{step + 1}.png")
        own = [shot for shot in told["shots"] if shot["step"] == step]
        shots = [own[round(share)] for share in np.linspace(0, len(own) - 1, len(SHARES))]
        wanted = [
            shot["first_frame"] + round(share * (shot["frames"] - 1))
            for shot, share in zip(shots, SHARES, strict=True)
        ]  # fmt: skip
        frames = dict(decode_frames(bench / "clips" / f"{product}-{take}.mp4", sorted(wanted)))
        columns.append([shrunk(page), *(shrunk(Image.fromarray(frames[index])) for index in wanted)])
    return columns


def main() -> None:
    """Write the sheet."""
    parser = argparse.ArgumentParser(description="Show manuals above frames of their videos, on one sheet.")
    parser.add_argument("bench", type=Path, help="a benchmark that was built with --takes or --mistakes")
    parser.add_argument("out", type=Path, help="the picture to write")
    parser.add_argument("--products", nargs="+", required=True, help="the ids of the products")
    parser.add_argument("--take", default="take-1", help="the take that is shown")
    given = parser.parse_args()
    rows = [columns_of(given.bench, product, given.take) for product in given.products]
    highs = [sum(picture.height + GAP for picture in columns[0]) + 2 * GAP for columns in rows]
    sheet = Image.new("RGB", ((WIDTH + GAP) * max(map(len, rows)), sum(highs)), "white")
    for row, columns in enumerate(rows):
        for at, pictures in enumerate(columns):
            top = sum(highs[:row])
            for picture in pictures:
                sheet.paste(picture, (at * (WIDTH + GAP), top))
                top += picture.height + GAP
    sheet.save(given.out, quality=QUALITY, optimize=True)


if __name__ == "__main__":
    main()
