"""Draw a sheet of the things of streets, and a picture of a plain street with traffic.

python examples/street_sheet.py [--out sheet.png] [--street street.png] [--assets FOLDER] [--seed 0] [--columns 6]
"""

import argparse
from pathlib import Path

import numpy as np
from PIL import Image

from chronotope.world.camera import intrinsics_of, look_at
from chronotope.world.film_set import FilmSet, Light
from chronotope.world.quality import Quality
from chronotope.world.render import render
from chronotope.world.slabs import slab
from chronotope.world.street import (
    STREET_KINDS,
    StreetAssets,
    draw_fixture,
    draw_traffic,
    draw_vehicle,
    drive,
    fixture_types,
    library_vehicle,
    on_road,
    open_street_assets,
    straight_lane,
    street_set,
    vehicle_types,
)
from chronotope.world.things import Look, Piece, Thing

SIDE, FIELD = (320, 240), 30.0  # px; degrees
AMBIENT = (0.66, 0.66, 0.68)
LIGHTS = (
    Light((15, -15, 25), (-0.4, 0.4, -0.8), (0.55, 0.54, 0.5)),
    Light((-20, 10, 20), (0.6, -0.3, -0.6), (0.25, 0.25, 0.27)),
)
SKY = Look((0.70, 0.80, 0.92), 0.0, 0.0)


def picture_of(thing: Thing) -> np.ndarray:
    """Draw a thing (240, 320, 3) from its front, from the left and a little from above."""
    reach = float(np.linalg.norm(thing.size))
    eye = 2.1 * reach * np.array([np.cos(0.6) * np.cos(0.22), np.sin(0.6) * np.cos(0.22), np.sin(0.22)])
    ground = slab((60 * reach, 60 * reach, 0.02), (0, 0, -thing.size[2] / 2 - 0.012), Look((0.62, 0.62, 0.60), 0, 0))
    back = [
        slab((0.5, 80 * reach, 60 * reach), (-12 * reach, 0, 0), SKY),
        slab((80 * reach, 0.5, 60 * reach), (0, -12 * reach, 0), SKY),
    ]
    film_set = FilmSet((), (ground, *back, *thing.pieces), LIGHTS, AMBIENT, near=0.1 * reach, far=60 * reach)
    return drawn(film_set, eye, np.zeros(3), SIDE, FIELD)


def drawn(film_set: FilmSet, eye: np.ndarray, target: np.ndarray, size: tuple[int, int], field: float) -> np.ndarray:
    """Draw a set once from one place."""
    quality = Quality("sheet", *size, 10, (1.0, 1.0), 1024, 4, 20)
    focal = intrinsics_of(field, *size)[1, 1]
    return next(iter(render(film_set, quality, focal, look_at(eye[None], target[None])))).rgb


def sheet(seed: int, columns: int, assets: StreetAssets | None) -> Image.Image:
    """Draw one thing of each type side by side, or every asset of a folder."""
    things = [draw_vehicle(np.random.default_rng(seed), name).thing for name in vehicle_types()]
    things += [draw_fixture(np.random.default_rng(seed), name).thing for name in fixture_types()]
    if assets is not None:
        things = [
            library_vehicle(asset).thing if STREET_KINDS[asset.entry.type].use == "vehicle" else asset.thing
            for asset in assets.by_id.values()
        ]
    tiles = [picture_of(thing) for thing in things]
    tiles += [np.full_like(tiles[0], 255)] * (-len(tiles) % columns)
    rows = [np.concatenate(tiles[k : k + columns], axis=1) for k in range(0, len(tiles), columns)]
    return Image.fromarray(np.concatenate(rows))


def street(seed: int) -> Image.Image:
    """Draw a street with traffic in both directions, parked cars, and street furniture."""
    generator = np.random.default_rng(seed)
    made = street_set(generator, 120)
    pieces = list(made.pieces)
    for kinds, lane in (
        (("Car", "Van", "Bus"), straight_lane((-60, made.lanes[0], 0), (60, made.lanes[0], 0))),
        (("SUV", "Bicycle", "Truck"), straight_lane((60, made.lanes[1], 0), (-60, made.lanes[1], 0))),
    ):
        vehicles = [draw_vehicle(generator, kind) for kind in kinds]
        lengths = np.array([vehicle.thing.size[0] for vehicle in vehicles])
        traffic = draw_traffic(generator, np.array([0.0]), lengths, leader=74.0, gaps=(6, 9))
        for number, vehicle in enumerate(vehicles):
            path = on_road(vehicle, lane.poses(traffic.distances[:, number], vehicle.axles))
            rig = drive(vehicle, path)
            for k, piece in enumerate(vehicle.thing.pieces):
                pieces.append(Piece(rig.posed(k, piece.vertices, 0), piece.faces, piece.uv, piece.look))
    right, left = made.pavements
    for name, x, y, turn in (
        ("Bench", 3, right - 0.7, 1.57), ("LitterBin", 5, right - 0.7, 0.0), ("Tree", 12, right, 0.0),
        ("StreetLamp", -2, right + 1, 1.57), ("BusStop", 8, left + 0.3, -1.57), ("FireHydrant", -4, right + 0.8, 1.57),
        ("Tree", 20, left, 0.0), ("Bollard", 0, left - 1, 0.0), ("TrafficLight", 24, right + 1, 3.14),
    ):  # fmt: skip
        thing = draw_fixture(generator, name).thing
        c, s = np.cos(turn), np.sin(turn)
        pose = np.array([[c, s, 0], [-s, c, 0], [0, 0, 1]])
        at = np.array([x, y, 0.12 + thing.size[2] / 2])
        pieces += [Piece(piece.vertices @ pose + at, piece.faces, piece.uv, piece.look) for piece in thing.pieces]
    pieces.append(slab((0.5, 300, 120), (90, 0, 30), SKY))
    film_set = FilmSet((), tuple(pieces), LIGHTS, AMBIENT, near=0.1, far=200.0)
    return Image.fromarray(drawn(film_set, np.array([-9.0, -6.0, 3.4]), np.array([6.0, -0.6, 0.9]), (960, 540), 50.0))


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path, default=Path("sheet.png"))
    parser.add_argument("--street", type=Path)
    parser.add_argument("--assets", type=Path)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--columns", type=int, default=6)
    given = parser.parse_args()
    found = None if given.assets is None else open_street_assets(given.assets)
    sheet(given.seed, given.columns, found).save(given.out)
    if given.street is not None:
        street(given.seed).save(given.street)
