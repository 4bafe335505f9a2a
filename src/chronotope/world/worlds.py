"""The kinds of simulated world by name."""

from pathlib import Path
from typing import Any

import numpy as np

from chronotope.recording import Recording
from chronotope.world.quality import Quality

__all__ = ["WORLDS", "simulate"]

WORLDS = ("table",)


def simulate(
    world: str,
    name: str,
    generator: np.random.Generator,
    quality: Quality,
    folder: Path,
    provenance: dict[str, Any] | None = None,
) -> Recording:
    """Make one scene of a world and write it as a verified recording called ``name``.

    ``clips/`` and ``recordings/`` go into ``folder``. Everything random comes from ``generator``. Raises InputError
    where the engine or OpenGL is missing, and, with the figures, where what was drawn is not what is claimed.
    """
    # Not at the top: the engine's and the verifier's libraries take a second to import, and few commands need them.
    from chronotope.world.table_recording import simulate_table
    from chronotope.world.verify import require_verified

    assert world in WORLDS, f"{world!r} is none of {WORLDS}"
    recording = simulate_table(name, generator, quality, folder, provenance)
    require_verified(recording, folder / "recordings" / name)
    return recording
