"""The painting of baked light: pages of pictures, and the meshes that show them."""

from dataclasses import dataclass

import numpy as np

from chronotope.world.light.cells import Cells
from chronotope.world.light.detail import Detail
from chronotope.world.light.emitters import colours_at
from chronotope.world.light.grids import coarse
from chronotope.world.light.sun import Sun, in_beam, sunlight
from chronotope.world.light.surfaces import Surfaces
from chronotope.world.light.tone import glossy, pictured, shown, toned
from chronotope.world.light.tracer import Tracer
from chronotope.world.things import Look

SIDE = 4096  # px, largest width and height of a page
BLOCK = 4  # px; rectangles begin at multiples of it, so that two halvings of a page do not mix them


def pack(sizes: np.ndarray, order: np.ndarray) -> tuple[np.ndarray, np.ndarray, list[int]]:
    """Pack rectangles (N, 2) px, height and width, into pages.

    The rectangles are put into rows, the tallest first. Rectangles of one height follow each other by ``order`` (N,),
    so that similar rectangles are neighbours where the engine blurs a page. Returns the page (N,), the place (N, 2) of
    row and column, and the height of each page.

    Raises:
        ValueError: If a rectangle is larger than a page.
    """
    even = -(-sizes // BLOCK) * BLOCK
    if len(even) and even.max() > SIDE:
        raise ValueError(f"a rectangle of {even.max()} px does not fit into a page of {SIDE} px")
    page, places, heights = np.zeros(len(sizes), np.int64), np.zeros((len(sizes), 2), np.int64), [0]
    ranked = np.lexsort((order, -even[:, 0]))
    ends = np.concatenate([[0], np.cumsum(even[ranked, 1])])  # where each rectangle ends, if all were in one row
    top, first = 0, 0
    while first < len(ranked):
        last = int(np.searchsorted(ends, ends[first] + SIDE, "right")) - 1
        height = int(even[ranked[first], 0])  # the first one of a row is the tallest
        if top + height > SIDE:
            top = 0
            heights.append(0)
        row = ranked[first:last]
        page[row], places[row, 0], places[row, 1] = len(heights) - 1, top, ends[first:last] - ends[first]
        top, first = top + height, last
        heights[-1] = top
    return page, places, heights


WIDEST = 400  # px across a cell, if they are not further apart than the largest distance
LARGE = 0.03  # m; smaller cells have no edge of a beam of their own
RIM = 8  # px around large cells, with the colours of their border; smaller cells have an eighth of their side
MOST = SIDE - 2 * RIM  # px along a side of a cell


@dataclass(frozen=True, eq=False)
class Sheet:
    """A mesh with a picture: vertices (V, 3) m, faces (F, 3), uv (V, 2), and the picture (h, w, 3) uint8."""

    vertices: np.ndarray
    faces: np.ndarray
    uv: np.ndarray
    picture: np.ndarray


@dataclass(frozen=True, eq=False)
class Baked:
    """All meshes with pictures that are drawn for a set under baked light."""

    sheets: tuple[Sheet, ...]


@dataclass(frozen=True, eq=False)
class Lighting:
    """The irradiance (T, 3) of the places on all grids, without the sun and from the sun, and the exposure.

    ``is_seen`` (C,) is true for cells that have lit places and are seen by a camera; all other cells are inside walls,
    outdoors or in rooms that are not filmed.
    """

    soft: np.ndarray
    sunny: np.ndarray
    is_seen: np.ndarray
    exposure: float
    sun: Sun | None
    tracer: Tracer


def paint(surfaces: Surfaces, cells: Cells, lighting: Lighting, detail: Detail) -> Baked:
    """Paint all cells into pages, and return a sheet for each page."""
    fine, is_beam = _fine_shapes(surfaces, cells, lighting, detail)
    is_fine = fine.min(axis=1) > 0
    shape = np.where(is_fine[:, None], fine, np.where(lighting.is_seen[:, None], cells.shape, 2))
    colours = _colours(surfaces, cells, lighting, detail)
    rim = np.clip(shape.max(axis=1) // RIM, 1, RIM)
    page, corner, heights = pack(shape + 2 * rim[:, None], _likeness(cells, colours))
    pages = [np.zeros((height, SIDE, 3), np.uint8) for height in heights]
    corner = corner + rim[:, None]
    _paint_coarse(pages, cells, colours, np.flatnonzero(~is_fine), page, corner, shape, rim)
    painter = _Painter(surfaces, cells, lighting, detail.beam)
    for cell in np.flatnonzero(is_fine).tolist():
        around = int(rim[cell])
        row, column = corner[cell] - around
        inner = painter.paint(cell, fine[cell], bool(is_beam[cell]))
        rows, columns = (np.clip(np.arange(-around, size + around), 0, size - 1) for size in inner.shape[:2])
        pages[page[cell]][row : row + len(rows), column : column + len(columns)] = inner[rows][:, columns]
    return Baked(tuple(_sheet(surfaces, cells, pages, number, page, corner, shape) for number in range(len(pages))))


def _fine_shapes(surfaces: Surfaces, cells: Cells, lighting: Lighting, detail: Detail) -> tuple[np.ndarray, np.ndarray]:
    """Return the shapes (C, 2) px of cells that need many pixels.

    Such cells have a picture or lie in a beam of the sun. Also returns which cells (C,) are in a beam.
    """
    shape, lengths = np.zeros_like(cells.shape), cells.lengths
    spans = np.abs(np.stack([cells.uv[:, 1] - cells.uv[:, 0], cells.uv[:, 2] - cells.uv[:, 0]], axis=1))
    for number, look in enumerate(surfaces.looks):
        if look.texture is not None:
            mine = cells.piece == number
            height, width, _ = look.texture.shape
            shape[mine] = np.maximum(2, np.ceil((spans[mine] * (width, height)).max(axis=2))) + 1
    is_textured = (shape > 0).all(axis=1) & (lengths.max(axis=1) >= detail.plain)
    is_seen = lighting.is_seen | (surfaces.glow[cells.piece] > 0)
    is_beam = np.zeros(len(cells), bool)
    if lighting.sun is not None:
        cell, row, column = coarse(cells)
        share = np.stack([row, column], axis=1) / (cells.shape[cell] - 1)
        places = cells.origin[cell] + np.einsum("nk,nkd->nd", share, cells.sides[cell])
        hit = in_beam(lighting.sun, places, cells.normals[cell, 0])
        is_beam = (np.bincount(cell, hit, minlength=len(cells)) > 0) & (lengths.max(axis=1) > LARGE)
        is_beam &= is_seen
    wanted = np.ceil(lengths / detail.beam) + 1
    shape[is_beam] = np.maximum(shape[is_beam], wanted[is_beam])
    drawn = (is_textured | is_beam) & is_seen
    limit = np.minimum(np.maximum(np.ceil(lengths / np.clip(lengths / WIDEST, *detail.pixels)) + 1, cells.shape), MOST)
    return np.where(drawn[:, None], np.clip(shape, cells.shape, limit), 0).astype(np.int64), is_beam


def _colours(surfaces: Surfaces, cells: Cells, lighting: Lighting, detail: Detail) -> np.ndarray:
    """Return the colours (T, 3), sRGB, of all places.

    Places have the mean colour of their piece, but places of small cells may have the colours of the piece's picture.
    """
    cell, row, column = coarse(cells)
    piece = cells.piece[cell]
    colour, glow = surfaces.colours[piece], surfaces.glow[piece][:, None]
    is_small = lighting.is_seen & (cells.lengths.max(axis=1) < detail.plain)
    for number in np.unique(cells.piece[is_small]):
        look = surfaces.looks[number]
        if look.texture is not None:
            mine = np.flatnonzero(is_small[cell] & (piece == number))
            one, two = (
                at[mine, None] / (cells.shape[cell[mine], k] - 1)[:, None] for k, at in enumerate((row, column))
            )
            corner = cells.uv[cell[mine]]
            uv = corner[:, 0] + one * (corner[:, 1] - corner[:, 0]) + two * (corner[:, 2] - corner[:, 0])
            colour[mine] = colours_at(look, uv)
    light = lighting.exposure * (lighting.soft + lighting.sunny) * glossy(colour, surfaces.specular[piece][:, None])
    return toned(np.where(glow > 0, shown(colour, glow), light))


def _likeness(cells: Cells, colours: np.ndarray) -> np.ndarray:
    """Return a number (C,) for each cell; cells of similar colours have similar numbers."""
    cell, _, _ = coarse(cells)
    sizes = cells.shape.prod(axis=1)
    mean = np.stack([np.bincount(cell, colours[:, k], minlength=len(cells)) / sizes for k in range(3)], axis=1)
    level = np.rint(mean * 6)
    return level @ [49.0, 7.0, 1.0] + mean.mean(axis=1) / 2


def _paint_coarse(
    pages: list[np.ndarray],
    cells: Cells,
    colours: np.ndarray,
    chosen: np.ndarray,
    page: np.ndarray,
    corner: np.ndarray,
    inner: np.ndarray,
    rim: np.ndarray,
) -> None:
    """Paint cells whose pixels are the places of their grids."""
    shape = inner[chosen] + 2 * rim[chosen][:, None]
    sizes = shape.prod(axis=1)
    cell = np.repeat(chosen, sizes)
    number = np.arange(len(cell)) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    wide = np.repeat(shape[:, 1], sizes)
    row, column = number // wide - rim[cell], number % wide - rim[cell]
    nearest_row, nearest_column = np.clip(row, 0, inner[cell, 0] - 1), np.clip(column, 0, inner[cell, 1] - 1)
    source = cells.start[cell] + nearest_row * cells.shape[cell, 1] + nearest_column
    painted = np.rint(255 * np.clip(colours[source], 0, 1)).astype(np.uint8)
    for number, picture in enumerate(pages):
        mine = page[cell] == number
        picture[(corner[cell, 0] + row)[mine], (corner[cell, 1] + column)[mine]] = painted[mine]


class _Painter:
    """Paints single cells at the resolution of their own picture."""

    def __init__(self, surfaces: Surfaces, cells: Cells, lighting: Lighting, beam: float) -> None:
        self._surfaces, self._cells, self._lighting, self._beam = surfaces, cells, lighting, beam
        self._lengths = cells.lengths  # once, because each call computes those of all cells

    def paint(self, cell: int, shape: np.ndarray, is_beam: bool) -> np.ndarray:
        """Return the picture (h, w, 3) uint8 of a cell."""
        cells, lighting = self._cells, self._lighting
        look = self._surfaces.looks[int(cells.piece[cell])]
        shares = [np.linspace(0, 1, int(size)) for size in shape]
        albedo = self._albedo(cell, look, shares)
        if look.glow > 0:
            light = shown(albedo, np.array(look.glow))
        else:
            start, size = int(cells.start[cell]), cells.shape[cell]
            grid = slice(start, start + int(size.prod()))
            soft = lighting.soft[grid] if is_beam else lighting.soft[grid] + lighting.sunny[grid]
            soft = soft.astype(np.float32)
            light = _between(soft.reshape(*size, 3), shares)
            if is_beam:
                light = light + self._beams(cell, shares)
            light = lighting.exposure * light * glossy(albedo, look.specular)
        return pictured(light)

    def _albedo(self, cell: int, look: Look, shares: list[np.ndarray]) -> np.ndarray:
        corner = self._cells.uv[cell]
        one, two = shares[0][:, None, None], shares[1][None, :, None]
        uv = corner[0] + one * (corner[1] - corner[0]) + two * (corner[2] - corner[0])
        return colours_at(look, uv.reshape(-1, 2)).reshape(len(shares[0]), len(shares[1]), 3)

    def _beams(self, cell: int, shares: list[np.ndarray]) -> np.ndarray:
        """Return the light of the sun in a cell.

        The light is computed at places that are at most ``Detail.beam`` apart, and interpolated between these places.
        """
        cells, sun = self._cells, self._lighting.sun
        assert sun is not None
        counts = [
            min(len(share), int(np.ceil(length / self._beam)) + 1)
            for share, length in zip(shares, self._lengths[cell], strict=True)
        ]
        inset = [
            np.clip(np.linspace(0, 1, max(count, 2)), least, 1 - least)
            for count, least in zip(counts, self._least(cell), strict=True)
        ]
        one, two = np.meshgrid(*inset, indexing="ij")
        side = cells.sides[cell]
        places = cells.origin[cell] + one[..., None] * side[0] + two[..., None] * side[1]
        corner = cells.normals[cell]
        normals = corner[0] + one[..., None] * (corner[1] - corner[0]) + two[..., None] * (corner[2] - corner[0])
        normals = normals / np.maximum(np.linalg.norm(normals, axis=-1, keepdims=True), 1e-18)
        found = sunlight(sun, places.reshape(-1, 3), normals.reshape(-1, 3), self._lighting.tracer)
        return _between(found.astype(np.float32).reshape(*one.shape, 3), shares)

    def _least(self, cell: int) -> np.ndarray:
        return np.minimum(0.002 / np.maximum(self._lengths[cell], 1e-9), 0.2)


def _between(grid: np.ndarray, shares: list[np.ndarray]) -> np.ndarray:
    """Interpolate a grid (n, m, 3) at shares of its sides."""
    for axis, share in enumerate(shares):
        place = share * (grid.shape[axis] - 1)
        low = np.minimum(place.astype(np.int64), grid.shape[axis] - 2)
        weight = (place - low).astype(np.float32).reshape((-1, 1, 1) if axis == 0 else (1, -1, 1))
        grid = np.take(grid, low, axis) * (1 - weight) + np.take(grid, low + 1, axis) * weight
    return grid


def _sheet(
    surfaces: Surfaces,
    cells: Cells,
    pages: list[np.ndarray],
    number: int,
    page: np.ndarray,
    corner: np.ndarray,
    shape: np.ndarray,
) -> Sheet:
    """Return the triangles whose cells are in a page.

    The corners of a triangle lie in the middle of pixels.
    """
    mine = np.flatnonzero(page[cells.cell] == number)
    cell = cells.cell[mine]
    pixel = corner[cell][:, None] + 0.5 + cells.places[mine] * (shape[cell] - 1)[:, None]
    height, width, _ = pages[number].shape
    uv = np.stack([pixel[..., 1] / width, pixel[..., 0] / height], axis=-1)
    return Sheet(
        surfaces.vertices[surfaces.faces[mine]].reshape(-1, 3),
        np.arange(3 * len(mine)).reshape(-1, 3),
        uv.reshape(-1, 2),
        pages[number],
    )
