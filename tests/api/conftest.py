"""A small benchmark with drawn clips, which all tests of this room share."""

from pathlib import Path

import numpy as np
import pytest

from chronotope.io import sha256_file
from chronotope.question import (
    MediaItem,
    Option,
    Question,
    Window,
)
from chronotope.recording import Clip, Kind, Recording, save_recording
from drawn_benchmarks import FPS, FRAMES, MARKUP, write_benchmark

CLIPS = 6
TASKS = ("Displacement & Path Length", "Speed & Acceleration")


def questions() -> list[Question]:
    """Two questions for each clip, whose third option is right; markup stands in the stem."""
    return [
        Question(
            id=f"clip-{clip}-{number}",
            family="sti",
            task=task,
            cluster=f"clip-{clip}",
            stem=f"How far is it in clip {clip}, {number}? {MARKUP}",
            options=tuple(Option(f"{clip + step}.5 m") for step in range(4)),
            answer=(2,),
            window=Window(0.0, 0.5),
            media=(MediaItem("video", "video", (f"clips/{clip}.mp4",)),),
            tags={"scene": ("Indoor" if clip % 2 else "Outdoor",)},
            recordings=(f"clip-{clip}",),
        )
        for clip in range(CLIPS)
        for number, task in enumerate(TASKS)
    ]


@pytest.fixture(scope="session")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a benchmark with six clips and twelve questions; the first clip has a recording."""
    folder = tmp_path_factory.mktemp("api") / "bench"
    bench = write_benchmark(folder, questions(), name="Drawn", licence="CC0-1.0")
    poses = np.tile(np.eye(4), (FRAMES, 1, 1))
    poses[:, 0, 3] = np.linspace(0, 1, FRAMES)
    path = bench.folder / "clips" / "0.mp4"
    recording = Recording(
        id="clip-0",
        kind=Kind.INDOOR,
        source="drawn",
        times=np.arange(FRAMES) / FPS,
        world_T_camera=poses,
        valid=np.ones(FRAMES, bool),
        clip=Clip(path, sha256_file(path), FPS, 64, 48),
    )
    save_recording(recording, bench.folder / "recordings" / "clip-0")
    return bench.folder
