"""A file of a source or a part as a file of a benchmark."""

import errno
import os
import shutil
from pathlib import Path

__all__ = ["link_or_copy"]


def link_or_copy(source: Path | str, target: Path | str) -> None:
    """Give a file a second name, or copy it without links.

    It is copied if the file system has no links. A link is followed first: hubs keep their files elsewhere, and a link
    that leads out of the benchmark is refused.
    """
    real = Path(source).resolve()
    if Path(target).exists():  # a copy would write through it, into the file that it is another name of
        raise FileExistsError(errno.EEXIST, "exists already", str(target))
    try:
        os.link(real, target)
    except OSError:
        shutil.copyfile(real, target)
