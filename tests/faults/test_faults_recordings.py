"""Recordings that were saved elsewhere: spoilt clips, foreign files, names that lead out of their folder."""

import errno
import json
import os
import re
import shutil
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from faults_clips import SPOILT, cut, write_clip
from faults_tools import BUILD, chronotope, told_once, tree, truth_of

from chronotope.errors import InputError
from chronotope.io import sha256_file
from chronotope.media import probe
from chronotope.recording import Clip, Entity, Kind, Recording, save_recording, write_depth
from chronotope.recording.sources import Given, recording_folder
from small_sources import walk

SAMPLES = 30
Edit = Callable[[Path], object]


def save(folder: Path, clip: Path) -> Path:
    """A recording about a clip, with a box in it and depth pictures."""
    names = tuple(f"depth/{number:03d}.png" for number in range(SAMPLES))
    (folder / "depth").mkdir(parents=True)
    for name in names:
        write_depth(folder / name, np.full((6, 8), 2.0), 1000)
    box = Entity("box", "a red box", "box", (0.3, 0.2, 0.1), np.eye(4)[None], visible=np.ones(SAMPLES, bool))
    facts = probe(write_clip(folder.parent / "facts.mp4", frames=SAMPLES))
    recording = Recording(
        id="saved-walk",
        kind=Kind.INDOOR,
        source="test",
        times=np.arange(SAMPLES) / 10,
        world_T_camera=walk(3, SAMPLES),
        valid=np.ones(SAMPLES, bool),
        clip=Clip(clip, sha256_file(clip), 10.0, facts.width, facts.height),
        gravity=np.array([0, 0, -1.0]),
        entities=(box,),
        depth=names,
        depth_scale=1000.0,
    )
    save_recording(recording, folder)
    return folder


