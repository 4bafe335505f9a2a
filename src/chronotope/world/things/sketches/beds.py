"""Beds of people and dogs."""

import itertools

import numpy as np

from chronotope.world.things import textures
from chronotope.world.things.colours import plain, shade
from chronotope.world.things.joinery import (
    DARK,
    board,
    cushion,
    rod,
    surface,
    top_of,
    wall_solids,
    wooden,
)
from chronotope.world.things.kind import HomeState, Model
from chronotope.world.things.mesh import (
    Mesh,
    block,
    extrude,
    merge,
    moved,
    pictured,
    rounded_rectangle,
    tube,
)
from chronotope.world.things.thing import Paint


def bed(generator: np.random.Generator, paint: Paint, size: np.ndarray, state: HomeState) -> Model:
    """Make a bed with its head at -x, a mattress and a blanket, which may have stains."""
    deep, wide, tall = size
    style, wood = int(generator.integers(0, 4)), wooden(generator)
    cover = _blanket(generator, paint)  # stains come last, so that both states have the same random numbers
    a, b = deep / 2, wide / 2
    frame_z, bed_z = 0.3, 0.5
    rail = [board((-a + 0.05, s * b, 0.12), (a - 0.04, s * (b - 0.04), frame_z)) for s in (-1, 1)]
    rail.append(board((a - 0.04, -b, 0.12), (a, b, frame_z)))
    base = board((-a + 0.05, -b + 0.04, 0.16), (a - 0.04, b - 0.04, frame_z - 0.04))
    legs = [board((a - 0.07, s * b * 0.98, 0), (a - 0.01, s * (b * 0.98 - 0.06), 0.12)) for s in (-1, 1)]
    head = _headboard(a, b, tall, style)
    mattress = cushion((-a + 0.055, -b + 0.03, frame_z - 0.04), (a - 0.03, b - 0.03, bed_z - 0.02), 0.05)
    sheet_x = -a + 0.62  # the mattress is free behind this line, for pillows
    blanket = moved(
        block((a - 0.012 - sheet_x, wide - 0.016, 0.24), 0.035, corner=0.03),
        by=((a - 0.012 + sheet_x) / 2, 0, bed_z - 0.12),
    )
    fold = cushion((sheet_x - 0.08, -b + 0.006, bed_z - 0.2), (sheet_x + 0.14, b - 0.006, bed_z + 0.008), 0.03)
    metal = style == 3
    soft = plain(shade(paint.look.colour, 0.8), "fabric")
    frame_look = DARK if metal else wood
    parts = [
        (merge(*rail, base, *legs, *(head if style != 2 else [])), frame_look),
        (mattress, plain((0.95, 0.94, 0.91), "fabric")),
        (pictured(blanket), plain((1, 1, 1), "fabric", stain(generator, cover) if state.dirty else cover)),
        (fold, plain((0.97, 0.97, 0.95) if paint.colour != "white" else (0.65, 0.72, 0.82), "fabric")),
    ]
    if style == 2:
        parts.append((merge(*head), soft))
    shelf = top_of((sheet_x + 0.16, -b + 0.07), (a - 0.07, b - 0.07), bed_z)
    head_shelf = top_of((-a + 0.12, -b + 0.1), (sheet_x - 0.1, b - 0.1), bed_z - 0.02)
    return Model(tuple(parts), (*rail, merge(mattress, base), blanket, *legs, *head), (shelf, head_shelf))


def _headboard(a: float, b: float, tall: float, style: int) -> list[Mesh]:
    # Make the head of a bed: a panel (0), slats (1), upholstery (2) or bars of metal (3).
    if style == 2:
        edges = np.linspace(-b, b, 5)
        pads = [
            cushion((-a, p + 0.003, 0.3), (-a + 0.055, q - 0.003, tall), 0.025) for p, q in itertools.pairwise(edges)
        ]
        return [*pads, board((-a, -b + 0.02, 0), (-a + 0.04, b - 0.02, 0.3))]
    posts = [board((-a, s * b, 0), (-a + 0.05, s * (b - 0.05), tall)) for s in (-1, 1)]
    if style == 0:
        return [*posts, board((-a + 0.01, -b + 0.05, 0.2), (-a + 0.04, b - 0.05, tall - 0.04))]
    bars = [board((-a + 0.008, -b + 0.05, z), (-a + 0.042, b - 0.05, z + 0.06)) for z in (0.25, tall - 0.09)]
    places = np.linspace(-b + 0.1, b - 0.1, max(5, round(2 * b / 0.16)))
    if style == 1:
        return [
            *posts,
            *bars,
            *(board((-a + 0.014, y - 0.03, 0.31), (-a + 0.036, y + 0.03, tall - 0.09)) for y in places),
        ]
    return [*posts, *bars, *(rod((-a + 0.025, y, 0.3), (-a + 0.025, y, tall - 0.08), 0.01, 8) for y in places)]


