"""The folder of a report: it is replaced completely or not at all.

A folder with other files is never replaced.
"""

import os
import re
import shutil
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from chronotope.errors import InputError
from chronotope.io import refusal, remedy, write_atomically
from chronotope.report.out.table_formats import LOGS, TEXTS, VALUES
from chronotope.report.parts import part_names

SINGLE = "report.html"  # the whole report in one file
FILES = ("index.html", "questions.js", "report.css", "report.js", "theme.js", SINGLE)
FRAMES, TABLES = "frames", "tables"
MARK = '<meta name="generator" content="chronotope report">'  # index.html contains this text near its start
_MARK_WITHIN = 1000


def check_out(out: Path, choose: str = "choose another folder with --out") -> Path:
    """Check that a report may replace a folder.

    The folder must not exist, must be empty, or must contain only a report. ``choose`` is the remedy in errors. Returns
    the absolute path of the folder.

    Raises:
        InputError: If the folder has other content, if the user has no permission to replace it, or if it is the
            current folder or a parent of the current folder.
    """
    if out.exists() and not out.is_dir():
        raise InputError(f"{out}: is a file, expected a folder: {choose}")
    resolved = out.resolve()
    if resolved in (Path.cwd(), *Path.cwd().parents):
        raise InputError(
            f"{out}: a report replaces its folder, but the current folder cannot be replaced: name a folder inside "
            "the current folder"
        )
    _refuse_closed(out, resolved, choose)
    foreign = _foreign(resolved)
    if foreign is not None:
        raise InputError(f"{out}: contains {foreign}, which is not part of a report: {choose}")
    return resolved


def _names_inside() -> dict[str, re.Pattern[str]]:
    """Return the folders inside a report, with the names of their files."""
    parts = "|".join(map(re.escape, part_names()))
    values, texts = ("|".join(ending for ending, _ in of.values()) for of in (VALUES, TEXTS))
    return {
        FRAMES: re.compile(r"[0-9a-f]{64}\.[a-z]{3,4}"),
        TABLES: re.compile(
            rf"questions\.({values})|(scores|({parts})(-\d+)?)\.({values}|{texts})|log-\d+-[^/]+\.({'|'.join(LOGS.values())})"
        ),
    }


def _refuse_closed(out: Path, folder: Path, choose: str) -> None:
    """Check that the files of an old report can be removed.

    Raises:
        InputError: If the user has no permission to remove these files.
    """
    for place in (folder, *(folder / name for name in (FRAMES, TABLES))):
        if place.is_dir() and not os.access(place, os.R_OK | os.W_OK | os.X_OK):
            raise InputError(
                f"{out}: no permission to replace the folder (in {place}): change the permissions, or {choose}"
            )


def _foreign(folder: Path) -> str | None:
    """Return the first file that belongs to no report, or None."""
    found, patterns = sorted(folder.iterdir()) if folder.exists() else [], _names_inside()
    for item in found:
        if item.name in patterns and item.is_dir():
            names = (inside.name for inside in sorted(item.iterdir()))
            if (other := next((name for name in names if not patterns[item.name].fullmatch(name)), None)) is not None:
                return f"{item.name}/{other}"
        elif item.name not in FILES or not item.is_file():
            return item.name
    if found and not _is_marked(folder / "index.html"):
        return found[0].name
    return None


def _is_marked(page: Path) -> bool:
    return page.is_file() and MARK.encode() in page.read_bytes()[:_MARK_WITHIN]


@contextmanager
def replace_folder(out: Path) -> Iterator[Path]:
    """Yield a new folder that replaces ``out`` at the end.

    If an exception is raised, the old folder remains unchanged.

    Raises:
        InputError: If the new folder cannot be written.
    """
    aside = out.with_name(f".{uuid.uuid4().hex}.old")
    try:
        with write_atomically(out) as temporary:
            temporary.mkdir()
            yield temporary
            if out.exists():
                out.rename(aside)
    except OSError as error:
        if error.filename is not None and not Path(error.filename).is_relative_to(out.parent):
            raise
        raise InputError(f"{out}: the report cannot be written ({refusal(error)}): {remedy(error)}") from error
    finally:
        if aside.exists() and not out.exists():  # an error between the two renames: the old report is restored
            aside.rename(out)
        shutil.rmtree(aside, ignore_errors=True)
