"""Books, boxes and cartons."""

import numpy as np

from chronotope.world.catalogue import textures
from chronotope.world.catalogue.colours import plain, shade
from chronotope.world.catalogue.mesh import Mesh, block, ellipsoid, merge, moved, tube
from chronotope.world.catalogue.things import Draft, Look, Paint

__all__ = ["book", "cardboard_box", "cereal_box", "gift_box"]

_TITLES = ("STARS", "OCEAN", "HISTORY", "RIVERS", "GARDEN", "ATLAS", "POEMS", "TRAVEL", "BIRDS", "MOON")
_CREALS = ("CORN", "OATS", "CRISPY", "HONEY", "FLAKES")
_PAPER = (0.95, 0.92, 0.84)


def _contrast(paint: Paint) -> tuple[float, float, float]:
    """A colour that letters are read in on the paint."""
    return (0.15, 0.12, 0.10) if paint.colour in ("white", "yellow", "pink", "orange") else (0.97, 0.93, 0.80)


def _panel(picture: np.ndarray, size: tuple[float, float], side: str, depth: float = 0.0008) -> Mesh:
    """A thin slab with a picture on its outer face: `side` is where that faces, size is (width, height) as read."""
    width, height = size
    slab = block((width, height, depth))
    vertices = slab.vertices - [0, 0, depth / 2]
    turns = {
        "top": ((1, 0, 0), (0, 1, 0), (0, 0, 1)),
        "-y": ((1, 0, 0), (0, 0, 1), (0, -1, 0)),
        "+y": ((-1, 0, 0), (0, 0, 1), (0, 1, 0)),
        "+x": ((0, 1, 0), (0, 0, 1), (1, 0, 0)),
        "-x": ((0, -1, 0), (0, 0, 1), (-1, 0, 0)),
        "-y spine": ((0, 0, 0), (0, 0, 0), (0, 0, 0)),
    }
    return slab._replace(vertices=vertices @ np.array(turns[side], float))


