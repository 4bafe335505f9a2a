"""The commands of ``chronotope demo``, printed and run one after another.

Users can type the same commands in a terminal.
"""

import shlex
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import TextIO

from chronotope.errors import InputError
from chronotope.interrupts import INTERRUPTED
from chronotope.world import require_rendering

__all__ = ["BLIND", "SIGHT", "demo"]

BLIND = ("baseline/random", "baseline/constant-A", "baseline/option-shape")
BENCHMARKS = ("bench", "rooms", "house")
# Options so far apart that a few clips suffice to tell a run that measures from one that guesses. They were chosen on
# tables and walks of other seeds than the demo's. In walks, options further apart helped no more.
WIDE = {"table": "2.0,3.0", "walk": "1.4,2.0"}
HOME = "11"  # the seed of a home with three rooms, whose videos are short
SIGHT = "baseline/sight"  # the only baseline that looks at the frames; it needs OpenCV


def _commands(folder: Path, *, full: bool) -> Iterator[list[str]]:
    """Yield each command after the previous command has ended."""
    quality = [] if full else ["--quality", "fast"]  # without it, each kind of world has its best
    for world, scenes, out in (("table", 16 if full else 8, "bench"), ("walk", 16 if full else 6, "rooms")):
        settings = [] if full else ["--per-variant", "2", "--spacing", WIDE[world]]
        yield ["build", "sti", f"world:{world}:{scenes}", "--out", out, *quality, *settings]
    yield ["build", "m3", "world:house:1", "--seed", HOME, "--out", "house", *quality]
    yield ["show", "bench/recordings/table-0-0000", "--out", "look"]
    yield ["show", "rooms/recordings/walk-0-0000", "--out", "look-rooms"]
    for when, state in (("before", 0), ("after", 1)):
        yield ["show", f"house/recordings/house-{HOME}-0000-state_{state}", "--out", f"look-house-{when}"]
    baselines = (*BLIND, SIGHT) if find_spec("cv2") else BLIND
    models = [word for name in baselines for word in ("--model", name)]
    yield ["run", "bench", *models]
    yield ["run", "rooms", *models]
    yield ["run", "house", "--limit", "4", *(word for name in BLIND for word in ("--model", name))]
    runs = [f"runs/{run.name}" for name in BENCHMARKS for run in sorted((folder / "runs").glob(f"{name}-*"))]
    yield ["report", *runs, "--out", "report"]


def demo(folder: Path, *, full: bool, say: Callable[[str], None], aside: bool = False) -> Path:
    """Run the demo in ``folder`` and return the report's page.

    If the demo was interrupted, a second call continues the demo. Before each command runs, ``say`` is called with the
    command. If ``aside`` is true, the output of the commands goes to standard error.

    Raises:
        InputError: If a command fails. The failed command has already printed the reason.
    """
    if folder.exists() and not folder.is_dir():
        raise InputError(f"{folder}: is a file, expected a folder: choose another --out")
    if not (folder / "bench" / "card.yaml").exists():
        require_rendering()
    folder.mkdir(parents=True, exist_ok=True)
    if not find_spec("cv2"):
        say(f"{SIGHT} is left out, because OpenCV is not installed: pip install 'chronotope[sight]'")
    say(f"cd {shlex.quote(str(folder))}")
    for words in _commands(folder, full=full):
        say(f"chronotope {shlex.join(words)}")
        ended = _run([sys.executable, "-m", "chronotope.cli", *words], folder, sys.stderr if aside else None)
        if ended in (INTERRUPTED, -signal.SIGINT):
            raise KeyboardInterrupt
        if ended < 0:
            raise InputError(
                f"'chronotope {words[0]}' was ended by the signal {signal.Signals(-ended).name}: run the demo again"
            )
        if ended:
            raise InputError(f"the demo stopped at 'chronotope {words[0]}'; its error message is above")
    return folder / "report" / "index.html"


def _run(command: list[str], folder: Path, output: TextIO | None) -> int:
    """Run a command and return its exit code.

    After Ctrl-C, wait until the command ends, because the command also receives the signal and cleans up.
    """
    with subprocess.Popen(command, cwd=folder, stdout=output) as process:
        try:
            return process.wait()
        except KeyboardInterrupt:
            process.wait()
            raise
