"""Hard links from a benchmark folder to existing media files."""

import errno
import os
import shutil
from pathlib import Path

__all__ = ["link_or_copy"]


def link_or_copy(source: Path | str, target: Path | str) -> None:
    """Hard-link a file, or copy the file if no link is possible.

    If ``source`` is a symbolic link, the file to which it leads is linked. Folders that come from a hub often contain
    symbolic links, and a benchmark with a link that leads out of its folder is refused.

    Raises:
        FileExistsError: If ``target`` exists.
    """
    real = Path(source).resolve()
    if Path(target).exists():  # a copy would write through it, into the file that it is another name of
        raise FileExistsError(errno.EEXIST, "exists already", str(target))
    try:
        os.link(real, target)
    except OSError:
        shutil.copyfile(real, target)
