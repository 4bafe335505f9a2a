"""Building from stages: the same bytes with one and with four workers."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from chronotope.io import sha256_file
from chronotope.question import open_benchmark

PROGRAM = """
from dataclasses import replace
from chronotope.cli import main
from chronotope.world.kinds import world_kinds

qualities = world_kinds()["stage"].qualities
qualities["fast"] = replace(qualities["fast"], width=320, height=180, shadow_map=1024, samples=2)
if __name__ == "__main__":
    main()
"""
TEXTS = ("graph.json", "scenario.json", "episode.json", "recording.json")


def files(bench: Path) -> dict[str, str]:
    """The digests of all graphs, scenarios, episodes, recordings, clips, depths and identities."""
    found = [path for part in ("recordings", "clips") for path in (bench / part).rglob("*") if path.is_file()]
    return {path.relative_to(bench).as_posix(): sha256_file(path) for path in found}


@pytest.mark.slow
@pytest.mark.complete
@pytest.mark.usefixtures("drawable")
def test_twelve_stages_have_the_same_bytes_with_one_and_with_four_workers(tmp_path: Path) -> None:
    (tmp_path / "program.py").write_text(PROGRAM)
    words = ["build", "vgenst", "world:stage:12", "--seed", "5", "--quality", "fast", "--out", "bench", "--workers"]
    for workers in ("1", "4"):
        folder = tmp_path / workers
        folder.mkdir()
        subprocess.run([sys.executable, str(tmp_path / "program.py"), *words, workers], cwd=folder, env=os.environ,
                       check=True, capture_output=True, text=True)  # fmt: skip
    one, four = (tmp_path / workers / "bench" for workers in ("1", "4"))
    found = files(one)
    assert found == files(four)
    for name in TEXTS:
        assert sum(path.endswith(f"/{name}") for path in found) == 12, name
    assert sum(path.endswith(".mp4") for path in found) == 12
    assert sum("/depth/" in path for path in found) == sum("/identities/" in path for path in found) == 12 * 80
    assert open_benchmark(one).card == open_benchmark(four).card
