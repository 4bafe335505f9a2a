"""The runs in a trajectory file: a file should have one run, but tools may append another one."""

from pathlib import Path

import numpy as np

from chronotope.errors import InputError
from chronotope.recording.sources.shared.text import Stamps, TextRow

_FEWEST = 5  # samples of two runs at the same times, from which a contradiction is told
_APART = 5.0  # distance of two runs, in steps between samples, that differs from one motion
_LEAST = 0.05  # m, smallest distance of two runs


def require_one_run(path: Path, rows: list[TextRow], stamps: Stamps, positions: np.ndarray) -> None:
    """Check that a file does not have two runs at the same time.

    ``positions`` (N, 3) m belong to ``rows``. A second run begins where the stamps go back. The second run may repeat a
    part of the first run, but must not be elsewhere at the same time. Sorted by time, two such runs would be one
    zigzag.

    Raises:
        InputError: If two runs contradict each other. The message names their lines.
    """
    finite = np.asarray(np.isfinite(positions).all(axis=1))
    index = np.array([n for n, stamp in enumerate(stamps.decimals) if stamp is not None and finite[n]], int)
    if len(index) < 2 * _FEWEST:
        return
    origin = stamps.decimals[index[0]]
    assert origin is not None
    times = np.array([float(stamp - origin) for n in index if (stamp := stamps.decimals[n]) is not None])
    runs = np.split(index, np.flatnonzero(np.diff(times) < 0) + 1)
    if len(runs) < 2:
        return
    first, second = sorted(sorted(runs, key=len)[-2:], key=lambda run: run[0])
    at = dict(zip(index.tolist(), times.tolist(), strict=True))
    known, asked = (np.array([at[n] for n in run.tolist()]) for run in (first, second))
    shared = (asked >= known[0]) & (asked <= known[-1])
    if shared.sum() < _FEWEST:
        return
    there = np.stack([np.interp(asked[shared], known, positions[first, axis]) for axis in range(3)], axis=-1)
    apart = float(np.median(np.linalg.norm(positions[second][shared] - there, axis=1)))
    step = float(np.median(np.linalg.norm(np.diff(positions[first], axis=0), axis=1)))
    if apart > max(_APART * step, _LEAST):
        lines = [f"{rows[run[0]].line} to {rows[run[-1]].line}" for run in (first, second)]
        raise InputError(
            f"{path}: has two runs over the same times, {apart:.3g} m apart (lines {lines[0]} and {lines[1]}): save "
            "each run in a file of its own"
        )
