"""`chronotope check` as people and programs meet it, against a server that looks at what it is sent."""

import json
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from commands import command
from service import SeeingProcess
from small_sources import walk, write_posed, write_tum

SEEN = [
    "the first number: right",
    "the last number: right",
    "the number of pictures: right",
    "the colour of a picture: right",
]
STAY = ["the number after a label: right", "the number after the label at another position: right"]
WATCHED = [f"{which} in a video: right" for which in ("the first number", "the last number", "the count of numbers")]


def told(*words: object) -> tuple[int, str, str]:
    """Exit code, standard output and standard error."""
    came = command(*words)
    return came.code, came.out, came.err


@pytest.fixture(scope="module")
def seeing(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[..., tuple[str, ...]]]:
    """The words that name a service that looks, by its options."""
    with SeeingProcess(tmp_path_factory.mktemp("seeing")) as process:
        yield lambda *options: ("--model", "endpoint/seeing", "--base-url", process.looking(*options)[0])


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A benchmark of a clip of 96x80 px, and one without clips."""
    place = tmp_path_factory.mktemp("check")
    write_posed(place / "walks" / "a", walk(0), size=(96, 80))
    (place / "bare").mkdir()
    write_tum(place / "bare" / "b.txt", walk(2))
    for source, bench in (("walks", "bench"), ("bare", "blind")):
        words = ("build", "sti", place / source, "--out", place / bench, "--per-variant", 1, "--workers", 1)
        code, _, error = told(*words)
        assert code == 0, error
    return place


def test_what_holds_is_printed(seeing: Callable[..., tuple[str, ...]]) -> None:
    code, printed, error = told("check", *seeing("--cached"))
    lines = printed.splitlines()
    assert (code, error) == (0, "")
    assert lines[:2] == ["8 pictures of 640x480 px in one request: accepted", "all pictures arrive: yes"]
    assert lines[2] == "text stays between the pictures: yes"
    assert [line.partition(" (")[0] for line in lines[3:9]] == SEEN + STAY
    assert lines[9].startswith("input tokens: 2,4") and lines[9].endswith(", 300 for one more picture")
    assert lines[10].startswith("cached tokens: reported, 2400 ")
    assert lines[11:] == ["log-probabilities of letters: returned if requested"]


def test_a_run_with_videos_is_checked_with_a_video(seeing: Callable[..., tuple[str, ...]]) -> None:
    code, printed, error = told("check", *seeing(), "--clips", "video")
    lines = printed.splitlines()
    assert (code, error) == (0, "")
    assert lines[:2] == ["a video in one request: accepted", "a video arrives whole and in order: yes"]
    assert [line.partition(" (")[0] for line in lines[2:6]] == [
        *WATCHED,
        "the number at a given time of a video: right",
    ]
    code, printed, _ = told("check", *seeing("--video", "first"), "--clips", "video")
    assert code == 1 and printed.splitlines()[-1].startswith("problem: a video does not reach endpoint/seeing whole")


def test_the_time_of_a_frame_is_asked_for(
    seeing: Callable[..., tuple[str, ...]], place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-none")
    code, printed, error = told("check", *seeing(), "--frames-as", "video", "--pictures", 40)
    assert (code, error) == (0, "") and "a video of 40 frames in one request: accepted" in printed
    assert "the time of a number in a video: right" in printed
    code, printed, _ = told("check", *seeing("--video", "untimed"), "--frames-as", "video")
    assert code == 1 and "so it may not know the times of the frames" in printed
    code, printed, error = told("check", *seeing(), "--frames-as", "images")
    assert (code, error) == (0, "") and "the time of a numbered picture: right" in printed
    for flags, sentence in (
        (("--frames-as", "video", "--clips", "video"), "--frames-as: cannot be combined with --clips video"),
        (("--frames-as", "video", "--model", "openai/x"), "accepts no video of JPEG frames (vLLM does)"),
    ):
        model = () if "--model" in flags else seeing()
        code, _, error = told("check", *model, *flags)
        assert code == 2 and sentence in error, error
    for way, words in (("video", "sent as one video with their times"), ("images", "numbered, with their times")):
        code, _, error = told("run", place / "bench", *seeing(), "--dry-run", "--frames-as", way)
        assert code == 0 and words in " ".join(error.split())


def test_lost_order_is_told(seeing: Callable[..., tuple[str, ...]]) -> None:
    code, printed, _ = told("check", *seeing("--flat", "guess"))
    assert code == 1 and "text stays between the pictures: no" in printed.splitlines()
    assert printed.splitlines()[-1].endswith("(vLLM: --interleave-mm-strings)")


def test_number_and_size_are_those_of_a_run_of_the_benchmark(
    seeing: Callable[..., tuple[str, ...]], place: Path
) -> None:
    code, planned, _ = told("run", place / "bench", *seeing(), "--dry-run", "--json")
    [run] = json.loads(planned)
    assert run["check_tokens"] > 0
    assert "the check before the run needs" in told("run", place / "bench", *seeing(), "--dry-run")[2]
    [unchecked] = json.loads(told("run", place / "bench", *seeing(), "--dry-run", "--no-check", "--json")[1])
    assert unchecked == run | {"check_tokens": 0}
    code, printed, error = told("check", place / "bench", *seeing(), "--json")
    found = json.loads(printed)
    assert (code, error, found["model"]) == (0, "", "endpoint/seeing"), found
    assert (found["width"], found["height"]) == (96, 80)
    assert found["pictures"] == run["pictures"] / run["calls"] and found["right"]["count"] is True
    code, printed, _ = told("check", place / "bench", *seeing(), "--pictures", 3, "--size", "64x48", "--json")
    found = json.loads(printed)
    assert (found["pictures"], found["width"], found["height"]) == (3, 64, 48)


@pytest.mark.parametrize(
    ("options", "last"),
    [
        (("--most", 5), "problem: endpoint/seeing refuses 8 pictures"),
        (("--first", 5), "warning: endpoint/seeing answers badly"),
        (("--reply", "I cannot tell"), "warning: endpoint/seeing answers badly"),
    ],
)
def test_a_problem_or_a_warning_is_told_and_counts(
    seeing: Callable[..., tuple[str, ...]], options: tuple, last: str
) -> None:
    service = seeing(*options)
    code, printed, _ = told("check", *service, "--size", "64x48")
    assert code == 1 and printed.splitlines()[-1].startswith(last)
    code, printed, _ = told("check", *service, "--size", "64x48", "--json")
    found = json.loads(printed)
    assert code == 1 and (found["problem"] is not None or found["warnings"])


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        ("--model baseline/random", "baseline/random accepts no pictures"),
        ("{place}/bench --model baseline/random", "baseline/random accepts no pictures"),
        ("--model endpoint/x", "--base-url"),
        ("--model endpoint/x --base-url http://localhost:9/v1 --size 640", "--size: expected WIDTHxHEIGHT"),
        ("--model endpoint/x --base-url http://localhost:9/v1 --size 0x48", "--size: expected WIDTHxHEIGHT"),
        (
            "--model endpoint/x --base-url http://localhost:9/v1 --size 70000x8",
            "8192 px for each side",
        ),
        ("--model endpoint/x --base-url http://localhost:9/v1 --size 8x8193", "expected at most 8192 px for each side"),
        ("--model endpoint/x --base-url http://localhost:9/v1 --size 8192x999999999", "at most 8192 px for each side"),
        ("{place}/nowhere --model endpoint/x --base-url http://localhost:9/v1", "nowhere"),
        ("{place}/blind --model endpoint/x --base-url http://localhost:9/v1", "no media"),
    ],
)
def test_wrong_use_is_one_sentence(place: Path, words: str, sentence: str) -> None:
    code, printed, error = told("check", *words.format(place=place).split())
    assert (code, printed) == (2, "")
    assert error.startswith("error: ") and sentence in error and error.strip().count("\n") == 0


@pytest.mark.parametrize(("count", "bound"), [(0, "greater than or equal to 1"), (1001, "1000"), (9500, "1000")])
def test_a_number_of_pictures_out_of_range_is_told(
    seeing: Callable[..., tuple[str, ...]], count: int, bound: str
) -> None:
    code, printed, error = told("check", *seeing(), "--pictures", count, "--size", "2x2")
    assert (code, printed) == (2, "")
    assert "--pictures" in error and bound in error and "Traceback" not in error


@pytest.mark.parametrize(("count", "size"), [(1000, "2x2"), (1, "8192x8"), (1, "8x8192"), (2, "1x1")])
def test_the_bounds_themselves_are_taken(seeing: Callable[..., tuple[str, ...]], count: int, size: str) -> None:
    code, printed, error = told("check", *seeing("--reply", "no"), "--pictures", count, "--size", size, "--json")
    found = json.loads(printed)
    assert (code, error, found["accepted"], found["problem"]) == (1, "", True, None)
    assert (found["pictures"], f"{found['width']}x{found['height']}") == (count, size)


def test_the_help_has_an_example() -> None:
    code, printed, _ = told("check", "--help")
    assert code == 0 and "Example: chronotope check bench --model" in " ".join(printed.split())
