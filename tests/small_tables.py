"""Simulated tables of three seconds in small pictures, for tests in which it does not matter what is seen on them."""

from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from chronotope.world import QUALITIES, Quality

SMALL = Quality("fast", 240, 180, 10, (3.0, 3.0), 0, 0, 20)


def program(quality: Quality = SMALL) -> str:
    """What ``python -c`` runs as the command, with tables of such a quality for ``fast``."""
    return (
        "from chronotope.world.quality import QUALITIES, Quality; "
        f"QUALITIES['fast'] = {quality}; "
        "from chronotope.cli import main; main()"
    )


@contextmanager
def small_tables() -> Iterator[None]:
    """Makes such tables for ``--quality fast``, in this process and not in its workers."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(QUALITIES, "fast", SMALL)
        yield
