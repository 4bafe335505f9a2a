"""Frames: those that the server received, of the questions that were asked for, under their licence."""

import hashlib
import io
import shutil
from pathlib import Path

import numpy as np
import pytest
import yaml
from PIL import Image
from report_bench import CLIPS, DAYS, Asked, ask, questions, read_report, save_licensed

from chronotope.errors import InputError
from chronotope.evaluate.score import open_run
from chronotope.media import FrameCache, read_picture
from chronotope.protocol import PictureFile
from chronotope.report import write_report
from chronotope.view import FramesChoice, parse_frames
from chronotope.view.frames import make_strip
from drawn_benchmarks import FRAMES, write_benchmark
from ledger_lines import changed_lines, write_changed


def shown(folder: Path, data: dict) -> set[str]:
    """Ids of the items with frames; every frame named is there under its hash, and no other."""
    named = {file for strip in data["strips"] for file, _ in strip["frames"]}
    assert {file.name for file in (folder / "frames").iterdir()} == named
    for file in (folder / "frames").iterdir():
        assert hashlib.sha256(file.read_bytes()).hexdigest() == file.stem
    return {item["id"] for item in data["items"] if any(prompt["strip"] is not None for prompt in item["prompts"])}


def test_frames_are_those_that_the_server_received(asked: Asked, tmp_path: Path) -> None:
    report = write_report(asked.runs, tmp_path / "report", FramesChoice("all"))
    data = read_report(report.index.parent)
    assert len(shown(report.index.parent, data)) == len(data["items"]) == 4 * CLIPS
    received = asked.server.pictures()
    for item in data["items"]:
        stem = data["questions"][item["question"]]["stem"]
        [sent] = [pictures for text, pictures in received.items() if stem in text]
        [prompt] = item["prompts"]
        strip = data["strips"][prompt["strip"]]["frames"]
        assert [Path(file).stem for file, _ in strip] == sent and len(sent) == FRAMES == prompt["pictures"]
        assert [words for _, words in strip] == [f"{number / 10:.1f} s" for number in range(FRAMES)]
        answered = item["answers"][0]
        assert answered["frames"] == "match" or answered["state"] == "failed"
        assert [answer["frames"] for answer in item["answers"][1:]] == ["none"] * 3
    assert len(data["strips"]) == CLIPS  # of one clip the questions share theirs


@pytest.mark.parametrize(
    ("words", "days", "per_clip"),
    [("wrong", ["Tuesday", "Wednesday", "Thursday"], CLIPS), ("all", list(DAYS), CLIPS), ("none", [], 0)],
)
def test_whose_frames_are_shown(asked: Asked, tmp_path: Path, words: str, days: list[str], per_clip: int) -> None:
    report = write_report(asked.runs[:1], tmp_path / "report", parse_frames(words))
    data = read_report(report.index.parent)
    assert shown(report.index.parent, data) == {f"clip-{c}-{day.lower()}" for c in range(per_clip) for day in days}


def test_a_sample_is_spread_over_clips(asked: Asked, tmp_path: Path) -> None:
    report = write_report(asked.runs[:1], tmp_path / "report", parse_frames(f"sample:{CLIPS}"))
    of = shown(report.index.parent, read_report(report.index.parent))
    assert len(of) == CLIPS == len({name.rpartition("-")[0] for name in of})


@pytest.mark.parametrize("words", ["", "right", "sample", "sample:0", "sample:-1", "sample:1 ", "sample:١", "ALL"])
def test_other_choices_are_a_sentence(words: str) -> None:
    with pytest.raises(InputError, match="--frames: expected wrong, sample:200, all or none"):
        parse_frames(words)


def test_a_changed_clip_is_told(asked: Asked, tmp_path: Path) -> None:
    spoilt = asked.copy(tmp_path)
    clip = spoilt.benchmark / "clips" / "2.mp4"
    clip.write_bytes(clip.read_bytes() + b"more")
    report = write_report(spoilt.runs, tmp_path / "report", FramesChoice("all"))
    [problem] = [text for text in report.problems if "2.mp4" in text]
    assert "not the clip" in problem
    data = read_report(report.index.parent)
    assert shown(report.index.parent, data) == {item["id"] for item in data["items"] if "clip-2-" not in item["id"]}
    missing = next(item for item in data["items"] if item["id"] == "clip-2-monday")
    assert missing["answers"][0]["frames"] == "unchecked" and missing["prompts"][0]["pictures"] == FRAMES
    assert "2.mp4" in report.index.read_text()


def test_frames_that_differ_are_told(asked: Asked, tmp_path: Path) -> None:
    spoilt = asked.copy(tmp_path)
    ledger = spoilt.runs[0] / "ledger.jsonl"
    header, values = changed_lines(ledger)
    for line in values:
        if line["ask"] == "clip-1-monday":
            line["pictures"][3] = "0" * 64
    write_changed(ledger, header, values)
    report = write_report(spoilt.runs, tmp_path / "report", FramesChoice("all"))
    [problem] = [text for text in report.problems if "differ" in text]
    assert "for 1 of its prompts (the first is clip-1-monday)" in problem
    states = {item["id"]: item["answers"][0]["frames"] for item in read_report(report.index.parent)["items"]}
    assert [name for name, state in states.items() if state == "differ"] == ["clip-1-monday"]


