"""Clips as people bring them: the right frames, the right way up, or a sentence."""

import hashlib
import io
import re
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from faults_clips import coded, cut, needs, read_code, sound_only, write_clip
from PIL import Image

from chronotope.errors import InputError
from chronotope.media import FrameCache, decode, decode_frames, frame_times, plan_frames, probe

FRAMES = 40
UNEVEN = [0, *np.cumsum([60 + 7 * number % 80 for number in range(FRAMES - 1)]).tolist()]
KINDS = {
    "hevc": ("hevc", "mp4", {}),
    "hevc in open groups": ("hevc in open groups", "mp4", {}),
    "hevc matroska": ("hevc in open groups", "mkv", {}),
    "hevc transport stream": ("hevc", "ts", {}),
    "hevc 10 bit": ("hevc", "mp4", {"pix_fmt": "yuv420p10le"}),
    "hevc odd": ("hevc", "mp4", {"size": (129, 97), "pix_fmt": "yuv444p"}),
    "hevc turned 90": ("hevc in open groups", "mp4", {"turn": 90}),
    "hevc turned 180": ("hevc", "mp4", {"turn": 180}),
    "hevc turned 270 and odd": ("hevc", "mp4", {"turn": 270, "size": (97, 129), "pix_fmt": "yuv444p"}),
    "hevc varying": ("hevc in open groups", "mp4", {"stamps_ms": UNEVEN}),
    "av1": ("av1", "mp4", {}),
    "av1 webm": ("av1", "webm", {}),
    "av1 odd": ("av1", "mp4", {"size": (129, 97)}),
    "av1 turned 90": ("av1", "mp4", {"turn": 90, "size": (96, 128)}),
    "av1 varying and turned 270": ("av1", "mp4", {"turn": 270, "stamps_ms": UNEVEN}),
    "h264 varying and turned 180": ("h264", "mp4", {"turn": 180, "stamps_ms": UNEVEN}),
    "h264 turned 90, index first": ("h264", "mp4", {"turn": 90, "flags": "faststart"}),
}


@pytest.mark.parametrize("size", [(128, 96), (97, 129)])
def test_the_code_tells_every_turn(size: tuple[int, int]) -> None:
    picture = coded(5, 345, *size)
    assert read_code(picture) == (5, 345)
    for wrong in (*(np.rot90(picture, k) for k in (1, 2, 3)), np.fliplr(picture), np.flipud(picture)):
        with pytest.raises(AssertionError, match="turned or mirrored"):
            read_code(wrong)


