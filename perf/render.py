"""Measure the cost of drawing simulated tables relative to the bare engine, and the growth of memory and building time.

usage: python perf/render.py [--pairs 5] [--frames 40] [--tables 2,4,8] [--drawing] [--house]

Drawing: our renderer (colours, depth, identities, and pixel counts of each thing) and the bare engine draw the same
scene with the same poses and size, in turn, in this process. The bare engine draws once with only the two necessary
passes (one for colours, one for depth and identities), and once with its own ``Renderer`` class (three passes). The
programs share only the scene's model, and must draw the same picture. The script prints the median of the ratios of CPU
time; the target is at most 1.2 times the bare two passes. Memory: the peak memory of a process that makes a recording,
once with few and once with many frames. Building: the CPU time of ``chronotope build sti world:table:N`` for growing N,
minus the time for one table, divided by the number of further tables; this value should be constant. With ``--house``,
the drawing and the memory are measured for homes in place of tables.
"""

import argparse
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

os.environ.setdefault("MUJOCO_GL", "egl")  # set before mujoco is imported, because mujoco reads it during the import

import mujoco
import numpy as np

from chronotope.world.film_set import FilmSet
from chronotope.world.kinds import world_kinds
from chronotope.world.kinds.house.house import lay_house
from chronotope.world.kinds.table.paths import draw_path
from chronotope.world.kinds.table.table import lay_table
from chronotope.world.model import build_model
from chronotope.world.quality import QUALITIES, Quality
from chronotope.world.render import Drawn, open_renderer
from chronotope.world.visibility import boxes_of, fractions_seen, pixels_of, sample_surfaces

DIFFERENT = 0.001  # largest share of pixels that differ: smoothed edges of distant things are rounded differently

MAKE = """
import sys, tempfile
from pathlib import Path
import numpy as np
from chronotope.world.quality import Quality
from chronotope.world.film import film
from chronotope.world.kinds import world_kinds
quality = Quality("fast", 480, 360, 10, (float(sys.argv[1]),) * 2, 1024, 2, 20)
with tempfile.TemporaryDirectory() as folder:
    generator = np.random.default_rng(4)
    [shot] = world_kinds()["table"].lay(generator, quality).states
    film(shot, "t", "table", generator, quality, Path(folder))
import resource
print(len(shot.times), "|", resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024)
"""

# The same home twice; the long recording repeats the frames of the short one.
MAKE_HOUSE = """
import sys, tempfile
from dataclasses import replace
from pathlib import Path
import numpy as np
from chronotope.world.film import film
from chronotope.world.kinds.house import QUALITIES
from chronotope.world.kinds.house.house import lay_house
generator, repeated = np.random.default_rng(4), int(sys.argv[1])
shot = lay_house(generator, QUALITIES["fast"], 3).states[0]
shot = replace(shot, times=np.arange(repeated * len(shot.times)) / 3.0, camera=np.tile(shot.camera, (repeated, 1, 1)))
with tempfile.TemporaryDirectory() as folder:
    film(shot, "h", "house", generator, QUALITIES["fast"], Path(folder))
import resource
print(len(shot.times), "|", resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024)
"""


