import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from small_disks import Disk, mounted

# The service that answers, and what reads a run folder, are those of the tests that try to break runs.
sys.path.append(str(Path(__file__).parents[1] / "hardness"))

from faults_tools import BUILD, Forks, chronotope, write_walks

from forks import forks

LESS = "-dac_override,-dac_read_search"


@pytest.fixture(scope="session", autouse=True)
def shared_cache(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """What fixtures that outlive a test use, before each test has a cache of its own."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("CHRONOTOPE_CACHE", str(tmp_path_factory.mktemp("cache")))
        yield


@pytest.fixture(scope="session")
def walks(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A source of two short walks with pictures; tests only read it."""
    return write_walks(tmp_path_factory.mktemp("walks") / "walks")


@pytest.fixture(scope="session")
def whole(walks: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The benchmark of the walks as an undisturbed build makes it; tests only read it."""
    out = tmp_path_factory.mktemp("whole") / "bench"
    told = chronotope("build", "sti", walks, "--out", out, *BUILD)
    assert told.code == 0, told.err
    return out


@pytest.fixture(scope="session")
def whole_run(whole: Path) -> Path:
    """A run of a baseline over that benchmark; tests only read it."""
    told = chronotope("run", whole, "--model", "baseline/random", "--out", whole.with_name("run"))
    assert told.code == 0, told.err
    return whole.with_name("run")


@pytest.fixture(scope="session", name="forks")
def forked() -> Forks:
    """Runs commands as processes that can be interrupted."""
    return forks()


@pytest.fixture(scope="session")
def bound(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Forks]:
    """Runs commands as processes that permissions bind, which those of root are not by themselves."""
    before: tuple[str, ...] = ()
    if sys.platform == "win32":
        pytest.skip("permissions are others there")
    if os.geteuid() == 0:
        if shutil.which("setpriv") is None:
            pytest.skip("root may read and write everything, and there is no setpriv to take that right away")
        before = ("setpriv", f"--bounding-set={LESS}", f"--inh-caps={LESS}")
    closed = tmp_path_factory.mktemp("closed") / "file"
    closed.touch(mode=0)
    if subprocess.run([*before, "cat", closed], capture_output=True, check=False).returncode == 0:
        pytest.skip("this user may read everything, and that right cannot be taken away here")
    runs = Forks(tmp_path_factory.mktemp("forks"), before)
    yield runs
    runs.stop()


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[Disk]:
    """A disk of 16 MB that can be made smaller."""
    with mounted(tmp_path / "disk", "16m") as disk:
        yield disk
