"""What the tests of commands share: the demo, made once, whichever test comes first."""

import json
import os
import signal
import subprocess
import sys
import time
from dataclasses import asdict, dataclass
from pathlib import Path

import pytest
from filelock import FileLock

DEMO = [sys.executable, "-m", "chronotope.cli", "demo"]


@dataclass(frozen=True)
class Demo:
    """What ``chronotope demo`` left in ``place``, interrupted with Ctrl-C first and then run again.

    ``said_then`` is what it said when it was interrupted, ``left_then`` what lay in its folder; ``told`` and ``said``
    are the standard output and error of the second time.
    """

    place: Path
    code_then: int
    said_then: str
    left_then: list[str]
    told: str
    said: str


def interrupted(place: Path) -> tuple[int, str, list[str]]:
    """Start the demo and interrupt it when its first table is done."""
    first = subprocess.Popen(DEMO, cwd=place, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    folder = place / "chronotope-demo"
    while not any(folder.glob(".bench.building/parts/*/part.json")):
        assert first.poll() is None, first.communicate()
        time.sleep(0.1)
    first.send_signal(signal.SIGINT)  # the demo alone hears it, and hands it on
    _, said = first.communicate(timeout=60)
    return first.returncode, said, sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*"))


@pytest.fixture(scope="session")
def demo(drawable: None, tmp_path_factory: pytest.TempPathFactory) -> Demo:
    """The demo of this session."""
    base = tmp_path_factory.getbasetemp()
    place = (base.parent if "PYTEST_XDIST_WORKER" in os.environ else base) / "demo"
    with FileLock(f"{place}.lock"):
        if not (place / "made.json").exists():
            place.mkdir()
            code, said, left = interrupted(place)
            again = subprocess.run([*DEMO, "--json"], cwd=place, capture_output=True, text=True, check=False)
            assert again.returncode == 0, again.stderr
            made = Demo(place, code, said, left, again.stdout, again.stderr)
            (place / "made.json").write_text(json.dumps(asdict(made) | {"place": str(place)}))
    made = json.loads((place / "made.json").read_text())
    return Demo(**made | {"place": place})