class Bare:
    """The engine alone: one pass for colours and one for depth and identities, read back without further work."""

    def __init__(self, model: mujoco.MjModel, data: mujoco.MjData, quality: Quality, focal: float) -> None:
        self.window = mujoco.GLContext(quality.width, quality.height)
        self.window.make_current()
        self.rect = mujoco.MjrRect(0, 0, quality.width, quality.height)
        self.contexts = []
        for samples in (quality.samples, 0):
            model.vis.quality.offsamples = samples
            context = mujoco.MjrContext(model, mujoco.mjtFontScale.mjFONTSCALE_100)
            self.contexts.append(context)
        self.scene = mujoco.MjvScene(model, model.ngeom + 16)
        everything = mujoco.mjtCatBit.mjCAT_ALL
        mujoco.mjv_updateScene(model, data, mujoco.MjvOption(), None, mujoco.MjvCamera(), everything, self.scene)
        self.scene.flags[mujoco.mjtRndFlag.mjRND_SHADOW] = quality.shadow_map > 0
        self.scene.flags[mujoco.mjtRndFlag.mjRND_REFLECTION] = False
        self.rgb, self.ids = (np.empty((quality.height, quality.width, 3), np.uint8) for _ in range(2))
        self.depth = np.empty((quality.height, quality.width), np.float32)
        near = model.vis.map.znear * model.stat.extent
        self.half = near / focal * np.array([quality.width / 2, quality.height / 2])
        self.near, self.far = near, model.vis.map.zfar * model.stat.extent

    def draw(self, poses: np.ndarray) -> None:
        """Draw and read back twice for each pose (N, 4, 4)."""
        colours, truth = self.contexts
        flags = (mujoco.mjtRndFlag.mjRND_SEGMENT, mujoco.mjtRndFlag.mjRND_IDCOLOR)
        self.window.make_current()
        for pose in poses:
            for camera in self.scene.camera:
                camera.pos, camera.forward, camera.up = pose[:3, 3], pose[:3, 2], -pose[:3, 1]
                camera.frustum_near, camera.frustum_far, camera.frustum_center = self.near, self.far, 0.0
                camera.frustum_width, camera.frustum_top = self.half
                camera.frustum_bottom = -self.half[1]
            mujoco.mjr_setBuffer(mujoco.mjtFramebuffer.mjFB_OFFSCREEN, colours)
            mujoco.mjr_render(self.rect, self.scene, colours)
            mujoco.mjr_readPixels(self.rgb, None, self.rect, colours)
            for flag in flags:
                self.scene.flags[flag] = True
            mujoco.mjr_setBuffer(mujoco.mjtFramebuffer.mjFB_OFFSCREEN, truth)
            mujoco.mjr_render(self.rect, self.scene, truth)
            mujoco.mjr_readPixels(self.ids, self.depth, self.rect, truth)
            for flag in flags:
                self.scene.flags[flag] = False

    def close(self) -> None:
        """Release the engine's buffers."""
        for context in self.contexts:
            context.free()
        self.window.free()


def engine_class(renderer: mujoco.Renderer, data: mujoco.MjData, poses: np.ndarray, target: np.ndarray) -> None:
    """Draw colours, depth and identities with the engine's own class, from cameras that face the target."""
    camera = mujoco.MjvCamera()
    camera.lookat[:] = target
    for pose in poses:
        away = pose[:3, 3] - target
        camera.distance = float(np.linalg.norm(away))
        camera.azimuth = float(np.degrees(np.arctan2(-away[1], -away[0])))
        camera.elevation = -float(np.degrees(np.arcsin(away[2] / camera.distance)))
        renderer.update_scene(data, camera)
        renderer.render()
        renderer.enable_depth_rendering()
        renderer.render()
        renderer.enable_segmentation_rendering()
        renderer.render()
        renderer.disable_segmentation_rendering()


def table_drawing(quality: Quality, pairs: int, frames: int) -> None:
    """Print the ratios for tables of one quality."""
    generator = np.random.default_rng(0)
    times = np.arange(frames) / quality.fps
    table = lay_table(generator, times)
    target = np.array([0.0, 0.0, table.top + 0.07])
    path = draw_path(generator, times, target, table.azimuth, 1.0, 0.15)
    focal = 1.1 * quality.height
    intrinsics = np.array([[focal, 0, quality.width / 2], [0, focal, quality.height / 2], [0, 0, 1.0]])
    drawing(quality, pairs, table.film_set, path.poses, intrinsics, target)


def house_drawing(quality: Quality, pairs: int, frames: int) -> None:
    """Print the ratios for a home of five rooms, of one quality; the frames are spread over the walk."""
    shot = lay_house(np.random.default_rng(0), quality, 5).states[0]
    chosen = np.linspace(0, len(shot.camera) - 1, frames).astype(int)
    drawing(quality, pairs, shot.film_set, shot.camera[chosen], shot.intrinsics)


