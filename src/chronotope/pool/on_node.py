"""The work of a worker process on a node of a Ray cluster."""

import os
import pickle
import socket
import tarfile
import tempfile
import time
import uuid
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from chronotope.errors import InputError
from chronotope.io import plain_refusal, remedy
from chronotope.pool.units import PULSE, FolderJob, Tell


@dataclass(frozen=True)
class Unit:
    """One job on its way to a node.

    ``place`` is the current folder of the caller. ``probe`` is a file that the caller has written, with ``sign`` as
    its content: a node that can read it shares the caller's disk.
    """

    function: Callable[[Any, Tell], Any]
    job: Any
    place: str
    probe: Path | None = None
    sign: str = ""


@dataclass(frozen=True)
class Finished:
    """The result of a job, and its folder: a name beside the folder of the job, or an archive, or None."""

    result: Any
    name: str | None = None
    archive: np.ndarray | None = None


def do_unit(packed: bytes, say: Callable[[float, str], object]) -> Finished:
    """Run the job of a unit.

    Raises:
        InputError: If this node lacks the job's code or sources, or a file cannot be written.
    """
    os.environ.setdefault("LP_NUM_THREADS", "1")  # otherwise, OpenGL in software uses all cores
    unit: Unit = _unpickled(packed)
    _go_to(unit.place)
    tell = _rarely(say)
    if not isinstance(unit.job, FolderJob):
        return Finished(unit.function(unit.job, tell))
    _require_sources(unit.job)
    if unit.probe is not None and _reads(unit.probe, unit.sign):
        # Another attempt may still write on a node that was lost, so each has a folder of its own.
        folder = unit.job.folder.with_name(f".{uuid.uuid4().hex}.partial")
        result = unit.function(replace(unit.job, folder=folder), tell)
        return Finished(result, name=folder.name if folder.exists() else None)
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary) / "parts" / unit.job.folder.name
        try:
            result = unit.function(replace(unit.job, folder=folder), tell)
            archive = _packed(folder) if folder.exists() else None
        except OSError as error:
            plain = plain_refusal(error)
            raise InputError(
                f"the node {socket.gethostname()}: {plain.filename or temporary}: {plain.strerror}: {remedy(plain)}"
            ) from error
    return Finished(result, archive=archive)


def made(packed: bytes, place: str) -> Any:
    """Make the object that a worker keeps; ``packed`` is the function that makes it.

    ``place`` is the current folder of the caller.

    Raises:
        InputError: If this node lacks a package or a file.
    """
    make: Callable[[], Any] = _unpickled(packed)
    _go_to(place)
    try:
        return make()
    except InputError as error:
        raise InputError(f"the node {socket.gethostname()}: {error}") from error


def _unpickled(packed: bytes) -> Any:
    try:
        return pickle.loads(packed)
    except (ImportError, AttributeError) as error:
        raise InputError(
            f"the node {socket.gethostname()} lacks a package that this command uses ({error}): install the same "
            "packages on all nodes"
        ) from error


def _go_to(place: str) -> None:
    if Path(place).is_dir():
        os.chdir(place)


def _require_sources(job: FolderJob) -> None:
    for path in job.sources:
        if not path.exists():
            raise InputError(
                f"{path}: the node {socket.gethostname()} does not have this file or folder: put it on a disk that all "
                "nodes share, under the same path"
            )


def _reads(probe: Path, sign: str) -> bool:
    try:
        return probe.read_text(encoding="utf-8") == sign
    except (OSError, ValueError):
        return False


def _rarely(say: Callable[[float, str], object]) -> Tell:
    """Pass on the progress at most five times in a second."""
    last = float("-inf")

    def tell(share: float, stage: str) -> None:
        nonlocal last
        if (now := time.monotonic()) - last >= PULSE:
            last = now
            say(share, stage)

    return tell


def _packed(folder: Path) -> np.ndarray:
    """Pack a folder into one array, which Ray moves without copies.

    Links become files, because their targets are on this node.
    """
    with tempfile.TemporaryFile() as file:
        with tarfile.open(fileobj=file, mode="w", dereference=True) as archive:
            archive.add(folder, ".")
        file.seek(0)
        return np.fromfile(file, np.uint8)


def unpack(archive: np.ndarray, folder: Path) -> None:
    """Write the folder of an archive of `do_unit`."""
    with tempfile.TemporaryFile(dir=folder.parent) as file:
        archive.tofile(file)
        file.seek(0)
        with tarfile.open(fileobj=file, mode="r") as packed:
            packed.extractall(folder, filter="data")
