"""Small sources that tests write themselves, and what they read back; no code of Chronotope's takes part in either."""

import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq
from PIL import Image

from forks import forks

COMMAND = Path(sys.executable).with_name("chronotope")
FPS = 10


def poses_along(positions: np.ndarray, yaw: np.ndarray) -> np.ndarray:
    """world_T_camera (T, 4, 4) at positions (T, 3) m of a level camera that looks along yaw (T,) rad; world z is up."""
    nothing, one = np.zeros_like(yaw), np.ones_like(yaw)
    right = np.stack([np.sin(yaw), -np.cos(yaw), nothing], 1)
    down = np.stack([nothing, nothing, -one], 1)
    forward = np.stack([np.cos(yaw), np.sin(yaw), nothing], 1)
    poses = np.tile(np.eye(4), (len(yaw), 1, 1))
    poses[:, :3] = np.stack([right, down, forward, positions], 2)
    return poses


def walk(seed: int, frames: int = 41) -> np.ndarray:
    """A smooth walk (frames, 4, 4) at 10 fps that bends, its speed changing between 0.4 and 1.6 m/s."""
    a, b, c = np.random.default_rng(seed).uniform(0.5, 1.0, 3)
    t = np.arange(frames) / FPS
    speed = 1 + 0.6 * a * np.sin(1.7 * b * t)
    yaw = 2 * c * np.sin(0.6 * a * t) * (1 if seed % 2 else -1)
    steps = np.stack([speed * np.cos(yaw), speed * np.sin(yaw), 0 * t], 1) / FPS
    return poses_along(np.cumsum(steps, 0) + np.array([0, 0, 1.5]), yaw)


def arc(radius: float, angle: float, frames: int) -> np.ndarray:
    """A level camera (frames, 4, 4) that looks where it goes along a circle (m), ``angle`` rad to the left in all."""
    along = np.linspace(0, angle, frames)
    return poses_along(radius * np.stack([np.sin(along), 1 - np.cos(along), 0 * along], 1), along)


def write_posed(folder: Path, poses: np.ndarray, *, size: tuple[int, int] = (64, 48), noise: bool = False) -> Path:
    """Pictures beside poses.txt, with what the form cannot say in chronotope.yaml."""
    (folder / "frames").mkdir(parents=True)
    np.savetxt(folder / "poses.txt", poses[:, :3].reshape(-1, 12), fmt="%.9f")
    (folder / "chronotope.yaml").write_text(f"fps: {FPS}\nkind: indoor\ngravity: -z\n")
    generator = np.random.default_rng([*folder.name.encode()])
    for number in range(len(poses)):
        picture = np.full((size[1], size[0], 3), 5 * number % 256, np.uint8)
        picture[:, : size[0] // 2] = generator.integers(0, 256, 3) if not noise else 0
        if noise:
            picture = generator.integers(0, 256, picture.shape, np.uint8)
        Image.fromarray(picture).save(folder / "frames" / f"{number:06d}.png", compress_level=1)
    return folder


def _quaternions(poses: np.ndarray) -> np.ndarray:
    """x, y, z, w (T, 4) of rotations, each the eigenvector of a symmetric matrix (Bar-Itzhack 2000)."""
    found = []
    for R in poses[:, :3, :3]:
        N = np.zeros((4, 4))
        N[:3, :3] = R + R.T - np.trace(R) * np.eye(3)
        N[3, :3] = N[:3, 3] = R[2, 1] - R[1, 2], R[0, 2] - R[2, 0], R[1, 0] - R[0, 1]
        N[3, 3] = np.trace(R)
        found.append(np.linalg.eigh(N)[1][:, -1])
    return np.array(found)


def write_tum(path: Path, poses: np.ndarray) -> Path:
    """``stamp tx ty tz qx qy qz qw`` per line, 10 a second."""
    stamps = 1700000000 + np.arange(len(poses)) / FPS
    values = np.hstack([stamps[:, None], poses[:, :3, 3], _quaternions(poses)])
    np.savetxt(path, values, fmt=["%.4f"] + ["%.9f"] * 7, header="timestamp tx ty tz qx qy qz qw")
    return path


def write_kitti(path: Path, poses: np.ndarray) -> Path:
    """12 numbers per line, in the axes of the first camera."""
    np.savetxt(path, (np.linalg.inv(poses[0]) @ poses)[:, :3].reshape(-1, 12), fmt="%.9e")
    return path


def write_euroc(path: Path, poses: np.ndarray) -> Path:
    """``stamp, px, py, pz, qw, qx, qy, qz`` in nanoseconds, 10 a second."""
    lines = ["#timestamp, p_x [m], p_y [m], p_z [m], q_w [], q_x [], q_y [], q_z []"]
    for number, (pose, (x, y, z, w)) in enumerate(zip(poses, _quaternions(poses), strict=True)):
        stamp = 1403715273262142976 + number * 10**9 // FPS
        lines.append(f"{stamp}," + ",".join(f"{value:.9f}" for value in (*pose[:3, 3], w, x, y, z)))
    path.write_text("\n".join(lines) + "\n")
    return path


def canonical_rows(table: Path) -> list[str]:
    """Each row of a Parquet file as one line of JSON with sorted keys."""
    return [json.dumps(row, sort_keys=True) for row in pq.read_table(table).to_pylist()]


def truth_of(benchmark: Path) -> dict[str, list[str]]:
    """All that "same bytes" compares: the rows of the questions, and of every table of every recording."""
    tables = [benchmark / "questions.parquet", *sorted((benchmark / "recordings").rglob("*.parquet"))]
    return {table.relative_to(benchmark).as_posix(): canonical_rows(table) for table in tables}


def chronotope(
    *words: str | Path, cwd: Path | None = None, packages: Path | None = None
) -> subprocess.CompletedProcess[str]:
    """The command as a process of its own; one from nothing where ``packages`` is a folder of further packages."""
    if packages is None:
        told = forks()(*words, cwd=cwd)
        return subprocess.CompletedProcess([str(word) for word in words], told.code, told.out, told.err)
    path = os.pathsep.join(filter(None, (str(packages), os.environ.get("PYTHONPATH"))))
    environment = dict(os.environ) | {"COLUMNS": "200", "PYTHONPATH": path}
    return subprocess.run(
        [str(word) for word in (COMMAND, *words)], cwd=cwd, env=environment, capture_output=True, text=True, check=False
    )
