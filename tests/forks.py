"""The command, run again and again as processes that need not start from nothing."""

import atexit
import contextlib
import functools
import json
import os
import select
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

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

    ``folder`` is for what they tell; ``before`` are words before those that start the server. What Python reads when it
    starts, the seed of its hashes among it, is the server's: two commands that must not share it start from nothing.
    """

    def __init__(self, folder: Path, before: Sequence[str] = ()) -> None:
        self.folder, self.before = folder, before
        self.events = 0
        self.lock = threading.Lock()
        self.process = self._start()

    def _start(self) -> subprocess.Popen[str]:
        words = [*self.before, sys.executable, str(SERVER)]
        return subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, start_new_session=True)

    def __call__(
        self,
        *words: object,
        at: tuple[int, str, int] | None = None,
        times: int = 1,
        cwd: Path | None = None,
        environment: Mapping[str, str] | None = None,
        timeout: float = 300,
    ) -> Told:
        """Run a command; ``at`` is when it gets a signal, ``times`` how often, one such moment after the other.

        ``events`` then tells how often that might have been.
        """
        variables = dict(os.environ if environment is None else environment) | {"COLUMNS": "200"}
        request = {"words": [str(word) for word in words], "environment": variables, "at": at, "times": times}
        request |= {"out": str(self.folder), "cwd": str(cwd or Path.cwd())}
        with self.lock:
            answer = self._ask(request, timeout)
        self.events = answer["events"]
        return Told(answer["code"], answer["out"], answer["err"])

    def _ask(self, request: dict[str, Any], timeout: float) -> dict[str, Any]:
        if self.process.poll() is not None:
            self.process = self._start()
        assert self.process.stdin is not None and self.process.stdout is not None
        self.process.stdin.write(json.dumps(request) + "\n")
        self.process.stdin.flush()
        command = f"chronotope {' '.join(request['words'])}"
        if not select.select([self.process.stdout], [], [], timeout)[0]:
            self.kill()
            raise TimeoutError(f"{command} took more than {timeout} s")
        answer = self.process.stdout.readline()
        assert answer, f"{command} ended what it was forked from (exit code {self.process.wait(60)})"
        return json.loads(answer)

    def kill(self) -> None:
        """End the server, and the command that it runs."""
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait(60)

    def stop(self) -> None:
        """End the server when it has nothing to do."""
        assert self.process.stdin is not None
        self.process.stdin.close()
        self.process.wait(60)


@functools.cache
def forks() -> Forks:
    """Those of this session; they end with it."""
    folder = tempfile.mkdtemp(prefix="forks-")
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    made = Forks(Path(folder))
    atexit.register(made.kill)
    return made
