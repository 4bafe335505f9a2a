"""Names: any script, spaces and signs are taken; what leads out of a benchmark is not."""

import dataclasses
import os
import shutil
import unicodedata
from collections.abc import Callable
from pathlib import Path

import pytest
import yaml
from faults_clips import write_clip
from faults_tools import BUILD, chronotope, readings, told_once, tree, truth_of, unfinished
from PIL import Image

from chronotope.io import path_fault
from chronotope.question import (
    CardDraft,
    MediaItem,
    Option,
    Question,
    Window,
    measure_media,
    open_benchmark,
    validate,
    write_benchmark_tables,
)
from chronotope.question.benchmark import count
from chronotope.question.rows import content_hash, write_media, write_questions
from small_sources import walk, write_posed

COMPOSED, DECOMPOSED = (unicodedata.normalize(form, "café là-bas") for form in ("NFC", "NFD"))
NAMES = [COMPOSED, DECOMPOSED, "  🎥 🏠  ", "[red]дом 家[/red] '$x' \"y\""]


@pytest.mark.parametrize("name", NAMES)
def test_any_name_goes_all_the_way(tmp_path: Path, name: str) -> None:
    """Of a source, a benchmark, a run and a report; what is asked does not depend on where it is."""
    write_posed(tmp_path / "plain" / "walk", walk(1, 25))
    source = tmp_path / name / name
    shutil.copytree(tmp_path / "plain" / "walk", source)
    bench, run, report = (tmp_path / place / name for place in ("bench", "run", "report"))
    for words in (
        ("build", "sti", source, "--out", bench, *BUILD),
        ("run", bench, "--model", "baseline/random", "--out", run),
        ("report", run, "--out", report, "--frames", "all"),
        ("show", bench),
    ):
        told = chronotope(*words)
        assert told.code == 0, told.err
    assert unfinished(tmp_path) == [] and validate(bench, deep=True) == []
    [clip] = open_benchmark(bench).media
    assert clip.isascii() and clip.startswith("clips/")
    assert (report / "index.html").is_file() and list((report / "frames").iterdir())


def test_names_that_look_alike_are_told_apart_or_refused(tmp_path: Path) -> None:
    for name in (COMPOSED, DECOMPOSED):
        write_posed(tmp_path / "walks" / name, walk(1, 25))
    if len(list((tmp_path / "walks").iterdir())) == 1:
        pytest.skip("to this file system the two are one name")
    before = tree(tmp_path)
    told_once(chronotope("build", "sti", tmp_path / "walks", "--out", tmp_path / "bench", *BUILD), "two recordings")
    assert tree(tmp_path) == before


# Names in media.parquet


def question(clip: str, picture: str) -> Question:
    return Question(
        id="q",
        family="sti",
        task="Speed & Acceleration",
        cluster="clip",
        stem="How fast is it?",
        options=(Option("1 m/s"), Option("2 m/s", picture), Option("3 m/s"), Option("4 m/s")),
        answer=(1,),
        window=Window(0.0, 1.0),
        media=(MediaItem("video", "video", (clip,)),),
    )


def make_bench(folder: Path, clip: str = "clips/a.mp4", picture: str = "images/a.png") -> Path:
    for name in (clip, picture):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
    write_clip(folder / clip, frames=12)
    Image.new("RGB", (32, 24), "red").save(folder / picture, "PNG")
    draft = CardDraft(name="bench", family="sti", profile="strict", licence="CC0-1.0")
    write_benchmark_tables(folder, draft, [question(clip, picture)], measure_media(folder, [clip, picture]))
    return folder


@pytest.mark.parametrize("name", NAMES)
def test_media_may_have_any_name(tmp_path: Path, name: str) -> None:
    bench = make_bench(tmp_path / "bench", f"clips/{name}/{name}.mp4", f"{name}.png")
    assert validate(bench, deep=True) == []
    told = chronotope("run", bench, "--model", "baseline/random", "--out", tmp_path / "run")
    assert told.code == 0, told.err
    told = chronotope("report", tmp_path / "run", "--out", tmp_path / "report", "--frames", "all")
    assert told.code == 0, told.err
    assert len(list((tmp_path / "report" / "frames").iterdir())) == 12


