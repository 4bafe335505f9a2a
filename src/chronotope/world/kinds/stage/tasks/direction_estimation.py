"""DE: a corridor with corners, and a walk through it at eye level."""

from itertools import pairwise

import numpy as np

from chronotope.recording import Kind
from chronotope.world.camera import intrinsics_of
from chronotope.world.film_set import CeilingLamp, FilmSet, Light, Placement
from chronotope.world.homes.floor_plan import DoorPlan, FloorPlan, RoomPlan
from chronotope.world.homes.home import pose_at
from chronotope.world.homes.shell import shell_of
from chronotope.world.kinds.stage.filling import no_room
from chronotope.world.kinds.stage.graph import scenario_of
from chronotope.world.kinds.stage.graph.tasks.direction_estimation import BEYOND, HALF, DeGraph, stands
from chronotope.world.kinds.stage.sets import INTERIORS, draw_picture, dressing_of, finishes_of
from chronotope.world.kinds.stage.staged import Staged, place_of
from chronotope.world.kinds.stage.walking import Walk, walk_along
from chronotope.world.kinds.stage.wall_dressing import dress
from chronotope.world.quality import Quality
from chronotope.world.things import HOME_KINDS, HomeState, HomeThing, Piece, draw_home_thing

HEIGHT = 2.7  # m
BEHIND = 1.3  # m of corridor behind the start
FIELD = 62.0  # degrees, vertical
SEEDS = 2**31
DOOR = (0.9, 2.05)  # m, width and height
DRAWS = 200
PICTURES = "pictures"  # the dressing of galleries, which have no doors
NARROW = 1.15  # m of wall for what dresses it


def lay(generator: np.random.Generator, graph: DeGraph, quality: Quality, times: np.ndarray) -> Staged:
    """Lay out the scene; the walk starts at the origin towards +y."""
    place, tones = place_of(graph)
    place = place if place in INTERIORS else "office"
    corners = corners_of_way(graph.camera_movement.legs, graph.params.turns)
    polygon = outline(corners, graph.params.turns)
    ends = _ends(corners)
    doors, pictures, dressed = _walls(generator, corners, dressing_of(place, tones))
    plan = FloorPlan((RoomPlan("corridor", "Corridor", polygon, HEIGHT),), doors, ())
    placements = []
    for each, (spot, yaw) in zip(graph.objects, ends, strict=True):
        made = draw_landmark(generator, each.attributes.type, each.attributes.color)
        deep = float(made.closed[0])
        middle = spot + (deep / 2 + 0.03) * np.array([np.cos(yaw), np.sin(yaw)])
        placements.append(Placement(each.id, made.thing, made.pose(pose_at(np.array([*middle, 0.0]), yaw))))
    lamps, lights = _light(corners)
    result, before = scenario_of(graph).phase("result"), stands(graph)[0]
    walk = Walk(corners, graph.params.turns, eye=graph.camera_movement.eye_height, start=before + 0.25, end=result.t0)
    return Staged(
        film_set=FilmSet(
            (*placements, *pictures), (*shell_of(generator, plan, finishes_of(generator, place, tones)), *dressed),
            lights, (0.56, 0.56, 0.55), 0.05, 30.0, 0.6, lamps,
        ),
        camera=walk_along(walk, times),
        intrinsics=intrinsics_of(FIELD, quality.width, quality.height),
        kind=Kind.INDOOR,
        parts={each.id: each.id for each in placements},
        facts={"start": [0.0, 0.0], "corridor": np.round(polygon, 3).tolist()},
    )  # fmt: skip


def corners_of_way(legs: tuple[float, ...], turns: tuple[int, ...]) -> np.ndarray:
    """Return the ends (N + 1, 2) m of the legs, from the origin and first along +y."""
    places, heading = [np.zeros(2)], np.array([0.0, 1.0])
    for leg, turn in zip(legs, (*turns, 0), strict=True):
        places.append(places[-1] + leg * heading)
        if turn:
            heading = np.array([heading[1], -heading[0]]) * turn
    return np.array(places)


def outline(corners: np.ndarray, turns: tuple[int, ...]) -> np.ndarray:
    """Return the polygon (N, 2) m of the corridor, counter-clockwise; each leg goes on behind its end."""
    ways = np.diff(corners, axis=0)
    ways /= np.linalg.norm(ways, axis=1, keepdims=True)
    rectangles = []
    for number, (start, end, way) in enumerate(zip(corners[:-1], corners[1:], ways, strict=True)):
        first = start - way * (BEHIND if number == 0 else HALF)
        last = end + way * BEYOND
        across = np.array([-way[1], way[0]]) * HALF
        around = np.array([first - across, first + across, last - across, last + across])
        rectangles.append((*around.min(axis=0), *around.max(axis=0)))
    return _union(rectangles)


