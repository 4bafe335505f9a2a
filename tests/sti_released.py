"""A set in the released form, with the published counts and words of our own, and tiny clips under released names."""

import csv
import json
import shutil
from itertools import count
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from chronotope.media import encode_clip

# The specification's table of section 2, copied from there: Outdoor, Indoor, Desktop.
COUNTS = {
    "Dimensional Measurement": (70, 126, 93),
    "Spatial Relation": (115, 0, 31),
    "3D Video Grounding": (80, 182, 55),
    "Displacement & Path Length": (102, 188, 68),
    "Speed & Acceleration": (141, 115, 75),
    "Ego-Centric Orientation": (81, 104, 0),
    "Trajectory Description": (78, 0, 0),
    "Pose Estimation": (126, 150, 84),
}
SOURCES = ("Waymo", "ScanNet", "Omni6DPose")
CLIPS = (
    *(f"{10**18 + 7 * n}_{n}_000_{n + 20}_000_camera_{1 + n % 5}.mp4" for n in range(4)),
    *(f"scene{n:04d}_00.mp4" for n in range(4)),
    *(f"{n:05d}.mp4" for n in range(4)),
)
SECONDS = 2.0


def row(number: int, task: str = "Speed & Acceleration", scene: int = 1, **changes: Any) -> dict[str, Any]:
    """One released row; the right letter goes round."""
    texts = {letter: f"{number + step}.{step}m" for step, letter in enumerate("ABCDE")}
    letter = "ABCDE"[number % 5]
    return {
        "ID": number // 3,
        "Video": CLIPS[4 * scene + number % 3],
        "Source": SOURCES[scene],
        "Task": task,
        "QType": "camera",
        "Question": f"What is number {number}?",
        "Candidates": texts,
        "Answer": letter,
        "Answer Detail": texts[letter],
        "time_start": 0.1,
        "time_end": round(0.5 + number % 3 * 0.5, 1),
    } | changes


def published_rows() -> list[dict[str, Any]]:
    """2,064 rows with the published counts."""
    numbers = count()
    return [
        row(next(numbers), task, scene)
        for task, of in COUNTS.items()
        for scene, number in enumerate(of)
        for _ in range(number)
    ]


def as_mirror(released: dict[str, Any]) -> dict[str, Any]:
    """The same row with the mirror's columns."""
    names = {"Video": "video", "Question": "question", "Answer": "answer", "Task": "task_type"}
    values = {theirs: released[ours] for ours, theirs in names.items()}
    times = {name: released[name] for name in ("time_start", "time_end")}
    return values | times | {"options": str(list(released["Candidates"].values()))}


def write_clips(folder: Path, names: tuple[str, ...] = CLIPS) -> Path:
    """One clip of 2 s under many names."""
    folder.mkdir(parents=True, exist_ok=True)
    first = folder / names[0]
    encode_clip([np.full((36, 64, 3), 12 * n, np.uint8) for n in range(20)], first, 20 / SECONDS)
    for name in names[1:]:
        shutil.copy(first, folder / name)
    return folder


def write_release(folder: Path, rows: list[dict[str, Any]], form: str = "qa.parquet", clips: str = "video") -> Path:
    """A release folder: the table in the form that its name tells, and the clips."""
    write_clips(folder / clips)
    write_table(folder / form, rows)
    return folder


def write_table(file: Path, rows: list[dict[str, Any]]) -> Path:
    file.parent.mkdir(parents=True, exist_ok=True)
    if file.suffix == ".parquet":
        pq.write_table(pa.Table.from_pylist(rows), file)
    elif file.suffix == ".tsv":
        with file.open("w", newline="", encoding="utf-8") as opened:
            table = csv.DictWriter(opened, ["index", *rows[0]], delimiter="\t")
            table.writeheader()
            table.writerows({"index": index} | one for index, one in enumerate(rows))
    elif file.suffix == ".jsonl":
        file.write_text("".join(json.dumps(one) + "\n" for one in rows))
    else:
        file.write_text(json.dumps(rows))
    return file
