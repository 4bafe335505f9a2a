"""What a command says of its progress where there is no terminal: soon, and again and again, but never a flood."""

from itertools import pairwise

import pytest

from chronotope.cli import console

HOURS = 3


class Ended:
    """Stands for the end of work that lasts so many hours: waiting takes no time, and lets that of the clock pass."""

    now = 1000.0

    def __init__(self, latest: list[str]) -> None:
        self.latest = latest

    def wait(self, pause: float) -> bool:
        self.now += pause
        self.latest[0] = f"frame {self.now - 1000:.0f}"
        return self.now > 1000 + HOURS * 3600


def test_progress_without_a_terminal_is_told_soon_and_often_and_calmly(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    ended = Ended([""])
    monkeypatch.setattr(console, "monotonic", lambda: ended.now)
    console._speak(ended.latest, ended)
    times = [int(line.removeprefix("frame ")) for line in capsys.readouterr().err.splitlines()]
    assert times[0] <= 5
    gaps = [(later, later - earlier) for earlier, later in pairwise(times)]
    assert min(gap for _, gap in gaps) >= 5
    assert max(gap for when, gap in gaps if when <= 600) <= 10
    assert max(gap for _, gap in gaps) == 60 and len(times) < 500


def test_work_that_stands_still_is_told_of_too(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(console, "FIRST", 0.01)
    monkeypatch.setattr(console, "PAUSE", 0.01)
    said = ""
    with console.progress_bar("building bench") as advance:
        while "getting ready" not in said:
            said += capsys.readouterr().err
        advance(2.9, 12, "table-0-0003: drawing frame 7 of 80")
        while "drawing" not in said:
            said += capsys.readouterr().err
    before = set(said.splitlines())
    assert before == {
        "building bench: getting ready",
        "building bench: 2 of 12, table-0-0003: drawing frame 7 of 80",
    }
    after = capsys.readouterr().err
    assert set(after.splitlines()) <= before and capsys.readouterr().err == ""


def test_quick_work_without_a_terminal_says_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    with console.progress_bar("building bench") as advance:
        for step in range(100):
            advance(step, 100)
    assert capsys.readouterr().err == ""
