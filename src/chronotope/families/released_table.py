"""Find the table of a release, and read its rows: Parquet, JSON, JSON Lines, or separated text."""

import csv
import io
import json
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from chronotope.errors import InputError
from chronotope.io import read_json, read_text
from chronotope.io.parquet import column_names, read_bounded, reading_table

NOT_JSON = object()  # value in place of a line that is not JSON
_MOST = 256 << 20  # maximum size of a text file in bytes
_MOST_DIGITS = 4000


@dataclass(frozen=True)
class WantedTable:
    """The table that an importer searches for.

    - ``suffixes`` are the suffixes of files that can be the table, such as ``.json``. If there is only one suffix, a
      file of this form may have any name.
    - ``columns`` are the required columns, and ``optional`` are the others that are read. In the names of columns,
      differences of case and between blanks and underscores are ignored. Without ``columns`` the rows stay as they are.
    - ``renamed`` maps other names of columns to the names in ``columns`` and ``optional``.
    - ``places`` are names of subfolders of a release that can contain the table, ignoring case.
    - ``expected`` describes the columns in messages.
    - ``only_objects`` states that a text file with any row that is not a JSON object is refused. Otherwise such a row
      stays as it is, and a line that is not JSON becomes ``NOT_JSON``, so that an importer can count it as a defect.
    """

    suffixes: tuple[str, ...]
    columns: tuple[str, ...] = ()
    optional: tuple[str, ...] = ()
    renamed: Mapping[str, str] = field(default_factory=dict[str, str])
    places: tuple[str, ...] = ()
    expected: str = "expected a JSON list of questions"
    only_objects: bool = False

    @property
    def forms(self) -> str:
        """Return the suffixes as words."""
        *most, last = self.suffixes
        return f"{', '.join(most)} or {last}" if most else last

    def names(self, found: Iterable[str]) -> dict[str, str]:
        """Map the names of wanted columns to their names in a file, without columns that it lacks."""
        known = (*self.columns, *self.optional)
        found = list(found)
        names = {name: name for name in known if name in found}
        for name in found:
            plain = name.strip().casefold().replace(" ", "_")
            plain = self.renamed.get(name, self.renamed.get(plain, plain))
            if plain in known:
                names.setdefault(plain, name)
        return names

    def checked(self, path: Path, found: Iterable[str]) -> dict[str, str]:
        """Map the names of wanted columns like `names`.

        Raises:
            InputError: If a required column is missing.
        """
        found = list(found)
        names = self.names(found)
        if missing := [name for name in self.columns if name not in names]:
            shown = ", ".join(found[:8]) or "none"
            more = f" and {len(found) - 8} more" if len(found) > 8 else ""
            raise InputError(f"{path}: has no column for {', '.join(missing)} (found {shown}{more}): {self.expected}")
        return names


@dataclass(frozen=True)
class ReleasedTable:
    """The rows of a released table, in the file's order; their columns have the names of the `WantedTable`.

    ``names`` maps the names of the columns to the names in the file. If the file is a JSON object, ``within`` is the
    name of the field that contains the list of rows.
    """

    path: Path
    rows: list[Any]
    names: Mapping[str, str] = field(default_factory=dict[str, str])
    within: str | None = None

    @classmethod
    def find(cls, path: Path, wanted: WantedTable) -> "ReleasedTable":
        """Find and read the only table of a release; ``path`` is the release folder, or the table itself.

        Raises:
            InputError: If there is no such table, there are several, or the table has no rows.
        """
        if path.is_file():
            return cls._filled(path, wanted)
        found: list[ReleasedTable] = []
        faults: list[str] = []
        for file in candidates(path, wanted):
            try:
                found.append(cls._filled(file, wanted))
            except InputError as error:
                faults.append(str(error))
        if len(found) > 1:
            names = ", ".join(table.path.relative_to(path).as_posix() for table in found)
            raise InputError(
                f"{path}: several files contain questions ({names}): give the path of one of these files, and the "
                "folder of the clips with --clips"
            )
        if not found:
            looked = f"none of its {len(faults)} tables has questions" if faults else "the folder has no table"
            raise InputError(
                faults[0]
                if len(faults) == 1
                else f"{path}: no questions found, {looked}: expected a {wanted.forms} file; {wanted.expected}"
            )
        return found[0]

    @classmethod
    def _filled(cls, path: Path, wanted: WantedTable) -> "ReleasedTable":
        table = cls.read(path, wanted)
        if not table.rows:
            raise InputError(f"{path}: has no rows: {wanted.expected}")
        return table

    @classmethod
    def read(cls, path: Path, wanted: WantedTable) -> "ReleasedTable":
        """Read a table in the form that its suffix names.

        Raises:
            InputError: If the file is not a table of this form, or lacks a required column.
        """
        first, *others = wanted.suffixes
        suffix = path.suffix.lower() if others else first
        if suffix not in wanted.suffixes:
            raise InputError(
                f"{path}: contains no questions: expected a {wanted.forms} file, or the folder with such a file"
            )
        if suffix == ".parquet":
            return _parquet(path, wanted)
        rows, within = _READERS[suffix](path, wanted)
        names: dict[str, str] = {}
        if wanted.columns:
            names = wanted.checked(path, dict.fromkeys(name for row in rows if isinstance(row, dict) for name in row))
            rows = [
                {ours: row.get(theirs) for ours, theirs in names.items()} if isinstance(row, dict) else row
                for row in rows
            ]
        return cls(path, rows, names, within)


