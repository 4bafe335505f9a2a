"""A set in the released form: records with words of our own, and tiny pairs of videos under released names."""

import json
import shutil
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image

from chronotope.media import encode_clip

NONE = "No correct option is listed."
SECONDS, FPS = 2.0, 10.0
LENGTHS = (20, 23)  # frames of the first video and of the second
CATEGORIES = {
    "scene_info": ("intra-state", "room_type", ["spatial understanding", "attribute recognition"]),
    "object_info": ("intra-state", "object_height", ["spatial understanding", "attribute recognition"]),
    "agent_explore": ("intra-state", "room_visit_count", ["temporal understanding", "reasoning"]),
    "object_changes": ("inter-states", "movement_distance", ["spatial understanding", "temporal understanding"]),
    "multi_states_agent_explore": ("inter-states", "total_room_visits", ["temporal understanding", "reasoning"]),
}


def row(number: int, category: str | None = None, scene: str | None = None, **changes: Any) -> dict[str, Any]:
    """One released record: categories, numbers of options (2 to 7), right letters and hallucination go round."""
    category = category or list(CATEGORIES)[number % 5]
    state, subtask, capabilities = CATEGORIES[category]
    size = 2 + number % 6
    hallucination = number % 4 == 3
    texts = [f"{number}.{place} m" for place in range(size - 1)] + [NONE if hallucination else f"{number} rooms"]
    several = size >= 4 and not hallucination and number % 3 == 0
    right = [0, size - 2] if several else [size - 1 if hallucination else number % (size - 1)]
    scene = scene or f"scene_{number % 3}"
    return {
        "scene_id": scene,
        "question_id": f"{scene}-{number}",
        "state_type": state,
        "category": category,
        "subcategory": subtask,
        "generator_name": "Generator",
        "question": f"What is number {number}?",
        "options": [f"{'ABCDEFG'[place]}. {text}" for place, text in enumerate(texts)],
        "answer": ["ABCDEFG"[place] for place in right],
        "question_type": "multiple_choice" if several else "single_choice",
        "hallucination": hallucination,
        "capabilities": capabilities,
    } | changes


def _frames(state: int) -> list[np.ndarray]:
    """Frames whose grey tells their number, and whose colour the state."""
    pictures = [np.zeros((48, 64, 3), np.uint8) for _ in range(LENGTHS[state])]
    for number, picture in enumerate(pictures):
        picture[..., 0 if state == 0 else 2] = 60 + 7 * number
    return pictures


def write_videos(folder: Path, names: dict[str, tuple[str, str]]) -> Path:
    """The two videos of every scene under the names given, relative to the folder."""
    masters: list[Path | None] = [None, None]
    for pair in names.values():
        for state, name in enumerate(pair):
            file = folder / name
            file.parent.mkdir(parents=True, exist_ok=True)
            master = masters[state]
            if master is not None and master.suffix == file.suffix:
                shutil.copy(master, file)
            else:
                encode_clip(_frames(state), file, FPS)
                masters[state] = file
    return folder


def write_pictures(folder: Path, scene: str, inside: str = "RGB") -> None:
    """Numbered pictures in place of the videos of a scene, with the authors' numbers, which have no leading zeros."""
    for state in range(2):
        place = folder / scene / f"state_{state}" / inside
        place.mkdir(parents=True)
        for number, frame in enumerate(_frames(state)):
            Image.fromarray(frame).save(place / f"frame_{number}.png")


def of_layout(layout: str, scene: str) -> tuple[str, str]:
    """The names of the two videos of a scene in a layout such as ``{scene}/state_{k}/video.mp4``."""
    return layout.format(scene=scene, k=0), layout.format(scene=scene, k=1)


def write_rows(file: Path, rows: list[Any]) -> Path:
    """A file of questions in the form that its name tells: a line each, or a list."""
    file.parent.mkdir(parents=True, exist_ok=True)
    if file.suffix == ".jsonl":
        file.write_text(
            "".join((one if isinstance(one, bytes) else json.dumps(one).encode()).decode() + "\n" for one in rows)
        )
    else:
        file.write_text(json.dumps(rows))
    return file


