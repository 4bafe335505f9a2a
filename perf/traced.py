"""Hold baked light beside Cycles, a path tracer that shares no code with it, on the rooms of one home.

usage: python perf/traced.py PYTHON_WITH_BPY [--seed 11] [--views 3] [--samples 64] [--size 512x384] --out FOLDER

Cycles runs in a process of its own (`perf/traced_scene.py`), because its package `bpy` has the GPL and needs old
versions of other packages. Both get the same triangles, colours, glowing pieces and sun. The script writes each view as
a pair of pictures, baked light at the left, and prints how far they are apart and what each of them costs.
"""

import argparse
import os
import subprocess
import sys
import tempfile
import time
from dataclasses import replace
from pathlib import Path

os.environ.setdefault("MUJOCO_GL", "egl")  # set before mujoco is imported, because mujoco reads it during the import

import numpy as np
from PIL import Image

from chronotope.world.kinds import world_kinds
from chronotope.world.light import bake
from chronotope.world.light.bake import SKY_LIGHT, Light, light_states
from chronotope.world.light.sun import IRRADIANCE, WIDTH
from chronotope.world.light.surfaces import linear
from chronotope.world.light.tone import exposure_of, toned
from chronotope.world.render import open_renderer
from chronotope.world.shot import Shot

OPENGL = np.diag([1.0, -1.0, -1.0, 1.0])  # from the axes of OpenCV to those of Blender's cameras


def scene_of(light: Light, poses: np.ndarray, height: int, width: int, angle: float) -> dict[str, np.ndarray]:
    """Return what Cycles needs: triangles, looks, the sun and the cameras."""
    surfaces, sun = light.surfaces, light.sun
    scene = {
        "vertices": surfaces.vertices,
        "faces": surfaces.faces,
        "uv": surfaces.uv,
        "piece": surfaces.piece,
        "glow": surfaces.glow,
        "colour": np.array([linear(np.array(look.colour)) for look in surfaces.looks]),
        "panes": np.array([] if sun is None else [pane.piece for pane in sun.panes], int),
        "sky": SKY_LIGHT,
        "poses": poses @ OPENGL,
        "height": np.array(height),
        "width": np.array(width),
        "angle": np.array(angle),
    }
    for number, look in enumerate(surfaces.looks):
        if look.texture is not None:
            scene[f"texture {number}"] = look.texture
    if sun is not None:
        side = np.cross(sun.way, [0.0, 0.0, 1.0])
        side /= np.linalg.norm(side)
        turned = np.eye(4)
        turned[:3, :3] = np.column_stack([side, np.cross(sun.way, side), sun.way])  # a sun shines along its -z
        scene |= {"sun": turned, "sunlight": IRRADIANCE, "sun_width": np.array(WIDTH)}
    return scene


def views(shot: Shot, count: int) -> np.ndarray:
    """Return evenly spread poses of the walk."""
    return shot.camera[np.linspace(0, len(shot.camera) - 1, count + 2).astype(int)[1:-1]]


def main() -> None:
    """Run the command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("python")
    parser.add_argument("--seed", type=int, default=11)
    parser.add_argument("--views", type=int, default=3)
    parser.add_argument("--samples", type=int, default=64)
    parser.add_argument("--size", default="512x384")
    parser.add_argument("--out", type=Path, required=True)
    wanted = parser.parse_args()
    width, height = (int(word) for word in wanted.size.split("x"))
    house = world_kinds()["house"]
    photo = house.qualities["photo"]
    shot = house.lay(np.random.default_rng(wanted.seed), photo).states[0]
    focal = float(shot.intrinsics[1, 1]) * height / photo.height
    poses = views(shot, wanted.views)
    light = next(light_states([shot.film_set]))
    exposure = exposure_of((light.soft + light.sunny)[light.is_shell])
    start = time.process_time()
    baked = bake(shot.film_set)
    baking = time.process_time() - start
    with open_renderer(shot.film_set, replace(photo, width=width, height=height), focal, [baked]) as renderer:
        drawn = [renderer.draw(pose).rgb for pose in poses]
    with tempfile.TemporaryDirectory() as folder:
        source, result = Path(folder) / "scene.npz", Path(folder) / "result.npz"
        np.savez(source, **scene_of(light, poses, height, width, 2 * np.arctan(height / 2 / focal)))
        script = Path(__file__).with_name("traced_scene.py")
        command = [wanted.python, str(script), str(source), str(result), str(wanted.samples)]
        done = subprocess.run(command, env=_without_python(), stdout=subprocess.DEVNULL, check=False)
        if done.returncode:
            sys.exit(f"{wanted.python}: Cycles ended with {done.returncode}; the Python needs the package bpy")
        with np.load(result) as stored:
            traced, seconds, version = stored["pictures"], stored["seconds"], str(stored["version"])
    wanted.out.mkdir(parents=True, exist_ok=True)
    print(f"baking: {baking:.0f} CPU s for the home; Blender {version}, {wanted.samples} samples, {wanted.size}")
    print("| view | Cycles, CPU s | median difference, sRGB steps | 90 % below | correlation of brightness |")
    print("|---|---|---|---|---|")
    for number, (one, radiance) in enumerate(zip(drawn, traced, strict=True)):
        other = np.rint(255 * np.clip(toned(radiance * np.pi * exposure), 0, 1)).astype(np.uint8)
        apart = np.abs(one.astype(int) - other).mean(axis=2)
        alike = np.corrcoef(one.mean(axis=2).ravel(), other.mean(axis=2).ravel())[0, 1]
        far = f"{np.median(apart):.1f} | {np.quantile(apart, 0.9):.1f}"
        print(f"| {number} | {seconds[number]:.0f} | {far} | {alike:.3f} |")
        Image.fromarray(np.hstack([one, other])).save(wanted.out / f"view-{number}.png")


def _without_python() -> dict[str, str]:
    return {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}


if __name__ == "__main__":
    main()