@pytest.mark.parametrize("on_disk", [COMPOSED, DECOMPOSED])
def test_a_name_in_another_unicode_form_is_told(tmp_path: Path, on_disk: str) -> None:
    """As copying between systems makes it: both look the same."""
    listed = COMPOSED if on_disk == DECOMPOSED else DECOMPOSED
    bench = make_bench(tmp_path / "bench", f"clips/{listed}.mp4")
    (bench / f"clips/{listed}.mp4").rename(bench / f"clips/{on_disk}.mp4")
    if (bench / f"clips/{listed}.mp4").exists():
        pytest.skip("to this file system the two are one name")
    before = tree(tmp_path)
    told = chronotope("run", bench, "--model", "baseline/random", "--out", tmp_path / "run")
    told_once(told, f"{bench / 'media.parquet'}, row 1, column 'path'", "another Unicode form", "rename the file")
    assert tree(tmp_path) == before
    (bench / f"clips/{on_disk}.mp4").rename(bench / f"clips/{listed}.mp4")
    assert chronotope("run", bench, "--model", "baseline/random", "--out", tmp_path / "run").code == 0


@pytest.mark.parametrize("sign", ["\n", "\r", "\t", "\x1b", "\0", "\x85", "\u2028", "\u2029"])
def test_a_path_has_no_breaks_and_no_controls(sign: str) -> None:
    told = path_fault(f"clips/a{sign}b.mp4")
    assert told is not None and "control character" in told and told.isprintable()


@pytest.mark.parametrize("name", [*NAMES, "👨‍👩‍👧", "می‌خواهم", "全角　スペース", "a\u00a0b"])
def test_a_path_may_have_the_signs_of_any_script(name: str) -> None:
    assert path_fault(f"{name}/{name}.mp4") is None


OUTSIDE = ["../clip.mp4", "clips/../../clip.mp4", "{outside}/clip.mp4", "clips\\a.mp4", "C:/clip.mp4", "./clips/a.mp4"]


def renamed(bench: Path, old: str, new: str) -> None:
    """Put another path into both tables, as somebody else's tool could, and make the card fit."""
    benchmark = open_benchmark(bench)
    media = {
        new if path == old else path: dataclasses.replace(file, path=new if path == old else path)
        for path, file in benchmark.media.items()
    }
    clip, picture = (new if path == old else path for path in ("clips/a.mp4", "images/a.png"))
    asked = [question(clip, picture)]
    write_media(bench / "media.parquet", media)
    write_questions(bench / "questions.parquet", asked)
    card = benchmark.card.model_copy(update={"counts": count(asked, media), "content_hash": content_hash(asked, media)})
    (bench / "card.yaml").write_text(yaml.safe_dump(card.model_dump(mode="json")))


@pytest.mark.parametrize("new", OUTSIDE)
@pytest.mark.parametrize("old", ["clips/a.mp4", "images/a.png"])
def test_a_path_that_leads_out_of_the_folder_is_refused(tmp_path: Path, old: str, new: str) -> None:
    """For clips and for pictures of options: even where just the right file lies there."""
    bench, outside = make_bench(tmp_path / "bench"), tmp_path
    new = new.format(outside=outside)
    shutil.copy(bench / old, outside / "clip.mp4")
    renamed(bench, old, new)
    before = tree(tmp_path)
    for command in (
        ("run", bench, "--model", "baseline/random", "--out", tmp_path / "run"),
        ("vary", bench, "--out", tmp_path / "varied"),
        ("show", bench, "--question", "q", "--out", tmp_path / "shown"),
    ):
        told_once(chronotope(*command), f"{bench / 'media.parquet'}, row ", "column 'path'", "is not safe")
        assert tree(tmp_path) == before


def link_file(bench: Path, outside: Path) -> str:
    (bench / "clips/a.mp4").rename(outside / "a.mp4")
    (bench / "clips/a.mp4").symlink_to(outside / "a.mp4")
    return "clips/a.mp4"


