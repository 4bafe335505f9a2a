"""The command, run again and again as processes that need not start from nothing."""

import atexit
import functools
import json
import os
import select
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

__all__ = ["Forks", "Told", "forks"]

SERVER = Path(__file__).with_name("forks_server.py")


@dataclass(frozen=True)
class Told:
    """What came of a command: exit code, standard output and standard error."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        return json.loads(self.out)

    @property
    def run(self) -> dict[str, Any]:
        """The outcome of a run of one model."""
        [outcome] = self.json
        return outcome


class Forks:
    """Runs commands one at a time, each a process of its own forked by forks_server.py, which has loaded everything.

    ``folder`` is for what they tell; ``before`` are words before those that start the server.
    """

    def __init__(self, folder: Path, before: Sequence[str] = ()) -> None:
        self.folder = folder
        words = [*before, sys.executable, str(SERVER)]
        self.process = subprocess.Popen(
            words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, start_new_session=True
        )
        self.events = 0

    def __call__(
        self,
        *words: object,
        at: tuple[int, str, int] | None = None,
        cwd: Path | None = None,
        environment: Mapping[str, str] | None = None,
        timeout: float = 300,
    ) -> Told:
        """Run a command; ``at`` is when it gets a signal. ``events`` then tells how often that might have been."""
        assert self.process.stdin is not None and self.process.stdout is not None
        variables = dict(os.environ if environment is None else environment) | {"COLUMNS": "200"}
        request = {"words": [str(word) for word in words], "environment": variables, "at": at}
        request |= {"out": str(self.folder), "cwd": str(cwd or Path.cwd())}
        self.process.stdin.write(json.dumps(request) + "\n")
        self.process.stdin.flush()
        if not select.select([self.process.stdout], [], [], timeout)[0]:
            os.killpg(self.process.pid, signal.SIGKILL)
            raise TimeoutError(f"chronotope {' '.join(request['words'])} took more than {timeout} s")
        answer: dict[str, Any] = json.loads(self.process.stdout.readline())
        self.events = answer["events"]
        return Told(answer["code"], answer["out"], answer["err"])

    def stop(self) -> None:
        assert self.process.stdin is not None
        self.process.stdin.close()
        self.process.wait(60)


@functools.cache
def forks() -> Forks:
    """Those of this session; they end with it."""
    folder = tempfile.mkdtemp(prefix="forks-")
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return Forks(Path(folder))
