"""Reformulated benchmarks: the base questions stay as they are, the variants name them."""

import shutil
from pathlib import Path

import av
import numpy as np
import pytest

from chronotope.errors import InputError
from chronotope.make import BuildRequest, build, vary
from chronotope.question import open_benchmark, validate
from chronotope.recording import load_recording
from small_sources import canonical_rows, walk, write_posed, write_tum

ALL = ("none_distractor", "none_answer", "open")


@pytest.fixture(scope="module")
def bench(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("vary")
    write_posed(folder / "walks" / "a", walk(0, 25))
    write_tum(folder / "walks" / "c.txt", walk(2))
    built = build(BuildRequest("sti", folder / "walks", folder / "bench", options={"per_variant": 1}), workers=1)
    (built.folder / "reviews.jsonl").write_text("{}\n")
    return built.folder


def test_variants_stand_beside_unchanged_questions(bench: Path, tmp_path: Path) -> None:
    before = {path: path.read_bytes() for path in bench.rglob("*") if path.is_file()}
    varied_now = vary(bench, ALL, tmp_path / "varied")
    card = varied_now.card
    assert {path: path.read_bytes() for path in bench.rglob("*") if path.is_file()} == before
    assert validate(tmp_path / "varied", deep=True) == []
    base = canonical_rows(bench / "questions.parquet")
    varied = canonical_rows(tmp_path / "varied" / "questions.parquet")
    assert varied[: len(base)] == base
    questions = open_benchmark(tmp_path / "varied").questions
    names = {q.id for q in questions if q.variant == "base"}
    assert len(names) == len(base) == card.counts.variants["base"]
    for variant in ALL:
        of_this = [q for q in questions if q.variant == variant]
        # An answer of more than 40 characters is not asked for openly.
        long = {q.id for q in questions if q.variant == "base" and len(q.options[q.answer[0]].text) > 40}
        assert long == {f"{recording}--pose-1" for recording in "ac"}
        expected = names - long if variant == "open" else names
        assert {q.base for q in of_this} == expected and len(of_this) == len(expected)
        told = {one.question: one.reason for one in varied_now.without if one.variant == variant}
        assert told == dict.fromkeys(names - expected, "has an answer of more than 40 characters")
    for relative in ("media.parquet", "recordings/a/camera.parquet", "clips/a.mp4", "reviews.jsonl"):
        assert (tmp_path / "varied" / relative).read_bytes() == (bench / relative).read_bytes()
    assert (
        card.name == "varied"
        and card.seed == 0
        and card.command.endswith(" && chronotope vary bench --variant none_distractor,none_answer,open")
    )


def test_variants_can_be_added_one_after_the_other(bench: Path, tmp_path: Path) -> None:
    vary(bench, ["open"], tmp_path / "open")
    vary(tmp_path / "open", ["none_answer", "open"], tmp_path / "both")
    vary(bench, ["none_answer", "open"], tmp_path / "at once")
    one_by_one, at_once = (
        sorted(canonical_rows(tmp_path / name / "questions.parquet")) for name in ("both", "at once")
    )
    assert one_by_one == at_once
    with pytest.raises(InputError, match="no further questions of variant open are possible"):
        vary(tmp_path / "open", ["open"], tmp_path / "again")
    assert not (tmp_path / "again").exists()


@pytest.mark.parametrize("what", ["file", "folder"])
def test_nothing_is_overwritten(bench: Path, tmp_path: Path, what: str) -> None:
    out = tmp_path / "mine"
    out.mkdir() if what == "folder" else out.write_text("mine")
    with pytest.raises(InputError, match="mine: exists already: choose another --out"):
        vary(bench, ALL, out)
    assert [path.name for path in tmp_path.iterdir()] == ["mine"]


def test_a_folder_that_is_no_benchmark_is_told(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"card\.yaml: missing"):
        vary(tmp_path, ALL, tmp_path / "varied")
    assert list(tmp_path.iterdir()) == []


def pictures(path: Path) -> list[np.ndarray]:
    with av.open(str(path)) as clip:
        return [frame.to_ndarray(format="rgb24").astype(int) for frame in clip.decode(video=0)]


@pytest.fixture(scope="module")
def filmed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A benchmark about one clip of 6 s, whose pictures differ from left to right and from frame to frame."""
    folder = tmp_path_factory.mktemp("filmed")
    write_posed(folder / "walks" / "a", walk(0, 61))
    return build(BuildRequest("sti", folder / "walks", folder / "bench", options={"per_variant": 2}), workers=1).folder


def test_twins_have_the_altered_clip_and_its_ground_truth(filmed: Path, tmp_path: Path) -> None:
    made = vary(filmed, ["mirrored", "reversed", "half_speed"], tmp_path / "twins")
    varied = open_benchmark(tmp_path / "twins")
    assert validate(tmp_path / "twins") == []
    counts = varied.card.counts.variants
    assert counts["mirrored"] > 0 and counts["half_speed"] > 0 and counts["reversed"] > 0
    assert sum(counts.values()) == len(varied.questions)
    named = {question.id: question for question in varied.questions}
    for question in varied.questions:
        if question.variant != "base":
            [path] = [path for item in question.media for path in item.paths]
            assert named[question.base].variant == "base" and path in varied.media
            assert (tmp_path / "twins" / "recordings" / question.recordings[0] / "recording.json").is_file()
    clips = tmp_path / "twins" / "clips"
    bases = [question for question in varied.questions if question.variant == "base"]
    [clip] = {clips / Path(path).name for question in bases for item in question.media for path in item.paths}
    before = pictures(clip)
    altered = {name: pictures(clips / f"{clip.stem}-{name}.mp4") for name in ("mirrored", "reversed", "half-speed")}
    for old, new in zip(before, altered["mirrored"], strict=True):
        assert np.abs(old[:, ::-1] - new).mean() < 4 < np.abs(old - new).mean()
    back = altered["reversed"]
    assert all(np.abs(old - new).mean() < 4 for old, new in zip(before[len(back) - 1 :: -1], back, strict=True))
    assert all(np.abs(old - new).mean() < 4 for old, new in zip(before, altered["half-speed"], strict=True))
    facts = {path: file.fps for path, file in varied.media.items()}
    assert facts[f"clips/{clip.stem}-half-speed.mp4"] == pytest.approx(facts[f"clips/{clip.name}"] / 2)
    old, new = (load_recording(tmp_path / "twins" / "recordings" / f"{clip.stem}{end}") for end in ("", "-reversed"))
    count = len(new.times)
    assert np.allclose(new.world_T_camera[: count - 1], old.world_T_camera[count - 1 : 0 : -1])
    assert {one.variant for one in made.without} <= {"mirrored", "reversed", "half_speed"}


def test_questions_without_recordings_have_no_twins(bench: Path, tmp_path: Path) -> None:
    shutil.copytree(bench, tmp_path / "bare")
    shutil.rmtree(tmp_path / "bare" / "recordings")
    with pytest.raises(InputError, match="has no ground truth in recordings/"):
        vary(tmp_path / "bare", ["mirrored"], tmp_path / "twins")