@pytest.fixture(scope="module")
def saved(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a saved recording, and its clip elsewhere in it; tests copy it."""
    place = tmp_path_factory.mktemp("saved") / "place"
    (place / "clips").mkdir(parents=True)
    save(place / "walk", write_clip(place / "clips" / "walk.mp4", frames=SAMPLES))
    return place


@pytest.fixture(scope="module")
def undisturbed(saved: Path) -> Path:
    out = saved.with_name("undisturbed") / "bench"
    told = chronotope("build", "sti", saved / "walk", "--out", out, *BUILD)
    assert told.code == 0, told.err
    return out


@pytest.fixture
def place(saved: Path, tmp_path: Path) -> Path:
    return shutil.copytree(saved, tmp_path / "place")


def build(place: Path, *more: object, source: str = "walk") -> tuple:
    return ("build", "sti", place / source, "--out", place.with_name("out") / "bench", *BUILD, *more)


def refused(place: Path, *words: str, source: str = "walk") -> str:
    """The one sentence of a build that leaves nothing behind."""
    before = tree(place.parent)
    sentence = told_once(chronotope(*build(place, source=source)), *words)
    after = tree(place.parent)
    assert {name for name in after if not name.endswith("/out")} == set(before)
    assert all(after[name] == mark for name, mark in before.items())
    return sentence


@pytest.mark.parametrize("what", SPOILT)
def test_a_clip_that_is_another_than_was_saved_is_refused(place: Path, undisturbed: Path, what: str) -> None:
    clip = place / "clips" / "walk.mp4"
    kept = clip.read_bytes()
    SPOILT[what](clip)
    refused(place, f"{clip}: is not the clip that ", "recording.json describes", "restore the correct file")
    told = chronotope("show", place / "walk")
    told_once(told, f"{clip}: is not the clip")
    clip.write_bytes(kept)
    assert chronotope(*build(place)).code == 0
    out = place.with_name("out") / "bench"
    assert truth_of(out) == truth_of(undisturbed)
    assert [path.name for path in out.parent.iterdir()] == ["bench"]


def test_keep_going_leaves_such_a_recording_out(place: Path) -> None:
    shutil.copytree(place / "walk", place / "all" / "good")
    document = place / "all" / "good" / "recording.json"
    document.write_text(document.read_text().replace("../clips", "../../clips"))
    shutil.copytree(place / "all" / "good", place / "all" / "spoilt")
    clip = write_clip(place / "all" / "other.mp4", clip=5, frames=SAMPLES)
    document = place / "all" / "spoilt" / "recording.json"
    document.write_text(
        document.read_text().replace("../../clips/walk.mp4", "../other.mp4").replace("saved-walk", "other")
    )
    told = chronotope(*build(place, "--keep-going", source="all"))
    assert told.code == 1 and told.out.splitlines()[-1].endswith("bench is ready")
    [said] = [line for line in told.err.splitlines() if line.startswith("left out spoilt: ")]
    assert f"{clip}: is not the clip" in said
    recordings = place.with_name("out") / "bench" / "recordings"
    assert [path.name for path in recordings.iterdir()] == ["saved-walk"]


BROKEN_WHEN_SAVED: dict[str, tuple[Edit, str]] = {
    "cut short": (lambda path: cut(path, 0.6), "incomplete or damaged|cannot be read as a video"),
    "empty": (SPOILT["empty"], "the file is empty"),
    "sound only": (SPOILT["sound only"], "contains no video"),
    "too few frames": (lambda path: write_clip(path, frames=20), "20 frames, but the recording has 30 samples"),
    "varying rate": (
        lambda path: write_clip(
            path, frames=SAMPLES, stamps_ms=[100 * number + 30 * (number % 3) for number in range(SAMPLES)]
        ),
        "frame rate varies",
    ),
}


@pytest.mark.parametrize("what", BROKEN_WHEN_SAVED)
def test_a_clip_that_was_broken_when_it_was_saved_is_told_by_its_own_path(tmp_path: Path, what: str) -> None:
    edit, words = BROKEN_WHEN_SAVED[what]
    place = tmp_path / "place"
    (place / "clips").mkdir(parents=True)
    clip = place / "clips" / "walk.mp4"
    write_clip(clip, frames=SAMPLES)
    edit(clip)
    save(place / "walk", clip)
    sentence = refused(place, f"error: {clip}: ")
    assert re.search(words, sentence), sentence


# Names


def setting(*keys: str, to: object) -> Edit:
    def edit(folder: Path) -> None:
        path = folder / "recording.json"
        document = json.loads(path.read_text())
        inner = document
        for key in keys[:-1]:
            inner = inner[key]
        inner[keys[-1]] = to
        path.write_text(json.dumps(document))

    return edit


@pytest.mark.parametrize(
    "name",
    ["../../evil", "/evil", "..", "", ".hidden", "a/b", "a\\b", "C:\\evil", "a\0b", "a\nb", "n" * 300, "\u202eab"],
)
def test_an_id_that_is_no_name_of_a_folder_is_refused(place: Path, name: str) -> None:
    setting("id", to=name)(place / "walk")
    refused(place, f"{place / 'walk' / 'recording.json'}: field 'id'", "not a safe name")


@pytest.mark.parametrize("name", ["/etc/hostname", "..\\clips\\walk.mp4", "C:\\walk.mp4", "../clips/walk.mp4\0.txt"])
def test_a_clip_that_is_not_named_from_the_folder_is_refused(place: Path, name: str) -> None:
    setting("clip", "path", to=name)(place / "walk")
    refused(place, f"{place / 'walk' / 'recording.json'}: field 'clip.path'", "relative to the folder")


def test_a_path_that_leads_to_somebody_elses_file_is_of_no_use(place: Path) -> None:
    """A clip may lie above its recording, as in a benchmark; only the file whose hash was saved is taken."""
    secret = place / "secret"
    secret.write_text("the key of the house")
    setting("clip", "path", to="../secret")(place / "walk")
    refused(place, f"{secret}: is not the clip that")


@pytest.mark.parametrize("name", ["../../evil.png", "/etc/hostname", "a\\b.png", "depth/../../../x.png", "./x.png"])
def test_pictures_that_are_not_in_the_folder_are_refused(place: Path, name: str) -> None:
    path = place / "walk" / "camera.parquet"
    table = pq.read_table(path)
    names = table["depth"].to_pylist()
    names[4] = name
    pq.write_table(table.set_column(table.schema.get_field_index("depth"), "depth", pa.array(names)), path)
    if name.startswith("/"):
        refused(place, "field 'depth'", "is absolute")
    else:
        refused(place, f"{path}: column 'depth', sample 4: ", "not safe")


def test_a_picture_that_is_a_link_out_of_the_folder_is_refused(place: Path) -> None:
    (place / "secret").write_text("the key of the house")
    picture = place / "walk" / "depth" / "002.png"
    picture.unlink()
    picture.symlink_to(place / "secret")
    refused(place, "column 'depth', sample 2: 'depth/002.png' is a link to a file outside the folder")


def test_links_are_found_in_a_folder_that_cannot_be_listed(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its files can be opened nevertheless, if the right to enter it is there."""
    (place / "secret").write_text("the key of the house")
    picture = place / "walk" / "depth" / "002.png"
    picture.unlink()
    picture.symlink_to(place / "secret")

    def scandir(folder: object) -> None:
        raise PermissionError(errno.EACCES, "Permission denied", str(folder))

    monkeypatch.setattr(os, "scandir", scandir)
    with pytest.raises(InputError, match=r"'depth/002\.png' is a link to a file outside the folder"):
        recording_folder.load(place / "walk", Given())


def test_a_picture_that_is_a_link_in_the_folder_is_followed(place: Path) -> None:
    """The benchmark gets the picture itself, because links of a folder lead elsewhere in another."""
    depth = place / "walk" / "depth"
    (depth / "002.png").rename(depth / "shared.png")
    (depth / "002.png").symlink_to("shared.png")
    assert chronotope(*build(place)).code == 0
    [made] = (place.with_name("out") / "bench" / "recordings").iterdir()
    linked = made / "depth" / "002.png"
    assert not linked.is_symlink() and linked.samefile(depth / "shared.png")


# Files of a recording


def foreign_table(path: Path) -> None:
    pq.write_table(pa.table({"name": ["a"], "age": [3]}), path)


FILES: dict[str, tuple[str, Edit]] = {
    "camera empty": ("camera.parquet", lambda path: path.write_bytes(b"")),
    "camera cut": ("camera.parquet", lambda path: cut(path, 0.5)),
    "camera foreign": ("camera.parquet", foreign_table),
    "camera of another": ("camera.parquet", lambda path: shutil.copy(path.with_name("tracks.parquet"), path)),
    "camera gone": ("camera.parquet", Path.unlink),
    "camera a folder": ("camera.parquet", lambda path: (path.unlink(), path.mkdir())),
    "tracks empty": ("tracks.parquet", lambda path: path.write_bytes(b"")),
    "tracks cut": ("tracks.parquet", lambda path: cut(path, 0.5)),
    "tracks foreign": ("tracks.parquet", foreign_table),
    "tracks gone": ("tracks.parquet", Path.unlink),
    "document empty": ("recording.json", lambda path: path.write_bytes(b"")),
    "document cut": ("recording.json", lambda path: cut(path, 0.5)),
    "document foreign": ("recording.json", lambda path: path.write_text('{"name": "a", "frames": [1, 2]}')),
    "document a list": ("recording.json", lambda path: path.write_text("[1, 2]")),
    "document newer": ("recording.json", lambda path: setting("schema_version", to=99)(path.parent)),
    "document without a version": ("recording.json", lambda path: setting("schema_version", to=None)(path.parent)),
    "document not UTF-8": ("recording.json", lambda path: path.write_bytes(b'{"id": "\xff"}')),
}


@pytest.mark.parametrize("what", FILES)
def test_a_broken_file_is_told_and_once_mended_all_is_as_it_was(place: Path, undisturbed: Path, what: str) -> None:
    name, edit = FILES[what]
    path = place / "walk" / name
    kept = path.read_bytes()
    edit(path)
    refused(place, f"error: {path}")
    told_once(chronotope("show", place / "walk"), f"error: {path}")
    if path.is_dir():
        path.rmdir()
    path.write_bytes(kept)
    assert chronotope(*build(place)).code == 0
    assert truth_of(place.with_name("out") / "bench") == truth_of(undisturbed)


def test_a_folder_without_its_document_is_no_source(place: Path) -> None:
    (place / "walk" / "recording.json").unlink()
    refused(place, f"{place / 'walk'}: no source of a known format", "a folder with recording.json")
    (place / "walk" / "recording.json").mkdir()
    refused(place, f"{place / 'walk'}: no source of a known format")
