"""A release with its archives unpacked, seen as one folder.

Each archive appears to be unpacked where it is.
"""

import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from chronotope.make.archives import Tell, archives_in, is_archive, unpacked
from chronotope.media import cache_folder

__all__ = ["unpacked_view"]


@contextmanager
def unpacked_view(folder: Path, told: Tell) -> Iterator[Path]:
    """Link to the content of a folder and its archives, temporarily.

    A file beside an archive takes precedence over one inside it. If ``folder`` is itself an archive, it is replaced by
    its content.

    Raises:
        InputError: If an archive cannot be unpacked, as in `unpacked`.
    """
    if is_archive(folder):
        folder = _inmost(unpacked(folder, told))
    packed = {archive: unpacked(archive, told) for archive in archives_in(folder)}
    if not packed:
        yield folder
        return
    place = cache_folder() / "views"
    place.mkdir(parents=True, exist_ok=True)
    view = Path(tempfile.mkdtemp(dir=place))
    try:
        root = view / folder.absolute().name
        _join([folder], packed, root)
        yield root
    finally:
        shutil.rmtree(view, ignore_errors=True)


def _inmost(folder: Path) -> Path:
    """Return the folder, or the only folder in it."""
    inside = list(folder.iterdir())
    return _inmost(inside[0]) if len(inside) == 1 and inside[0].is_dir() else folder


def _join(folders: list[Path], packed: dict[Path, Path], target: Path) -> None:
    """Fill ``target`` with links to the folders' and archives' content.

    The first folder takes precedence over the others.
    """
    target.mkdir()
    folders = [*folders, *(packed[item] for folder in folders for item in sorted(folder.iterdir()) if item in packed)]
    by_name: dict[str, list[Path]] = {}
    for folder in folders:
        for item in sorted(folder.iterdir()):
            if item not in packed:
                by_name.setdefault(item.name, []).append(item)
    for name, items in by_name.items():
        inner = [item for item in items if item.is_dir()]
        if items[0].is_dir() and (len(inner) > 1 or any(archive.is_relative_to(items[0]) for archive in packed)):
            _join(inner, packed, target / name)
        else:
            (target / name).symlink_to(items[0].absolute())