def candidates(path: Path, wanted: WantedTable) -> list[Path]:
    """Return the files that can be the table: those in a folder and its ``places``, or ``path`` itself.

    Raises:
        InputError: If ``path`` does not exist.
    """
    if path.is_file():
        return [path]
    if not path.is_dir():
        raise InputError(
            f"{path}: there is no such file or folder: expected a release folder, or its {wanted.forms} file"
        )
    places = [path, *(one for one in sorted(path.iterdir()) if one.is_dir() and one.name.casefold() in wanted.places)]
    files = [file for place in places for file in sorted(place.iterdir())]
    return [file for file in files if file.suffix.lower() in wanted.suffixes and file.is_file()]


def _parquet(path: Path, wanted: WantedTable) -> ReleasedTable:
    with reading_table(path):
        # Only the wanted columns are read, because some tables have their clips in a column.
        names = wanted.checked(path, column_names(path))
        rows = read_bounded(path, list(names.values()))
    return ReleasedTable(path, [{ours: row[theirs] for ours, theirs in names.items()} for row in rows], names)


_Rows = tuple[list[Any], str | None]


def _json(path: Path, wanted: WantedTable) -> _Rows:
    """Read a JSON list, or the only list of questions in a JSON object."""
    value, within = read_json(path, parse_int=_whole), None
    if isinstance(value, dict) and wanted.columns:
        lists = {name: one for name, one in value.items() if isinstance(one, list)}
        lists = {name: one for name, one in lists.items() if any(_has_columns(row, wanted) for row in one)}
        if len(lists) != 1:
            found = f"several lists of questions ({', '.join(lists)})" if lists else "no list of questions"
            raise InputError(f"{path}: contains {found}: {wanted.expected}, in one list")
        [(within, value)] = lists.items()
    if not isinstance(value, list) or (wanted.only_objects and not all(isinstance(row, dict) for row in value)):
        raise InputError(f"{path}: expected a JSON list of questions, one object for each question, found other JSON")
    return value, within


def _has_columns(row: Any, wanted: WantedTable) -> bool:
    return isinstance(row, dict) and set(wanted.columns) <= set(wanted.names(row))


def _json_lines(path: Path, wanted: WantedTable) -> _Rows:
    """Read a file that has one row on each line; empty lines are skipped."""
    lines = io.StringIO(read_text(path, _MOST), newline=None)
    return [_json_line(path, number, line, wanted) for number, line in enumerate(lines, 1) if line.strip()], None


def _json_line(path: Path, number: int, line: str, wanted: WantedTable) -> Any:
    try:
        row = json.loads(line, parse_int=_whole)
    except (ValueError, RecursionError) as error:
        if not wanted.only_objects:
            return NOT_JSON
        raise InputError(f"{path}, line {number}: is not JSON ({error}): expected one question on each line") from error
    if wanted.only_objects and not isinstance(row, dict):
        raise InputError(
            f"{path}, line {number}: expected a JSON object with the columns of a question, found {line.strip()[:40]}"
        )
    return row


def _whole(digits: str) -> int | float:
    """Parse the digits of a whole number in JSON.

    A number with more digits than Python accepts becomes infinite. Thus only the row with this number is refused.
    """
    return int(digits) if len(digits) <= _MOST_DIGITS else math.copysign(math.inf, -1 if digits[0] == "-" else 1)


def _separated(path: Path, delimiter: str, words: str) -> _Rows:
    """Read the rows of a text file with a header line.

    A cell may be in double quotes and contain line breaks.
    """
    try:
        lines = io.StringIO(read_text(path, _MOST), newline="")
        rows: Sequence[dict[Any, Any]] = list(csv.DictReader(lines, delimiter=delimiter, strict=True))
    except csv.Error as error:
        raise InputError(f"{path}: cannot be read ({error}): expected {words} in UTF-8") from error
    for number, row in enumerate(rows, 1):
        if None in row or None in row.values():
            raise InputError(
                f"{path}, row {number}: the number of cells differs from the first line: expected one cell for each "
                "column"
            )
    return list(rows), None


_READERS: Mapping[str, Callable[[Path, WantedTable], _Rows]] = {
    ".json": _json,
    ".jsonl": _json_lines,
    ".tsv": lambda path, _: _separated(path, "\t", "tab-separated text"),
    ".csv": lambda path, _: _separated(path, ",", "comma-separated text"),
}
