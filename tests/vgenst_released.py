"""A set in the released form of VGenST-Bench, with the published counts and words of our own, over one tiny clip."""

import os
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import simplejpeg

from chronotope.media import encode_clip

# The specification's table of section 4, copied from there: x where a task is asked by a type; then base, V3, total.
TYPES = ("L1-OE", "L1-OA", "L1-FL", "L2-IT", "L2-AR", "L2-OC", "L2-TO", "L2-CM", "L2-SL", "L3-PT", "L3-CR", "L3-PR")
MATRIX = """
MC_F_EGO_STA x x x x . x . x x . x . 800 600 3000
QC_F_EGO_DYN x x . x x x x . x . x x 894 544 3226
CI_F_EXO_STA x x x . . x x x x . x . 800 400 2800
CM_F_EXO_DYN x x x . x . x . x x x . 795 100 2485
DE_V_EGO_STA x x . . . . x x x x x . 700 350 2450
IO_V_EGO_DYN x x x x x x . . x . x . 792 327 2703
HO_V_EXO_STA x x x . . . x x x . x . 681 288 2331
VI_V_EXO_DYN x x x x x . . . x x . . 696 100 2188
DS_E_EGO_STA x x x . . x . x x x x . 800 500 2900
RV_E_EGO_DYN x x x x x x x x x x x x 1200 400 4000
LS_E_EXO_STA x x . . . . x x x x x x 769 474 2781
BT_E_EXO_DYN x x . x x . x x . x x . 780 182 2522
"""
# Questions that the reviewers rejected (section 10.1), by the task's short code and the type's.
REJECTED = {
    "HO-OA": 18, "BT-OA": 16, "LS-OA": 12, "IO-OA": 8, "QC-OA": 6, "CM-OA": 3, "LS-CR": 10, "LS-SL": 6, "LS-PT": 3,
    "VI-OE": 4, "CM-OE": 2, "BT-AR": 2, "BT-PT": 2, "HO-OE": 1,
}  # fmt: skip
LETTERS = "ABCDEF"
MC = "MC_F_EGO_STA"


def matrix() -> dict[str, tuple[tuple[str, ...], int, int, int]]:
    """Each task's types, base questions, open questions and all items."""
    rows = [line.split() for line in MATRIX.split("\n") if line]
    return {
        task: (tuple(kind for kind, mark in zip(TYPES, rest, strict=False) if mark == "x"), *map(int, rest[12:]))
        for task, *rest in rows
    }  # type: ignore[return-value]


def theme(task: str, idx: int) -> str:
    return f"{task[:2].lower()}_place_{idx}"


def stem_of(clip: str) -> str:
    return f"What is true in {clip.replace('_', ' ')}?"


def form(stem: str, texts: list[str], answer: int) -> dict[str, Any]:
    """Question text with its options in line, the options as a struct of letters with nulls, and the right letter."""
    pairs = list(zip(LETTERS, texts, strict=False))
    told = ", ".join(f"{letter}. {text}" for letter, text in pairs)
    options: dict[str, str | None] = dict.fromkeys(LETTERS)
    return {"question": f"{stem} {told}", "options": options | dict(pairs), "answer": LETTERS[answer]}


def row(task: str = MC, idx: int = 0, kind: str = "L1-OE", *, opened: bool = True, size: int = 4) -> dict[str, Any]:
    """One released row; the right letter goes round, and types of one task have options of their own."""
    texts = [f"{kind[3:].lower()} thing {idx + step}" for step in range(size)]
    answer = (idx + TYPES.index(kind)) % size
    stem = f"{kind} of {theme(task, idx)}: what is true?"
    without = list(texts)
    without[answer] = "None of these"
    asked = {"question": f"{stem} Answer concisely without explanation.", "expected_answer": texts[answer]}
    return {
        "idx": idx,
        "theme": theme(task, idx),
        "qa_type": kind,
        "sample_id": f"{task}_{idx:03d}_{kind}",
        "base": form(stem, texts, answer),
        "variant_NoT_distractor": form(stem, [*texts, "None of these"], answer),
        "variant_NoT_answer": form(stem, without, answer),
        "variant_open_ended": asked if opened else None,
    }


def published_rows(task: str) -> list[dict[str, Any]]:
    """The rows of a task with the published counts: by type, without the rejected, the first with an open form."""
    kinds, _, opened, _ = matrix()[task]
    keys = [
        (idx, kind) for kind in kinds for idx in range(100 - REJECTED.get(f"{task.partition('_')[0]}-{kind[3:]}", 0))
    ]
    return [
        row(task, idx, kind, opened=number < opened, size=3 + (idx + number) % 2)
        for number, (idx, kind) in enumerate(keys)
    ]


