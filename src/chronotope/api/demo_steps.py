"""The commands of ``chronotope demo``, printed and run one after another.

Users can type the same commands in a terminal.
"""

import shlex
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import IO, TextIO

from chronotope.api.checked_settings import as_path
from chronotope.errors import InputError
from chronotope.interrupts import INTERRUPTED
from chronotope.world import require_rendering

BLIND = ("baseline/random", "baseline/constant-A", "baseline/option-shape")
BENCHMARKS = ("bench", "rooms", "drives", "house")
DRIVES = 6  # two of each kind of road: with tables and walks, all cells of the paper's table have questions
# Options so far apart that a few clips suffice to tell a run that measures from one that guesses. They were chosen on
# tables and walks of other seeds than the demo's. In walks, options further apart helped no more.
WIDE = {"table": "2.0,3.0", "walk": "1.4,2.0"}
HOME = "11"  # the seed of a home with three rooms, whose videos are short
PATIENCE = 5  # s, in which an interrupted command ends by itself
SIGHT = "baseline/sight"  # the only baseline that looks at the frames; it needs OpenCV


@dataclass(frozen=True)
class _Step:
    """A command of the demo, as it is typed in a shell.

    The commands after a ``beside`` command run beside it, until the step "wait".
    """

    words: list[str]
    beside: bool = False

    @property
    def line(self) -> str:
        """Return the command as it is typed in a shell."""
        return f"chronotope {shlex.join(self.words)}{' &' if self.beside else ''}" if self.words else "wait"


WAIT = _Step([])


def _commands(folder: Path, *, full: bool) -> Iterator[_Step]:
    """Yield each command after the previous command has ended.

    After a command that runs beside others, the next one follows at once.
    """
    quality = [] if full else ["--quality", "fast"]  # without it, each kind of world has its best
    lit = ["--quality", "lit"] if not full and find_spec("embreex") else quality
    for world, scenes, out in (("table", 16 if full else 8, "bench"), ("walk", 16 if full else 6, "rooms")):
        settings = [] if full else ["--per-variant", "2", "--spacing", WIDE[world]]
        drawn = lit if world == "walk" else quality
        yield _Step(["build", "sti", f"world:{world}:{scenes}", "--out", out, *drawn, *settings])
    if full:
        yield _Step(["build", "sti", f"world:street:{DRIVES}", "--out", "drives"])
    # One home keeps one core busy, so the next commands run beside it.
    yield _Step(["build", "m3", "world:house:1", "--seed", HOME, "--out", "house", *lit], beside=True)
    yield _Step(["show", "bench/recordings/table-0-0000", "--out", "look"])
    yield _Step(["show", "rooms/recordings/walk-0-0000", "--out", "look-rooms"])
    if full:
        yield _Step(["show", "drives/recordings/street-0-0000", "--out", "look-drives"])
    baselines = (*BLIND, SIGHT) if find_spec("cv2") else BLIND
    models = [word for name in baselines for word in ("--model", name)]
    yield _Step(["run", "bench", *models])
    yield _Step(["run", "rooms", *models])
    if full:
        yield _Step(["run", "drives", *models])
    yield WAIT
    for when, state in (("before", 0), ("after", 1)):
        yield _Step(["show", f"house/recordings/house-{HOME}-0000-state_{state}", "--out", f"look-house-{when}"])
    yield _Step(["run", "house", "--limit", "4", *(word for name in BLIND for word in ("--model", name))])
    runs = [f"runs/{run.name}" for name in BENCHMARKS for run in sorted((folder / "runs").glob(f"{name}-*"))]
    yield _Step(["report", *runs, "--out", "report"])


