"""The choice of a pool from the words of ``--on``."""

from collections.abc import Callable
from typing import TYPE_CHECKING

from chronotope.errors import InputError
from chronotope.pool.local import Local
from chronotope.pool.units import Pool

if TYPE_CHECKING:
    from chronotope.pool.actors import Actors

RAY = "ray"
_ADDRESS = f"{RAY}://"


def check_on(on: str | None, name: str = "on") -> None:
    """Check the words that name a pool; ``name`` is the parameter or flag that has them.

    Raises:
        InputError: If ``on`` is neither None, nor ``ray``, nor ``ray://HOST:PORT``.
    """
    if on is None or on == RAY:
        return
    host, _, port = on.removeprefix(_ADDRESS).rpartition(":")
    if not on.startswith(_ADDRESS) or not host or not (port.isascii() and port.isdigit() and 0 < int(port) < 65536):
        raise InputError(
            f"found {on!r}", where=name, expected=f"{RAY}, or the address of a cluster, such as {_ADDRESS}HOST:10001"
        )


def chosen_pool(on: str | None, workers: int | None, kept: str) -> Pool:
    """Return the pool that ``on`` names; without it, worker processes of this machine.

    ``workers`` is the largest number of jobs at one time, by default one for each core. ``kept`` states, for errors,
    what stays after a failure.

    Raises:
        InputError: If ``on`` does not name a pool.
    """
    if on is None:
        return Local(workers, kept)
    check_on(on)
    from chronotope.pool.cluster import Cluster  # few commands need it

    return Cluster(None if on == RAY else on, workers, kept)


def chosen_actors(
    on: str | None, workers: int | None, make: Callable[[], object], *, on_gpus: bool, kept: str
) -> "Actors":
    """Return the workers that keep one object each, on the cluster that ``on`` names (see `Actors`)."""
    check_on(on)
    from chronotope.pool.actors import Actors  # few commands need it

    return Actors(None if on == RAY else on, workers, make, on_gpus=on_gpus, kept=kept)
