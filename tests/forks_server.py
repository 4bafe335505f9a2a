"""Runs the command again and again, each time in a fork of this process, which has imported everything already.

Standard input has one JSON object per line: ``words`` of the command; ``environment``, all its variables; ``cwd``,
where it runs; ``out``, a folder for what is told; and ``at``, None or ``[signal, part, number]``: that signal is sent
to the process itself when it opens, makes, renames, lists or removes something whose path holds ``part``, for the
time of that number (from 1), ``times`` times, at one such moment after the other. For each line one is printed:
``code``, ``out``, ``err`` and ``events``, how often such a thing happened.
"""

import contextlib
import importlib
import json
import os
import sys
import threading
from pathlib import Path
from typing import Any

from chronotope.cli import main
from chronotope.cli.app import app

# What commands import on their way, so that it is done once and not in every fork.
EARLY = (
    *("PIL.PngImagePlugin", "av", "pandas", "scipy.ndimage", "scipy.signal", "scipy.spatial.transform", "scipy.stats"),
    *(f"chronotope.{name}" for name in ("cli.build", "cli.report", "cli.run", "families.sti.write", "report")),
)
EVENTS = {"open", "os.mkdir", "os.rename", "os.remove", "os.rmdir", "os.listdir", "os.scandir"}


def watch(at: list[Any], times: int, counted: int) -> None:
    """Count what happens, and send the signal when it is time, and at the next moments if it is to come more often."""
    number, part, wanted = at
    lock, seen = threading.Lock(), 0

    def hook(event: str, arguments: tuple[Any, ...]) -> None:
        nonlocal seen
        if event not in EVENTS or not any(isinstance(one, str | Path) and part in str(one) for one in arguments):
            return
        with lock:
            seen += 1
            os.pwrite(counted, str(seen).encode(), 0)
            now = wanted and wanted <= seen < wanted + times
        if now:
            os.kill(os.getpid(), number)

    sys.addaudithook(hook)


def serve() -> dict[str, Any]:
    """Fork for each request; returns in the fork only."""
    for line in sys.stdin:
        request = json.loads(line)
        folder = Path(request["out"])
        (folder / "events").unlink(missing_ok=True)
        child = os.fork()
        if child == 0:
            return request
        _, status = os.waitpid(child, 0)
        told = {name: (folder / name).read_text(errors="replace") for name in ("out", "err")}
        counted = (folder / "events").read_text() if (folder / "events").exists() else ""
        answer = {"code": os.waitstatus_to_exitcode(status), "events": int(counted or 0), **told}
        print(json.dumps(answer), flush=True)
    sys.exit()


if __name__ == "__main__":
    assert app is not None
    for name in EARLY:
        with contextlib.suppress(ImportError):
            importlib.import_module(name)
    asked = serve()
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    for number, name in ((1, "out"), (2, "err")):
        os.dup2(os.open(Path(asked["out"]) / name, os.O_WRONLY | os.O_CREAT | os.O_TRUNC), number)
    os.environ.clear()
    os.environ.update(asked["environment"])
    os.chdir(asked["cwd"])
    if asked["at"] is not None:
        watch(
            asked["at"], asked["times"], os.open(Path(asked["out"]) / "events", os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
        )
    sys.argv = ["chronotope", *asked["words"]]
    main()
