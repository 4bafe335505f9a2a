"""The interface of pools: jobs, the function that runs one job, and its progress."""

import platform
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol, TypeVar

from chronotope import __version__
from chronotope.errors import InputError

# Called with the finished share of one job (0 to 1), and the name of the current step.
Tell = Callable[[float, str], None]

PULSE = 0.2  # seconds between two readings of the workers' progress messages
TRIES = 10  # attempts at a piece of work whose workers are lost
COUNTED = 2.0  # seconds between two counts of a cluster's nodes, because nodes come and go
TOLD = 20.0  # seconds without a worker of a cluster, after which the user is informed
PATIENCE = 600.0  # seconds without a worker of a cluster, after which the command stops
NOBODY = "no worker of the Ray cluster has begun yet: it may be busy, or wait for nodes"

J = TypeVar("J")
R = TypeVar("R")


@dataclass(frozen=True)
class FolderJob:
    """A job that writes one folder, which appears when it is complete.

    A subclass adds the other inputs. On a node without the caller's disk, ``folder`` is another path: a function
    writes to the folder of the job that it gets, and the folder's content must not depend on this path.
    """

    folder: Path

    @property
    def sources(self) -> tuple[Path, ...]:
        """Return the files and folders that the job reads."""
        return ()


class Pool(Protocol):
    """The interface of pools."""

    @property
    def is_here(self) -> bool:
        """Return true if this machine runs the jobs."""
        ...

    @property
    def cores(self) -> int:
        """Return the largest number of jobs that run at one time.

        Raises:
            InputError: If the pool cannot be used.
        """
        ...

    def run(
        self, function: Callable[[J, Tell], R], jobs: Sequence[J], tell: Callable[[J, float, str], None]
    ) -> Iterator[tuple[J, R]]:
        """Run jobs, and yield each finished job with its result, in the order in which they finish.

        ``function`` gets a job, and a function that reports progress. ``function``, jobs and results travel between
        processes. ``tell`` is called in this process with a job, its finished share (0 to 1), and the name of the
        current step. If the caller stops iterating, the jobs end at once.

        Raises:
            InputError: If a worker was killed and no other can run its job, or if the pool cannot be used.
        """
        ...


def refuse_other_version(host: str, version: str | None, python: str) -> None:
    """Refuse a node that does not have the versions of this machine.

    Raises:
        InputError: If Chronotope or Python is another version there, or Chronotope is missing.
    """
    here = f"Chronotope {__version__} on Python {platform.python_version()}"
    there = f"Chronotope {version} on Python {python}" if version else f"no Chronotope on Python {python}"
    if there != here:
        raise InputError(
            f"the node {host} has {there}, and this machine has {here}: install the same versions on all nodes"
        )
