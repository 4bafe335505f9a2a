"""Measure the baking of light, and the drawing of homes with it beside drawing with lamps.

usage: python perf/light.py [--homes 3] [--frames 12] [--first-seed 1] [--builds walk|house] [--qualities full,photo]

For each home, the script prints the CPU seconds that baking takes in the first and in the second state. It also prints
the CPU milliseconds for each frame of 1024 x 768 pixels (colours, depth and identities): with ``full``, with two lamps
that cast shadows at the size of ``full``, and with ``photo``. Depth and identities of ``photo`` must be those of
``full``.

With ``--builds``, it prints instead the CPU seconds in which walks or houses are laid out, baked, drawn, encoded and
verified, first with ``full`` and then with ``photo``, and the ratio of the two. ``--qualities`` names two others, such
as ``fast,lit``.
"""

import argparse
import os
import sys
import tempfile
import time
from dataclasses import replace
from pathlib import Path

os.environ.setdefault("MUJOCO_GL", "egl")  # set before mujoco is imported, because mujoco reads it during the import

import numpy as np

from chronotope.world.film_set import FilmSet
from chronotope.world.kinds import world_kinds
from chronotope.world.light import Baked, bake_states
from chronotope.world.quality import Quality, QualityName
from chronotope.world.render import Drawn, open_renderer
from chronotope.world.worlds import simulate


def drawing(
    film_set: FilmSet, quality: Quality, focal: float, poses: np.ndarray, baked: Baked | None = None
) -> tuple[float, list[Drawn]]:
    """Return the CPU milliseconds for a frame, and the frames."""
    with open_renderer(film_set, quality, focal, () if baked is None else [baked]) as renderer:
        renderer.draw(poses[0])
        start = time.process_time()
        drawn = [renderer.draw(pose) for pose in poses]
        return 1000 * (time.process_time() - start) / len(poses), drawn


def home(seed: int, frames: int) -> None:
    """Print the row of one home."""
    house = world_kinds()["house"]
    full, photo = house.qualities["full"], house.qualities["photo"]
    shots = house.lay(np.random.default_rng(seed), photo).states
    states = bake_states([shot.film_set for shot in shots])
    seconds, baked = [], None
    for _ in shots:
        start = time.process_time()
        light = next(states)
        seconds.append(time.process_time() - start)
        baked = baked or light
    shot, focal = shots[0], float(shots[0].intrinsics[1, 1])
    poses = shot.camera[np.linspace(0, len(shot.camera) - 1, frames).astype(int)]
    shadowed = replace(shot.film_set, lights=tuple(replace(each, shadows=True) for each in shot.film_set.lights))
    plain, lit = drawing(shot.film_set, full, focal, poses)
    shadows, _ = drawing(shadowed, full, focal, poses)
    unlit, shown = drawing(shot.film_set, photo, focal, poses, baked)
    for one, two in zip(lit, shown, strict=True):
        if one.depth.tobytes() != two.depth.tobytes() or one.identities.tobytes() != two.identities.tobytes():
            sys.exit(f"home {seed}: depth or identities differ between full and photo")
    rooms = shot.provenance["rooms"]
    print(f"| {seed} | {rooms} | {seconds[0]:.0f} | {seconds[1]:.0f} | {plain:.0f} | {shadows:.0f} | {unlit:.0f} |")


def building(world: str, seed: int, name: QualityName) -> float:
    """Return the CPU seconds in which one scene is made and verified."""
    quality = world_kinds()[world].qualities[name]
    with tempfile.TemporaryDirectory() as folder:
        start = time.process_time()
        simulate(world, f"{world}-{seed}", np.random.default_rng(seed), quality, Path(folder))
        return time.process_time() - start


def builds(world: str, seeds: range, names: list[QualityName]) -> None:
    """Print the table of whole builds with two qualities."""
    print(f"| seed | {names[0]}, CPU s | {names[1]}, CPU s | ratio |")
    print("|---|---|---|---|")
    rows = []
    for seed in seeds:
        rows.append([building(world, seed, name) for name in names])
        print(f"| {seed} | {rows[-1][0]:.1f} | {rows[-1][1]:.1f} | {rows[-1][1] / rows[-1][0]:.2f} |", flush=True)
    first, second = np.sum(rows, axis=0)
    print(f"| all | {first:.1f} | {second:.1f} | {second / first:.2f} |")


def main() -> None:
    """Run the command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--homes", type=int, default=3)
    parser.add_argument("--frames", type=int, default=12)
    parser.add_argument("--first-seed", type=int, default=1)
    parser.add_argument("--builds", choices=["walk", "house"])
    parser.add_argument("--qualities", default="full,photo")
    wanted = parser.parse_args()
    seeds = range(wanted.first_seed, wanted.first_seed + wanted.homes)
    if wanted.builds:
        builds(wanted.builds, seeds, wanted.qualities.split(","))
        return
    print("| seed | rooms | baking, CPU s | second state | full, CPU ms a frame | with shadows | photo |")
    print("|---|---|---|---|---|---|---|")
    for seed in seeds:
        home(seed, wanted.frames)


if __name__ == "__main__":
    main()
