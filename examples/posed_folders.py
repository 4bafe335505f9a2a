"""Write small folders of pictures with exact poses: a camera moves past standing cards, drawn with NumPy and Pillow.

    python examples/posed_folders.py clips

There are two folders in each of four forms that Chronotope reads: pictures beside a ``poses.txt``, 7-Scenes, TUM RGB-D
and KITTI odometry. This script shares no code with Chronotope, so it is an independent test of Chronotope.

Worlds are right-handed with z up, in metres and seconds; a turn to the left is positive. Camera axes are OpenCV (x
right, y down, z forward), a pose maps camera coordinates to the world, and pixel centres have whole-number coordinates.
"""

import argparse
import os
import tempfile
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from posed_scene import Surface, build, render

FPS = 10


def ease(t: np.ndarray, start: float, seconds: float) -> np.ndarray:
    """Return a value that rises from 0 at ``start`` to 1 at ``start + seconds``, smoothly (zero speed at both ends)."""
    x = np.clip((t - start) / seconds, 0, 1)
    return x**3 * (10 - 15 * x + 6 * x * x)


def orbit(t: np.ndarray) -> np.ndarray:
    """Return the angle (rad) of a camera that circles faster and faster."""
    return -2.4 + (0.09 + 0.018 * t) * t


@dataclass(frozen=True)
class Flight:
    """One folder to write.

    ``motion(t, pace, extent)`` returns speed (m/s), yaw (deg), height (m) and elevation (deg) of a camera that moves in
    its viewing direction. On a desktop, it returns the position (x, y, z) of a camera that faces the middle of the
    table. The factors ``pace`` and ``extent`` are near 1 and come from the seed. ``says`` describes the motion for the
    user.
    """

    name: str
    form: str  # one of WRITERS
    kind: str  # "outdoor", "indoor" or "desktop"
    seconds: float
    says: str
    motion: Callable[[np.ndarray, float, float], tuple]
    size: tuple[int, int] = (320, 240)


# fmt: off
FLIGHTS = {flight.name: flight for flight in (
    Flight(
        "drone-climb-turn-right", "simple", "outdoor", 8, "gains speed and height and bends to the right",
        lambda t, p, e: (p * (3 + t / 2), -80 * e * ease(t, 2, 4.5), 2.2 + 5 * ease(t, 0, 9), -6 - 14 * ease(t, 0, 9)),
    ),
    Flight(
        "walk-turn-left", "7-scenes", "indoor", 8, "slows down for a bend to the left and walks on",
        lambda t, p, e: (p * (1.2 - 0.5 * ease(t, 1.5, 2) + 0.5 * ease(t, 5, 2)), 90 * e * ease(t, 2.5, 3), 1.6, -9),
    ),
    Flight(
        "walk-stop-look-right", "tum", "indoor", 8, "walks, stands still and looks to the right",
        lambda t, p, e: (p * 1.3 * (1 - ease(t, 2, 2)), -110 * e * ease(t, 4.2, 3.6), 1.55, -8),
    ),
    Flight(
        "car-turn-left", "kitti", "outdoor", 9, "brakes for a bend to the left and accelerates out of it",
        lambda t, p, e: (p * (8 - 4 * ease(t, 1, 3) + 3 * ease(t, 6, 3)), 75 * e * ease(t, 3, 3.8), 1.6, 0), (416, 160),
    ),
    Flight(
        "desk-rise", "simple", "desktop", 7, "rises before a table and comes nearer, its middle in view",
        lambda t, p, e: (0.35 * p * ease(t, 0, 7) - 0.9, 0.12 - 0.3 * ease(t, 0, 7), 0.16 + 0.42 * e * ease(t, 0, 7)),
    ),
    Flight(
        "desk-orbit", "7-scenes", "desktop", 8, "circles a table faster and faster to its right, its middle in view",
        lambda t, p, e: (0.72 * e * np.cos(orbit(p * t)), 0.72 * e * np.sin(orbit(p * t)), 0.36),
    ),
    Flight(
        "walk-s-curve", "tum", "indoor", 8.5, "walks an S, faster and faster, to the right and then to the left",
        lambda t, p, e: (p * (0.8 + 0.7 * ease(t, 1, 7)), 85 * ease(t, 4.2, 3.6) - e * 50 * ease(t, 0.6, 3.2), 1.6, -9),
    ),
    Flight(
        "car-accelerate-brake", "kitti", "outdoor", 9, "keeps straight on, accelerates, brakes almost to a standstill",
        lambda t, p, e: (p * (3 + e * (6 * ease(t, 0.5, 4) - 7.5 * ease(t, 5, 3.8))), 0, 1.6, 0), (416, 160),
    ),
)}
# fmt: on


def generator(flight: Flight, seed: int, purpose: int) -> np.random.Generator:
    """Return the random numbers for one purpose in one folder."""
    return np.random.default_rng([seed, purpose, *flight.name.encode()])


def picture_times(flight: Flight) -> np.ndarray:
    """Return the times (N,) s of a folder's pictures."""
    return np.arange(round(flight.seconds * FPS) + 1) / FPS