def demo(
    out: Path | str = "chronotope-demo",
    *,
    full: bool = False,
    say: Callable[[str], None] | None = None,
    aside: bool = False,
) -> Path:
    """Run the demo in the folder ``out`` and return the report's page.

    If the demo was interrupted, a second call continues the demo. With ``full``, there are more scenes, in the best
    quality. Before each command runs, ``say`` is called with the command; by default, it is printed. If ``aside`` is
    true, the output of the commands goes to standard error.

    Raises:
        InputError: If a command fails. The failed command has already printed the reason.
    """
    folder, say = as_path(out, "out"), say or _print
    if folder.exists() and not folder.is_dir():
        raise InputError(f"{folder}: is a file, expected a folder: choose another --out")
    if not (folder / "bench" / "card.yaml").exists():
        require_rendering()
    folder.mkdir(parents=True, exist_ok=True)
    if not find_spec("cv2"):
        say(f"{SIGHT} is left out, because OpenCV is not installed: pip install 'chronotope[sight]'")
    if not find_spec("embreex"):
        say("homes are drawn without shadows, because Embree is not installed: pip install 'chronotope[world]'")
    say(f"cd {shlex.quote(str(folder))}")
    output = sys.stderr if aside else None
    with (
        tempfile.TemporaryFile() as printed,
        tempfile.TemporaryFile() as told,
        _Beside(folder, output, printed, told) as beside,
    ):
        for step in _commands(folder, full=full):
            say(step.line)
            if step.beside:
                beside.start(step)
            elif step is WAIT:
                beside.wait()
            else:
                _require(step, _run(_typed(step), folder, output))
    return folder / "report" / "index.html"


def _print(command: str) -> None:
    sys.stdout.write(f"$ {command}\n")
    sys.stdout.flush()


class _Beside:
    """A command that runs beside others; its output is kept in two files, and shown when the command has ended."""

    def __init__(self, folder: Path, output: TextIO | None, printed: IO[bytes], told: IO[bytes]) -> None:
        self._folder, self._output, self._printed, self._told = folder, output, printed, told
        self._running: tuple[_Step, subprocess.Popen[bytes]] | None = None

    def __enter__(self) -> "_Beside":
        return self

    def __exit__(self, *_: object) -> None:
        if self._running is not None:  # another command failed or was interrupted
            _end(self._running[1])

    def start(self, step: _Step) -> None:
        """Start a command."""
        process = subprocess.Popen(_typed(step), cwd=self._folder, stdout=self._printed, stderr=self._told)
        self._running = step, process

    def wait(self) -> None:
        """Wait until the command has ended.

        Its progress is shown only if it failed.

        Raises:
            InputError: If the command failed.
        """
        assert self._running is not None
        step, process = self._running
        ended = process.wait()
        self._running = None
        file, target = (self._told, sys.stderr) if ended else (self._printed, self._output or sys.stdout)
        file.seek(0)
        target.write(file.read().decode(errors="replace"))
        target.flush()
        _require(step, ended)


def _typed(step: _Step) -> list[str]:
    return [sys.executable, "-m", "chronotope.cli", *step.words]


def _require(step: _Step, ended: int) -> None:
    """Raise the error of a command that failed, by its exit code."""
    if ended in (INTERRUPTED, -signal.SIGINT):
        raise KeyboardInterrupt
    if ended < 0:
        raise InputError(
            f"'chronotope {step.words[0]}' was ended by the signal {signal.Signals(-ended).name}: run the demo again"
        )
    if ended:
        raise InputError(f"the demo stopped at 'chronotope {step.words[0]}'; its error message is above")


def _run(command: list[str], folder: Path, output: TextIO | None) -> int:
    """Run a command and return its exit code.

    After Ctrl-C, wait until the command has cleaned up.
    """
    with subprocess.Popen(command, cwd=folder, stdout=output) as process:
        try:
            return process.wait()
        except KeyboardInterrupt:
            _end(process)
            raise


def _end(process: subprocess.Popen[bytes]) -> None:
    """End a command, which keeps what is finished.

    A terminal sends Ctrl-C to the command, too; any other sender sends it only to the demo.
    """
    try:
        process.wait(PATIENCE)
    except subprocess.TimeoutExpired:
        process.send_signal(signal.SIGINT)
        process.wait()
