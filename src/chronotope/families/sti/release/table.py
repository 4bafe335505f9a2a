"""The released table, in any of its forms.

The authors' columns are ``ID`` (unique only inside a video), ``Video``, ``Source``, ``Task``, ``QType``, ``Question``,
``Candidates`` (a struct of letters and texts, or a JSON string of it), ``Answer`` (a letter), ``Answer Detail``,
``time_start`` and ``time_end`` (s). A mirror has ``video``, ``question``, ``options`` (a list as a string), ``answer``,
``task_type``, ``time_start`` and ``time_end``; EASI and VLMEvalKit have the mirror as tab-separated text, with an
``index``. Names are compared without case, so one reader works for all.
"""

import csv
import io
import json
import math
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from chronotope.errors import InputError
from chronotope.io import read_json, read_text
from chronotope.io.parquet import column_names, read_bounded, reading_table

__all__ = ["ReleasedTable", "find_table"]

SUFFIXES = (".parquet", ".jsonl", ".json", ".tsv")
NEEDED = ("video", "question", "task", "candidates", "answer", "time_start", "time_end")
OPTIONAL = ("id", "source", "qtype", "answer_detail")
MOST_DIGITS = 4000
MOST = 256 << 20  # bytes of a file of lines, as of one of JSON
RENAMED = {"options": "candidates", "task_type": "task"}  # the mirror's names
EXPECTED = (
    "expected STI-Bench's columns Video, Question, Task, Candidates, Answer, time_start and time_end, or the mirror's "
    "video, question, task_type, options, answer, time_start and time_end"
)


@dataclass(frozen=True)
class ReleasedTable:
    """The rows of a release by our column names, in the file's order.

    Missing columns are left out.
    """

    path: Path
    mirror: bool
    rows: list[dict[str, Any]]


def find_table(path: Path) -> ReleasedTable:
    """Find the table at a path: a file, or a release folder.

    In a folder (or its ``data``) it is the single file with the columns.

    Raises:
        InputError: If there is none, or there are several.
    """
    if path.is_file():
        return _read(path)
    if not path.is_dir():
        raise InputError(
            f"{path}: no such file or folder: expected a release folder, or its .parquet, .jsonl, .json or .tsv"
        )
    found: list[ReleasedTable] = []
    faults: list[str] = []
    for file in _candidates(path):
        try:
            found.append(_read(file))
        except InputError as error:
            faults.append(str(error))
    if len(found) > 1:
        names = ", ".join(str(table.path.relative_to(path)) for table in found)
        raise InputError(f"{path}: several files could be the release ({names}): name one of them")
    if not found:
        if len(faults) == 1:
            raise InputError(faults[0])
        looked = f"none of its {len(faults)} tables is the release" if faults else "there is no table in it"
        raise InputError(f"{path}: {looked}: expected a .parquet, .jsonl, .json or .tsv file; {EXPECTED}")
    return found[0]


def _candidates(folder: Path) -> list[Path]:
    places = [folder, folder / "data"]
    files = [file for place in places if place.is_dir() for file in sorted(place.iterdir())]
    return [file for file in files if file.suffix.lower() in SUFFIXES and file.is_file()]


def _read(path: Path) -> ReleasedTable:
    suffix = path.suffix.lower()
    if suffix == ".parquet":
        names, rows = _parquet(path)
    elif suffix in _READERS:
        rows = _READERS[suffix](path)
        names = _columns(path, list(dict.fromkeys(name for row in rows for name in row)))
        rows = [{ours: row.get(theirs) for ours, theirs in names.items()} for row in rows]
    else:
        raise InputError(f"{path}: is not a table: expected a .parquet, .jsonl, .json or .tsv file, or its folder")
    if not rows:
        raise InputError(f"{path}: has no rows: expected the released questions")
    return ReleasedTable(path, names["candidates"].casefold() == "options", rows)


def _columns(path: Path, names: list[str]) -> dict[str, str]:
    """Return the file's name of each of our columns.

    Raises:
        InputError: If a needed one is missing.
    """
    found: dict[str, str] = {}
    for name in names:
        plain = name.strip().casefold().replace(" ", "_")
        plain = RENAMED.get(plain, plain)
        if plain in (*NEEDED, *OPTIONAL):
            found.setdefault(plain, name)
    if missing := [name for name in NEEDED if name not in found]:
        raise InputError(f"{path}: no column for {', '.join(missing)} (found {_some(names)}): {EXPECTED}")
    return found


def _some(names: list[str]) -> str:
    shown = ", ".join(names[:8]) or "none"
    return f"{shown} and {len(names) - 8} more" if len(names) > 8 else shown


def _parquet(path: Path) -> tuple[dict[str, str], list[dict[str, Any]]]:
    with reading_table(path):
        # Only what is needed: a mirror may carry its clips in a column.
        names = _columns(path, column_names(path))
        rows = read_bounded(path, list(names.values()))
        return names, [{ours: row[theirs] for ours, theirs in names.items()} for row in rows]


def _json(path: Path) -> list[dict[str, Any]]:
    value = read_json(path, parse_int=_whole)
    if not isinstance(value, list) or not all(isinstance(row, dict) for row in value):
        raise InputError(f"{path}: expected a list of questions, each with its columns, found another form of JSON")
    return value


def _json_lines(path: Path) -> list[dict[str, Any]]:
    lines = io.StringIO(read_text(path, MOST), newline=None)
    return [_json_line(path, number, line) for number, line in enumerate(lines, 1) if line.strip()]


def _whole(digits: str) -> int | float:
    """Parse a whole number of JSON.

    It is infinite if it has more digits than Python reads, so that only its row is refused.
    """
    return int(digits) if len(digits) <= MOST_DIGITS else math.copysign(math.inf, -1 if digits[0] == "-" else 1)


def _json_line(path: Path, number: int, line: str) -> dict[str, Any]:
    try:
        row = json.loads(line, parse_int=_whole)
    except (json.JSONDecodeError, RecursionError) as error:
        raise InputError(f"{path}, line {number}: not JSON ({error}): expected one question per line") from error
    if not isinstance(row, dict):
        raise InputError(f"{path}, line {number}: expected a question with its columns, found {line.strip()[:40]}")
    return row


def _tab_separated(path: Path) -> list[dict[str, Any]]:
    """Read rows of tab-separated text after a line of names.

    A cell may be in double quotes and contain line breaks.
    """
    try:
        lines = io.StringIO(read_text(path, MOST), newline="")
        rows = [dict(row) for row in csv.DictReader(lines, delimiter="\t", strict=True)]
    except csv.Error as error:
        raise InputError(f"{path}: cannot be read ({error}): expected tab-separated text in UTF-8") from error
    for number, row in enumerate(rows, 1):
        if None in row or None in row.values():
            raise InputError(
                f"{path}, row {number}: has another number of cells than the first line: expected one for each column"
            )
    return rows


_READERS = {".json": _json, ".jsonl": _json_lines, ".tsv": _tab_separated}
