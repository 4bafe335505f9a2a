"""Books, boxes and cartons."""

import numpy as np

from chronotope.world.things import textures
from chronotope.world.things.colours import legible, plain, shade
from chronotope.world.things.kind import Model
from chronotope.world.things.mesh import block, ellipsoid, merge, moved, panel, pictured, tube, turned
from chronotope.world.things.thing import Look, Paint

_TITLES = ("STARS", "OCEAN", "HISTORY", "RIVERS", "GARDEN", "ATLAS", "POEMS", "TRAVEL", "BIRDS", "MOON")
_CEREALS = ("CORN", "OATS", "CRISPY", "HONEY", "FLAKES")
_PAPER = (0.95, 0.92, 0.84)


def book(generator: np.random.Generator, paint: Paint) -> Model:
    """Make a book that lies on its back cover.

    The book has boards, a rounded spine along x with a title, and pages that are smaller than the boards.
    """
    length, width = 0.24, 0.24 * generator.uniform(0.66, 0.78)
    thick = generator.uniform(0.037, 0.052)
    board, inset = 0.003, 0.004
    cover = [moved(block((length, width, board), 0.0008), by=(0, 0, z)) for z in (board / 2, thick - board / 2)]
    spine = moved(block((length, board * 1.4, thick), 0.0012), by=(0, -width / 2 + board * 0.7, thick / 2))
    pages = moved(
        block((length - 2 * inset, width - inset - board, thick - 2 * board + 0.0004)),
        by=(0, (board - inset) / 2, thick / 2),
    )
    letters = legible(paint)
    title = str(generator.choice(_TITLES))
    front = _framed(textures.paper(generator, paint.look.colour, (256, int(256 * width / length) // 4 * 4)), letters)
    front = textures.write(front, title, letters, (0.12, 0.14, 0.88, 0.27))
    left, right = int(0.22 * front.shape[1]), int(0.78 * front.shape[1])
    front[102:204, left:right] = textures.ink(shade(paint.look.colour, 0.55 if paint.colour != "black" else 1.5))
    back = textures.paper(generator, paint.look.colour, (64, 512))
    back = textures.write(back, title, letters, (0.25, 0.25, 0.75, 0.75))
    back[:, 40:52] = back[:, -52:-40] = textures.ink(letters)
    lid = turned(pictured(block((width - 0.003, length - 0.003, 0.0008))), "z", -90)
    lid = moved(lid, by=(0, 0, thick - 0.0002))
    band = moved(panel(length - 0.003, thick - 0.003, 0.0008), by=(0, 0.0002 - width / 2, thick / 2))
    return Model(
        (
            (merge(*cover, spine), paint.look),
            (pages, plain(_PAPER, "paper")),
            (lid, Look((1, 1, 1), 0.15, 0.3, front)),
            (band, plain((1, 1, 1), "paper", back)),
        ),
        (merge(*cover, spine, lid, band),),
        support=(length - 0.01, width - 0.01),
    )


def _framed(sheet: np.ndarray, colour: tuple[float, float, float]) -> np.ndarray:
    """Draw a thin line just inside the edges of a sheet."""
    gap = round(min(sheet.shape[:2]) * 0.05)
    done = sheet.copy()
    done[gap:-gap, gap:-gap] = textures.ink(colour)
    done[gap + 3 : -gap - 3, gap + 3 : -gap - 3] = sheet[gap + 3 : -gap - 3, gap + 3 : -gap - 3]
    return done


def cardboard_box(generator: np.random.Generator, paint: Paint) -> Model:
    """Return a closed parcel of corrugated board, taped along its length."""
    length, width, height = 0.30, generator.uniform(0.19, 0.25), generator.uniform(0.13, 0.22)
    board = textures.cardboard(generator, (0.72, 0.55, 0.36))
    body = block((length, width, height), 0.003)
    tape = merge(
        moved(block((length, 0.045, 0.0008)), by=(0, 0, height / 2)),
        moved(block((0.0008, 0.045, height * 0.3)), by=(length / 2, 0, height * 0.35)),
        moved(block((0.0008, 0.045, height * 0.3)), by=(-length / 2, 0, height * 0.35)),
    )
    seam = moved(block((length - 0.004, 0.0016, 0.001)), by=(0, 0, height / 2 + 0.0003))
    return Model(
        (
            (body, plain((1, 1, 1), "cardboard", board)),
            (tape, plain((0.82, 0.68, 0.47), "plastic")),
            (seam, plain((0.45, 0.33, 0.2), "cardboard")),
        ),
        (merge(body, tape, seam),),
        support=(length - 0.01, width - 0.01),
    )


def cereal_box(generator: np.random.Generator, paint: Paint) -> Model:
    """Make an upright packet with name and bowl on both broad sides."""
    width, depth, height = 0.19, generator.uniform(0.055, 0.07), 0.29
    body = block((width, depth, height), 0.0015)
    letters = legible(paint)
    sheet = textures.paper(generator, paint.look.colour, (320, 208))
    y, x = np.mgrid[:320, :208]
    bowl = ((x - 104) / 78) ** 2 + ((y - 205) / 78) ** 2 < 1
    sheet[bowl & (y > 205)] = (240, 240, 240) if paint.colour != "white" else (60, 90, 170)
    sheet[((x - 104) / 78) ** 2 + ((y - 205) / 16) ** 2 < 1] = (225, 165, 70)
    flakes = generator.uniform((40, 194), (168, 216), (40, 2))
    for cx, cy in flakes:
        sheet[((x - cx) / 9) ** 2 + ((y - cy) / 5) ** 2 < 1] = (205, 135, 45)
    sheet = textures.write(sheet, str(generator.choice(_CEREALS)), letters, (0.08, 0.10, 0.92, 0.30))
    sheet[10:16, 8:200] = sheet[300:306, 8:200] = textures.ink(letters)
    look = Look((1, 1, 1), 0.1, 0.2, sheet)
    side = panel(width - 0.002, height - 0.002)
    front = merge(*(turned(moved(side, by=(0, 0.0002 - depth / 2, 0)), "z", degrees) for degrees in (0, 180)))
    return Model(((body, paint.look), (front, look)), (merge(body, front),))


def gift_box(generator: np.random.Generator, paint: Paint) -> Model:
    """Return a wrapped box with a crossed ribbon and a bow."""
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
    return Model(((body, paint.look), (merge(ribbon, bow), plain(other, "plastic"))), (merge(body, ribbon), bow))
