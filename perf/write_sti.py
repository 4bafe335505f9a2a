"""Measure the time for writing the questions of a recording, relative to a bare loop, and its growth.

usage: python perf/write_sti.py [--pairs 5] [--frames 900] [--objects 60]

The script makes, in memory, a drive with the given numbers of frames and of moving boxes. The bare loop reads the same
arrays and computes one norm for each object and frame (its distance from the camera). Both run in turn in this process.
The script prints the median ratio of CPU time; the target is at most 20. Then the numbers of frames and of objects are
doubled and halved. The script prints the times, divided by the time for the middle size, and the exponent of a fitted
power law (1 is linear).
"""

import argparse
import statistics
import time
from pathlib import Path

import numpy as np
from record import record

from chronotope.families import WriteContext, family
from chronotope.geometry import as_pose
from chronotope.recording import Clip, Entity, Kind, Recording, Scene

FPS = 10.0


def drive(frames: int, objects: int, seed: int = 0) -> Recording:
    """Make a recording of a camera that drives in gentle curves past boxes, half of which move."""
    generator = np.random.default_rng([seed, frames, objects])
    times = np.arange(frames) / FPS
    yaw = 0.3 * np.sin(times / 7)
    heading = np.stack([np.cos(yaw), np.sin(yaw), np.zeros(frames)], axis=1)
    positions = np.cumsum(heading * (6 + 3 * np.sin(times / 5))[:, None], axis=0) / FPS
    down = np.broadcast_to([0.0, 0.0, -1.0], heading.shape)
    camera = as_pose(np.stack([np.cross(down, heading), down, heading], axis=2), positions + np.array([0, 0, 1.5]))
    entities = []
    for number in range(objects):
        meets = int(generator.integers(frames))
        beside = np.array([-heading[meets, 1], heading[meets, 0], 0]) * generator.uniform(-12, 12)
        speed = generator.uniform(3, 12) * (number % 2)
        turned = yaw[meets] + np.pi * (number % 4 == 1)
        way = positions[meets] + 20 * heading[meets] + beside
        way = way + speed * (times - times[meets])[:, None] * [np.cos(turned), np.sin(turned), 0]
        rotation = np.array([[np.cos(turned), -np.sin(turned), 0], [np.sin(turned), np.cos(turned), 0], [0, 0, 1]])
        seen = np.einsum("tji,tj->ti", camera[:, :3, :3], way - camera[:, :3, 3])
        entities.append(
            Entity(
                id=f"vehicle-{number:03d}",
                label="vehicle",
                category="vehicle",
                size=(generator.uniform(3.8, 5.5), generator.uniform(1.7, 2.1), generator.uniform(1.4, 2.0)),
                poses=as_pose(np.broadcast_to(rotation, (frames, 3, 3)), way + np.array([0, 0, 0.8])),
                visible=(seen[:, 2] > 3) & (np.abs(seen[:, 0]) < 0.45 * seen[:, 2]) & (seen[:, 2] < 60),
            )
        )
    mount = np.eye(4)
    mount[:3, :3] = [[0, 0, 1], [-1, 0, 0], [0, -1, 0]]
    return Recording(
        id="drive",
        kind=Kind.OUTDOOR,
        source="perf",
        times=times,
        world_T_camera=camera,
        valid=np.ones(frames, bool),
        clip=Clip(Path("drive.mp4"), "", FPS, 640, 360),
        gravity=np.array([0.0, 0.0, -1.0]),
        intrinsics=np.array([[700.0, 0, 320], [0, 700, 180], [0, 0, 1]]),
        camera_mount=mount,
        entities=tuple(entities),
    )


def bare(recording: Recording) -> float:
    """Compute one norm for each object and frame."""
    total = 0.0
    for entity in recording.entities:
        for frame in range(len(recording.times)):
            total += np.linalg.norm(entity.poses[frame, :3, 3] - recording.world_T_camera[frame, :3, 3])
    return total


def cpu(work: object, *given: object) -> float:
    """Return the CPU seconds of a call."""
    start = time.process_time()
    work(*given)  # type: ignore[operator]
    return time.process_time() - start


def main() -> None:
    """Run the command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--pairs", type=int, default=5)
    parser.add_argument("--frames", type=int, default=900)
    parser.add_argument("--objects", type=int, default=60)
    parser.add_argument("--results", type=Path, help="a file for the results, such as perf/RESULTS.md")
    wanted = parser.parse_args()
    sti = family("sti")
    context = WriteContext(0, "strict", sti.build.Options())
    sti.build.write(Scene.of(drive(100, 4)), context)  # libraries are loaded once
    recording = drive(wanted.frames, wanted.objects)
    ratios = [cpu(sti.build.write, Scene.of(recording), context) / cpu(bare, recording) for _ in range(wanted.pairs)]
    count = len(sti.build.write(Scene.of(recording), context).questions)
    lines = [
        "# Results of perf/write_sti.py",
        "",
        f"`python perf/write_sti.py --pairs {wanted.pairs} --frames {wanted.frames} --objects {wanted.objects}`",
        "",
        "| frames | objects | questions | ratio to the bare loop | range |",
        "|---|---|---|---|---|",
        f"| {wanted.frames} | {wanted.objects} | {count} | {statistics.median(ratios):.1f} | "
        f"{min(ratios):.1f} to {max(ratios):.1f} |",
        "",
        "| grows | x 1/2 | x 1 | x 2 | x 4 | exponent |",
        "|---|---|---|---|---|---|",
    ]
    factors = (0.5, 1, 2, 4)
    for name in ("frames", "objects"):
        taken = []
        for factor in factors:
            size = {"frames": wanted.frames, "objects": wanted.objects}
            size[name] = round(size[name] * factor)
            grown = drive(size["frames"], size["objects"])
            taken.append(
                statistics.median(
                    cpu(sti.build.write, Scene.of(grown), context) for _ in range(max(1, wanted.pairs // 2))
                )
            )
        exponent = float(np.polyfit(np.log(factors), np.log(taken), 1)[0])
        lines.append(f"| {name} | {' | '.join(f'{one / taken[1]:.2f}' for one in taken)} | {exponent:.2f} |")
    text = "\n".join([*lines, "", "The target is at most 20 times the bare loop, and exponents of at most 1."])
    print(text)
    if wanted.results is not None:
        record(wanted.results, text)


if __name__ == "__main__":
    main()
