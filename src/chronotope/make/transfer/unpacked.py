"""A temporary folder of links to the files of a release and of its unpacked archives.

In this folder, the content of each archive replaces the archive.
"""

import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from chronotope.errors import InputError
from chronotope.make.transfer.archives import Tell, archives_in, is_archive, unpacked
from chronotope.media import cache_folder


@contextmanager
def unpacked_view(folder: Path, told: Tell) -> Iterator[Path]:
    """Yield a folder with the content of ``folder`` and of its archives.

    The yielded folder contains links and is deleted afterwards. If a file next to an archive and a file inside the
    archive have the same name, the file next to the archive is used. If ``folder`` is itself an archive, the yielded
    folder shows the content of this archive.

    Raises:
        InputError: If an archive cannot be unpacked (see `unpacked` for the reasons).
    """
    given = folder
    if is_archive(folder):
        folder = _inmost(unpacked(folder, told))
    archives = archives_in(folder)
    try:
        packed = {archive: unpacked(archive, told, len(archives)) for archive in archives}
    except InputError as error:  # it names the archive that the user has, not the cache
        raise InputError(str(error).replace(str(folder), str(given))) from error
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
    """Follow folders that contain only one folder, and return the last folder."""
    inside = list(folder.iterdir())
    return _inmost(inside[0]) if len(inside) == 1 and inside[0].is_dir() else folder


def _join(folders: list[Path], packed: dict[Path, Path], target: Path) -> None:
    """Fill ``target`` with links to the content of folders and archives.

    If two folders contain files with the same name, the file of the earlier folder is used.
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
            continue
        try:
            (target / name).symlink_to(items[0].absolute())
        except FileExistsError as error:
            raise InputError(
                f"{items[0]}: another file beside it has the same name except for upper and lower case, and the disk "
                f"of {target} does not tell them apart: rename one, or set CHRONOTOPE_CACHE to a folder on another disk"
            ) from error
