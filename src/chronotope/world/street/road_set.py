"""The set of a road: asphalt with its markings, kerbs, pavements, and houses along them."""

from collections.abc import Iterator
from dataclasses import replace
from itertools import pairwise

import numpy as np

from chronotope.world.street.backdrop import ASPHALT, KERB, LANE, PAVEMENT, house_row
from chronotope.world.street.house_shade import with_shade
from chronotope.world.street.lanes import Lane, coarse_lane, lane_back, lane_beside, lane_of, straight_lane
from chronotope.world.street.roads import ARMS, CORNER, CYCLE, PARKING, STOP_LINE, ZEBRA, Junction, Road, turned_lane
from chronotope.world.street.sweeps import plate_of, ribbon, surfaced
from chronotope.world.things import textures
from chronotope.world.things.mesh import Mesh
from chronotope.world.things.thing import Look, Piece

STONE = 0.15  # m, width of a kerb
_PAINT, _STONE = Look((0.90, 0.90, 0.88), 0.0, 0.0), Look((0.66, 0.65, 0.62), 0.0, 0.0)
_WHITE = (1.0, 1.0, 1.0)
_DASH, _PERIOD, _LINE, _THICK = 3.0, 9.0, 0.14, 0.008  # m, marks between lanes: length, period, width and height
_WIDE = 0.4  # m, of a stop line
_STRIPE = 0.5  # m, of a zebra crossing and between its stripes
BAY = 6.0  # m, length of a parking bay
_PLOT = 10.0  # m, from the pavement to behind the houses
_BENT = 9.0  # m, width of houses along a bend
_CLOSED = 4.6  # m, from the end of a road to the houses that close the view
_GROUND = -0.1  # m, underside of all surfaces


def road_pieces(generator: np.random.Generator, road: Road) -> tuple[Piece, ...]:
    """Draw the pieces of a road: its surfaces, and houses that cast shadows."""
    road = replace(road, middle=coarse_lane(road.middle), kerbs=tuple(map(coarse_lane, road.kerbs)))
    asphalt = Look(_WHITE, 0.0, 0.0, textures.plaster(generator, ASPHALT, 256))
    paving = Look(_WHITE, 0.0, 0.0, textures.tiles(generator, (0.64, 0.62, 0.59), size=256))
    kerbs = [ribbon(kerb, -STONE, 0.0, _GROUND, KERB) for kerb in road.kerbs]
    pieces = [
        surfaced(_carriageways(road), asphalt, 4.0),
        surfaced(_pavements(road), paving, 2.0),
        surfaced(kerbs, _STONE),
        surfaced(_markings(road), _PAINT),
    ]
    return (*pieces, *(with_shade(piece) for piece in _houses(generator, road)))


def _arms(junction: Junction) -> list[Lane]:
    """Return the middle lines of the arms of a crossing.

    Each leads from its far end to where the kerbs begin to turn.
    """
    middle = straight_lane((-junction.reach, 0, 0), (-junction.half - CORNER, 0, 0))
    return [turned_lane(middle, arm) for arm in range(ARMS)]


def _carriageways(road: Road) -> list[Mesh]:
    half = road.half
    if road.junction is None:
        return [ribbon(road.middle, -half, half, _GROUND, 0.0)]
    inner = half + CORNER
    square = ribbon(straight_lane((-inner, 0, 0), (inner, 0, 0)), -inner, inner, _GROUND, 0.0)
    return [square, *(ribbon(arm, -half, half, _GROUND, 0.0) for arm in _arms(road.junction))]


def _pavements(road: Road) -> list[Mesh]:
    """Make the pavements, which reach below the houses."""
    if road.junction is None:
        return [ribbon(kerb, -STONE - PAVEMENT - _PLOT, -STONE, _GROUND, KERB) for kerb in road.kerbs]
    reach = road.junction.reach
    outline = lane_beside(road.kerbs[0], -STONE).points[::-1, :2]
    corner = lane_of(np.column_stack([np.concatenate([outline, [[-reach, -reach]]]), np.zeros(len(outline) + 1)]))
    return [plate_of(turned_lane(corner, arm).points[:, :2], _GROUND, KERB) for arm in range(ARMS)]


def _markings(road: Road) -> Iterator[Mesh]:
    if road.junction is None:
        yield from _along(road.middle, road.lanes, road.has_parking)
        return
    for arm in _arms(road.junction):
        yield from _along(_part(arm, 0.0, arm.length - STOP_LINE + CORNER - _WIDE), road.lanes, road.has_parking)
        yield from _before_crossing(arm, road)