def changed(idx: int, name: str, **values: Any) -> dict[str, Any]:
    """A row in one of whose forms something else stands."""
    one = row(MC, idx)
    return one | {name: one[name] | values}


def ugly() -> dict[str, tuple[dict[str, Any], dict[str, int]]]:
    """Rows with one thing wrong, and how many items each code is then told of."""
    texts = ["red", "green", "blue"]
    gap = form("What colour?", ["red", "green", "blue"], 0)
    gap["options"] |= {"B": None, "D": "blue", "C": "green"}
    gap["question"] = "What colour? A. red, C. green, D. blue"
    gap["answer"] = "D"
    rest = {"variant_NoT_distractor": None, "variant_NoT_answer": None, "variant_open_ended": None}
    two_empty = {"empty_variant": 2}
    v1, v2, v3 = "variant_NoT_distractor", "variant_NoT_answer", "variant_open_ended"
    return {
        "no idx": (row() | {"idx": None}, {"unreadable": 1, "no_base": 3}),
        "no theme": (row() | {"theme": " "}, {"unreadable": 1, "no_base": 3}),
        "another type": (row() | {"qa_type": "L4-XX"}, {"unknown_type": 1, "no_base": 3}),
        "no base": (row() | {"base": None}, {"unreadable": 1, "no_base": 3}),
        "empty base": (changed(0, "base", question=None, options=None, answer=None), {"unreadable": 1, "no_base": 3}),
        "one option": (row() | rest | {"base": form("What?", ["red"], 0)}, {"too_few_options": 1}),
        "no such option": (changed(0, "base", answer="E"), {"no_such_option": 1, "no_base": 3}),
        "a null option": (changed(0, "base", answer="F"), {"no_such_option": 1, "no_base": 3}),
        "no answer": (changed(0, "base", answer=None), {"unreadable": 1, "no_base": 3}),
        "two answers": (changed(0, "base", answer="A, B"), {"several_answers": 1, "no_base": 3}),
        "two answers in V2": (changed(0, v2, answer="A and C"), {"several_answers": 1}),
        "no stem": (changed(0, "base", question="A. other, B. things"), {"no_stem": 1, "no_base": 3}),
        "options from B": (changed(0, "base", question="What? B. other"), {"no_stem": 1, "no_base": 3}),
        "no V1": (row() | {v1: None}, {"empty_variant": 1}),
        "empty V2": (changed(0, v2, question=None, options=None, answer=None), {"empty_variant": 1}),
        "blank V2": (row() | {v2: {"question": " ", "options": None, "answer": ""}}, {"empty_variant": 1}),
        "rejected V3": (row() | {v3: None}, {}),
        "empty V3": (changed(0, v3, question=None, expected_answer=None), {}),
        "V3 without an answer": (changed(0, v3, expected_answer=None), {}),
        "V3 without a question": (changed(0, v3, question=None), {"unreadable": 1}),
        "no clip": (row(idx=77), {"missing_clip": 4}),
        "no clip and no V1": (row(idx=77) | {v1: None}, {"missing_clip": 3, "empty_variant": 1}),
        "other options in the text": (
            changed(0, "base", question="L1-OE of mc_place_0: what is true? A. some, B. thing"),
            {"text_differs": 1},
        ),
        "no options in the text": (
            changed(0, "base", question="L1-OE of mc_place_0: what is true?"),
            {"text_differs": 1},
        ),
        "a gap": (row() | rest | {"base": gap}, {"gap_in_options": 1} | two_empty),
        "equal options": (
            row() | rest | {"base": form("What?", [*texts, "red"], 1)},
            {"equal_options": 1} | two_empty,
        ),
        "a cell that is not asked": (row(kind="L3-PR"), {"inactive_cell": 4}),
        "V1 with another letter": (changed(1, v1, answer="A"), {"answer_contradicts_base": 1}),
        "V1 with None of these as the answer": (changed(1, v1, answer="E"), {"answer_contradicts_base": 1}),
        "V1 without None of these": (
            row() | {v1: row()["base"]},
            {"options_contradict_base": 1},
        ),
        "V2 without None of these": (
            row() | {v2: row()["base"]},
            {"not_none_of_these": 1, "options_contradict_base": 1},
        ),
        "V2 with another letter": (
            changed(1, v2, answer="A"),
            {"not_none_of_these": 1, "answer_contradicts_base": 1},
        ),
        "V3 with another answer": (changed(0, v3, expected_answer="nothing"), {"answer_contradicts_base": 1}),
        "V3 with another question": (changed(0, v3, question="Who is there?"), {"stem_contradicts_base": 1}),
    }