def _union(rectangles: list[tuple[float, ...]]) -> np.ndarray:
    """Return the outline (N, 2) of rectangles that overlap in a chain, counter-clockwise."""
    xs = np.unique(np.round([r[k] for r in rectangles for k in (0, 2)], 6))
    ys = np.unique(np.round([r[k] for r in rectangles for k in (1, 3)], 6))
    filled = np.zeros((len(xs) + 1, len(ys) + 1), bool)
    for x0, y0, x1, y1 in np.round(rectangles, 6):
        filled[1:-1, 1:-1] |= np.outer((xs[:-1] >= x0) & (xs[1:] <= x1), (ys[:-1] >= y0) & (ys[1:] <= y1))
    # Edges with the filled cell on their left side follow each other counter-clockwise.
    following = {}
    for i in range(len(xs)):
        for j in range(len(ys)):
            if j < len(ys) - 1 and filled[i, j + 1] != filled[i + 1, j + 1]:
                up = filled[i, j + 1]
                a, b = ((i, j), (i, j + 1)) if up else ((i, j + 1), (i, j))
                following[a] = b
            if i < len(xs) - 1 and filled[i + 1, j] != filled[i + 1, j + 1]:
                right = filled[i + 1, j + 1]
                a, b = ((i, j), (i + 1, j)) if right else ((i + 1, j), (i, j))
                following[a] = b
    return _straightened(_ring(following), xs, ys)


def _ring(following: dict[tuple[int, int], tuple[int, int]]) -> list[tuple[int, int]]:
    ring = [min(following)]
    while following[ring[-1]] != ring[0]:
        ring.append(following[ring[-1]])
    return ring


def _straightened(ring: list[tuple[int, int]], xs: np.ndarray, ys: np.ndarray) -> np.ndarray:
    kept = []
    for before, here, after in zip(ring[-1:] + ring[:-1], ring, ring[1:] + ring[:1], strict=True):
        if (here[0] - before[0], here[1] - before[1]) == (0, 0):
            continue
        one, two = np.sign(np.subtract(here, before)), np.sign(np.subtract(after, here))
        if not np.array_equal(one, two):
            kept.append((xs[here[0]], ys[here[1]]))
    return np.array(kept, float)


def _ends(corners: np.ndarray) -> list[tuple[np.ndarray, float]]:
    """Return the middle of the wall at each leg's end, and the yaw back along the leg."""
    found = []
    for start, end in pairwise(corners):
        way = (end - start) / np.linalg.norm(end - start)
        found.append((end + way * (BEYOND - 0.06), float(np.arctan2(-way[1], -way[0]))))
    return found


def draw_landmark(generator: np.random.Generator, noun: str, colour: str) -> HomeThing:
    """Draw a large thing of its kind that is called by a colour, and fits into the corridor.

    Raises:
        RefusedError: If none of the drawn things is so.
    """
    name = next(name for name, kind in HOME_KINDS.items() if kind.noun == noun)
    for _ in range(DRAWS):
        made = draw_home_thing(name, int(generator.integers(SEEDS)), HomeState())
        if made.closed[1] < 2 * HALF - 0.15 and made.thing.colour == colour:
            return made
    raise no_room(f"no {colour} {noun} fits into a corridor")


def _walls(
    generator: np.random.Generator, corners: np.ndarray, dressing: str
) -> tuple[tuple[DoorPlan, ...], list[Placement], list[Piece]]:
    """Draw closed doors, pictures and dressings on the walls of each leg, away from its corners."""
    doors, pictures, dressed = [], [], []
    for number, (start, end) in enumerate(pairwise(corners)):
        length = float(np.linalg.norm(end - start))
        way = (end - start) / length
        left = np.array([-way[1], way[0]])
        first, last = (0.4 if number == 0 else HALF + 0.55), length - HALF - 0.5
        for side in (-1, 1):
            spots = np.linspace(first, last, max(2, int((last - first) / 1.2) + 1))
            for k, at in enumerate(spots):
                middle = start + way * at + left * side * HALF
                is_door = (k + (side > 0)) % 2 == 0 and dressing != PICTURES
                if is_door and dressing and k // 2 % 2 == number % 2:
                    foot = middle - left * side * 0.06
                    dressed += dress(generator, dressing, NARROW, foot, -left * side)
                elif is_door:
                    span = np.array([middle - way * DOOR[0] / 2, middle + way * DOOR[0] / 2])
                    doors.append(DoorPlan(f"door-{len(doors) + 1}", ("corridor", "corridor"), span, DOOR[1]))
                else:
                    pictures.append(
                        draw_picture(generator, middle - left * side * 0.06, -left * side, len(pictures) + 1)
                    )
    return tuple(doors), pictures, dressed


def _light(corners: np.ndarray) -> tuple[tuple[CeilingLamp, ...], tuple[Light, ...]]:
    """Hang a lamp in the middle and at each end of a leg; some cast shadows."""
    spots = [*((a + b) / 2 for a, b in pairwise(corners)), *corners]
    lamps = tuple(CeilingLamp((float(x), float(y), HEIGHT), 0.4, 3.2) for x, y in spots)
    lights = tuple(
        Light((float(x), float(y), HEIGHT - 0.15), (0.0, 0.12, -0.99), (0.24, 0.23, 0.21), shadows=k < len(corners) - 1)
        for k, (x, y) in enumerate(spots)
    )
    return lamps, lights