def link_relative(bench: Path, outside: Path) -> str:
    (bench / "clips/a.mp4").rename(outside / "a.mp4")
    (bench / "clips/a.mp4").symlink_to(os.path.relpath(outside / "a.mp4", bench / "clips"))
    return "clips/a.mp4"


def link_folder(bench: Path, outside: Path) -> str:
    (bench / "clips").rename(outside / "clips")
    (bench / "clips").symlink_to(outside / "clips")
    return "clips/a.mp4"


def link_picture(bench: Path, outside: Path) -> str:
    (bench / "images/a.png").rename(outside / "a.png")
    (bench / "images/a.png").symlink_to(outside / "a.png")
    return "images/a.png"


@pytest.mark.parametrize("link", [link_file, link_relative, link_folder, link_picture])
def test_a_link_that_leads_out_of_the_folder_is_refused(tmp_path: Path, link: Callable[[Path, Path], str]) -> None:
    bench = make_bench(tmp_path / "bench")
    (tmp_path / "outside").mkdir()
    name = link(bench, tmp_path / "outside")
    before = tree(tmp_path)
    for command in (
        ("run", bench, "--model", "baseline/random", "--out", tmp_path / "run"),
        ("vary", bench, "--out", tmp_path / "varied"),
    ):
        told_once(chronotope(*command), f"{bench / 'media.parquet'}, row ", name, "a link to a file outside", "a copy")
        assert tree(tmp_path) == before


def test_links_within_the_folder_and_to_the_folder_are_fine(tmp_path: Path) -> None:
    bench = make_bench(tmp_path / "bench")
    run = chronotope("run", bench, "--model", "baseline/random", "--out", tmp_path / "plain")
    assert run.code == 0
    (bench / "clips/a.mp4").rename(bench / "images/clip.mp4")
    (bench / "clips/a.mp4").symlink_to("../images/clip.mp4")
    (tmp_path / "linked").symlink_to(bench)
    told = chronotope("run", tmp_path / "linked", "--model", "baseline/random", "--out", tmp_path / "run")
    assert told.code == 0, told.err
    assert readings(tmp_path / "run") == readings(tmp_path / "plain")


# Names that are no text


def undecodable(path: Path) -> Path:
    """A name in Latin-1, as old archives have them."""
    return Path(os.fsdecode(os.fsencode(path) + b"\xe9"))


def test_a_name_that_is_no_text_is_told(walks: Path, whole: Path, whole_run: Path, tmp_path: Path) -> None:
    broken = {name: undecodable(tmp_path / name) for name in ("source", "bench", "run", "out")}
    try:
        shutil.copytree(walks / "a", broken["source"])
    except OSError:
        pytest.skip("this file system takes only names that are text")
    shutil.copytree(whole, broken["bench"])
    shutil.copytree(whole_run, broken["run"])
    before = {os.fsencode(path) for path in tmp_path.rglob("*")}
    for told, name in (
        (chronotope("build", "sti", broken["source"], "--out", tmp_path / "b", *BUILD), "source"),
        (chronotope("build", "sti", walks, "--out", broken["out"], *BUILD), "out"),
        (chronotope("run", broken["bench"], "--model", "baseline/random", "--out", tmp_path / "r"), "bench"),
        (chronotope("run", whole, "--model", "baseline/random", "--out", broken["out"]), "out"),
        (chronotope("report", broken["run"], "--out", tmp_path / "p"), "run"),
        (chronotope("report", whole_run, "--out", broken["out"]), "out"),
        (chronotope("show", broken["bench"]), "bench"),
    ):
        told_once(told, f"{name}\\udce9", "not valid UTF-8", "rename")
    assert {os.fsencode(path) for path in tmp_path.rglob("*")} == before


def test_a_stray_file_whose_name_is_no_text_harms_nothing(walks: Path, whole: Path, tmp_path: Path) -> None:
    source = shutil.copytree(walks, tmp_path / "walks")
    try:
        undecodable(source / "a" / "notes").touch()
    except OSError:
        pytest.skip("this file system takes only names that are text")
    told = chronotope("build", "sti", source, "--out", tmp_path / "bench", *BUILD)
    assert told.code == 0, told.err
    assert truth_of(tmp_path / "bench") == truth_of(whole)