def forms(released: dict[str, Any]) -> int:
    """How many forms a row has that are neither empty nor, of V3, rejected; its base counts, whatever it holds."""
    there = [released[f"variant_NoT_{name}"] for name in ("distractor", "answer")]
    said = [one["question"] for one in there if one is not None]
    opened = released["variant_open_ended"]
    return 1 + sum((one or "").strip() != "" for one in said) + bool(opened and opened["expected_answer"])


def _schema(spelling: int) -> pa.Schema:
    options = pa.struct([pa.field(letter, pa.string()) for letter in LETTERS])
    with_options = pa.struct(
        [pa.field("question", pa.string()), pa.field("options", options), pa.field("answer", pa.string())]
    )
    opened = pa.struct([pa.field("question", pa.string()), pa.field("expected_answer", pa.string())])
    names = ("NoT_distractor", "NoT_answer", "open_ended")
    columns = [f"variant_{name}" if spelling == 0 else f"variant_{n}_{name}" for n, name in enumerate(names, 1)]
    return pa.schema(
        [
            ("idx", pa.int64()),
            ("theme", pa.string()),
            ("qa_type", pa.string()),
            ("sample_id", pa.string()),
            ("base", with_options),
            (columns[0], with_options),
            (columns[1], with_options),
            (columns[2], opened),
        ]
    )


def write_table(file: Path, rows: list[dict[str, Any]], *, spelling: int = 0) -> Path:
    """A Parquet table; ``spelling`` 1 has the reformatter's names of the variants."""
    file.parent.mkdir(parents=True, exist_ok=True)
    schema = _schema(spelling)
    theirs = dict(zip(_schema(0).names, schema.names, strict=True))
    renamed = [{theirs[name]: value for name, value in one.items()} for one in rows]
    pq.write_table(pa.Table.from_pylist(renamed, schema=schema), file)
    return file


def write_metadata(file: Path, rows: list[dict[str, Any]], **models: str) -> Path:
    """How the clips were made: a scene graph as JSON, and one column for each model."""
    file.parent.mkdir(parents=True, exist_ok=True)
    clips = sorted({(one["idx"], one["theme"]) for one in rows})
    table = [{"idx": idx, "theme": name, "scene_graph": '{"objects": []}', **models} for idx, name in clips]
    pq.write_table(pa.Table.from_pylist(table), file)
    return file


def write_clip(file: Path, frames: int = 10) -> Path:
    """A clip of a second, 64 by 36."""
    file.parent.mkdir(parents=True, exist_ok=True)
    encode_clip([np.full((36, 64, 3), 12 * n, np.uint8) for n in range(frames)], file, 10.0)
    return file


def write_clips(videos: Path, task: str, numbers: range = range(4), *, show: str = "video", count: int = 8) -> None:
    """The clips of a task as ``video``, ``frames`` or ``first_frame``, all of one content (hard links)."""
    folder = videos / task
    source = videos.parent / "source"
    names = [f"{idx}_{theme(task, idx)}" for idx in numbers]
    if show == "video":
        clip = source / "clip.mp4"
        if not clip.exists():
            write_clip(clip)
        (folder / "videos").mkdir(parents=True, exist_ok=True)
        for name in names:
            os.link(clip, folder / "videos" / f"{name}.mp4")
        return
    for number in range(count):
        picture = source / f"{number}.jpg"
        if not picture.exists():
            source.mkdir(parents=True, exist_ok=True)
            picture.write_bytes(simplejpeg.encode_jpeg(np.full((36, 64, 3), 20 * number, np.uint8)))
    for name in names:
        if show == "first_frame":
            (folder / "first_frame").mkdir(parents=True, exist_ok=True)
            os.link(source / "0.jpg", folder / "first_frame" / f"{name}.jpg")
            continue
        place = folder / "processed_frames" / name
        place.mkdir(parents=True, exist_ok=True)
        for number in range(count):
            os.link(source / f"{number}.jpg", place / f"frame_{number:02d}.jpg")


def write_release(folder: Path, rows: list[dict[str, Any]], *, task: str = MC, show: str = "video", **how: Any) -> Path:
    """A release folder of one task: its table, and the clips of numbers 0 to 3."""
    write_table(folder / "qa" / f"{task}.parquet", rows, **how)
    write_clips(folder / "videos", task, show=show)
    return folder


def write_whole(folder: Path, *, show: str = "video") -> Path:
    """The whole set in its published size: 33,386 items over 1,200 clips."""
    for task in matrix():
        rows = published_rows(task)
        write_table(folder / "qa" / f"{task}.parquet", rows)
        write_metadata(folder / "metadata" / f"{task}.parquet", rows, qa_generator_model="claude-sonnet-4-6")
        write_clips(folder / "videos", task, range(100), show=show)
    return folder