def book(generator: np.random.Generator, paint: Paint) -> Draft:
    """A book lying on its back cover: boards, a rounded spine along x with its title, pages set back."""
    length, width = 0.24, 0.24 * generator.uniform(0.66, 0.78)
    thick = generator.uniform(0.037, 0.052)
    board, inset = 0.003, 0.004
    cover = [moved(block((length, width, board), 0.0008), by=(0, 0, z)) for z in (board / 2, thick - board / 2)]
    spine = moved(block((length, board * 1.4, thick), 0.0012), by=(0, -width / 2 + board * 0.7, thick / 2))
    pages = moved(
        block((length - 2 * inset, width - inset - board, thick - 2 * board + 0.0004)),
        by=(0, (board - inset) / 2, thick / 2),
    )
    ink = _contrast(paint)
    title = str(generator.choice(_TITLES))
    sheet = textures.paper(generator, (1.0, 1.0, 1.0), (256, int(256 * width / length) // 4 * 4))
    sheet = np.rint(sheet * np.array(paint.look.colour)).astype(np.uint8)
    front = _frame(sheet, ink, 0.05)
    front = textures.write(front, title, ink, (0.12, 0.14, 0.88, 0.27))
    front[int(0.40 * 256) : int(0.80 * 256), int(0.22 * sheet.shape[1]) : int(0.78 * sheet.shape[1])] = np.rint(
        255 * np.array(shade(paint.look.colour, 0.55 if paint.colour != "black" else 1.5))
    ).astype(np.uint8)
    back = textures.paper(generator, (1.0, 1.0, 1.0), (64, 512))
    back = np.rint(back * np.array(paint.look.colour)).astype(np.uint8)
    back = textures.write(back, title, ink, (0.25, 0.25, 0.75, 0.75))
    back[:, 40:52] = back[:, -52:-40] = np.rint(255 * np.array(ink)).astype(np.uint8)
    lid = _panel(front, (width - 0.003, length - 0.003), "top")
    lid = lid._replace(vertices=np.column_stack([lid.vertices[:, 1], -lid.vertices[:, 0], lid.vertices[:, 2]]))
    lid = moved(lid, by=(0, 0, thick + 0.0002))
    band = moved(_panel(back, (length - 0.003, thick - 0.003), "-y"), by=(0, -width / 2 - 0.0002, thick / 2))
    gloss = plain((1, 1, 1), "paper")
    return Draft(
        (
            (merge(*cover, spine), paint.look),
            (pages, plain(_PAPER, "paper")),
            (lid, Look((1, 1, 1), 0.15, 0.3, front)),
            (band, Look((1, 1, 1), gloss.specular, gloss.shininess, back)),
        ),
        (merge(*cover, spine, lid, band),),
        support=(length - 0.01, width - 0.01),
    )


def _frame(sheet: np.ndarray, ink: tuple[float, float, float], share: float) -> np.ndarray:
    done = sheet.copy()
    height, width = sheet.shape[:2]
    gap = round(min(height, width) * share)
    tint = np.rint(255 * np.array(ink)).astype(np.uint8)
    for low in (gap,):
        done[low : low + 3, low : width - low] = tint
        done[height - low - 3 : height - low, low : width - low] = tint
        done[low : height - low, low : low + 3] = tint
        done[low : height - low, width - low - 3 : width - low] = tint
    return done


def cardboard_box(generator: np.random.Generator, paint: Paint) -> Draft:
    """A closed parcel of corrugated board, taped along its length."""
    length, width, height = 0.30, generator.uniform(0.19, 0.25), generator.uniform(0.13, 0.22)
    board = textures.cardboard(generator, (0.72, 0.55, 0.36))
    body = block((length, width, height), 0.003)
    tape = merge(
        moved(block((length, 0.045, 0.0008)), by=(0, 0, height / 2)),
        moved(block((0.0008, 0.045, height * 0.3)), by=(length / 2, 0, height * 0.35)),
        moved(block((0.0008, 0.045, height * 0.3)), by=(-length / 2, 0, height * 0.35)),
    )
    seam = moved(block((length - 0.004, 0.0016, 0.001)), by=(0, 0, height / 2 + 0.0003))
    return Draft(
        (
            (body, plain((1, 1, 1), "cardboard", board)),
            (tape, plain((0.82, 0.68, 0.47), "plastic")),
            (seam, plain((0.45, 0.33, 0.2), "cardboard")),
        ),
        (merge(body, tape, seam),),
        support=(length - 0.01, width - 0.01),
    )


def cereal_box(generator: np.random.Generator, paint: Paint) -> Draft:
    """A standing packet with its name and a bowl on both broad sides."""
    width, depth, height = 0.19, generator.uniform(0.055, 0.07), 0.29
    body = block((width, depth, height), 0.0015)
    ink = _contrast(paint)
    sheet = textures.paper(generator, (1.0, 1.0, 1.0), (320, 208))
    sheet = np.rint(sheet * np.array(paint.look.colour)).astype(np.uint8)
    y, x = np.mgrid[:320, :208]
    bowl = ((x - 104) / 78) ** 2 + ((y - 205) / 78) ** 2 < 1
    sheet[bowl & (y > 205)] = (240, 240, 240) if paint.colour != "white" else (60, 90, 170)
    sheet[((x - 104) / 78) ** 2 + ((y - 205) / 16) ** 2 < 1] = (225, 165, 70)
    flakes = generator.uniform((40, 194), (168, 216), (40, 2))
    for cx, cy in flakes:
        sheet[((x - cx) / 9) ** 2 + ((y - cy) / 5) ** 2 < 1] = (205, 135, 45)
    sheet = textures.write(sheet, str(generator.choice(_CREALS)), ink, (0.08, 0.10, 0.92, 0.30))
    sheet[10:16, 8:200] = sheet[300:306, 8:200] = np.rint(255 * np.array(ink)).astype(np.uint8)
    look = Look((1, 1, 1), 0.1, 0.2, sheet)
    front = merge(
        moved(_panel(sheet, (width - 0.002, height - 0.002), "-y"), by=(0, -depth / 2 - 0.0003, 0)),
        moved(_panel(sheet, (width - 0.002, height - 0.002), "+y"), by=(0, depth / 2 + 0.0003, 0)),
    )
    return Draft(((body, paint.look), (front, look)), (merge(body, front),))


def gift_box(generator: np.random.Generator, paint: Paint) -> Draft:
    """A wrapped box with a ribbon crossed over it and a bow."""
    length, width, height = 0.20, generator.uniform(0.15, 0.19), generator.uniform(0.09, 0.15)
    body = block((length, width, height), 0.002)
    other = (
        (0.97, 0.85, 0.25)
        if paint.colour in ("red", "green", "blue", "purple", "brown", "black")
        else (0.80, 0.08, 0.12)
    )
    broad = 0.026
    ribbon = merge(
        block((length + 0.0016, broad, height + 0.0016)),
        block((broad, width + 0.0016, height + 0.0016)),
    )
    top = height / 2
    loops = []
    for side in (1, -1):
        turn = np.linspace(0, 2 * np.pi, 20, endpoint=False)
        path = np.column_stack(
            [side * (0.032 - 0.030 * np.cos(turn)), np.zeros(20), top + 0.019 + 0.016 * np.sin(turn) * np.sin(turn / 2)]
        )
        loops.append(tube(path, [(0.012, 0.0014)] * 20, segments=8, closed=True, up=(1, 0, 0.01)))
    knot = moved(ellipsoid((0.010, 0.013, 0.010), 16), by=(0, 0, top + 0.012))
    bow = merge(*loops, knot)
    return Draft(((body, paint.look), (merge(ribbon, bow), plain(other, "plastic"))), (merge(body, ribbon), bow))
