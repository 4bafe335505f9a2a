"""Measure what things that move cost, relative to a film of a set in which nothing moves.

usage: python perf/moving.py [--pairs 5] [--frames 30]

A room with a table is filmed at 640 x 360 with shadows, once as it is, once with a ball that rolls, and once with a
person who walks, in turn, in this process: drawing, depth, identities, visible parts and the written files. The script
prints the median of the ratios of CPU time for each frame. The aims are 1.10 for the ball and 1.25 for the person. With
baked light, the same three films are compared for a fixed camera, under which still layers are drawn once.
"""

import argparse
import statistics
import tempfile
import time
from pathlib import Path

import numpy as np

from chronotope.recording import Kind
from chronotope.world.camera import intrinsics_of, look_at
from chronotope.world.film import film
from chronotope.world.film_set import FilmSet, Placement
from chronotope.world.interiors.surroundings import draw_lights, draw_room
from chronotope.world.kinds.table.bearers import add_table
from chronotope.world.light import DETAILS, Baked, bake_states
from chronotope.world.people import draw_person
from chronotope.world.people.motion import Walk, perform
from chronotope.world.quality import Quality
from chronotope.world.shot import Shot
from chronotope.world.things import draw_thing

QUALITY = Quality("full", 640, 360, 10, (4.0, 4.0), 1024, 4, 20)
INTRINSICS = intrinsics_of(55.0, QUALITY.width, QUALITY.height)


def film_set_of(frames: int, mover: str) -> FilmSet:
    """Lay a table in a room, with what moves."""
    generator = np.random.default_rng(5)
    times = np.arange(frames) / QUALITY.fps
    table, desk = add_table(generator)
    room, _ = draw_room(generator)
    placements = [table]
    if mover == "ball":
        ball = draw_thing(generator, "ball")
        path = np.tile(np.eye(4), (frames, 1, 1))
        path[:, 0, 3], path[:, 2, 3] = np.linspace(-0.4, 0.4, frames), desk.middle[2] + ball.size[2] / 2
        placements.append(Placement("ball", ball, path[0], "table", path=path))
    if mover == "person":
        person = draw_person(generator)
        walked = perform(person, times, [Walk(np.array([[-1.2, 1.1], [1.2, 1.1]]), speed=0.9)])
        placements.append(walked.placement("person", person))
    return FilmSet(tuple(placements), room, draw_lights(generator, -np.pi / 2, desk.middle[2]), near=0.06)


def cost(film_set: FilmSet, frames: int, baked: tuple[Baked, ...]) -> float:
    """Return the CPU milliseconds for a frame of a film."""
    times = np.arange(frames) / QUALITY.fps
    camera = look_at(np.tile([0.2, -2.3, 1.5], (frames, 1)), np.tile([0.0, 0.4, 0.8], (frames, 1)))
    if not baked:  # the camera moves a little
        camera[:, 0, 3] += np.linspace(0, 0.2, frames)
    shot = Shot(film_set, times, camera, INTRINSICS, Kind.INDOOR, depth_scale=5000.0)
    with tempfile.TemporaryDirectory() as folder:
        start = time.process_time()
        film(shot, "film", "perf", np.random.default_rng(0), QUALITY, Path(folder), baked=baked)
        return 1000 * (time.process_time() - start) / frames


def main() -> None:
    """Print the ratios."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--pairs", type=int, default=5, help="films of each set (default: 5)")
    parser.add_argument("--frames", type=int, default=30, help="frames of a film (default: 30)")
    given = parser.parse_args()
    cost(film_set_of(4, "person"), 4, ())  # loads what the first film needs
    sets = {mover: film_set_of(given.frames, mover) for mover in ("nothing", "ball", "person")}
    for light in ("shadows", "baked light, fixed camera"):
        baked = {
            mover: tuple(bake_states([stage for _, stage in film_set.stages], detail=DETAILS["coarse"]))
            if "baked" in light
            else ()
            for mover, film_set in sets.items()
        }
        costs: dict[str, list[float]] = {mover: [] for mover in sets}
        for _ in range(given.pairs):
            for mover, film_set in sets.items():
                costs[mover].append(cost(film_set, given.frames, baked[mover]))
        still = statistics.median(costs["nothing"])
        print(f"{light}: a frame in which nothing moves takes {still:.0f} CPU ms")
        for mover in ("ball", "person"):
            ratios = [one / other for one, other in zip(costs[mover], costs["nothing"], strict=True)]
            print(
                f"{light}: with a {mover}, {statistics.median(ratios):.2f} times "
                f"({min(ratios):.2f} to {max(ratios):.2f})"
            )


if __name__ == "__main__":
    main()
