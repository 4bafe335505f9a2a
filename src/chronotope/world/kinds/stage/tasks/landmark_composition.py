"""LS: a town from the air; the camera looks straight down, climbs, flies and descends."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import pairwise

import numpy as np

from chronotope.recording import Kind
from chronotope.world.camera import intrinsics_of, look_at
from chronotope.world.film_set import Daylight, FilmSet, Placement
from chronotope.world.kinds.stage.graph.tasks.landmark_composition import LsGraph
from chronotope.world.kinds.stage.staged import Staged, place_of, standing
from chronotope.world.kinds.stage.timing import eased, through
from chronotope.world.quality import Quality
from chronotope.world.slabs import corners_of
from chronotope.world.things import Look, Piece, Thing
from chronotope.world.things.thing import size_of
from chronotope.world.town import Clearing, draw_landmark, draw_town
from chronotope.world.town.filler import FLAT, ROOFS

FIELD = 50.0  # degrees, vertical
CLIMB, FLIGHT, DESCENT = (0.6, 2.4), (2.9, 6.0), (5.8, 7.5)  # s
# s, of a composed way: its begin, its turn over landmark 2, and its end. The picture in the middle of the clip has this
# landmark in its middle, and so tells no direction.
COMPOSED = (2.5, 4.0, 6.0)
FILLED, OUTSIDE = 0.86, 0.96  # share of the picture that a landmark fills, and of the height that hides landmark 2
FREE = 12.0  # m, around a landmark
EDGE = 60.0  # m of town beyond the view
FAR = 900.0  # m
DEPTH_SCALE = 100.0  # steps per m
TINTS = {"warm": (1.0, 0.96, 0.88), "cool": (0.90, 0.97, 1.0), "dark": (0.82, 0.82, 0.86), "green": (0.92, 1.0, 0.90),
         "brick": (1.0, 0.90, 0.84), "pale": (1.0, 1.0, 0.98)}  # fmt: skip


def lay(generator: np.random.Generator, graph: LsGraph, quality: Quality, times: np.ndarray) -> Staged:
    """Lay out the scene; the middle of the flight is the origin."""
    places = np.array([graph.place(number) for number in (1, 2, 3)])
    flown = places if graph.params.composed else places[[0, 2]]  # over what the camera flies
    shift = (flown.min(axis=0) + flown.max(axis=0)) / 2
    places = np.round(places - shift, 1)
    _, tones = place_of(graph)
    landmarks: list[Placement] = []
    clearings = []
    for number, place in enumerate(places, 1):
        each = next(o for o in graph.objects if o.role == f"landmark_{number}")
        thing = draw_landmark(generator, each.attributes.type)
        landmarks.append(standing(each.id, thing, (*place.tolist(), 0.0), 0.0))
        clearings.append(Clearing(float(place[0]), float(place[1]), float(np.hypot(*thing.size[:2])) / 2 + FREE))
    camera = graph.camera_movement
    sizes = np.array([each.thing.size for each in landmarks])
    lows = _lows(graph, places, sizes, quality.width / quality.height)
    wide = camera.high_height * np.tan(np.radians(FIELD) / 2) * quality.width / quality.height
    town = draw_town(
        generator, float(np.abs(flown - shift).max() + wide + EDGE), clearings,
        is_seen=_near(flown - shift, np.array([wide, wide * quality.height / quality.width])),
    )  # fmt: skip
    tint = np.array(TINTS[tones[0] if tones else "pale"])
    return Staged(
        film_set=FilmSet(
            (*landmarks, *_houses(town, tint)), tuple(_tinted(piece, tint) for piece in town if not _is_roof(piece)),
            ambient=(0.44, 0.44, 0.46), near=20.0,
            far=FAR, daylight=Daylight((-0.45, -0.35, 0.82), window=260.0),
        ),
        camera=_camera(graph, times, places, lows),
        intrinsics=intrinsics_of(FIELD, quality.width, quality.height),
        kind=Kind.OUTDOOR,
        parts={each.id: each.id for each in landmarks},
        depth_scale=DEPTH_SCALE,
        is_baked=False,
        facts={"north": [0.0, 1.0], "places": places.tolist()},
    )  # fmt: skip


def _near(way: np.ndarray, reach: np.ndarray) -> Callable[[float, float], bool]:
    """Return a check whether a place is in view during a flight along a way (N, 2) m.

    ``reach`` (2,) m is half the size of the ground in the picture; blocks with shadows may be EDGE m larger.
    """
    shares = np.linspace(0, 1, 41)[:, None]
    points = np.concatenate([a + shares * (b - a) for a, b in pairwise(way)])
    return lambda x, y: bool((np.abs(points - (x, y)) < reach + 2 * EDGE).all(axis=1).any())


def _is_roof(piece: Piece) -> bool:
    return piece.look.texture is None and piece.look.colour in (*ROOFS, *FLAT)


def _houses(town: Sequence[Piece], tint: np.ndarray) -> list[Placement]:
    """Return all roofs of one colour as one thing, so that pictures have outlines everywhere."""
    placements = []
    for piece in filter(_is_roof, town):
        low, high = piece.vertices.min(axis=0), piece.vertices.max(axis=0)
        middle = np.round((low + high) / 2, 3)
        caster = None if piece.caster is None else piece.caster - middle
        moved = replace(_tinted(piece, tint), vertices=piece.vertices - middle, caster=caster)
        thing = Thing("roofs", None, "clay", (moved,), size_of((moved,)), "none", "its front", 1.0,
                      (corners_of(high - low, (0.0, 0.0, 0.0)),), None, "{category}")  # fmt: skip
        pose = np.eye(4)
        pose[:3, 3] = middle
        placements.append(Placement(f"prop-{len(placements) + 1}-roofs", thing, pose, role="furniture"))
    return placements


def _tinted(piece: Piece, tint: np.ndarray) -> Piece:
    red, green, blue = np.clip(np.array(piece.look.colour) * tint, 0, 1).tolist()
    look: Look = replace(piece.look, colour=(red, green, blue))
    return replace(piece, look=look)


def _lows(graph: LsGraph, places: np.ndarray, sizes: np.ndarray, aspect: float) -> tuple[float, float]:
    """Return the heights (m) at which landmarks 1 and 3 fill the picture."""
    tall, wide = np.tan(np.radians(FIELD) / 2) * np.array([1, aspect])
    fit = np.maximum(sizes[:, 1] / tall, sizes[:, 0] / wide) / 2 / FILLED
    fit = sizes[:, 2] + np.minimum(fit, graph.camera_movement.low_height)
    beyond = np.abs(places[1] - places[0]) - sizes[1, :2] / 2
    return float(min(fit[0], OUTSIDE * max(beyond[0] / wide, beyond[1] / tall))), float(fit[2])


def over(graph: LsGraph, times: np.ndarray, places: np.ndarray) -> np.ndarray:
    """Return the points (T, 2) m of the ground below the camera.

    The camera flies over landmarks at ``places`` (3, 2) m.
    """
    if graph.params.composed:
        legs = [eased(times, *span) for span in pairwise(COMPOSED)]
        return places[0] + legs[0][:, None] * (places[1] - places[0]) + legs[1][:, None] * (places[2] - places[1])
    return places[0] + eased(times, *FLIGHT)[:, None] * (places[2] - places[0])


def _camera(graph: LsGraph, times: np.ndarray, places: np.ndarray, lows: tuple[float, float]) -> np.ndarray:
    height = through(times, (lows[0], graph.camera_movement.high_height, lows[1]), [CLIMB, DESCENT])
    positions = np.column_stack([over(graph, times, places), height])
    return look_at(positions, positions - (0.0, 0.0, 1.0), right=(1.0, 0.0, 0.0))