def test_licences_stand_under_frames(asked: Asked, tmp_path: Path) -> None:
    data = read_report(write_report(asked.runs[:1], tmp_path / "report", FramesChoice("all")).index.parent)
    licences = [strip["licence"] for strip in data["strips"]]
    assert licences[0].startswith("CC0 ") and licences[1:] == ["CC-BY-4.0"] * (CLIPS - 1)


def test_no_licence_is_made_up(tmp_path: Path) -> None:
    bench = write_benchmark(tmp_path / "bench", questions(2), licence="not stated by the source")
    save_licensed(bench.folder, "clip-1", "CC-BY-SA-4.0")
    out = ask(bench, tmp_path / "run", "baseline/random")
    data = read_report(write_report([out], tmp_path / "report", FramesChoice("all")).index.parent)
    assert [strip["licence"] for strip in data["strips"]] == [None, "CC-BY-SA-4.0"]


def test_runs_with_different_frames_have_a_prompt_each(asked: Asked, tmp_path: Path, serve) -> None:
    server = serve([("", 200, "C")])
    benchmark = open_run(asked.runs[0]).benchmark
    runs = [ask(benchmark, tmp_path / "three", "endpoint/x", server.url, frames=3), asked.runs[0]]
    report = write_report(runs, tmp_path / "report", FramesChoice("all"))
    assert not [text for text in report.problems if "differ" in text]
    for item in read_report(report.index.parent)["items"]:
        assert [prompt["pictures"] for prompt in item["prompts"]] == [3, FRAMES]
        assert [answer["prompt"] for answer in item["answers"]] == [0, 1]
        assert item["answers"][0]["frames"] == "match"


def test_still_pictures_are_kept_as_sent(tmp_path: Path) -> None:
    noise = np.random.default_rng(4).integers(0, 255, (9, 16, 3), dtype=np.uint8)
    exif = Image.Exif()
    exif[0x0112] = 6  # turned by a quarter
    for name, options in (("a.png", {}), ("b.jpg", {}), ("c.bmp", {}), ("turned.jpg", {"exif": exif})):
        Image.fromarray(noise).save(tmp_path / name, **options)
    names = ["a.png", "b.jpg", "c.bmp", "turned.jpg"]
    files = [PictureFile(name, hashlib.sha256((tmp_path / name).read_bytes()).hexdigest()) for name in names]
    (tmp_path / "frames").mkdir()
    strip = make_strip(tmp_path, files, tmp_path / "frames", FrameCache())
    written = [(tmp_path / "frames" / name).read_bytes() for name in strip.files]
    assert [hashlib.sha256(data).hexdigest() for data in written] == list(strip.hashes)
    assert written[:2] == [(tmp_path / name).read_bytes() for name in names[:2]]
    assert [Path(name).suffix for name in strip.files] == [".png", ".jpg", ".png", ".png"]
    assert np.array_equal(np.asarray(Image.open(io.BytesIO(written[2]))), noise)
    assert np.array_equal(np.asarray(Image.open(io.BytesIO(written[3]))), read_picture(tmp_path / "turned.jpg"))
    (tmp_path / "b.jpg").write_bytes(written[0])
    with pytest.raises(InputError, match=r"b\.jpg: has changed"):
        make_strip(tmp_path, files, tmp_path / "frames", FrameCache())
    (tmp_path / "b.jpg").unlink()
    with pytest.raises(InputError, match=r"b\.jpg: cannot be opened"):
        make_strip(tmp_path, files, tmp_path / "frames", FrameCache())


def test_a_report_is_written_when_the_clips_are_gone(asked: Asked, tmp_path: Path) -> None:
    spoilt = asked.copy(tmp_path)
    shutil.rmtree(spoilt.benchmark / "clips")
    report = write_report(spoilt.runs, tmp_path / "report", FramesChoice("all"))
    whole = write_report(asked.runs, tmp_path / "whole", FramesChoice("none"))
    assert {name: of.overall for name, of in report.scores.items()} == {n: of.overall for n, of in whole.scores.items()}
    assert sum(".mp4" in problem for problem in report.problems) == CLIPS  # each once
    data = read_report(report.index.parent)
    assert not shown(report.index.parent, data) and {i["prompts"][0]["pictures"] for i in data["items"]} == {FRAMES}


def test_clips_sent_whole_are_told_as_videos(asked: Asked, tmp_path: Path) -> None:
    spoilt = asked.copy(tmp_path)
    card = spoilt.runs[0] / "run.yaml"
    values = yaml.safe_load(card.read_text())
    values["protocol"]["settings"]["clips"] = "video"  # as a run with this setting keeps it
    card.write_text(yaml.safe_dump(values))
    report = write_report(spoilt.runs[:1], tmp_path / "report", FramesChoice("all"))
    for item in read_report(report.index.parent)["items"]:
        [prompt] = item["prompts"]
        clip = item["id"].split("-")[1]
        assert prompt["videos"] == [f"clips/{clip}.mp4"] and prompt["plan"] == [] and prompt["pictures"] == 0
        assert prompt["text"].count("[video]") == 1
    assert "whole clips as video files" in report.index.read_text()