def drawing(
    quality: Quality,
    pairs: int,
    film_set: FilmSet,
    poses: np.ndarray,
    intrinsics: np.ndarray,
    target: np.ndarray | None = None,
) -> None:
    """Print the ratios for the frames of a set; the engine's own class needs a ``target`` to look at."""
    focal, count = float(intrinsics[1, 1]), len(film_set.placements)
    surface = sample_surfaces(np.random.default_rng(0), film_set.placements)

    def note(drawn: Drawn, pose: np.ndarray) -> None:
        pixels = pixels_of(drawn.identities, count)
        boxes_of(drawn.identities, count)
        fractions_seen(surface, drawn.identities, pose, intrinsics, pixels)

    model = build_model(film_set, quality).model
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    taken: dict[str, list[float]] = {"ours": [], "bare": [], "class": []}
    for _ in range(pairs):
        with open_renderer(film_set, quality, focal) as renderer:
            start = time.process_time()
            for pose in poses:
                drawn = renderer.draw(pose)
                note(drawn, pose)
            taken["ours"].append(time.process_time() - start)
        bare = Bare(model, data, quality, focal)
        start = time.process_time()
        bare.draw(poses)
        taken["bare"].append(time.process_time() - start)
        bare.close()
        if (bare.rgb[::-1] != drawn.rgb).any(axis=-1).mean() > DIFFERENT:
            sys.exit("the bare engine drew another picture than our renderer, so the two cannot be compared")
        if target is None:
            continue
        model.vis.quality.offsamples = quality.samples
        own = mujoco.Renderer(model, quality.height, quality.width)
        start = time.process_time()
        engine_class(own, data, poses, target)
        taken["class"].append(time.process_time() - start)
        own.close()
    ratios = [ours / bare for ours, bare in zip(taken["ours"], taken["bare"], strict=True)]
    classes = [ours / other for ours, other in zip(taken["ours"], taken["class"], strict=False)]
    milliseconds = 1000 * statistics.median(taken["ours"]) / len(poses)
    print(
        f"| {quality.name} | {milliseconds:.0f} | {statistics.median(ratios):.2f} | {min(ratios):.2f} to "
        f"{max(ratios):.2f} | {f'{statistics.median(classes):.2f}' if classes else '-'} |"
    )


def memory(code: str, amounts: tuple[int, int]) -> None:
    """Print the peaks of a short and a long recording."""
    for amount in amounts:
        done = subprocess.run([sys.executable, "-c", code, str(amount)], capture_output=True, text=True, check=True)
        print(f"| {done.stdout.strip()} |")


def building(counts: list[int]) -> None:
    """Print the CPU time of builds of growing size, and of each table after the first."""
    taken: dict[int, float] = {}
    with tempfile.TemporaryDirectory() as folder:
        for count in [1, *counts]:
            words = [
                "build",
                "sti",
                f"world:table:{count}",
                "--quality",
                "fast",
                "--out",
                str(Path(folder, str(count))),
            ]
            before = resource.getrusage(resource.RUSAGE_CHILDREN)
            subprocess.run(
                [sys.executable, "-m", "chronotope.cli", *words, "--workers", "1"], check=True, capture_output=True
            )
            after = resource.getrusage(resource.RUSAGE_CHILDREN)
            taken[count] = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    for count in counts:
        print(f"| {count} | {taken[count]:.1f} | {(taken[count] - taken[1]) / (count - 1):.2f} |")


def main() -> None:
    """Run the command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--pairs", type=int, default=5)
    parser.add_argument("--frames", type=int, default=40)
    parser.add_argument("--tables", default="2,4,8")
    parser.add_argument("--drawing", action="store_true", help="measure only the drawing, not memory and building")
    parser.add_argument("--house", action="store_true", help="measure homes in place of tables")
    wanted = parser.parse_args()
    print("| quality | ours, CPU ms per frame | ratio to two bare passes | range | ratio to the engine's Renderer |")
    print("|---|---|---|---|---|")
    for quality in (world_kinds()["house"].qualities if wanted.house else QUALITIES).values():
        (house_drawing if wanted.house else table_drawing)(quality, wanted.pairs, wanted.frames)
    if wanted.drawing:
        return
    print("\n| frames of the recording | peak MB |\n|---|---|")
    memory(*((MAKE_HOUSE, (1, 5)) if wanted.house else (MAKE, (4, 40))))
    if wanted.house:
        return
    print("\n| tables built | CPU s | CPU s for each table beyond the first |\n|---|---|---|")
    building([int(count) for count in wanted.tables.split(",")])


if __name__ == "__main__":
    main()
