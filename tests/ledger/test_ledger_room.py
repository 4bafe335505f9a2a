"""A ledger whose disc fills up, or whose folder goes away: what was paid for waits in memory, and is written."""

import resource
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from chronotope.errors import InputError
from chronotope.ledger import Ledger, LedgerLine, read_ledger
from small_disks import Disk, mounted


def line(key: str, length: int = 3000) -> LedgerLine:  # no multiple of a page: the last write is partial
    return LedgerLine(key=key, ask=key, state="replied", reply="x" * length)


@pytest.fixture
def disc(tmp_path: Path) -> Iterator[Path]:
    """A file system of 64 KB."""
    with mounted(tmp_path / "disc", "64k") as disk:
        yield disk.place


def enlarge(disc: Path) -> None:
    Disk(disc).remount("size=16m")


def appended_until_full(ledger: Ledger) -> list[str]:
    """The keys of what was appended, the last of which was refused."""
    keys: list[str] = []
    with pytest.raises(InputError, match="free disk space and run again"):
        for number in range(100):
            keys.append(f"{number}")
            ledger.append(line(keys[-1]))
    return keys


def test_what_the_disc_refuses_is_written_when_there_is_room(disc: Path) -> None:
    path = disc / "ledger.jsonl"
    with Ledger.open(path) as ledger:
        keys = appended_until_full(ledger)
        assert 10 < len(keys) < 30 and list(ledger.replied) == keys[:-1]
        assert path.read_bytes().endswith(b"\n") and [one.key for one in read_ledger(path)] == keys[:-1]
        for number in range(5):  # what was in flight
            keys.append(f"late-{number}")
            with pytest.raises(InputError, match="free disk space"):
                ledger.append(line(keys[-1]))
        enlarge(disc)
        ledger.append(line("last"))
        assert list(ledger.replied) == [*keys, "last"]
    assert [one.key for one in read_ledger(path)] == [*keys, "last"]


def test_what_waits_is_written_when_the_ledger_is_closed(disc: Path) -> None:
    with Ledger.open(disc / "ledger.jsonl") as ledger:
        keys = appended_until_full(ledger)
        enlarge(disc)
    assert [one.key for one in read_ledger(disc / "ledger.jsonl")] == keys


def test_room_is_waited_for(disc: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("chronotope.ledger.ledger.AGAIN", 0.01)
    told: list[str] = []

    def tell(words: str) -> None:
        told.append(words)
        enlarge(disc)

    with Ledger.open(disc / "ledger.jsonl") as ledger:
        keys = appended_until_full(ledger)
        ledger.settle(60, tell)
        assert list(ledger.replied) == keys
    assert len(told) == 1 and "1 answers wait in memory for disk space" in told[0]


def test_room_that_never_comes_is_said(disc: Path) -> None:
    with Ledger.open(disc / "ledger.jsonl") as ledger:
        appended_until_full(ledger)
        with pytest.raises(InputError, match="1 answers were never written"):
            ledger.settle(0, print)


def test_room_set_aside_takes_what_is_in_flight(disc: Path) -> None:
    path = disc / "ledger.jsonl"
    with Ledger.open(path) as ledger:
        ledger.reserve(20_000)
        assert sorted(item.name for item in disc.iterdir()) == ["ledger.jsonl", "ledger.jsonl.lock"]
        keys = appended_until_full(ledger)
        assert list(ledger.replied) == keys, "the one that was refused is written, too"
        for number in range(4):
            keys.append(f"late-{number}")
            ledger.append(line(keys[-1]))
        assert [one.key for one in read_ledger(path)] == keys


def test_room_that_is_not_there_is_refused_before_anything_is_sent(disc: Path) -> None:
    with Ledger.open(disc / "ledger.jsonl") as ledger:
        with pytest.raises(InputError, match=r"no disk space for 100,000 bytes of answers \(No space left on device\)"):
            ledger.reserve(100_000)
        ledger.append(line("small"))
    assert [item.name for item in disc.iterdir() if item.suffix == ".jsonl"] == ["ledger.jsonl"]


def test_a_bound_on_the_size_of_files_loses_nothing(tmp_path: Path) -> None:
    """Without root: the system refuses what goes beyond, and takes it when the bound is raised."""
    path = tmp_path / "ledger.jsonl"
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    with Ledger.open(path) as ledger:
        try:
            resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, before[1]))
            ledger.reserve(1 << 20)  # more than the bound: nothing is set aside, and nothing is refused for it
            keys = appended_until_full(ledger)
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, before)
        assert list(ledger.replied) == keys[:-1]
        ledger.append(line("last"))
    assert [one.key for one in read_ledger(path)] == [*keys, "last"]


@pytest.mark.parametrize("way", ["deleted", "moved", "replaced"])
def test_a_folder_that_goes_away_is_said_at_once(tmp_path: Path, way: str) -> None:
    path = tmp_path / "run" / "ledger.jsonl"
    with Ledger.open(path) as ledger:
        ledger.append(line("a"))
        if way == "deleted":
            shutil.rmtree(path.parent)
        else:
            path.parent.rename(tmp_path / "away")
        if way == "replaced":
            path.parent.mkdir()
            path.write_text("another")
        with pytest.raises(InputError, match="was deleted, moved or replaced during the run") as told:
            ledger.append(line("b"))
        assert str(path) in str(told.value)
    if way != "deleted":
        assert [one.key for one in read_ledger(tmp_path / "away" / "ledger.jsonl")] == ["a", "b"]
    assert not path.exists() or path.read_text() == "another"
