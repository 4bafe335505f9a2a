"""Hard links from a benchmark folder to existing media files."""

import errno
import os
import shutil
from pathlib import Path

__all__ = ["link_or_copy"]


def link_or_copy(source: Path | str, target: Path | str) -> None:
    """Hard-link a file, or copy the file if no link is possible.

    If ``source`` is a symbolic link, its target is linked instead. Folders from a hub often contain symbolic links, but
    a benchmark must not contain a symbolic link to a file outside its folder.

    Raises:
        FileExistsError: If ``target`` exists.
    """
    real = Path(source).resolve()
    if Path(target).exists():  # copying into an existing hard link would overwrite the linked file
        raise FileExistsError(errno.EEXIST, "exists already", str(target))
    try:
        os.link(real, target)
    except OSError:
        shutil.copyfile(real, target)
