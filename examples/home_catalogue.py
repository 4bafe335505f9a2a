"""Draw a sheet of the things of homes: every kind in each of its states, side by side.

python examples/home_catalogue.py [--out sheet.png] [--types Fridge Sofa] [--seeds 3] [--columns 6] [--width 1800]
"""

import argparse
from dataclasses import replace
from pathlib import Path

import numpy as np
from PIL import Image, ImageDraw

from chronotope.world.camera import look_at
from chronotope.world.film_set import FilmSet, Light, Placement
from chronotope.world.quality import Quality
from chronotope.world.render import render
from chronotope.world.slabs import slab
from chronotope.world.things import HOME_KINDS, HomeState, HomeThing, Kind, draw_home_thing
from chronotope.world.things.colours import plain

SIDE = 288  # px, width and height of one picture
QUALITY = Quality("fast", SIDE, SIDE, 10, (1.0, 1.0), 1024, 4, 20)
FIELD = 0.62  # rad, the angle of view


def states_of(kind: Kind) -> dict[str, HomeState]:
    """List the states of a kind to show, by their names: the plain state, and each change of one field."""
    states = {"": HomeState()}
    for shown in sorted(kind.shows):
        if shown == "openness":
            states["open"] = HomeState(openness=1.0)
        elif shown == "liquid":
            states["water"] = HomeState(liquid="water")
        else:
            states[shown.replace("_", " ")] = replace(HomeState(), **{shown: True})
    return states


def picture_of(made: HomeThing, ways: tuple[float, float] = (0.5, 0.3)) -> np.ndarray:
    """Draw a thing (SIDE, SIDE, 3) from its front, turned by the angles ``ways`` (rad) to the side and up."""
    pose = made.pose(np.eye(4))
    thing = made.thing
    wall = (-0.75 * float(np.linalg.norm(thing.size)) - 0.5, 0, 0)
    backdrop = [
        slab((30, 30, 0.02), (0, 0, -0.01), plain((0.80, 0.77, 0.72), "paper")),
        slab((0.02, 30, 30), wall, plain((0.93, 0.94, 0.95), "paper")),
    ]
    if made.kind.mount == "wall":
        backdrop = [slab((0.02, 12, 12), (-0.011, 0, 0), plain((0.90, 0.91, 0.93), "paper"))]
    reach = max(0.6 * float(np.linalg.norm(thing.size)), 0.06)
    far = reach / np.tan(FIELD / 2)
    side, up = ways
    way = np.array([np.cos(side) * np.cos(up), np.sin(side) * np.cos(up), np.sin(up)])
    middle = pose[:3, 3]
    lamp = middle + (np.array([1.0, 0.7, 1.3]) * max(reach, 0.3) * 2.6)
    fill = middle + (np.array([1.0, -1.2, 0.8]) * max(reach, 0.3) * 2.6)
    lights = (
        Light(tuple(lamp), tuple(middle - lamp), (0.6, 0.6, 0.57), shadows=True),
        Light(tuple(fill), tuple(middle - fill), (0.3, 0.3, 0.32)),
    )
    film = FilmSet(
        (Placement("thing", thing, pose),),
        tuple(backdrop),
        lights,
        near=0.2 * far,
        far=far + 20,
        shadowed=0.5,
        ambient=(0.55, 0.55, 0.55),
    )
    view = look_at(middle[None] + far * way, middle[None].copy())
    return next(iter(render(film, QUALITY, SIDE / 2 / np.tan(FIELD / 2), view))).rgb


def sheet(types: list[str], seeds: int, columns: int) -> Image.Image:
    """Arrange the pictures of all types, seeds and states in a grid."""
    cells = []
    for name in types:
        for seed in range(seeds):
            for state, value in states_of(HOME_KINDS[name]).items():
                picture = Image.fromarray(picture_of(draw_home_thing(name, seed, value)))
                words = (name, str(seed) if seeds > 1 else "", state)
                ImageDraw.Draw(picture).text((4, 2), " ".join(filter(None, words)), fill=(20, 20, 20), font_size=22)
                cells.append(picture)
    rows = -(-len(cells) // columns)
    whole = Image.new("RGB", (columns * SIDE, rows * SIDE), (255, 255, 255))
    for number, picture in enumerate(cells):
        whole.paste(picture, (number % columns * SIDE, number // columns * SIDE))
    return whole


def main() -> None:
    """Read the command line, and write the sheet."""
    parser = argparse.ArgumentParser(description="Draw a sheet of the things of homes.")
    parser.add_argument("--out", type=Path, default=Path("sheet.png"))
    parser.add_argument("--types", nargs="*", default=list(HOME_KINDS))
    parser.add_argument("--seeds", type=int, default=1)
    parser.add_argument("--columns", type=int, default=6)
    parser.add_argument("--width", type=int, help="px, of the whole sheet")
    given = parser.parse_args()
    made = sheet(given.types, given.seeds, given.columns)
    if given.width is not None:
        made = made.resize((given.width, round(made.height * given.width / made.width)), Image.Resampling.LANCZOS)
    made.save(given.out, quality=82)


if __name__ == "__main__":
    main()
