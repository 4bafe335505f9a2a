"""A disk that is full stops a run with a sentence; nothing that was recorded is lost, and room is all it needs."""

import shutil
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from hardness_tools import (
    Service,
    asked,
    assert_whole,
    chronotope,
    ledger,
    recorded,
    run_words,
    sentence,
    start,
    wait_for,
)

from forks import Told
from small_disks import Disk, mounted

MADE_SMALL, MADE_LARGE = "160k", "16m"


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[Disk]:
    with mounted(tmp_path / "disk", MADE_SMALL) as disk:
        yield disk


@pytest.mark.drill
def test_a_disk_that_fills_up(
    disk: Disk, bench: Path, known: dict[str, list[str]], serve: Callable[..., Service], tmp_path: Path
) -> None:
    service = serve(known, "--padding", 4000)
    run = disk.place / "run"
    words = run_words(bench, service.url, "--concurrency", 4, "--max-tokens", 2000, out=run)
    for _ in range(2):  # full, and still full
        told = chronotope(*words)
        said = sentence(told)
        assert "No space left on device" in said and str(disk.place) in said
        kept = recorded(run)
        assert 0 < len(kept) < len(known)
        assert all(line.reply and line.reply.endswith("-" * 4000) for line in ledger(run)), "only whole lines"
    service.settle()
    before = len(service.requests())

    disk.remount(f"size={MADE_LARGE}")
    outcome = asked(chronotope(*words))
    assert outcome["states"] == {"replied": len(known)} and outcome["accuracy"]["value"] == 1
    assert (outcome["already"], outcome["asked"]) == (len(kept), len(known) - len(kept))
    sent = Counter(request["stem"] for request in service.requests()[before:])
    assert set(sent.values()) == {1} and len(sent) == len(known) - len(kept)
    assert_whole(run)

    disk.fill()
    told = chronotope("report", run, "--out", disk.place / "report")
    assert "No space left on device" in sentence(told)
    assert not (disk.place / "report" / "index.html").exists(), "nothing half-written stays"


@pytest.mark.drill
@pytest.mark.parametrize("padding", [0, pytest.param(200_000, id="more than was set aside", marks=pytest.mark.slow)])
def test_what_is_in_flight_when_the_disk_fills_up_is_kept(
    disk: Disk, bench: Path, known: dict[str, list[str]], serve: Callable[..., Service], padding: int
) -> None:
    """Somebody else fills the disk: every answer that the service gave, and billed, is in the ledger in the end."""
    disk.remount("size=128m" if padding else "size=1m")
    service = serve(known, "--latency", 0.5, "--padding", padding)
    run = disk.place / "run"
    words = run_words(bench, service.url, out=run)

    def given() -> int:
        return sum(event["event"] == "out" for event in service.events())

    def busy() -> bool:
        """Say whether the run is under way and enough is in flight: these are paid for while there is no room."""
        return given() >= 20 and len(service.requests()) - given() >= 10

    process = start(words)
    wait_for(busy)
    filler = disk.fill()
    if padding:
        service.settle()
        wait_for(lambda: len(recorded(run)) < given())
        assert process.poll() is None, "it waits for room"
        filler.unlink()
    out, err = process.communicate(timeout=60)
    said = sentence(Told(process.returncode, out, err))
    assert "No space left on device" in said and str(run) in said
    service.settle()
    assert len(recorded(run)) == given() < len(known), "what was paid for is kept"
    before = given()
    if not padding:
        filler = disk.fill()  # again: what the run had set aside is free now
        for _ in range(2):
            assert "No space left on device" in sentence(chronotope(*words))
        assert given() == before, "nothing is sent"
        filler.unlink()
    outcome = asked(chronotope(*words))
    assert outcome["states"] == {"replied": len(known)} and outcome["already"] == before
    assert len(service.requests()) == len(known), "no answer was paid for twice"
    assert_whole(run)


def test_a_run_folder_that_is_deleted_midway(
    bench: Path, known: dict[str, list[str]], serve: Callable[..., Service], tmp_path: Path
) -> None:
    service = serve(known, "--latency", 0.2)
    run = tmp_path / "run"
    process = start(run_words(bench, service.url, "--concurrency", 4, out=run))
    wait_for(lambda: (run / "ledger.jsonl").exists() and len(recorded(run)) >= 4)
    shutil.rmtree(run)
    before = len(service.requests())
    out, err = process.communicate(timeout=60)
    assert "was deleted, moved or replaced during the run" in sentence(Told(process.returncode, out, err))
    assert len(service.requests()) - before <= 4 and not run.exists()


def test_a_disk_that_is_full_from_the_start(
    disk: Disk, bench: Path, known: dict[str, list[str]], serve: Callable[..., Service]
) -> None:
    service = serve(known)
    run = disk.place / "run"
    words = run_words(bench, service.url, "--limit", 8, out=run)
    filler = disk.fill()
    told = chronotope(*words)
    assert "No space left on device" in sentence(told)
    assert service.requests() == [], "nothing is paid for that cannot be kept"
    filler.unlink()
    assert asked(chronotope(*words))["states"] == {"replied": 8}
    assert_whole(run)


@pytest.mark.slow
def test_a_full_disk_of_cached_frames(
    disk: Disk, bench: Path, known: dict[str, list[str]], serve: Callable[..., Service], tmp_path: Path
) -> None:
    """Frames that cannot be kept are no reason to lose or to repeat an answer."""
    service = serve(known)
    run = tmp_path / "run"
    words = run_words(bench, service.url, "--limit", 8, out=run)
    disk.fill()
    told = chronotope(*words, CHRONOTOPE_CACHE=str(disk.place / "cache"))
    assert told.code in (0, 1, 2) and "Traceback" not in told.err
    assert told.code == 0 or "No space left on device" in told.err
    kept = recorded(run)
    outcome = asked(chronotope(*words))
    assert outcome["states"] == {"replied": 8} and outcome["already"] == len(kept)
    assert_whole(run)
