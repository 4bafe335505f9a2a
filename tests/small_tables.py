"""Simulated tables of three seconds in small pictures, for tests in which it does not matter what is seen on them."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from chronotope.media import ClipFacts, encode_clip
from chronotope.recording import Recording
from chronotope.world import QUALITIES, Quality, world_kinds
from chronotope.world.film import film

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


def mirroring(refused: dict[str, int]) -> tuple[Callable[..., ClipFacts], Counter[str]]:
    """An encoder that mirrors the clip of the first so many drawings of each named table, and how often each was drawn.

    Only the pictures are wrong, as a writer's mistake would have it: it is for the verifier to find out.
    """
    drawn: Counter[str] = Counter()

    def encode(pictures: Iterable[np.ndarray], path: Path, fps: float, *, crf: int) -> ClipFacts:
        drawn[path.stem] += 1
        wrong = drawn[path.stem] <= refused.get(path.stem, 0)
        return encode_clip((picture[:, ::-1] if wrong else picture for picture in pictures), path, fps, crf=crf)

    return encode, drawn


def film_table(
    name: str, generator: np.random.Generator, quality: Quality, folder: Path, provenance: dict[str, Any] | None = None
) -> Recording:
    """Lay out a table and film it; nothing verifies it."""
    [shot] = world_kinds()["table"].lay(generator, quality).states
    return film(shot, name, "table", generator, quality, folder, provenance)