def _along(middle: Lane, lanes: int, has_parking: bool) -> Iterator[Mesh]:
    """Yield the lines along a road.

    Dashes are between lanes, and whole lines beside cycle lanes and parked cars. On a road of several lanes for each
    direction, two whole lines part the directions.
    """
    for number in range(1 - lanes, lanes):
        if number == 0 and lanes > 1:
            yield _mark(middle, -1.5 * _LINE, -_LINE / 2)
            yield _mark(middle, _LINE / 2, 1.5 * _LINE)
            continue
        line = lane_beside(middle, number * LANE)
        for start in np.arange(_PERIOD / 2, line.length - _DASH, _PERIOD):
            yield _mark(_part(line, float(start), float(start) + _DASH), -_LINE / 2, _LINE / 2)
    for edge in (lanes * LANE, *([lanes * LANE + CYCLE] if has_parking else [])):
        for side in (-1, 1):
            yield _mark(middle, side * edge - _LINE / 2, side * edge + _LINE / 2)
    if has_parking:
        edge = lanes * LANE + CYCLE
        for start in np.arange(BAY / 2, middle.length - 0.1, BAY):
            across = _part(middle, float(start), float(start) + 0.1)
            yield _mark(across, edge, edge + PARKING - 0.1)
            yield _mark(across, -edge - PARKING + 0.1, -edge)


def _before_crossing(arm: Lane, road: Road) -> Iterator[Mesh]:
    """Yield the stop line and the zebra crossing at the end of an arm."""
    kerb = arm.length + CORNER  # of the other road
    yield _mark(_part(arm, kerb - STOP_LINE - _WIDE, kerb - STOP_LINE), -LANE - CYCLE + 0.1, -0.1)
    zebra = _part(arm, kerb - ZEBRA[1], kerb - ZEBRA[0])
    for away in np.arange(-road.half + _STRIPE / 2, road.half - _STRIPE, 2 * _STRIPE):
        yield _mark(zebra, float(away), float(away) + _STRIPE)


def _mark(line: Lane, right: float, left: float) -> Mesh:
    return ribbon(line, right, left, 0.0, _THICK)


def _part(line: Lane, first: float, last: float) -> Lane:
    """Return the part of a lane between two distances (m) from its start, also beyond its ends."""
    inner = line.along[(line.along > first + 1e-6) & (line.along < last - 1e-6)]
    return lane_of(line.at(np.array([first, *inner, last])))


def _houses(generator: np.random.Generator, road: Road) -> Iterator[Piece]:
    away = road.half + STONE + PAVEMENT
    if road.junction is None:
        for kerb in road.kerbs:
            yield from _row_along(generator, lane_beside(kerb, -STONE - PAVEMENT))
        ends = (lane_back(road.middle), road.middle)
    else:
        reach = road.junction.reach
        for arm in range(ARMS):
            first = straight_lane((-reach, -away, 0), (-away, -away, 0))
            second = straight_lane((-away, -away - _PLOT + 1.0, 0), (-away, -reach, 0))
            for row in (first, second):
                yield from _placed_row(generator, turned_lane(row, arm))
        ends = tuple(lane_back(arm) for arm in _arms(road.junction))
    for end in ends:
        last, way = end.points[-1], end.points[-1] - end.points[-2]
        way = way / np.linalg.norm(way)
        left = np.cross([0.0, 0.0, 1.0], way)
        across = lane_of([last + _CLOSED * way + side * away * left for side in (-1, 1)])
        yield from _placed_row(generator, across)
        yield surfaced([ribbon(lane_of([last, last + _CLOSED * way]), -away, away, _GROUND, 0.0)], _STONE)


def _row_along(generator: np.random.Generator, front: Lane) -> Iterator[Piece]:
    """Yield the houses along a line that has the road on its left, narrow ones along a bend."""
    turns = np.abs(np.diff(np.unwrap(np.arctan2(*np.diff(front.points[:, :2], axis=0).T[::-1])))) > 1e-6
    bent = front.along[1:-1][turns]
    first, last = (bent[0], bent[-1]) if len(bent) else (front.length, front.length)
    for start, end in ((0.0, first), (last, front.length)):
        if end - start > 1.0:
            yield from _placed_row(generator, lane_of(front.at(np.array([start, end]))))
    count = max(1, round((last - first) / _BENT))
    for start, end in pairwise(np.linspace(first, last, count + 1)):
        if end - start < 1.0:
            continue
        corners = front.at(np.array([start, (start + end) / 2, end]))
        way = corners[2] - corners[0]
        outward = np.array([way[1], -way[0], 0.0]) / np.linalg.norm(way)
        # On the outer side of a bend, the middle of a straight front would stand on the pavement.
        shift = max(0.0, float((corners[1] - (corners[0] + corners[2]) / 2) @ outward)) * outward
        wider = 0.02 * way
        yield from _placed_row(generator, lane_of([corners[0] + shift - wider, corners[2] + shift + wider]))


def _placed_row(generator: np.random.Generator, front: Lane) -> Iterator[Piece]:
    """Yield the houses behind a straight line, on its right."""
    start, way = front.points[0], (front.points[-1] - front.points[0]) / front.length
    turn = np.array([way, [-way[1], way[0], 0.0], [0.0, 0.0, 1.0]])
    for piece in house_row(generator, 0.0, front.length, 0.0, -1, is_exact=True):
        yield replace(piece, vertices=np.round(piece.vertices @ turn + start, 4))
