"""Unusual and spoilt clips all the way: what a run sends and a report shows of them, and what a rerun mends."""

import dataclasses
import io
import shutil
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from faults_clips import SPOILT, cut, needs, read_code, write_clip
from faults_tools import Service, chronotope, readings, run_words, serve_bench, told_once, tree, unfinished
from PIL import Image

from chronotope.evaluate.plan import read_asks
from chronotope.io import sha256_file
from chronotope.question import (
    CardDraft,
    MediaFile,
    MediaItem,
    Option,
    Question,
    Window,
    measure_media,
    write_benchmark_tables,
)

TASK = "Speed & Acceleration"
CLIPS = {
    "hevc-on-its-side.mp4": ("hevc in open groups", {"turn": 90}),
    "av1-odd.mp4": ("av1", {"size": (129, 97)}),
    "hevc-on-its-head.mp4": ("hevc", {"turn": 180}),
    "h264-portrait.mp4": ("h264", {"turn": 270, "size": (96, 128)}),
}
SIDE = "hevc-on-its-side.mp4"


def questions(names: list[str]) -> list[Question]:
    return [
        Question(
            id=f"{name}-{number}",
            family="sti",
            task=TASK,
            cluster=name,
            stem=f"How fast is it in {name}, told for time {number}?",
            options=tuple(Option(f"{number + step}.5 m/s") for step in range(4)),
            answer=(number % 4,),
            window=Window(0.0, 3.9),
            media=(MediaItem("video", "video", (f"clips/{name}",)),),
        )
        for name in names
        for number in range(2)
    ]


def write_bench(folder: Path, names: list[str], media: dict[str, MediaFile] | None = None) -> Path:
    draft = CardDraft(name=folder.name, family="sti", profile="strict", licence="CC0-1.0")
    measured = measure_media(folder, [f"clips/{name}" for name in names]) if media is None else media
    write_benchmark_tables(folder, draft, questions(names), measured)
    return folder


