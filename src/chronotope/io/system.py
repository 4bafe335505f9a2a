"""Sentences for errors of the operating system, with the file and the remedy."""

import errno
import os
import re
import shutil
import stat
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path

from chronotope.errors import InputError

_KINDS = (
    (stat.S_ISDIR, "a folder"),
    (stat.S_ISFIFO, "a pipe"),
    (stat.S_ISSOCK, "a socket"),
    (stat.S_ISCHR, "a device"),
    (stat.S_ISBLK, "a device"),
)


def irregular_kind(path: Path) -> str | None:
    """Name the kind of a path that is not an ordinary file.

    The result is a noun such as "a folder" or "a pipe". Links are followed. The check is needed because reading a pipe
    or a device may never end. The result is None for an ordinary file. The result is also None for a missing or
    inaccessible file, because opening such a file raises an error with the reason.
    """
    try:
        mode = path.stat().st_mode
    except (OSError, ValueError):
        return None
    return next((words for is_kind, words in _KINDS if is_kind(mode)), None)


def irregular(path: Path, expected: str = "a file") -> str | None:
    """Return an error sentence if a path is not an ordinary file.

    ``expected`` is the noun for the expected file. The result is None for an ordinary, missing or inaccessible file.
    """
    kind = irregular_kind(path)
    return None if kind is None else f"{path}: is {kind}, expected {expected}; replace it by the correct file"


def link_check() -> Callable[[str], bool]:
    """Return a function that checks whether a file is a symbolic link.

    The function lists each folder once. For thousands of files, this takes far less time than a look at each. Files
    that a list lacks are looked at, because the folder may not be readable, or a file may have several names.
    """
    listed = cache(_links_among)

    def is_link(file: str) -> bool:
        folder, _, name = file.rpartition("/")
        known = listed(folder).get(name)
        return os.path.islink(file) if known is None else known  # noqa: PTH114

    return is_link


def _links_among(folder: str) -> dict[str, bool]:
    """Tell which names directly in a folder are symbolic links."""
    try:
        with os.scandir(folder) as entries:
            return {entry.name: entry.is_symlink() for entry in entries}
    except OSError:
        return {}


_NO_ROOM = (errno.ENOSPC, errno.EDQUOT)
_NO_RIGHT = (errno.EACCES, errno.EPERM)
_NOT_TAKEN = (*_NO_ROOM, errno.EROFS)


def refusal(error: OSError) -> str:
    """Return the system's reason for an error, without number and file name.

    The text does not depend on the library that raised the error.
    """
    return os.strerror(error.errno) if error.errno else error.strerror or str(error)


def remedy(error: OSError) -> str:
    """Return advice for the user about an error of the operating system."""
    if error.errno in _NO_ROOM:
        return "free disk space and run the same command again"
    if error.errno in _NO_RIGHT:
        return "get permission to access it, or choose another folder"
    return "choose another folder" if error.errno == errno.EROFS else "check the path"


def plain_refusal(error: OSError) -> OSError:
    """Return an OSError with only the number, text and file of ``error``.

    If ``error`` contains a list of errors (as ``shutil`` raises it), the first error of the list is used.
    """
    if isinstance(error, shutil.Error) and error.args and isinstance(error.args[0], list):
        source, target, words = error.args[0][0]
        found = re.match(r"\[Errno (\d+)\]", str(words))
        number = int(found[1]) if found else errno.EIO
        return OSError(number, os.strerror(number), str(target if number in _NOT_TAKEN else source))
    if not error.errno:
        return error
    of_target = error.filename2 is not None and error.errno in _NOT_TAKEN  # the error concerns the target of a copy
    name = error.filename2 if of_target else error.filename
    if isinstance(name, str):
        name = name.removeprefix("file:")  # PyAV names a file by the address that it was given
    return OSError(error.errno, refusal(error), name)


def unreadable(path: Path, error: OSError) -> str:
    """Return an error sentence for an unreadable file, with reason and remedy."""
    return f"{path}: cannot be read ({refusal(error)}): {remedy(error)}"


@contextmanager
def reading(path: Path) -> Iterator[None]:
    """Turn errors of the operating system into one sentence.

    Raises:
        InputError: If ``path`` cannot be read. The message names the file, the reason and the remedy.
    """
    try:
        yield
    except OSError as error:
        raise InputError(unreadable(path, error)) from error
