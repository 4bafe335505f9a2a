"""The interface of pools: jobs, the function that runs one job, and its progress."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol, TypeVar

# Called with the finished share of one job (0 to 1), and the name of the current step.
Tell = Callable[[float, str], None]

PULSE = 0.2  # seconds between two readings of the workers' progress messages

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