def _blanket(generator: np.random.Generator, paint: Paint) -> np.ndarray:
    """Draw the blanket of a bed (256, 256, 3)."""
    tone, style = paint.look.colour, int(generator.integers(0, 3))
    if style == 0:
        clean = textures.fabric(generator, tone)
    elif style == 1:
        clean = textures.stripes(generator, tone, shade(tone, 1.5 if paint.colour != "white" else 0.7), 14)
    else:
        clean = textures.tiles(generator, tone, shade(tone, 1.35 if paint.colour != "white" else 0.8), 256, 8)
    return clean


def stain(generator: np.random.Generator, clean: np.ndarray, count: int = 9) -> np.ndarray:
    """Draw brown stains with dark rims into a picture.

    The picture (h, w, 3) is copied.
    """
    height, width = clean.shape[:2]
    y, x = np.mgrid[:height, :width]
    values = clean.astype(float)
    for _ in range(count):
        cy, cx, r = (
            generator.uniform(0.1, 0.9) * height,
            generator.uniform(0.1, 0.9) * width,
            generator.uniform(0.05, 0.13) * width,
        )
        lobes, phase = int(generator.integers(3, 7)), generator.uniform(0, 6)
        angle = np.arctan2(y - cy, x - cx)
        # several waves: with one wave, a stain would be a star
        edge = 0.08 * np.sin(lobes * angle + phase) + 0.1 * np.sin(2 * angle + 1.7 * phase) + 0.09 * np.cos(angle)
        far = np.hypot(y - cy, x - cx) / (r * (1 + edge))
        share = ((0.55 + 0.3 * np.minimum(far, 1) ** 4) * np.clip((1.06 - far) / 0.1, 0, 1))[..., None]
        values = values * (1 - share) + np.array([78, 52, 26]) * share
    return np.rint(values).astype(np.uint8)


def dog_bed(generator: np.random.Generator, paint: Paint, size: np.ndarray, state: HomeState) -> Model:
    """Make a dog bed: a cushion in a long, square or round rim that is low in front."""
    deep, wide, tall = size
    look, style = surface(generator, paint), int(generator.integers(0, 3))
    wide = deep if style == 2 else wide
    light = plain((0.90, 0.85, 0.76), "fabric")
    thick = 0.55 * tall
    if style == 1:
        corner, steps = 0.18, 5
    else:
        corner, steps = 0.5 * deep, 9
    path = np.concatenate(
        [rounded_rectangle(deep - tall, wide - tall, corner, steps), np.zeros((4 * (steps + 1), 1))], axis=1
    )
    keep = _distinct(path)
    radii = np.full((len(keep), 2), tall / 2)
    dip = np.clip((keep[:, 0] / (deep / 2) - 0.35) * 2, 0, 1) * np.clip(
        1.6 - 2.2 * np.abs(keep[:, 1]) / (wide / 2), 0, 1
    )
    lower = tall / 2 * (1 - 0.42 * dip)
    radii[:, 1] = lower
    keep = np.column_stack([keep[:, :2], lower])
    rim = tube(keep, radii, 12, closed=True)
    rim = rim._replace(uv=rim.uv * [2, 8])
    pad_outline = rounded_rectangle(deep - 1.2 * tall, wide - 1.2 * tall, corner, steps)
    pad = moved(extrude(_distinct(pad_outline), thick, 0.03), by=(0, 0, thick / 2 + 0.004))
    bone = moved(_bone(min(0.32 * deep, 0.5 * (wide - 2 * tall))), by=(0.0, 0, thick + 0.003))
    x, y = 0.6 * (deep / 2 - tall), 0.6 * (wide / 2 - tall)
    shelf = top_of((-x, -y), (x, y), thick + 0.005)
    inner = rounded_rectangle(deep - 2 * tall, wide - 2 * tall, corner, steps)
    outer = rounded_rectangle(deep, wide, corner, steps)
    parts = (
        (rim, look),
        (pad, light if paint.colour != "white" else plain((0.55, 0.60, 0.68), "fabric")),
        (bone, plain(shade(look.colour, 0.8), "fabric")),
    )
    return Model(parts, (pad, *wall_solids(outer, inner, 0, 0.9 * tall, 10)), (shelf,))


def _distinct(points: np.ndarray) -> np.ndarray:
    """Drop points of an outline that coincide with the point before."""
    return points[np.linalg.norm(points - np.roll(points, 1, axis=0), axis=1) > 1e-4]


def _bone(length: float) -> Mesh:
    """Make a flat sign of a bone, along y."""
    a, r = length / 2, 0.16 * length
    half = [
        (-0.4 * r, a - r),
        (-1.5 * r, a - 0.6 * r),
        (-1.7 * r, a + 0.3 * r),
        (-0.9 * r, a + 0.9 * r),
        (0, a + 0.35 * r),
    ]
    side = np.array(half)
    outline = np.concatenate([side, (side * [-1, 1])[::-1][1:], -side, (side * [1, -1])[::-1][1:]])
    area = np.sum(outline[:, 0] * np.roll(outline[:, 1], -1) - np.roll(outline[:, 0], -1) * outline[:, 1])
    return extrude(outline if area > 0 else outline[::-1], 0.004)
