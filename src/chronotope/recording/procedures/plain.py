"""Reader of folders written by hand: procedure.yaml, diagrams and clips, or a folder of such folders."""

from functools import partial
from pathlib import Path

from chronotope.recording.procedures._checks import check_procedure
from chronotope.recording.procedures._document import DOCUMENT, SOURCE, load_procedure, said_where
from chronotope.recording.procedures._types import Entry, ReadResult

NAME = "plain"
TITLE = "a folder with procedure.yaml, or a folder of such folders"


def matches(path: Path) -> bool:
    """Check whether the folder or a direct subfolder has procedure.yaml."""
    return bool(_folders(path))


def _folders(path: Path) -> list[Path]:
    try:
        if (path / DOCUMENT).is_file():
            return [path]
        return sorted(child for child in path.iterdir() if (child / DOCUMENT).is_file()) if path.is_dir() else []
    except OSError:
        return []


def entries(path: Path) -> tuple[list[Entry], tuple[str, ...]]:
    """Return the products at the path; there are no notes."""
    return [Entry(folder.name, partial(_read, folder)) for folder in _folders(path)], ()


def _read(folder: Path) -> ReadResult:
    procedure = load_procedure(folder)
    where = said_where(folder, procedure.product)
    unseen = [take.id for take in procedure.takes if take.clip is None]
    # A benchmark keeps the segments of another source unchanged, so they may overlap.
    notes = check_procedure(procedure, where, overlaps=procedure.source != SOURCE)
    return ReadResult(procedure, (*notes, *(f"{where}, take {one!r}: has no clip" for one in unseen)))
