"""Search for the pictures of a release, and choice of their paths inside the benchmark."""

import os
from collections import Counter
from collections.abc import Iterable
from pathlib import Path, PurePosixPath

from chronotope.errors import InputError
from chronotope.families import folders_in
from chronotope.families.released_table import WantedTable, candidates
from chronotope.io import path_fault, same_name, sha256_bytes, slug

WANTED = WantedTable(suffixes=(".json",))
_TABLE, _OLD_PLACE = "qa_benchmark.json", "benchmark"  # the table, and its folder in the older layout
_FOLDERS = {"manual_img": "images", "qa_frames": "frames"}  # maps folders of the release to folders of a benchmark


def find_table(path: Path) -> tuple[Path, list[Path]]:
    """Find the table of a release, and the folders with its files.

    Each path in the table is relative to one of the returned folders.

    Raises:
        InputError: If there is no table.
    """
    if path.is_dir():
        places = (path / _TABLE, path / _OLD_PLACE / _TABLE)
        table = next((place for place in places if place.is_file()), None)
        if table is None:
            raise InputError(
                f"{path}: contains no {_TABLE}, neither in the folder itself nor in {_OLD_PLACE}/: expected the folder "
                "of the release"
            )
    else:
        [table] = candidates(path, WANTED)
    folder = table.absolute().parent
    return table, [folder.parent, folder] if folder.name == _OLD_PLACE else [folder]


def find_pictures(paths: Iterable[str], roots: list[Path], clips: Path | None) -> dict[str, Path]:
    """Find the files of the released paths; missing files are left out.

    Frames are also searched for in ``clips`` and its subfolders. There, the first component of a path (``qa_frames``)
    may be missing.
    """
    more = folders_in([clips] if clips is not None else [])
    listed: dict[Path, dict[str, str]] = {}
    found: dict[str, Path] = {}
    for path in paths:
        if path_fault(path) is not None:
            continue
        inside = path.partition("/")[2]
        candidates = [root / path for root in roots]
        candidates += [place / one for place in more for one in (path, inside) if one]
        file = next(filter(None, (_listed(file, listed) for file in candidates)), None)
        if file is not None:
            found[path] = file
    return found


def _listed(file: Path, listed: dict[Path, dict[str, str]]) -> Path | None:
    """Find a file in the list of its folder.

    The disk may spell its name in another Unicode form or another case.
    """
    names = _names(file.parent, listed)
    name = names.get(file.name) or names.get(same_name(file.name))
    return None if name is None else file.with_name(name)


def _names(folder: Path, listed: dict[Path, dict[str, str]]) -> dict[str, str]:
    """Return the names of the files in a folder.

    The names are the values; the keys are the names, and the keys of equal names (``same_name``).
    """
    if folder not in listed:
        try:
            with os.scandir(folder) as entries:
                names = [entry.name for entry in entries if entry.is_file()]
        except OSError:  # missing or not accessible
            names = []
        listed[folder] = {same_name(name): name for name in names} | {name: name for name in names}
    return listed[folder]


def benchmark_paths(paths: Iterable[str]) -> dict[str, str]:
    """Choose a path inside the benchmark for each released path.

    Each component of the new path is the slug of a released component. If two new paths would be equal, a hash of the
    released path is appended.
    """
    plain = {path: _plain(path) for path in paths}
    often = Counter(str(path) for path in plain.values())
    return {
        path: str(place)
        if often[str(place)] == 1
        else str(place.with_stem(f"{place.stem}-{sha256_bytes(path.encode())[:8]}"))
        for path, place in plain.items()
    }


def _plain(path: str) -> PurePosixPath:
    folder, *parts, name = (
        [_FOLDERS.get(part, part) for part in PurePosixPath(path).parts] if "/" in path else ["frames", path]
    )
    stem, suffix = PurePosixPath(name).stem, PurePosixPath(name).suffix.lower()
    return PurePosixPath(slug(folder), *map(slug, parts), slug(stem) + suffix)
