"""A small benchmark with drawn clips, which all tests of this room share."""

from pathlib import Path

import numpy as np
import pytest

from chronotope.media import encode_clip
from chronotope.question import (
    CardDraft,
    MediaItem,
    Option,
    Question,
    Window,
    measure_media,
    open_benchmark,
    write_benchmark_tables,
)
from chronotope.recording import Clip, Kind, Recording, save_recording

CLIPS, FRAMES, FPS = 6, 8, 10
TASKS = ("Displacement & Path Length", "Speed & Acceleration")
MARKUP = "<b id='injected'>x</b>"


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
    (folder / "clips").mkdir(parents=True)
    for clip in range(CLIPS):
        grey = [np.full((48, 64, 3), 20 + 25 * clip + 3 * number, np.uint8) for number in range(FRAMES)]
        encode_clip(grey, folder / "clips" / f"{clip}.mp4", FPS)
    media = measure_media(folder, [f"clips/{clip}.mp4" for clip in range(CLIPS)])
    poses = np.tile(np.eye(4), (FRAMES, 1, 1))
    poses[:, 0, 3] = np.linspace(0, 1, FRAMES)
    path = folder / "clips" / "0.mp4"
    recording = Recording(
        id="clip-0",
        kind=Kind.INDOOR,
        source="drawn",
        times=np.arange(FRAMES) / FPS,
        world_T_camera=poses,
        valid=np.ones(FRAMES, bool),
        clip=Clip(path, media["clips/0.mp4"].sha256, FPS, 64, 48),
    )
    save_recording(recording, folder / "recordings" / "clip-0")
    draft = CardDraft(name="Drawn", family="sti", profile="strict", licence="CC0-1.0")
    write_benchmark_tables(folder, draft, questions(), media)
    return open_benchmark(folder).folder