def poses(flight: Flight, t: np.ndarray, seed: int) -> np.ndarray:
    """Return world_T_camera (N, 4, 4) at times (N,) s after the first picture."""
    factors = generator(flight, seed, 0).uniform(0.93, 1.07, 2)
    if flight.kind == "desktop":
        x, y, z = flight.motion(t, *factors)
        yaw, elevation = np.arctan2(-y, -x), np.arctan2(0.04 - z, np.hypot(x, y))
    else:
        fine = np.arange(-1000, 14001) / 1000  # all calls use the same grid, so that their results agree
        speed, turned = (np.broadcast_to(value, fine.shape) for value in flight.motion(fine, *factors)[:2])
        velocity = speed * np.array([np.cos(np.radians(turned)), np.sin(np.radians(turned))])
        way = np.pad(np.cumsum((velocity[:, 1:] + velocity[:, :-1]) / 2000, axis=1), ((0, 0), (1, 0)))
        x, y = (np.interp(t, fine, values - values[1000]) for values in way)
        _, yaw, z, elevation = flight.motion(t, *factors)
        yaw, elevation = np.radians(yaw), np.radians(elevation)
    x, y, z, yaw, elevation = np.broadcast_arrays(x, y, z, yaw, elevation + 0 * t)
    forward = np.stack([np.cos(yaw) * np.cos(elevation), np.sin(yaw) * np.cos(elevation), np.sin(elevation)], axis=1)
    right = np.stack([np.sin(yaw), -np.cos(yaw), np.zeros_like(yaw)], axis=1)
    out = np.tile(np.eye(4), (len(t), 1, 1))
    out[:, :3] = np.stack([right, np.cross(forward, right), forward, np.stack([x, y, z], axis=1)], axis=2)
    return out


def intrinsics(size: tuple[int, int]) -> np.ndarray:
    """Return the camera matrix (3, 3) px for pictures of this width and height."""
    focal = 0.45 * sum(size)
    return np.array([[focal, 0, (size[0] - 1) / 2], [0, focal, (size[1] - 1) / 2], [0, 0, 1]])


def scene(flight: Flight, seed: int) -> list[Surface]:
    """Return the surfaces of a folder's scene; surfaces with a named colour are the cards."""
    return build(flight.kind, poses(flight, picture_times(flight), seed), generator(flight, seed, 1))


# A writer gets the folder, the flight, the seed, one pose per picture (N, 4, 4) and the camera matrix (3, 3). It writes
# all files except the pictures, and returns the pictures' names (N,).


def write_simple(folder: Path, flight: Flight, seed: int, matrices: np.ndarray, K: np.ndarray) -> list[str]:
    """Write poses.txt (16 numbers in a row, 12 on a desktop) and intrinsics.txt; return paths in the folder frames."""
    note = "camera to world, row by row, metres; camera axes: x right, y down, z forward"
    numbers = 12 if flight.kind == "desktop" else 16
    np.savetxt(folder / "poses.txt", matrices.reshape(-1, 16)[:, :numbers], fmt="%.9f", header=note)
    np.savetxt(folder / "intrinsics.txt", K, fmt="%.6f")
    return [f"frames/{k:06d}.jpg" for k in range(len(matrices))]


def write_seven_scenes(folder: Path, flight: Flight, seed: int, matrices: np.ndarray, K: np.ndarray) -> list[str]:
    """Write one frame-000000.pose.txt per picture and camera-intrinsics.txt."""
    for k, pose in enumerate(matrices):
        np.savetxt(folder / f"frame-{k:06d}.pose.txt", pose)
    np.savetxt(folder / "camera-intrinsics.txt", K)
    return [f"frame-{k:06d}.color.jpg" for k in range(len(matrices))]


def quaternion(R: np.ndarray) -> np.ndarray:
    """Return x, y, z, w of a rotation matrix, by the largest eigenvector of a symmetric matrix (Bar-Itzhack 2000)."""
    N = np.zeros((4, 4))
    N[:3, :3] = R + R.T - np.trace(R) * np.eye(3)
    N[3, :3] = N[:3, 3] = R[2, 1] - R[1, 2], R[0, 2] - R[2, 0], R[1, 0] - R[0, 1]
    N[3, 3] = np.trace(R)
    return np.linalg.eigh(N)[1][:, -1]


def write_tum(folder: Path, flight: Flight, seed: int, matrices: np.ndarray, K: np.ndarray) -> list[str]:
    """Write rgb.txt and groundtruth.txt: 100 poses per second, 4 decimals; poses and pictures have different times."""
    start, late = 1700000000, 0.003371
    stamps = [f"{start + t + late:.6f}" for t in picture_times(flight)]
    seconds = np.arange(-20, round(100 * flight.seconds) + 20) / 100
    lines = ["# ground truth trajectory", f"# file: '{flight.name}'", "# timestamp tx ty tz qx qy qz qw"]
    for t, pose in zip(seconds, poses(flight, seconds - late, seed), strict=True):
        values = (*pose[:3, 3], *quaternion(pose[:3, :3]))
        lines.append(f"{start + t:.4f} " + " ".join(f"{value:.4f}" for value in values))
    (folder / "groundtruth.txt").write_text("\n".join(lines) + "\n", encoding="utf-8")
    lines = ["# color images", f"# file: '{flight.name}'", "# timestamp filename"]
    lines += [f"{stamp} rgb/{stamp}.png" for stamp in stamps]
    (folder / "rgb.txt").write_text("\n".join(lines) + "\n", encoding="utf-8")
    return [f"rgb/{stamp}.png" for stamp in stamps]


