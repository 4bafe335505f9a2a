"""Facts that an audit counts are told with their numbers: pairs of clips, and frames in the time asked about."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from chronotope.audit.facts import evidence, same_clips
from chronotope.audit.findings import Finding
from chronotope.audit.trials import Asked
from chronotope.question import MediaItem, Option, Question, Window
from drawn_benchmarks import halves, write_benchmark


def asked(clip: int, cluster: str, number: int = 0) -> Question:
    return Question(
        id=f"q{clip}-{number}", family="sti", task="speed", cluster=cluster, stem=f"How fast is the cart {number}?",
        options=(Option("1.00m/s"), Option("2.00m/s")), answer=(0,), window=Window(0.0, 3.9),
        media=(MediaItem("video", "video", (f"clips/{clip}.mp4",)),),
    )  # fmt: skip


def stripes(clip: int, number: int) -> np.ndarray:
    """A picture of its own for each clip; those of 0 and 4 are alike, and that of 5 is of one grey."""
    bright = np.random.default_rng(clip % 4).random((6, 8)) < 0.5
    return (
        halves(0, 0, 0, 0)
        if clip == 5
        else np.repeat(np.kron(bright, np.full((8, 8), 200)).astype(np.uint8)[..., None], 3, 2)
    )


def test_pairs_of_clips_are_counted(tmp_path: Path) -> None:
    apart = write_benchmark(
        tmp_path / "apart", [asked(clip, f"c{clip}") for clip in range(4)], frames=40, picture=stripes
    )
    found = same_clips(apart, None)
    assert found.verdict == "pass" and found.said == "6 pairs of 4 clips compared: none shows nearly the same pictures."
    alike = write_benchmark(
        tmp_path / "alike", [asked(clip, f"c{clip}") for clip in range(6)], frames=40, picture=stripes
    )
    found = same_clips(alike, None)
    assert found.verdict == "slight" and found.said.startswith("1 pair of clips of different scenes shows")
    assert "1 clip has pictures of nearly one brightness, which cannot be compared." in found.said and found.items == (
        "q4-0",
    )
    joined = [replace(one, cluster="c0") if one.id in ("q1-0", "q4-0") else one for one in alike.questions]
    found = same_clips(replace(alike, questions=tuple(joined)), None)
    assert found.verdict == "pass"
    assert (
        found.said.startswith("7 pairs of 5 clips compared: none")
        and "3 pairs of clips of one scene were" in found.said
    )


def test_clips_of_which_no_two_can_be_compared_are_not_tested(tmp_path: Path) -> None:
    questions = [asked(clip, f"c{clip}") for clip in (0, 5)]
    found = same_clips(write_benchmark(tmp_path / "bench", questions, frames=40, picture=stripes), None)
    assert found.verdict == "not tested"
    assert found.said == "No two clips could be compared: 1 of 2 clips has pictures of nearly one brightness."


def test_the_default_number_of_frames_decides_and_others_are_a_note(tmp_path: Path) -> None:
    """Of a clip of 4 s, 30 frames are shown by default; of a time of 0.3 s, 8 frames show at most one."""
    bench = write_benchmark(tmp_path / "bench", [asked(0, "c0", number) for number in range(4)], frames=40)
    short = tuple(replace(one, window=Window(1.0, 1.3)) if one.id == "q0-3" else one for one in bench.questions)

    def told(questions: Sequence[Question]) -> Finding:
        return evidence(replace(bench, questions=tuple(questions)), Asked.of(questions))

    found = told(bench.questions)
    assert found.verdict == "pass" and not found.items and "4 questions name a time: 0 a part" in found.said
    found = told(short)
    assert found.verdict == "pass" and not found.advice and found.items == ("q0-3",)
    assert "With the default (30 frames), a run shows at least 2 frames of this time" in found.said
    assert "Fewer than 2 frames of this time are shown for: 1 with 8 frames" in found.said
    found = told(tuple(replace(one, window=Window(1.0, 1.05)) for one in bench.questions))
    assert (
        found.verdict == "slight" and found.advice.startswith("Leave those about motion out") and len(found.items) == 4
    )
    assert (
        "shown for: 4, whichever of these is used: the default (30 frames), 8 frames, 16 frames or 32 frames."
        in found.said
    )
