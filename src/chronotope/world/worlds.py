"""The kinds of simulated world by name."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from chronotope.errors import InputError
from chronotope.recording import Recording
from chronotope.world.quality import Quality

__all__ = ["WORLDS", "RefusedError", "simulate"]

WORLDS = ("table",)
DRAWING = 0.75  # share of the work on a scene that drawing it is; the rest is verifying


class RefusedError(InputError):
    """A scene that was drawn is not what is claimed of it; ``checks`` are the names of those that failed."""

    def __init__(self, sentence: str, checks: tuple[str, ...]) -> None:
        super().__init__(sentence)
        self.checks = checks


def simulate(
    world: str,
    name: str,
    generator: np.random.Generator,
    quality: Quality,
    folder: Path,
    provenance: dict[str, Any] | None = None,
    tell: Callable[[float, str], None] | None = None,
) -> Recording:
    """Make one scene of a world and write it as a verified recording called ``name``.

    ``clips/`` and ``recordings/`` go into ``folder``. Everything random comes from ``generator``. ``tell`` is called
    after each frame with the share of the work that is done (0 to 1) and what is being done. Raises InputError where
    the engine or OpenGL is missing, and RefusedError, with the figures, where what was drawn is not what is claimed.
    """
    # Not at the top: the engine's and the verifier's libraries take a second to import, and few commands need them.
    from chronotope.world.table_recording import simulate_table
    from chronotope.world.verify import verify

    assert world in WORLDS, f"{world!r} is none of {WORLDS}"
    say = tell or (lambda share, stage: None)

    def drawn(frame: int, frames: int) -> None:
        say(DRAWING * frame / frames, f"drawing frame {frame} of {frames}")

    def verified(frame: int, frames: int) -> None:
        say(DRAWING + (1 - DRAWING) * frame / frames, f"verifying frame {frame} of {frames}")

    say(0.0, f"laying the {world}")
    recording = simulate_table(name, generator, quality, folder, provenance, drawn)
    verification = verify(recording, folder / "recordings" / name, verified)
    if not verification.passed:
        raise RefusedError(verification.sentence(), tuple(check.name for check in verification.failed))
    return recording
