"""A file of a source or a part as a file of a benchmark."""

import os
import shutil
from pathlib import Path

__all__ = ["link_or_copy"]


def link_or_copy(source: Path | str, target: Path | str) -> None:
    """A second name for a file, which takes no room; a copy where the file system has no such names.

    A link is followed first: hubs keep their files elsewhere, and a link that leads out of the benchmark is refused.
    """
    real = Path(source).resolve()
    try:
        os.link(real, target)
    except OSError:
        shutil.copyfile(real, target)
