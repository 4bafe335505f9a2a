"""Folders of pictures: list the pictures in natural order, and find the pose of each picture."""

import re
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from chronotope.errors import InputError

_SUFFIXES = {".png", ".jpg", ".jpeg"}


def list_pictures(folder: Path) -> list[Path]:
    """List the PNG and JPEG files of a folder in natural order.

    In natural order, 2 comes before 10. Hidden files are skipped.
    """
    files = (path for path in folder.iterdir() if path.suffix.lower() in _SUFFIXES and not path.name.startswith("."))
    return sorted((path for path in files if path.is_file()), key=lambda path: (_natural(path.name), path.name))


def _natural(name: str) -> list[tuple[int, str]]:
    parts = re.split(r"([0-9]+)", name)
    return [(int(part), "") if index % 2 else (0, part) for index, part in enumerate(parts)]


def picture_folders(folder: Path) -> list[Path]:
    """Return the subfolders that contain pictures, sorted by name."""
    children = sorted(path for path in folder.iterdir() if path.is_dir() and not path.name.startswith("."))
    return [child for child in children if list_pictures(child)]


def one_picture_folder(folder: Path, candidates: list[Path]) -> Path:
    """Return the only candidate for the folder of pictures.

    Raises:
        InputError: If there is not exactly one candidate. The message lists the candidates.
    """
    if len(candidates) != 1:
        found = ", ".join(path.name for path in candidates) or "none"
        raise InputError(
            f"{folder}: expected exactly one folder of png or jpg pictures beside poses.txt, found {found}"
        )
    return candidates[0]


@dataclass(frozen=True)
class Pairs:
    """Pictures, and the row of each picture's pose.

    ``rows`` (N,) are the rows of the poses. ``numbers`` (N,) are the numbers in the pictures' file names, so a
    missing picture leaves a gap. ``numbers`` is None if the file names have no increasing numbers.
    """

    pictures: tuple[Path, ...]
    rows: np.ndarray
    numbers: np.ndarray | None
    notes: tuple[str, ...]


def pair(pictures: list[Path], rows: int, path: Path) -> Pairs:
    """Pair pictures with rows of poses.

    The function uses the first of these rules that can be applied:

    - If there are as many pictures as rows, pictures and rows are paired in order.
    - If every picture has a number, each picture is paired with the row of that number. The number of a picture is
      the last number in its file name. Rows are counted from 0, or from 1 if counting from 0 does not fit. Pairing
      by numbers is possible only if all pictures or all rows are used.
    - If no other rule can be applied, pictures and rows are paired in order, and the surplus at the end is omitted.

    Raises:
        InputError: If there are no pictures or no rows.
    """
    if len(pictures) == rows:
        return Pairs(tuple(pictures), np.arange(rows), _steps(_numbers(pictures)), ())
    common = min(len(pictures), rows)
    if not common:
        raise InputError(f"{path}: {len(pictures)} pictures and {rows} poses, expected at least two of each")
    counts = f"{len(pictures)} pictures and {rows} poses"
    numbers = _numbers(pictures)
    if numbers is not None:
        for base in (0, 1):
            kept = np.flatnonzero((numbers >= base) & (numbers < rows + base))
            if len(kept) == common:
                found = numbers[kept]
                note = (
                    f"{counts}: paired by the numbers in the file names, counted from {base}; {common} pairs are kept"
                )
                return Pairs(tuple(pictures[i] for i in kept), found - base, found, (note,))
    note = f"{counts}: the first {common} of both are paired in order"
    return Pairs(tuple(pictures[:common]), np.arange(common), None, (note,))


def _steps(numbers: np.ndarray | None) -> np.ndarray | None:
    """Divide numbers by the usual step between two pictures.

    The division is needed because the numbers in file names can be milliseconds.
    """
    if numbers is None or len(numbers) < 2:
        return None
    gaps = np.diff(numbers)
    return np.concatenate([[0], np.cumsum(np.maximum(np.rint(gaps / np.median(gaps)), 1))])


def _numbers(pictures: list[Path]) -> np.ndarray | None:
    """Return the last number in each file's stem.

    The result is None if a file has no number, or if the numbers do not increase in natural order.
    """
    found = [re.findall(r"[0-9]+", path.stem) for path in pictures]
    if not all(found) or any(len(groups[-1]) > 18 for groups in found):
        return None
    numbers = np.array([int(groups[-1]) for groups in found], np.int64)
    return numbers if (np.diff(numbers) > 0).all() else None
