"""Names that tools spell otherwise: colons, accented letters, suffixes in capitals, backslashes in archives."""

import unicodedata
import zipfile
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

import chronotope as ct
from chronotope.errors import InputError
from chronotope.io import same_name, spelled
from chronotope.make import import_release
from chronotope.make.jobs.building import _refuse_like_names
from chronotope.make.sources.origin import parse_world
from chronotope.make.transfer.archives import unpacked
from chronotope.media import decode_frames, encode_clip, probe
from chronotope.question import open_benchmark
from chronotope.recording.scene import read_changes
from sti_released import row, write_release

CAFE = unicodedata.normalize("NFC", "café")
APART = unicodedata.normalize("NFD", "café")


def test_folders_with_a_colon_are_imported_opened_and_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    write_release(tmp_path / "rel:2", [row(0), row(1)])
    import_release("sti", Path("rel:2"), Path("sti:v1"))
    assert len(open_benchmark(Path("sti:v1")).questions) == 2
    run = ct.run("sti:v1", "baseline/random", out="run:1")
    assert len(run.answers()) == 2


def test_clips_with_a_colon_are_written_and_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("a:b.mp4", "http:c.mp4", "concat:a|b.mp4"):
        encode_clip(iter([np.zeros((32, 32, 3), np.uint8)] * 3), Path(name), 10)
        assert probe(Path(name)).frames == 3 and len(dict(decode_frames(Path(name), [1]))) == 1


@pytest.mark.parametrize(("told", "stored"), [(CAFE, APART), (APART, CAFE)])
def test_a_clip_is_found_in_the_other_form_of_its_letters(tmp_path: Path, told: str, stored: str) -> None:
    release = write_release(tmp_path / "rel", [row(0, Video=f"{told}.mp4"), row(1)])
    clip = next((release / "video").glob("*.mp4"))
    clip.with_name(f"{stored}.MP4").write_bytes(clip.read_bytes())
    assert len(import_release("sti", release, tmp_path / "bench").benchmark.questions) == 2


def test_names_are_spelled_as_the_disk_has_them(tmp_path: Path) -> None:
    for name in (f"{APART}.JPG", "b.mp4"):
        (tmp_path / name).touch()
    assert spelled(tmp_path / f"{CAFE}.jpg") == tmp_path / f"{APART}.JPG"
    assert spelled(tmp_path / "b.MP4") == tmp_path / "b.mp4"
    assert spelled(tmp_path / "B.mp4") is None and spelled(tmp_path / ("x" * 300)) is None
    assert same_name(f"{APART}.JPG") == same_name(f"{CAFE.upper()}.jpg") != same_name("cafe.jpg")


def test_scenes_with_capitals_are_found(tmp_path: Path) -> None:
    for name in ("b.JSON", "a.json", "._a.json", "notes.txt"):
        (tmp_path / name).write_text("{}")
    source = parse_world(f"world:house:{tmp_path}")
    assert source is not None and source.files() == [tmp_path / "a.json", tmp_path / "b.JSON"]


def test_changes_with_a_byte_order_mark_are_read(tmp_path: Path) -> None:
    (tmp_path / "changes.jsonl").write_bytes(b"\xef\xbb\xbf" + b"")
    assert read_changes(tmp_path / "changes.jsonl") == ()


def test_an_archive_of_powershell_is_unpacked(tmp_path: Path) -> None:
    archive = tmp_path / "release.zip"
    with zipfile.ZipFile(archive, "w") as packed:
        for name in ("STI\\", "STI\\qa.json", "STI\\video\\a.mp4", "__MACOSX\\x"):
            info = zipfile.ZipInfo("placeholder")
            info.filename, info.create_system = name, 0
            packed.writestr(info, b"" if name.endswith("\\") else b"1")
    found = {path.relative_to(unpacked(archive)).as_posix() for path in unpacked(archive).rglob("*") if path.is_file()}
    assert found == {"STI/qa.json", "STI/video/a.mp4"}


def test_sources_whose_names_differ_only_in_case_are_refused() -> None:
    # On a disk that ignores case, the clip of one would replace that of the other.
    origins = [SimpleNamespace(expected_id=name, name=f"{name}/") for name in ("Walk", "other", "walk")]
    with pytest.raises(InputError, match=r"two scenes have the name 'walk' \(Walk/ and walk/\)"):
        _refuse_like_names("source", "scene", origins)  # type: ignore[arg-type]
