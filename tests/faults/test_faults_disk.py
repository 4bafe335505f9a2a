"""A disk that fills up at any moment of a build, a run or a report: a sentence, and room is all that is needed."""

import shutil
from pathlib import Path

import pytest
from faults_tools import (
    BUILD,
    chronotope,
    readings,
    run_words,
    serve_bench,
    told_once,
    tree,
    truth_of,
    unfinished,
)

from small_disks import Disk

FULL = "No space left on device"
SOME = (4, 12, 36, 44, 84, 104, 116)  # KB of a disk: each ends the build somewhere else
ALL = range(4, 128, 4)


@pytest.mark.parametrize("sizes", [pytest.param(SOME, id="some"), pytest.param(ALL, id="all", marks=pytest.mark.slow)])
def test_a_build_goes_on_when_there_is_room(walks: Path, whole: Path, disk: Disk, sizes: tuple[int, ...]) -> None:
    out = disk.place / "bench"
    words = ("build", "sti", walks, "--out", out, *BUILD)
    finished = 0
    for size in sizes:
        disk.remount(f"size={size}k")
        told = chronotope(*words)
        if told.code == 0:
            break
        told_once(told, f"error: {out}: ", FULL, "free disk space and run the same command again")
        assert not out.exists()
        workshop = disk.place / ".bench.building"
        parts = list(workshop.glob("parts/*"))
        assert all((part / "part.json").is_file() for part in parts), "a part that is not whole"
        assert not (workshop / "benchmark").exists() and bool(parts) == workshop.exists()
        assert len(parts) >= finished, "finished recordings are kept"
        finished = len(parts)
        assert not (disk.place / ".bench.building.lock").exists()
    assert finished == 2, "the disk was never full when all was made but the benchmark"
    disk.remount("size=16m")
    assert chronotope(*words).code == 0
    assert truth_of(out) == truth_of(whole) and [path.name for path in disk.place.iterdir()] == ["bench"]


def test_a_full_disk_is_no_fault_of_a_recording(walks: Path, disk: Disk) -> None:
    """With --keep-going a recording is left out for what is wrong with it, and for nothing else."""
    disk.remount("size=36k")  # room for the first
    told = chronotope("build", "sti", walks, "--out", disk.place / "bench", *BUILD, "--keep-going")
    told_once(told, f"error: {disk.place / 'bench'}: ", FULL)
    assert not (disk.place / "bench").exists()


@pytest.mark.parametrize("left", [0, 4096, 8192])
def test_a_run_that_cannot_begin_leaves_nothing(whole: Path, whole_run: Path, disk: Disk, left: int) -> None:
    run = disk.place / "run"
    words = ("run", whole, "--model", "baseline/random", "--out", run)
    disk.remount("size=256k")
    disk.fill(left)
    told_once(chronotope(*words), f"error: {run}", FULL, "free disk space")
    assert not run.exists() and unfinished(disk.place) == []
    disk.empty()
    assert chronotope(*words).code == 0
    assert readings(run) == readings(whole_run)


def test_a_run_that_cannot_be_extended_keeps_what_it_has(whole: Path, whole_run: Path, disk: Disk) -> None:
    run = disk.place / "run"
    assert chronotope("run", whole, "--model", "baseline/random", "--out", run).code == 0
    disk.remount("size=256k")
    before = tree(run)
    words = ("run", whole, "--model", "baseline/random", "--placement", "rotate", "--out", run)
    disk.fill()
    told_once(chronotope(*words), f"error: {run}", FULL, "free disk space")
    assert tree(run) == before and readings(run) == readings(whole_run)
    disk.empty()
    assert chronotope(*words).code == 0 and unfinished(disk.place) == []


@pytest.mark.parametrize("left", [0, 32768])
@pytest.mark.parametrize("old", [False, True])
def test_a_report_that_does_not_fit_leaves_the_old_one(whole_run: Path, disk: Disk, old: bool, left: int) -> None:
    out = disk.place / "report"
    if old:
        assert chronotope("report", whole_run, "--out", out, "--frames", "none").code == 0
    disk.remount("size=1m")
    before = tree(disk.place)
    disk.fill(left)
    words = ("report", whole_run, "--out", out, "--frames", "all")
    told_once(chronotope(*words), f"error: {out}: the report cannot be written", FULL, "free disk space")
    disk.empty()
    assert tree(disk.place) == before
    assert chronotope(*words).code == 0
    assert list((out / "frames").iterdir()) and [path.name for path in disk.place.iterdir()] == ["report"]


def test_variants_that_do_not_fit_leave_nothing(whole: Path, disk: Disk) -> None:
    out = disk.place / "varied"
    disk.remount("size=128k")
    for left in (0, 32768):
        disk.fill(left)
        told_once(chronotope("vary", whole, "--out", out), f"error: {out}: ", FULL, "free disk space")
        assert [path.name for path in disk.place.iterdir()] == ["filler"]
    disk.empty()
    shutil.rmtree(out, ignore_errors=True)
    assert chronotope("vary", whole, "--out", out).code == 0


@pytest.mark.parametrize("left", [0, 40960])
def test_a_cache_that_fills_up_changes_nothing(
    whole: Path, whole_run: Path, disk: Disk, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, left: int
) -> None:
    """What is kept there only saves time."""
    disk.remount("size=2m")
    cache = disk.place / "cache"
    cache.mkdir()
    disk.fill(left)
    words = ("report", whole_run, "--frames", "all", "--out")
    assert chronotope(*words, tmp_path / "usual" / "report").code == 0
    service = serve_bench(tmp_path / "service", whole)
    try:
        assert chronotope(*run_words(whole, service.url, out=tmp_path / "usual" / "run")).code == 0
        monkeypatch.setenv("CHRONOTOPE_CACHE", str(cache))
        told = chronotope(*run_words(whole, service.url, out=tmp_path / "full" / "run"))
    finally:
        service.stop()
    assert told.code == 0 and told.err.count(FULL) <= 1 and "Traceback" not in told.err, told.err
    told = chronotope(*words, tmp_path / "full" / "report")
    assert told.code == 0 and told.err.count(FULL) <= 1 and "Traceback" not in told.err, told.err
    assert readings(tmp_path / "full" / "run") == readings(tmp_path / "usual" / "run")
    frames = [tree(tmp_path / way / "report" / "frames") for way in ("usual", "full")]
    assert frames[0] and frames[0] == frames[1] and unfinished(disk.place) == []
