"""Reader of one released row: its options, answer, time window and scene, or the code of its defect."""

import ast
import json
import math
import re
from dataclasses import dataclass
from pathlib import PurePosixPath
from string import ascii_uppercase
from typing import Any

from chronotope.families import UnusableError
from chronotope.families.released_cells import ReleasedRow, Text, Trimmed, by_letter, parsed, text_of
from chronotope.families.sti.tasks import TASKS
from chronotope.question import Option, Window

# Descriptions of defects. Rows with a defect in LEFT_OUT cannot be asked; a defect in KEPT becomes a flag.
LEFT_OUT = {
    "unreadable": "a video, question, task, option or time that is missing or cannot be read",
    "no_such_option": "an answer that is not one of the options",
    "reversed_window": "a window that begins before 0 s or after its end",
    "missing_clip": "a missing clip",
}
KEPT = {
    "repeated_id": "Source, Video and ID of an earlier row (the number of the row was appended)",
    "answer_detail_differs": "an Answer Detail that differs from the option of Answer",
    "not_five_options": "more or fewer than five options",
    "equal_options": "equal options",
    "unknown_task": "a task that the paper does not have",
    "unknown_scene": "a clip whose kind of scene is unclear from its Source and name",
}
_TASKS = {task.casefold(): task for task in TASKS}
_SOURCES = {"waymo": "Outdoor", "scannet": "Indoor", "omni6d": "Desktop"}
_CLIPS = {r".+_camera_[1-5]": "Outdoor", r"scene\d{4}_\d{2}": "Indoor", r"\d+": "Desktop"}


@dataclass(frozen=True)
class StiRow:
    """A released row from which a question can be made.

    ``video`` is the released file name of the clip. ``id`` is None if the row has no ID. ``answer`` is the index of the
    correct option. ``scene`` is the kind of scene, or None if it is unknown.
    """

    id: str | None
    video: str
    source: str
    task: str
    qtype: str
    stem: str
    options: tuple[Option, ...]
    answer: int
    window: Window
    scene: str | None
    flags: tuple[str, ...]


class _Cells(ReleasedRow):
    question: Text
    video: Trimmed
    task: Trimmed
    source: Trimmed = ""
    qtype: Trimmed = ""
    id: Trimmed = ""
    answer_detail: Trimmed = ""


def read_row(values: dict[str, Any]) -> StiRow:
    """Read one row, whose columns have Chronotope's names.

    Raises:
        UnusableError: If the row cannot be asked. The code of the error is a key of ``LEFT_OUT``.
    """
    texts = _options(values["candidates"])
    answer = _answer(values["answer"], len(texts))
    cells = _Cells.of(values)
    if not (cells.video and cells.question.strip() and cells.task):
        raise UnusableError("unreadable")
    task = _TASKS.get(cells.task.casefold(), cells.task)
    scene = scene_of(cells.source, cells.video)
    faults = {
        "answer_detail_differs": cells.answer_detail not in ("", texts[answer].strip()),
        "not_five_options": len(texts) != 5,
        "equal_options": len(set(texts)) < len(texts),
        "unknown_task": task not in TASKS,
        "unknown_scene": scene is None,
    }
    return StiRow(
        id=cells.id or None,
        video=cells.video,
        source=cells.source,
        task=task,
        qtype=cells.qtype,
        stem=cells.question,
        options=tuple(map(Option, texts)),
        answer=answer,
        window=_window(values["time_start"], values["time_end"]),
        scene=scene,
        flags=tuple(code for code, found in faults.items() if found),
    )


def scene_of(source: str, video: str) -> str | None:
    """Determine the kind of scene from the data set or clip.

    If the data set is unknown, the name of the clip decides: ``<segment>_camera_<1 to 5>`` is Outdoor,
    ``scene####_##`` is Indoor, and a name of digits is Desktop. The result is None if the name has another pattern.
    """
    plain = re.sub(r"[^a-z0-9]", "", source.casefold())
    by_source = [scene for name, scene in _SOURCES.items() if plain.startswith(name)]
    stem = PurePosixPath(video).stem
    by_clip = [scene for form, scene in _CLIPS.items() if re.fullmatch(form, stem, re.ASCII)]
    return next(iter(by_source + by_clip), None)


def _options(value: Any) -> list[str]:
    """Return the texts of the options in the order of their letters.

    Empty options are allowed only at the end, and are dropped.
    """
    if isinstance(value, str):
        value = _literal(value)
    value = parsed(value)
    if isinstance(value, dict):
        letters = by_letter(value)
        value = [letters.get(letter) for letter in ascii_uppercase]
    if not isinstance(value, list | tuple):
        raise UnusableError("unreadable")
    texts = [_option_text(text) for text in value]
    while texts and not texts[-1].strip():
        texts.pop()
    if not 2 <= len(texts) <= len(ascii_uppercase) or not all(text.strip() for text in texts):
        raise UnusableError("unreadable")
    return texts


def _option_text(value: Any) -> str:
    """Return the text of an option; a list or mapping becomes JSON."""
    if not isinstance(value, dict | list):
        return text_of(value)
    try:
        return text_of(json.dumps(value, ensure_ascii=False))
    except (TypeError, ValueError, RecursionError):  # contains bytes, a set or a huge number
        raise UnusableError("unreadable") from None


def _literal(text: str) -> Any:
    """Parse a string that contains JSON or a Python literal."""
    for parse in (json.loads, ast.literal_eval):
        try:
            return parse(text)
        except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
            continue
    raise UnusableError("unreadable")


def _answer(value: Any, count: int) -> int:
    """Return the index of the correct option.

    ``value`` is the letter of the option; brackets and a full stop around the letter are ignored.
    """
    letter = text_of(value).strip(" ().:").upper()
    if len(letter) != 1 or letter not in ascii_uppercase[:count]:
        raise UnusableError("no_such_option")
    return ascii_uppercase.index(letter)


def _window(start: Any, end: Any) -> Window:
    try:
        window = Window(float(start), float(end))
    except (TypeError, ValueError, OverflowError):
        raise UnusableError("unreadable") from None
    if not (math.isfinite(window.start) and math.isfinite(window.end)):
        raise UnusableError("unreadable")
    if not 0 <= window.start <= window.end:
        raise UnusableError("reversed_window")
    return window
