"""Reader of the released file of questions: JSON Lines, a JSON list, or a JSON object that contains a list."""

import io
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from chronotope.errors import InputError
from chronotope.families.m3.release.records import NOT_JSON
from chronotope.io import read_json, read_text

SUFFIXES = (".jsonl", ".json")
PLACES = ("", "qas", "qa", "questions", "data", "annotations")  # folders searched in a release, ignoring case
NEEDED = ("scene_id", "question", "options", "answer")
MOST = 256 << 20  # maximum size of the file in bytes
EXPECTED = f"expected questions with {', '.join(NEEDED)} and category"


@dataclass(frozen=True)
class ReleasedTable:
    """The rows of a released file, unchanged and in the file's order.

    A line that is not JSON is represented by ``NOT_JSON``. If the file is a JSON object, ``within`` is the name of the
    field with the list of rows.
    """

    path: Path
    rows: list[Any]
    within: str | None = None


def find_table(path: Path) -> ReleasedTable:
    """Find and read the file of questions.

    ``path`` is the file itself, or a release folder with exactly one file of questions.

    Raises:
        InputError: If there is no file of questions, or there are several.
    """
    if path.is_file():
        return _read(path)
    if not path.is_dir():
        raise InputError(
            f"{path}: there is no such file or folder: expected a release folder, or its .jsonl or .json file"
        )
    found: list[ReleasedTable] = []
    faults: list[str] = []
    for file in _candidates(path):
        try:
            found.append(_read(file))
        except InputError as error:
            faults.append(str(error))
    if len(found) > 1:
        names = ", ".join(table.path.relative_to(path).as_posix() for table in found)
        raise InputError(
            f"{path}: several files contain questions ({names}): give the path of one of these files, and the folder "
            "of the videos with --clips"
        )
    if not found:
        looked = f"none of its {len(faults)} JSON files has questions" if len(faults) > 1 else "there is no JSON file"
        raise InputError(faults[0] if len(faults) == 1 else f"{path}: no questions found, {looked}: {EXPECTED}")
    return found[0]


def _candidates(folder: Path) -> list[Path]:
    places = [folder, *(one for one in sorted(folder.iterdir()) if one.is_dir() and one.name.casefold() in PLACES)]
    files = [file for place in places for file in sorted(place.iterdir())]
    return [file for file in files if file.suffix.lower() in SUFFIXES and file.is_file()]


def _read(path: Path) -> ReleasedTable:
    if path.suffix.lower() not in SUFFIXES:
        raise InputError(
            f"{path}: contains no questions: expected a .jsonl or .json file, or a folder with such a file"
        )
    table = _json(path) if path.suffix.lower() == ".json" else ReleasedTable(path, _lines(path))
    if not any(_is_question(row) for row in table.rows):
        raise InputError(f"{path}: none of the {len(table.rows)} rows is a question of M3-Verse: {EXPECTED}")
    return table


def _is_question(row: Any) -> bool:
    """Check whether a row has all required fields of a question."""
    return isinstance(row, dict) and all(name in row for name in NEEDED)


def _json(path: Path) -> ReleasedTable:
    value = read_json(path)
    if isinstance(value, list):
        return ReleasedTable(path, value)
    lists = [(name, one) for name, one in value.items() if isinstance(one, list)] if isinstance(value, dict) else []
    holding = [(name, one) for name, one in lists if any(map(_is_question, one))]
    if len(holding) != 1:
        found = (
            f"contains several lists of questions ({', '.join(name for name, _ in holding)})"
            if holding
            else "contains no list of questions"
        )
        raise InputError(f"{path}: {found}: {EXPECTED}, in one list")
    return ReleasedTable(path, holding[0][1], holding[0][0])


def _lines(path: Path) -> list[Any]:
    """Read a file that has one row on each line.

    Empty lines are skipped.
    """
    return [_line(line) for line in io.StringIO(read_text(path, MOST), newline=None) if line.strip()]


def _line(line: str) -> Any:
    try:
        return json.loads(line)
    except (ValueError, RecursionError):
        return NOT_JSON
