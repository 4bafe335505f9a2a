"""Files that may not be read and folders that may not be written: a sentence with the right path, nothing changed."""

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from faults_tools import BUILD, Forks, Told, chronotope, readings, told_once, tree, truth_of, unfinished

from chronotope.recording import load_recording, save_recording
from small_disks import Disk
from small_sources import walk, write_tum

RUN = ("--model", "baseline/random")
NOBODY = ("--model", "endpoint/x", "--base-url", "http://127.0.0.1:9/v1", "--wait", 0)


@pytest.fixture(scope="module")
def made(walks: Path, whole: Path, whole_run: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Sources, a benchmark, a run and a report of our own, in one folder; tests leave it as it was."""
    place = tmp_path_factory.mktemp("rights")
    shutil.copytree(walks, place / "walks")
    write_tum(place / "walks" / "c.txt", walk(2))
    shutil.copytree(whole, place / "bench")
    shutil.copytree(whole_run, place / "run")
    card = place / "run" / "run.yaml"
    card.write_text(card.read_text().replace(str(whole), str(place / "bench")))
    assert chronotope("report", place / "run", "--out", place / "report", "--frames", "none").code == 0
    (place / "out").mkdir()
    (place / "replies.jsonl").write_text('{"id": "a--displacement-1", "reply": "A"}\n')
    return place


@contextmanager
def closed(path: Path, mode: int) -> Iterator[None]:
    before = path.stat().st_mode
    path.chmod(mode)
    try:
        yield
    finally:
        path.chmod(before)


# What is closed (and how far), the command, and what its sentence names beside the path.
TO_READ = {
    "a picture": ("walks/a/frames/000003.png", 0, "build", "Permission denied"),
    "a folder of pictures": ("walks/a/frames", 0, "build", "Permission denied"),
    "a folder that may only be listed": ("walks/a/frames", 0o400, "build", "Permission denied"),
    "poses": ("walks/a/poses.txt", 0, "build", "Permission denied"),
    "settings": ("walks/a/chronotope.yaml", 0, "build", "Permission denied"),
    "a source": ("walks/a", 0, "build", "no permission to read"),
    "a trajectory": ("walks/c.txt", 0, "build", "no permission to read"),
    "a card": ("bench/card.yaml", 0, "run", "Permission denied"),
    "questions": ("bench/questions.parquet", 0, "run", "Permission denied"),
    "media": ("bench/media.parquet", 0, "run", "Permission denied"),
    "media, to report": ("bench/media.parquet", 0, "report", "Permission denied"),
    "a clip, to vary": ("bench/clips/a.mp4", 0, "vary", "Permission denied"),
    "a clip, to show": ("bench/clips/a.mp4", 0, "show question", "permission denied"),
    "a recording, to vary": ("bench/recordings/a", 0, "vary", "Permission denied"),
    "a table of a recording": ("bench/recordings/a/camera.parquet", 0, "show", "Permission denied"),
    "a card of a run": ("run/run.yaml", 0, "report", "Permission denied"),
    "asks": ("run/asks.parquet", 0, "report", "Permission denied"),
    "asks, to add some": ("run/asks.parquet", 0, "extend", "Permission denied"),
    "a ledger": ("run/ledger.jsonl", 0, "report", "Permission denied"),
    "a ledger, to add to it": ("run/ledger.jsonl", 0o400, "extend", "Permission denied"),
    "an old report": ("report/frames", 0o500, "report again", "no permission to replace"),
}


def words(place: Path, command: str) -> tuple:
    new = place / "out" / "new"
    return {
        "build": ("build", "sti", place / "walks", "--out", new, *BUILD),
        "run": ("run", place / "bench", *RUN, "--out", new),
        "extend": ("run", place / "bench", *RUN, "--out", place / "run", "--placement", "swap"),
        "report": ("report", place / "run", "--out", new),
        "report again": ("report", place / "run", "--out", place / "report"),
        "vary": ("vary", place / "bench", "--out", new),
        "filter": ("filter", place / "bench", "--pass", "text-only", *NOBODY, "--record", new),
        "score": ("score", place / "bench", place / "replies.jsonl", "--out", new),
        "demo": ("demo", "--out", new),
        "show": ("show", place / "bench"),
        "show question": ("show", place / "bench", "--question", "a--displacement-1", "--out", new),
    }[command]


@pytest.mark.parametrize("what", TO_READ)
def test_what_may_not_be_read_is_told_by_its_path(made: Path, bound: Forks, what: str) -> None:
    name, mode, command, said = TO_READ[what]
    before = tree(made)
    with closed(made / name, mode):
        told = bound(*words(made, command))
    told_once(told, f"error: {made / name.split('/')[0]}", str(Path(name).name), said)
    assert tree(made) == before


@pytest.mark.parametrize("command", ["build", "run", "report", "vary", "filter", "score", "demo", "show question"])
def test_a_folder_that_may_not_be_written_is_told(made: Path, bound: Forks, command: str) -> None:
    before = tree(made)
    with closed(made / "out", 0o500):
        told = bound(*words(made, command))
    told_once(told, f"error: {made / 'out' / 'new'}", "Permission denied")
    assert tree(made) == before


@pytest.mark.parametrize(("name", "command"), [("run", "extend"), ("", "report again")])
def test_what_may_not_be_added_to_stays_as_it_is(made: Path, bound: Forks, name: str, command: str) -> None:
    before = tree(made)
    with closed(made / name, 0o500):
        told = bound(*words(made, command))
    told_once(told, f"error: {made / ('run' if name else 'report')}", "Permission denied")
    assert tree(made) == before
    assert bound(*words(made, "run")[:-1], made / "run").code == 0
    assert readings(made / "run") and unfinished(made) == []


def test_a_clip_that_may_not_be_read_is_left_out_of_a_report(made: Path, bound: Forks) -> None:
    clip, recording = made / "bench" / "clips" / "a.mp4", made / "bench" / "recordings" / "b"
    with closed(clip, 0), closed(recording, 0):
        told = bound("report", made / "run", "--out", made / "out" / "new", "--frames", "all")
    assert told.code == 1 and "Traceback" not in told.err
    assert f"{clip}: cannot be opened (Permission denied)" in told.err
    assert f"{recording / 'recording.json'}: cannot be read (Permission denied)" in told.err
    assert (made / "out" / "new" / "index.html").is_file()
    shutil.rmtree(made / "out" / "new")


def test_clips_in_a_closed_folder_are_told_to_a_run_and_not_needed_by_a_report(made: Path, bound: Forks) -> None:
    with closed(made / "bench" / "clips", 0):
        told = bound(*words(made, "run"))
        told_once(told, f"{made / 'bench' / 'media.parquet'}, row 1, column 'path'", "(Permission denied)")
        assert bound(*words(made, "report"), "--frames", "none").code == 0
    shutil.rmtree(made / "out" / "new")


def test_a_clip_of_a_saved_recording_that_may_not_be_read(made: Path, bound: Forks, tmp_path: Path) -> None:
    recording = load_recording(made / "bench" / "recordings" / "a")
    save_recording(recording, tmp_path / "walk")
    clip = made / "bench" / "clips" / "a.mp4"
    before = tree(tmp_path)
    with closed(clip, 0):
        told = bound("build", "sti", tmp_path / "walk", "--out", tmp_path / "bench", *BUILD)
    told_once(told, f"error: {clip}: cannot be read (Permission denied)", "right")
    assert tree(tmp_path) == before


def test_keep_going_leaves_out_what_may_not_be_read(made: Path, bound: Forks) -> None:
    with closed(made / "walks" / "a" / "frames", 0):
        told = bound(*words(made, "build"), "--keep-going")
    assert told.code == 1 and f"left out a: {made / 'walks' / 'a' / 'frames'}: Permission denied" in told.err
    recordings = made / "out" / "new" / "recordings"
    assert sorted(path.name for path in recordings.iterdir()) == ["b", "c"]
    shutil.rmtree(made / "out" / "new")


def test_a_path_given_that_may_not_be_read_is_wrong_use(made: Path, bound: Forks) -> None:
    for name, command in (("walks", "build"), ("bench", "run"), ("run", "report")):
        with closed(made / name, 0):
            told = bound(*words(made, command))
        assert told.code == 2 and told.out == "" and "Traceback" not in told.err
        assert name in told.err and ("not readable" in told.err or "no permission to read" in told.err)


# A file system that takes nothing


def read_only_told(told: Told, path: Path) -> None:
    told_once(told, f"error: {path}", "Read-only file system", "another")


def test_a_read_only_file_system(walks: Path, whole: Path, whole_run: Path, disk: Disk, tmp_path: Path) -> None:
    shutil.copytree(whole, disk.place / "bench")
    shutil.copytree(whole_run, disk.place / "run")
    disk.remount("ro")
    before = tree(disk.place)
    read_only_told(chronotope("build", "sti", walks, "--out", disk.place / "new", *BUILD), disk.place / "new")
    read_only_told(chronotope("run", whole, *RUN, "--out", disk.place / "new"), disk.place / "new")
    extended = chronotope("run", whole, *RUN, "--placement", "swap", "--out", disk.place / "run")
    read_only_told(extended, disk.place / "run")
    read_only_told(chronotope("report", whole_run, "--out", disk.place / "new"), disk.place / "new")
    read_only_told(chronotope("vary", whole, "--out", disk.place / "new"), disk.place / "new")
    assert tree(disk.place) == before
    # What is only read may lie there.
    assert chronotope("run", disk.place / "bench", *RUN, "--out", tmp_path / "run").code == 0
    assert readings(tmp_path / "run") == readings(whole_run)
    assert chronotope("report", disk.place / "run", "--out", tmp_path / "report").code == 0


def test_frames_are_not_kept_where_nothing_can_be(
    whole: Path, whole_run: Path, disk: Disk, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    disk.remount("ro")
    monkeypatch.setenv("CHRONOTOPE_CACHE", str(disk.place / "cache"))
    told = chronotope("report", whole_run, "--out", tmp_path / "report", "--frames", "all")
    assert told.code == 0, told.err
    assert list((tmp_path / "report" / "frames").iterdir()) and not list(disk.place.iterdir())


def test_a_source_on_a_read_only_file_system_is_built_elsewhere(
    walks: Path, whole: Path, disk: Disk, tmp_path: Path
) -> None:
    shutil.copytree(walks, disk.place / "walks")
    disk.remount("ro")
    assert chronotope("build", "sti", disk.place / "walks", "--out", tmp_path / "bench", *BUILD).code == 0
    assert truth_of(tmp_path / "bench") == truth_of(whole)