@pytest.fixture(scope="module")
def bench(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("shown") / "bench"
    (folder / "clips").mkdir(parents=True)
    for clip, (name, (codec, how)) in enumerate(CLIPS.items()):
        if not needs(codec):
            pytest.skip(f"this FFmpeg writes no {codec}")
        write_clip(folder / "clips" / name, codec, clip=clip, **how)
    return write_bench(folder, list(CLIPS))


@pytest.fixture(scope="module")
def service(bench: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    started = serve_bench(tmp_path_factory.mktemp("service"), bench)
    yield started
    started.stop()


@pytest.fixture(scope="module")
def undisturbed(bench: Path, service: Service) -> Path:
    """A folder with the run and the report of an undisturbed benchmark."""
    place = bench.with_name("undisturbed")
    told = chronotope(*words(bench, service, place / "run"))
    assert told.code == 0, told.err
    told = chronotope("report", place / "run", "--out", place / "report", "--frames", "all")
    assert told.code == 0, told.err
    return place


def words(bench: Path, service: Service, out: Path, *more: object) -> list[str]:
    return run_words(bench, service.url, "--frames", 5, *more, out=out)


def test_the_frames_that_are_sent_are_the_planned_ones_and_upright(service: Service, undisturbed: Path) -> None:
    """The service saw the very pictures that the report shows, and these say what they are."""
    files = {path.stem: path for path in (undisturbed / "report" / "frames").iterdir()}
    asks = {ask.ask.question: ask.ask for ask in read_asks(undisturbed / "run")}
    seen: set[str] = set()
    for request in service.requests():
        name = next(name for name in CLIPS if name in request["text"])
        indices = asks[f"{name}-0"].plans[0].indices
        pictures = [np.asarray(Image.open(io.BytesIO(files[sha].read_bytes()))) for sha in request["pictures"]]
        assert indices == (0, 10, 20, 29, 39)
        assert [read_code(picture) for picture in pictures] == [([*CLIPS].index(name), index) for index in indices]
        width, height = CLIPS[name][1].get("size", (128, 96))
        assert {picture.shape for picture in pictures} == {(height, width, 3)}
        seen.add(name)
    assert seen == set(CLIPS)


@pytest.mark.parametrize("what", SPOILT)
def test_a_clip_that_was_replaced_is_told_and_asked_about_once_it_is_back(
    bench: Path, service: Service, undisturbed: Path, tmp_path: Path, what: str
) -> None:
    copy = shutil.copytree(bench, tmp_path / "bench")
    clip = copy / "clips" / SIDE
    kept = clip.read_bytes()
    SPOILT[what](clip)
    before = tree(copy)
    told = chronotope(*words(copy, service, tmp_path / "run"))
    assert told.code == 1 and told.run["states"] == {"replied": 6, "missing_media": 2}
    [said] = [line for line in told.err.splitlines() if line.startswith("missing_media")]
    assert str(clip) in said and "not the clip of the frame plan" in said and "(2 calls)" in said
    reported = chronotope("report", tmp_path / "run", "--out", tmp_path / "report", "--frames", "all")
    assert reported.code == 1 and str(clip) in reported.err
    assert tree(copy) == before and unfinished(tmp_path) == []
    shown = {path.name for path in (tmp_path / "report" / "frames").iterdir()}
    assert shown < {path.name for path in (undisturbed / "report" / "frames").iterdir()} and shown

    clip.write_bytes(kept)
    told = chronotope(*words(copy, service, tmp_path / "run"))
    assert told.code == 0 and (told.run["asked"], told.run["already"]) == (2, 6)
    assert readings(tmp_path / "run") == readings(undisturbed / "run")
    assert chronotope("report", tmp_path / "run", "--out", tmp_path / "report", "--frames", "all").code == 0
    assert tree(tmp_path / "report" / "frames") == tree(undisturbed / "report" / "frames")
    assert unfinished(tmp_path) == []


def test_a_clip_that_is_gone_is_told_before_anything_is_made(
    bench: Path, service: Service, undisturbed: Path, tmp_path: Path
) -> None:
    copy = shutil.copytree(bench, tmp_path / "bench")
    clip = copy / "clips" / SIDE
    clip.rename(tmp_path / "aside.mp4")
    before = tree(tmp_path)
    sent = len(service.requests())
    for command in (words(copy, service, tmp_path / "run"), ["vary", copy, "--out", tmp_path / "varied"]):
        told_once(chronotope(*command), f"{copy / 'media.parquet'}, row ", "column 'path'", SIDE, "put the file there")
        assert tree(tmp_path) == before
    assert len(service.requests()) == sent
    (tmp_path / "aside.mp4").rename(clip)
    assert chronotope(*words(copy, service, tmp_path / "run")).code == 0
    assert readings(tmp_path / "run") == readings(undisturbed / "run")


def test_clips_that_are_sent_whole_are_compared_too(bench: Path, service: Service, tmp_path: Path) -> None:
    copy = shutil.copytree(bench, tmp_path / "bench")
    for name in CLIPS:
        SPOILT["another clip"](copy / "clips" / name)
    sent = len(service.requests())
    command = ("run", copy, "--model", "endpoint/x", "--base-url", service.url, "--clips", "video", "--no-check")
    told = chronotope(*command, "--out", tmp_path / "run", "--json")
    assert told.code == 1 and told.run["states"] == {"missing_media": 8} and len(service.requests()) == sent
    assert str(copy / "clips" / SIDE) in told.err and "differs from the file in media.parquet" in told.err


def test_a_benchmark_that_was_released_with_a_broken_clip(bench: Path, service: Service, tmp_path: Path) -> None:
    """Its table describes the broken file, so only decoding finds out."""
    copy = shutil.copytree(bench, tmp_path / "bench")
    names = [SIDE, "av1-odd.mp4"]
    media = measure_media(copy, [f"clips/{name}" for name in names])
    cut(copy / "clips" / SIDE, 0.6)
    path = f"clips/{SIDE}"
    media[path] = dataclasses.replace(media[path], sha256=sha256_file(copy / path))
    for name in ("card.yaml", "media.parquet", "questions.parquet"):
        (copy / name).unlink()
    write_bench(copy, names, media)
    told = chronotope(*words(copy, service, tmp_path / "run"))
    assert told.code == 1 and told.run["states"] == {"replied": 2, "missing_media": 2}
    assert str(copy / path) in told.err and (
        "incomplete or damaged" in told.err or "cannot be read as a video" in told.err
    )


def test_a_clip_whose_frame_rate_varies_is_told_by_its_path(service: Service, tmp_path: Path) -> None:
    (tmp_path / "bench" / "clips").mkdir(parents=True)
    uneven = [0, *np.cumsum([60 + 7 * number % 80 for number in range(39)]).tolist()]
    write_clip(tmp_path / "bench" / "clips" / "uneven.mp4", stamps_ms=uneven)
    bench = write_bench(tmp_path / "bench", ["uneven.mp4"])
    before = tree(tmp_path)
    baseline = ["run", bench, "--model", "baseline/random", "--out", tmp_path / "run"]
    for command in (words(bench, service, tmp_path / "run"), baseline):
        told_once(chronotope(*command), str(bench), "clips/uneven.mp4 varies", "to a constant rate")
    assert tree(tmp_path) == before
