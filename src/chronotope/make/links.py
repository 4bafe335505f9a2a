"""Links from a benchmark to files of a source or a part."""

import errno
import os
import shutil
from pathlib import Path

__all__ = ["link_or_copy"]


def link_or_copy(source: Path | str, target: Path | str) -> None:
    """Hard-link a file, or copy it.

    It is copied if the file system has no hard links. A symbolic link is resolved first: the files of a hub's folder
    are often links, and a link that leads out of a benchmark is refused.
    """
    real = Path(source).resolve()
    if Path(target).exists():  # a copy would write through it, into the file that it is another name of
        raise FileExistsError(errno.EEXIST, "exists already", str(target))
    try:
        os.link(real, target)
    except OSError:
        shutil.copyfile(real, target)
