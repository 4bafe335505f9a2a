"""DS: a hall with three open exits and a hanging sign, and a walk past the sign into one of the exits."""

import numpy as np

from chronotope.recording import Kind
from chronotope.world.camera import intrinsics_of
from chronotope.world.film_set import CeilingLamp, FilmSet, Light
from chronotope.world.homes.floor_plan import DoorPlan, FloorPlan, RoomPlan
from chronotope.world.homes.shell import shell_of
from chronotope.world.kinds.stage.graph.tasks.signage import DsGraph
from chronotope.world.kinds.stage.graph.themes import category_of
from chronotope.world.kinds.stage.graph.vocabulary import DESTINATIONS
from chronotope.world.kinds.stage.sets import INTERIORS, PLANT, draw_picture, dressing_of, finishes_of, line
from chronotope.world.kinds.stage.staged import Staged, place_of, standing
from chronotope.world.kinds.stage.walking import Walk, walk_along
from chronotope.world.kinds.stage.wall_dressing import dress
from chronotope.world.quality import Quality
from chronotope.world.things import Line, Piece, draw_sign

HEIGHT, OPENING, BEHIND = 3.9, 2.9, 3.2  # m: of the hall, of its exits, and of the ways behind them
HALF, SOUTH, NORTH = 5.0, -8.3, 3.6  # m, of the hall
EXIT = 1.5  # m, half the width of an exit
MIDDLE = 0.6  # m, y of the middle of the exits at both sides
LONG = 8.0  # m, of the ways behind the exits
START = -6.6  # m
SIGN, CAPITAL = -1.7, 0.30  # m, y of the sign, and height of its letters
FIELD = 58.0  # degrees, vertical
RADIUS = 1.3  # m, of the turn
ARROWS = {"Straight": "ahead", "Left": "left", "Right": "right"}
PLANTS = ((-4.5, NORTH - 0.07), (4.5, NORTH - 0.07))  # m
AHEAD, ASIDE = 6.3, 5.6  # m walked behind the junction


def lay(generator: np.random.Generator, graph: DsGraph, quality: Quality, times: np.ndarray) -> Staged:
    """Lay out the scene; the walk begins in the south and goes north."""
    place, tones = place_of(graph)
    place = place if place in INTERIORS else "station hall"
    plan = _plan()
    finishes = finishes_of(generator, place, tones)
    # Where a category has names of its own, these tell the place.
    dressing = "" if category_of("DS", graph.scene_meta.theme) in DESTINATIONS else dressing_of(place, tones)
    entries = graph.objects[0].attributes.entries
    sign = draw_sign(generator, "direction", [Line(e.text, ARROWS[e.arrow]) for e in entries], CAPITAL)  # type: ignore[arg-type]
    hung = standing("sign", sign, (0.0, SIGN, HEIGHT - sign.size[2]), -np.pi / 2)
    stands = [name for name in INTERIORS[place].stands if name not in ("pillar",)]
    props = line(generator, stands[:2], (-HALF + 0.07, SOUTH + 0.4), (-HALF + 0.07, -4.7))
    props += line(generator, stands[::-1][:2], (HALF - 0.07, -4.7), (HALF - 0.07, SOUTH + 0.4), props)
    for spot, inward in _spots():
        props.append(draw_picture(generator, spot, inward, len(props) + 1))
    for x, y in PLANTS:
        props += line(generator, (PLANT,), (x - 0.5, y), (x + 0.5, y), props)
    turn = {"Straight": 0, "Left": -1, "Right": 1}[graph.params.agent_path]
    corners = [(0.0, START), (0.0, MIDDLE), (turn * ASIDE, MIDDLE)] if turn else [(0.0, START), (0.0, AHEAD)]
    walk = Walk(np.array(corners), (turn,) if turn else (), eye=1.6, start=0.5, end=8.2, radius=RADIUS, down=-0.04)
    lamps, lights = _light()
    return Staged(
        film_set=FilmSet(
            (hung, *props),
            (*shell_of(generator, plan, finishes), *_dressed(generator, dressing)),
            lights,
            (0.58, 0.58, 0.57),
            0.05,
            32.0,
            0.6,
            lamps,
        ),
        camera=walk_along(walk, times),
        intrinsics=intrinsics_of(FIELD, quality.width, quality.height),
        kind=Kind.INDOOR,
        parts={"sign": "sign"},
        facts={"capital": CAPITAL, "exits": {name: np.round(ends, 3).tolist() for name, ends in _exits().items()}},
    )


