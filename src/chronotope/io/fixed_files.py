"""Files of fixed names in a folder that a stranger may have made.

Everybody knows these names, so a link could be put there, which leads out of the folder. Such links are refused before
anything is written.
"""

import errno
import os
import stat
from pathlib import Path
from typing import IO

from chronotope.errors import InputError


def refuse_links(*paths: Path) -> None:
    """Refuse paths that exist and are neither regular files nor folders.

    Raises:
        InputError: If a path is a symbolic link, a pipe or a device.
    """
    for path in paths:
        try:
            mode = os.lstat(path).st_mode
        except (FileNotFoundError, NotADirectoryError):
            continue
        if not stat.S_ISREG(mode) and not stat.S_ISDIR(mode):
            kind = "a link" if stat.S_ISLNK(mode) else "a pipe, a device or the like"
            raise InputError(f"{path}: is {kind}, expected a regular file or folder: remove it, or use another folder")


def create_own(path: Path) -> IO[bytes]:
    """Open a file for writing, emptied; its folder is made.

    Raises:
        InputError: If the file or its folder is a link, a pipe or a device.
    """
    refuse_links(path.parent, path)
    path.parent.mkdir(parents=True, exist_ok=True)
    try:
        return os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | _NO_LINKS, 0o666), "wb")
    except OSError as error:
        if error.errno == errno.ELOOP:  # a link that was made a moment ago
            refuse_links(path)
        raise


_NO_LINKS = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