def write_release(
    folder: Path,
    rows: list[Any],
    *,
    table: str = "QAs/M^3-Verse.jsonl",
    layout: str = "{scene}/state_{k}/video.mp4",
    scenes: tuple[str, ...] = ("scene_0", "scene_1", "scene_2"),
) -> Path:
    """A release folder: the questions, and the videos of the scenes with what else lies beside them."""
    write_rows(folder / table, rows)
    write_videos(folder, {scene: of_layout(layout, scene) for scene in scenes})
    for scene in scenes:
        home = folder / scene
        home.mkdir(exist_ok=True)
        (home / "house.json").write_text(json.dumps({"rooms": [], "objects": []}))
        (home / "room_static_analysis.json").write_text("{}")
    return folder


# Every defect that a released set may have, each with the codes under which it is told, in the order of the rows.
UGLY: list[tuple[Any, tuple[str, ...]]] = [
    (row(0), ()),
    (row(1), ()),
    (b'{"scene_id": "scene_0", "question', ("not_json",)),
    (["scene_0", "What?"], ("not_an_object",)),
    (None, ("not_an_object",)),
    (row(5, question="  "), ("no_question",)),
    (row(6, question=None), ("no_question",)),
    (row(7) | {"scene_id": None}, ("unreadable",)),
    (row(8) | {"category": ["scene_info"]}, ("unreadable",)),
    (row(9, options="A. 1 B. 2"), ("unreadable",)),
    (row(10, options=["A. one", {"B": "two"}]), ("unreadable",)),
    (row(11, options=["A. one", None, "", "D."], answer=["A"]), ("too_few_options",)),
    (row(12, options=[]), ("too_few_options",)),
    (row(13, answer=[]), ("no_answer",)),
    (row(14, answer=None), ("no_answer",)),
    (row(15, answer=["", None]), ("no_answer",)),
    (row(16, answer=["G"], options=["A. 1", "B. 2"]), ("no_such_option",)),
    (row(17, answer=["A", "H"]), ("no_such_option",)),
    (row(18, options=["A. 1", None, "C. 3"], answer=["B"]), ("no_such_option",)),
    (row(19, answer=["Kitchen"]), ("no_such_option",)),
    (row(20, scene="scene_9"), ("missing_clip",)),
    (row(21, scene="scene_half"), ("missing_clip",)),
    (row(22, scene="../scene_0"), ("missing_clip",)),
    (row(0, question="What else?"), ("repeated_id",)),
    (row(24, question_id=None), ("no_id",)),
    (
        row(25, options=["A. 1", "B. 2", "C. 3"], answer=["A", "C"], question_type="single_choice"),
        ("single_with_several",),
    ),
    (row(26, answer=["A"], hallucination=False, question_type="multiple_choice"), ("multiple_with_one",)),
    (row(28, question_type="open"), ("unknown_question_type",)),
    (row(29, options=["A. 1", None, "C. 3", "D.", ""], answer=["D"]), ("no_such_option",)),
    (row(30, options=["A. 1", None, "C. 3", "D."], answer=["C"], question_type="single_choice"), ("dropped_option",)),
    (row(32, options=["B. 1", "A. 2", "C. 3"], answer=["A"], question_type="single_choice"), ("odd_letters",)),
    (row(33, options=["A. 1", "B. 2", "C. 2"], answer=["B"], question_type="single_choice"), ("equal_options",)),
    (row(34, options=[f"{letter}. {letter}1" for letter in "ABCDEFGH"], answer=["H"]), ("more_than_seven_options",)),
    (row(36) | {"category": "weather"}, ("unknown_category",)),
    (row(37, subcategory="colour_of_the_cat"), ("unknown_subtask",)),
    (row(38, subcategory=None), ("unknown_subtask",)),
    (row(40, state_type="both"), ("unknown_state_type",)),
    (row(41, "object_changes", state_type="intra-state"), ("state_type_differs",)),
    (row(42, capabilities=["spatial understanding", "patience"]), ("unknown_capability",)),
    (row(44, capabilities=[]), ("usual_capabilities",)),
    (row(45, capabilities=["patience"]), ("unknown_capability", "usual_capabilities")),
    (row(46, capabilities=None, subcategory="nothing"), ("unknown_subtask", "no_capability")),
    (row(48, hallucination=None), ("unknown_hallucination",)),
    (row(51, hallucination=False), ("hallucination_differs",)),
    (row(52, options=["A. 1", f"B. {NONE}"], answer=["A"], hallucination=True), ("hallucination_differs",)),
]