def _dressed(generator: np.random.Generator, name: str) -> list[Piece]:
    """Dress the walls at both sides of the hall, and those beside the exit ahead."""
    wall, pieces = 0.07, list[Piece]()
    for side in (-1, 1) if name else ():
        beside = np.array([side * (HALF - wall), -3.2]), np.array([-side, 0.0])
        ahead = np.array([side * 3.2, NORTH - wall]), np.array([0.0, -1.0])
        pieces += dress(generator, name, 2.6, *beside) + dress(generator, name, 1.9, *ahead)
    return pieces


def _spots() -> list[tuple[np.ndarray, np.ndarray]]:
    """Return where pictures hang: the middle of each, and the unit vector into the room."""
    wall, low, high = 0.06, MIDDLE - EXIT, MIDDLE + EXIT
    spots = [((x, NORTH - wall), (0, -1)) for x in (-4.6, -1.9, 1.9, 4.6)]
    for side in (-1, 1):
        spots += [((side * (HALF - wall), y), (-side, 0)) for y in (-5.6, -1.3)]
        spots += [((side * x, low + wall), (0, 1)) for x in (HALF + 1.5, HALF + 4.0)]
        spots += [((side * x, high - wall), (0, -1)) for x in (HALF + 2.7, HALF + 5.2)]
        spots += [((side * (EXIT - wall), y), (-side, 0)) for y in (NORTH + 1.5 + 0.6 * side, NORTH + 4.0 + 0.6 * side)]
        spots.append(((side * (HALF + LONG - wall), MIDDLE), (-side, 0)))
    spots.append(((0.0, NORTH + LONG - wall), (0, -1)))
    return [(np.array(place, float), np.array(inward, float)) for place, inward in spots]


def _plan() -> FloorPlan:
    """Return the hall with its three exits, and a way behind each exit."""
    hall = RoomPlan("hall", "Hall", _rectangle(-HALF, SOUTH, HALF, NORTH), HEIGHT)
    low, high = MIDDLE - EXIT, MIDDLE + EXIT
    ways = {
        "Left": _rectangle(-HALF - LONG, low, -HALF, high),
        "Straight": _rectangle(-EXIT, NORTH, EXIT, NORTH + LONG),
        "Right": _rectangle(HALF, low, HALF + LONG, high),
    }
    rooms = [RoomPlan(name.lower(), "Hall", polygon, BEHIND) for name, polygon in ways.items()]
    doors = [DoorPlan(f"exit-{name.lower()}", ("hall", name.lower()), ends, OPENING) for name, ends in _exits().items()]
    return FloorPlan((hall, *rooms), tuple(doors), ())


def _rectangle(x0: float, y0: float, x1: float, y1: float) -> np.ndarray:
    return np.array([(x0, y0), (x1, y0), (x1, y1), (x0, y1)])


def _exits() -> dict[str, np.ndarray]:
    """Return the ends (2, 2) m of the opening of each exit, on the floor."""
    low, high = MIDDLE - EXIT + 0.12, MIDDLE + EXIT - 0.12
    return {
        "Left": np.array([(-HALF, low), (-HALF, high)]),
        "Straight": np.array([(0.12 - EXIT, NORTH), (EXIT - 0.12, NORTH)]),
        "Right": np.array([(HALF, low), (HALF, high)]),
    }


def _light() -> tuple[tuple[CeilingLamp, ...], tuple[Light, ...]]:
    spots = [(-2.5, -5.0), (2.5, -5.0), (-2.5, 0.5), (2.5, 0.5), (-9.0, 0.6), (9.0, 0.6), (0.0, 7.5)]
    lamps = tuple(CeilingLamp((x, y, HEIGHT if k < 4 else BEHIND), 0.6, 5.5) for k, (x, y) in enumerate(spots))
    lights = tuple(
        Light((x, y, (HEIGHT if k < 4 else BEHIND) - 0.2), (0.0, 0.1, -1.0), (0.2, 0.2, 0.19), shadows=k < 2)
        for k, (x, y) in enumerate(spots)
    )
    return lamps, lights
