"""Reader of the released table of STI-Bench, in all its versions.

The authors' table has the columns ``ID`` (unique only within a video), ``Video``, ``Source``, ``Task``, ``QType``,
``Question``, ``Candidates`` (a struct that maps letters to texts, or the same as a JSON string), ``Answer`` (a letter),
``Answer Detail``, ``time_start`` and ``time_end`` (s). A mirror of the table has the columns ``video``, ``question``,
``options`` (a list as a string), ``answer``, ``task_type``, ``time_start`` and ``time_end``. EASI and VLMEvalKit use
the mirror's table as tab-separated text with an additional column ``index``. Differences of case in the names of
columns are ignored, so one reader works for all versions.
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

SUFFIXES = (".parquet", ".jsonl", ".json", ".tsv")
NEEDED = ("video", "question", "task", "candidates", "answer", "time_start", "time_end")
OPTIONAL = ("id", "source", "qtype", "answer_detail")
MOST_DIGITS = 4000
MOST = 256 << 20  # maximum size of a text file in bytes
RENAMED = {"options": "candidates", "task_type": "task"}  # names of columns in the mirror
EXPECTED = (
    "expected STI-Bench's columns Video, Question, Task, Candidates, Answer, time_start and time_end, or the mirror's "
    "video, question, task_type, options, answer, time_start and time_end"
)


@dataclass(frozen=True)
class ReleasedTable:
    """The rows of a released table, in the file's order; the columns have Chronotope's names.

    Optional columns that the table lacks are missing in the rows. ``mirror`` is true if the table is the mirror's
    version.
    """

    path: Path
    mirror: bool
    rows: list[dict[str, Any]]


def find_table(path: Path) -> ReleasedTable:
    """Find and read the released table.

    ``path`` is the table itself or a release folder. A release folder, or its subfolder ``data``, must contain exactly
    one file with the columns of STI-Bench.

    Raises:
        InputError: If there is no such table, or there are several.
    """
    if path.is_file():
        return _read(path)
    if not path.is_dir():
        raise InputError(
            f"{path}: there is no such file or folder: expected a release folder, or its .parquet, .jsonl, .json or "
            ".tsv file"
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
        raise InputError(
            f"{path}: several files contain released questions ({names}): give the path of one of these files"
        )
    if not found:
        if len(faults) == 1:
            raise InputError(faults[0])
        looked = (
            f"none of the {len(faults)} tables contains released questions" if faults else "the folder has no table"
        )
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
        raise InputError(
            f"{path}: is not a table: expected a .parquet, .jsonl, .json or .tsv file, or the folder with that file"
        )
    if not rows:
        raise InputError(f"{path}: has no rows: expected the released questions")
    return ReleasedTable(path, names["candidates"].casefold() == "options", rows)


def _columns(path: Path, names: list[str]) -> dict[str, str]:
    """Map Chronotope's names of columns to the names in the file.

    Raises:
        InputError: If a required column is missing.
    """
    found: dict[str, str] = {}
    for name in names:
        plain = name.strip().casefold().replace(" ", "_")
        plain = RENAMED.get(plain, plain)
        if plain in (*NEEDED, *OPTIONAL):
            found.setdefault(plain, name)
    if missing := [name for name in NEEDED if name not in found]:
        raise InputError(f"{path}: has no column for {', '.join(missing)} (found {_some(names)}): {EXPECTED}")
    return found


def _some(names: list[str]) -> str:
    shown = ", ".join(names[:8]) or "none"
    return f"{shown} and {len(names) - 8} more" if len(names) > 8 else shown


def _parquet(path: Path) -> tuple[dict[str, str], list[dict[str, Any]]]:
    with reading_table(path):
        # Only the needed columns are read, because a mirror may store its clips in a column.
        names = _columns(path, column_names(path))
        rows = read_bounded(path, list(names.values()))
        return names, [{ours: row[theirs] for ours, theirs in names.items()} for row in rows]


def _json(path: Path) -> list[dict[str, Any]]:
    value = read_json(path, parse_int=_whole)
    if not isinstance(value, list) or not all(isinstance(row, dict) for row in value):
        raise InputError(f"{path}: expected a JSON list of objects, one object for each question, found other JSON")
    return value


def _json_lines(path: Path) -> list[dict[str, Any]]:
    lines = io.StringIO(read_text(path, MOST), newline=None)
    return [_json_line(path, number, line) for number, line in enumerate(lines, 1) if line.strip()]


def _whole(digits: str) -> int | float:
    """Parse the digits of a whole number in JSON.

    A number with more digits than Python accepts becomes infinite. Thus only the row with this number is refused.
    """
    return int(digits) if len(digits) <= MOST_DIGITS else math.copysign(math.inf, -1 if digits[0] == "-" else 1)


def _json_line(path: Path, number: int, line: str) -> dict[str, Any]:
    try:
        row = json.loads(line, parse_int=_whole)
    except (json.JSONDecodeError, RecursionError) as error:
        raise InputError(f"{path}, line {number}: is not JSON ({error}): expected one question on each line") from error
    if not isinstance(row, dict):
        raise InputError(
            f"{path}, line {number}: expected a JSON object with the columns of a question, found {line.strip()[:40]}"
        )
    return row


def _tab_separated(path: Path) -> list[dict[str, Any]]:
    """Read the rows of a tab-separated file with a header line.

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
                f"{path}, row {number}: the number of cells differs from the first line: expected one cell for each "
                "column"
            )
    return rows


_READERS = {".json": _json, ".jsonl": _json_lines, ".tsv": _tab_separated}
