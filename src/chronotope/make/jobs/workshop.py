"""The temporary folder for building a benchmark, next to the benchmark's path.

The folder is locked during the build and removed at the end. After a failure, the folder stays if its content can be
reused.
"""

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from chronotope.errors import InputError
from chronotope.io import plain_refusal, read_json, refuse_links, remedy, write_json
from chronotope.make.jobs.part import read_part

ASSEMBLY = "benchmark"  # name of the folder that is assembled from the parts
LEDGER = "ledger.jsonl"  # name of the file with all calls to a writer model


@dataclass(frozen=True)
class Workshop:
    """The folder for the intermediate results of a build."""

    folder: Path

    @property
    def parts(self) -> Path:
        """Return the folder of the finished scenes or procedures."""
        return self.folder / "parts"

    @property
    def ledger(self) -> Path:
        """Return the file with all calls to a writer model."""
        return self.folder / LEDGER


@contextmanager
def workshop(out: Path, identity: str, command: str) -> Iterator[Workshop]:
    """Yield the locked folder for the intermediate results of a build.

    The folder is removed when the benchmark is complete. After a failure the folder stays only if it contains the
    finished result of a scene or procedure.

    Raises:
        InputError: If the folder cannot be written, or if another process is using it.
    """
    from filelock import FileLock, Timeout  # this import takes 0.1 s, mostly because it loads asyncio

    path = out.absolute()
    place = path.with_name(f".{out.name}.building")
    lock = FileLock(path.with_name(f".{out.name}.building.lock"))
    made = Workshop(place)
    parts = made.parts
    refuse_links(place, Path(lock.lock_file), parts, place / ASSEMBLY, place / "request.json", made.ledger)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        Path(lock.lock_file).touch()  # filelock itself would wait without end if the folder is not writable
    except OSError as error:
        raise InputError(f"{out}: cannot be written ({error.strerror or error}): choose another --out") from error
    try:
        lock.acquire(timeout=0)
    except Timeout:
        raise InputError(
            f"{out}: another process is building this benchmark: wait until that process ends, or choose another --out"
        ) from None
    try:
        note = place / "request.json"
        if place.exists() and not (note.exists() and read_json(note).get("identity") == identity):
            shutil.rmtree(place)
        place.mkdir(exist_ok=True)
        if not note.exists():
            write_json(note, {"identity": identity, "command": command})
        parts.mkdir(exist_ok=True)
        _give_back(place)  # after an earlier build was killed
        for leftover in parts.glob(".*.partial"):
            shutil.rmtree(leftover)
        yield made
        shutil.rmtree(place)
    except BaseException as error:
        _give_back(place)
        spares_work = any(part.name.isdigit() and (part / "part.json").exists() for part in parts.glob("*"))
        if not spares_work or (out / "card.yaml").exists():  # no part is finished, or the benchmark is complete
            shutil.rmtree(place, ignore_errors=True)
        if isinstance(error, OSError):
            plain = plain_refusal(error)
            if plain.filename is None or Path(plain.filename).is_relative_to(place):
                raise InputError(
                    f"{out}: cannot be written ({plain.strerror}): {remedy(plain)}; finished recordings are kept"
                ) from error
        raise
    finally:
        lock.release()
        Path(lock.lock_file).unlink(missing_ok=True)


def _give_back(place: Path) -> None:
    """Move what is in an incomplete benchmark back to the parts."""
    assembly = place / ASSEMBLY
    if assembly.exists():
        for folder in (place / "parts").glob("*"):
            if (part := read_part(folder)) is not None:
                part.take_back_from(assembly)
        shutil.rmtree(assembly, ignore_errors=True)
