"""Hard links from a benchmark folder to existing media files."""

import errno
import os
import shutil
from pathlib import Path


def link_or_copy(source: Path | str, target: Path | str, *, symbolic: bool | None = None) -> None:
    """Hard-link a file, or copy the file if no link is possible.

    If ``source`` is a symbolic link, its target is linked instead. Folders from a hub often contain symbolic links, but
    a benchmark must not contain a symbolic link to a file outside its folder. ``symbolic`` says whether ``source`` is a
    symbolic link, if the caller knows it.

    Raises:
        FileExistsError: If ``target`` exists.
    """
    if symbolic is None:
        symbolic = os.path.islink(source)  # noqa: PTH114 - called for each picture
    real = os.path.realpath(source) if symbolic else source
    try:
        os.link(real, target)
    except FileExistsError:  # copying into an existing hard link would overwrite the linked file
        raise FileExistsError(errno.EEXIST, "exists already", str(target)) from None
    except OSError:
        if os.path.lexists(target):
            raise FileExistsError(errno.EEXIST, "exists already", str(target)) from None
        shutil.copyfile(real, target)
