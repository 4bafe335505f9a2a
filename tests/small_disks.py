"""A file system in memory whose size is bounded; making one takes Linux and root."""

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest


class Disk:
    """Such a file system, by the folder where it is mounted."""

    def __init__(self, place: Path) -> None:
        self.place = place

    def remount(self, option: str) -> None:
        """``size=64k``, ``ro`` and the like."""
        subprocess.run(["mount", "-o", f"remount,{option}", self.place], check=True)

    def fill(self, left: int = 0) -> Path:
        """Leave about so many bytes, with a file that is returned."""
        filler = self.place / "filler"
        with filler.open("wb", buffering=0) as file, suppress(OSError):
            while file.write(b"x" * 4096):
                pass
        os.truncate(filler, max(0, filler.stat().st_size - left))
        return filler

    def empty(self) -> None:
        (self.place / "filler").unlink()


@contextmanager
def mounted(place: Path, size: str) -> Iterator[Disk]:
    """Mount one of this size (as ``mount`` writes it) at a new folder; skips where that cannot be done."""
    if sys.platform != "linux" or os.geteuid() != 0 or shutil.which("mount") is None:
        pytest.skip("mounting a small file system takes Linux and root")
    place.mkdir()
    done = subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={size}", "tmpfs", place], capture_output=True)
    if done.returncode != 0:
        pytest.skip(f"no file system can be mounted here: {done.stderr.decode().strip()}")
    yield Disk(place)
    subprocess.run(["umount", "-l", place], check=True)