def write_kitti(folder: Path, flight: Flight, seed: int, matrices: np.ndarray, K: np.ndarray) -> list[str]:
    """Write poses.txt (in the axes of the first camera), calib.txt with P0 to P3, and times.txt."""
    np.savetxt(folder / "poses.txt", (np.linalg.inv(matrices[0]) @ matrices)[:, :3].reshape(-1, 12), fmt="%.6e")
    np.savetxt(folder / "times.txt", picture_times(flight), fmt="%.6e")
    with (folder / "calib.txt").open("w", encoding="utf-8") as calib:
        for k, right in enumerate((0, 0.54, 0, 0.54)):  # two pairs; right cameras have an offset of 54 cm
            P = K @ np.hstack([np.eye(3), [[-right], [0], [0]]])
            print(f"P{k}:", *(f"{value:.12e}" for value in P.ravel()), file=calib)
    return [f"image_2/{k:06d}.png" for k in range(len(matrices))]


WRITERS = {"simple": write_simple, "7-scenes": write_seven_scenes, "tum": write_tum, "kitti": write_kitti}


def write(name: str, out: Path, seed: int = 0, size: tuple[int, int] | None = None) -> str:
    """Write the folder of this name into ``out``; return a line that describes the camera's motion."""
    flight = FLIGHTS[name]
    size = size or flight.size
    matrices, K, surfaces = poses(flight, picture_times(flight), seed), intrinsics(size), scene(flight, seed)
    with tempfile.TemporaryDirectory(dir=out, prefix=".") as hidden:  # so that no incomplete folder is left
        folder = Path(hidden, name)
        folder.mkdir()
        pictures = WRITERS[flight.form](folder, flight, seed, matrices, K)
        for picture, pose in zip(pictures, matrices, strict=True):
            (folder / picture).parent.mkdir(exist_ok=True)
            drawn = render(surfaces, flight.kind, pose, K, size)
            drawn.save(folder / picture, quality=92, subsampling=0, compress_level=3)
        if flight.form in ("simple", "7-scenes"):  # facts that these formats cannot state correctly
            text = f"fps: {FPS}\nkind: {flight.kind}\ngravity: [0, 0, -1]\n"
            (folder / "chronotope.yaml").write_text(text, encoding="utf-8")
        folder.rename(out / name)
    return f"{name} ({flight.form}, {flight.kind}): {flight.says}; {measured(flight, seed)}"


def measured(flight: Flight, seed: int) -> str:
    """Describe distance, speed and turn of the camera, from 100 poses per second."""
    fine = poses(flight, np.arange(0, flight.seconds + 0.005, 0.01), seed)
    steps = np.linalg.norm(np.diff(fine[:, :3, 3], axis=0), axis=1)
    paces = f"{100 * min(steps):.2f} to {100 * max(steps):.2f} m/s"
    yaw = np.degrees(np.unwrap(np.arctan2(fine[:, 1, 2], fine[:, 0, 2])))
    turned = round(yaw[-1] - yaw[0])
    words = f"view turned {abs(turned)}° to the {'left' if turned > 0 else 'right'}" if turned else "view not turned"
    return f"{steps.sum():.2f} m in {flight.seconds:g} s at {paces}, {words}"


def main() -> None:
    """Run the command line."""
    parser = argparse.ArgumentParser(
        description=__doc__.splitlines()[0],
        epilog="example: python examples/posed_folders.py clips && chronotope build sti clips --out bench",
    )
    parser.add_argument("out", type=Path, metavar="OUT", help="the folder to write into")
    parser.add_argument("--folders", type=int, default=8, metavar="N", choices=range(1, 9), help="1 to 8 (default 8)")
    parser.add_argument("--seed", type=int, default=0, help="seed of cards, colours, pace and extent (default 0)")
    wanted = parser.parse_args()
    names = list(FLIGHTS)[: wanted.folders]
    there = [wanted.out / name for name in names if (wanted.out / name).exists()]
    if there:
        parser.error(f"{there[0]} exists already: remove it or name another folder")
    if wanted.out.exists() and not wanted.out.is_dir():
        parser.error(f"{wanted.out} is a file: name a folder")
    if wanted.seed < 0:
        parser.error(f"--seed {wanted.seed}: expected a whole number from 0 upwards")
    wanted.out.mkdir(parents=True, exist_ok=True)
    with ProcessPoolExecutor(min(len(names), os.cpu_count() or 1)) as pool:
        for line in pool.map(write, names, [wanted.out] * len(names), [wanted.seed] * len(names)):
            print(line, flush=True)
    print(f"{len(names)} folders written to {wanted.out}")


if __name__ == "__main__":
    main()