@pytest.mark.parametrize("name", KINDS)
def test_frames_are_the_right_ones_and_upright(tmp_path: Path, name: str) -> None:
    codec, suffix, how = KINDS[name]
    if not needs(codec):
        pytest.skip(f"this FFmpeg writes no {codec}")
    path = write_clip(tmp_path / f"clip.{suffix}", codec, clip=3, frames=FRAMES, **how)
    facts, times = probe(path), frame_times(path)
    width, height = how.get("size", (128, 96))
    stamps = np.array(how.get("stamps_ms", [100 * number for number in range(FRAMES)])) / 1000
    assert (facts.width, facts.height, facts.frames) == (width, height, FRAMES)
    assert facts.fps == (None if "stamps_ms" in how else 10)
    assert times == pytest.approx(stamps, abs=1e-6)
    assert [read_code(picture) for _, picture in decode_frames(path, range(FRAMES))] == [
        (3, number) for number in range(FRAMES)
    ]

    asked = [2.05, 0.0, 1.32]
    plans = {
        plan_frames(facts, "endpoints", count=7, times=times): [round(Fraction(i * (FRAMES - 1), 6)) for i in range(7)],
        plan_frames(facts, "midpoints", count=4, size=(width // 2, height // 2), times=times): [5, 15, 25, 35],
        plan_frames(facts, "times", at=asked, times=times, codec="png"): [
            min(range(FRAMES), key=lambda k, t=time: (round(abs(stamps[k] - t), 6), k)) for time in asked
        ],
    }
    assert [list(plan.indices) for plan in plans] == list(plans.values())
    for index, size, picture in decode(path, list(plans)):
        assert read_code(picture) == (3, index)
        assert picture.shape == ((height // 2, width // 2, 3) if size else (height, width, 3))
    for numbers, pictures in zip(plans.values(), FrameCache(tmp_path / "cache").frames(path, list(plans)), strict=True):
        shown = [np.asarray(Image.open(io.BytesIO(picture.data)).convert("RGB")) for picture in pictures]
        assert [read_code(picture) for picture in shown] == [(3, number) for number in numbers]


def refused(path: Path, cache: Path) -> set[str]:
    """What is said of a clip in every way of reading it; nothing is kept of it."""
    facts = probe(write_clip(path.with_name("good.mp4")))
    plan = plan_frames(replace(facts, sha256=hashlib.sha256(path.read_bytes()).hexdigest()), "endpoints", count=3)
    said: set[str] = set()
    for read in (
        lambda: probe(path),
        lambda: frame_times(path),
        lambda: list(decode_frames(path, [0])),
        lambda: FrameCache(cache).frames(path, [plan]),
    ):
        with pytest.raises(InputError) as caught:
            read()
        said.add(str(caught.value))
    assert not list(cache.glob("*")), "something was kept"
    for sentence in said:
        assert sentence.startswith(f"{path}: ") and ";" in sentence and "\n" not in sentence
    return said


@pytest.mark.parametrize("part", [0.02, 0.3, 0.6, 0.95])
@pytest.mark.parametrize(("codec", "flags"), [("hevc", ""), ("h264", ""), ("av1", "faststart"), ("hevc", "faststart")])
def test_a_clip_that_is_cut_short_is_refused(tmp_path: Path, codec: str, flags: str, part: float) -> None:
    """With the index at the end, as most encoders write it, and at the front."""
    if not needs(codec):
        pytest.skip(f"this FFmpeg writes no {codec}")
    path = cut(write_clip(tmp_path / "clip.mp4", codec, flags=flags), part)
    for sentence in refused(path, tmp_path / "cache"):
        assert re.search("incomplete or damaged|cannot be read as a video|contains no video", sentence), sentence


@pytest.mark.parametrize(("codec", "flags"), [("hevc", ""), ("h264", ""), ("av1", "faststart")])
def test_the_last_bytes_are_missed_or_not_needed(tmp_path: Path, codec: str, flags: str) -> None:
    """What is lost with them may be a title; a picture is never another one than it should be."""
    if not needs(codec):
        pytest.skip(f"this FFmpeg writes no {codec}")
    path = write_clip(tmp_path / "clip.mp4", codec, flags=flags)
    whole = path.read_bytes()
    for lost in (1, 9, 70, 200, 500):
        path.write_bytes(whole[:-lost])
        try:
            shown = [read_code(picture)[1] for _, picture in decode_frames(path, range(FRAMES))]
        except InputError as error:
            assert str(error).startswith(f"{path}: ") and "\n" not in str(error)
            continue
        assert shown == list(range(FRAMES)) and probe(path).frames == FRAMES


@pytest.mark.parametrize("part", [0.05, 0.3, 0.7])
@pytest.mark.parametrize(("codec", "suffix"), [("hevc", "mkv"), ("av1", "webm")])
def test_matroska_that_is_cut_short_is_refused(tmp_path: Path, codec: str, suffix: str, part: float) -> None:
    if not needs(codec):
        pytest.skip(f"this FFmpeg writes no {codec}")
    refused(cut(write_clip(tmp_path / f"clip.{suffix}", codec), part), tmp_path / "cache")


def test_what_shows_nothing_is_refused(tmp_path: Path) -> None:
    (tmp_path / "empty.mp4").touch()
    assert all("the file is empty" in sentence for sentence in refused(tmp_path / "empty.mp4", tmp_path / "cache"))
    said = refused(sound_only(tmp_path / "sound.mp4"), tmp_path / "cache")
    assert all("contains no video" in sentence for sentence in said)


def test_a_clip_whose_rate_varies_is_not_planned_without_its_stamps(tmp_path: Path) -> None:
    facts = probe(write_clip(tmp_path / "clip.mp4", stamps_ms=UNEVEN))
    with pytest.raises(InputError, match="variable frame rate: pass the time stamps"):
        plan_frames(facts, "endpoints", count=3)
