"""Builds: the same bytes whatever happens on the way, nothing half-written, one sentence for what cannot be."""

import contextlib
import json
import os
import shutil
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import numpy as np
import psutil
import pytest
import yaml

from chronotope.errors import InputError
from chronotope.make import BuildRequest, Built, NoQuestionError, build
from chronotope.make.jobs import assemble
from chronotope.make.jobs.part import Part, _measured
from chronotope.question import MediaFile, open_benchmark, validate
from chronotope.recording.sources import Given
from small_sources import COMMAND, canonical_rows, chronotope, truth_of, walk, write_posed, write_tum

OPTIONS = {"per_variant": 2}


def request(source: Path, out: Path, seed: int = 0, **more: object) -> BuildRequest:
    return BuildRequest("sti", source, out, seed, options=OPTIONS, **more)


@pytest.fixture(scope="module")
def sources(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two folders of pictures and two bare trajectories."""
    folder = tmp_path_factory.mktemp("sources") / "walks"
    for seed, name in enumerate(("a", "b")):
        write_posed(folder / name, walk(seed))
    for seed, name in enumerate(("c", "d"), start=2):
        write_tum(folder / f"{name}.txt", walk(seed))
    return folder


@pytest.fixture(scope="module")
def undisturbed(sources: Path, tmp_path_factory: pytest.TempPathFactory) -> Built:
    return build(request(sources, tmp_path_factory.mktemp("undisturbed") / "bench"), workers=1)


def left_over(out: Path) -> list[str]:
    return [path.name for path in out.parent.glob(f".{out.name}*")]


# The same bytes


def test_a_build_is_a_whole_valid_benchmark(undisturbed: Built) -> None:
    assert validate(undisturbed.folder, deep=True) == []
    read = open_benchmark(undisturbed.folder)
    assert undisturbed.benchmark.__dict__ == read.__dict__ and [*undisturbed.benchmark.media] == [*read.media]
    questions = read.questions
    assert {q.cluster for q in questions} == {"a", "b", "c", "d"}
    assert all(bool(q.media) == (q.cluster in "ab") for q in questions)
    assert undisturbed.card.counts.clips == 2 and undisturbed.failures == ()
    assert {name for name, notes in undisturbed.notes.items() if notes} == {"c", "d"}  # gravity by convention
    assert left_over(undisturbed.folder) == []


@pytest.mark.slow
def test_the_number_of_workers_changes_nothing(sources: Path, undisturbed: Built, tmp_path: Path) -> None:
    told: list[tuple[float, int, str]] = []
    built = build(request(sources, tmp_path / "bench"), workers=2, progress=lambda *step: told.append(step))
    assert truth_of(built.folder) == truth_of(undisturbed.folder)
    assert built.card == undisturbed.card
    assert built.notes == undisturbed.notes
    assert_told_picture_by_picture(told)


def assert_told_picture_by_picture(told: list[tuple[float, int, str]]) -> None:
    """Workers tell of each picture that they take, and how much is done never goes back."""
    labels = [label for _, _, label in told]
    count = len(walk(0))
    for name in ("a", "b"):
        mine = [label for label in labels if label.startswith(f"{name}: encoding")]
        assert mine == [f"{name}: encoding picture {k} of {count}" for k in range(1, count + 1)]
        assert f"{name}: writing questions" in labels
    done = [done for done, _, _ in told]
    assert done == sorted(done) and done[-1] == 4 and {total for _, total, _ in told} == {4}


def test_what_lies_beside_a_recording_changes_nothing_about_it(undisturbed: Built, tmp_path: Path) -> None:
    """c with another file before it and nothing behind: its questions and poses are the same."""
    (tmp_path / "walks").mkdir()
    write_tum(tmp_path / "walks" / "c.txt", walk(2))
    write_tum(tmp_path / "walks" / "0-first.txt", walk(7))
    build(request(tmp_path / "walks", tmp_path / "bench"), workers=1)
    alone, among = truth_of(tmp_path / "bench"), truth_of(undisturbed.folder)
    assert alone["recordings/c/camera.parquet"] == among["recordings/c/camera.parquet"]
    ours = [row for row in alone["questions.parquet"] if '"cluster": "c"' in row]
    assert ours and ours == [row for row in among["questions.parquet"] if '"cluster": "c"' in row]


def test_another_seed_asks_something_else(sources: Path, undisturbed: Built, tmp_path: Path) -> None:
    built = build(request(sources / "c.txt", tmp_path / "bench", seed=1), workers=1)
    before = {q.id: q for q in open_benchmark(undisturbed.folder).questions if q.cluster == "c"}
    now = {q.id: q for q in open_benchmark(built.folder).questions}
    shared = before.keys() & now.keys()
    assert len(shared) >= 5
    assert all(before[name].options != now[name].options for name in shared)
    assert (
        truth_of(built.folder)["recordings/c/camera.parquet"]
        == (truth_of(undisturbed.folder)["recordings/c/camera.parquet"])
    )


# Interrupted


class StoppedError(Exception):
    pass


def stop(*_: object) -> None:
    raise StoppedError


def wait_until(met: object, seconds: float = 120) -> None:
    end = time.monotonic() + seconds
    while not met():
        assert time.monotonic() < end, "it never happened"
        time.sleep(0.005)


@pytest.fixture(scope="module")
def long_sources(sources: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two bare trajectories, done at once, and two folders whose noise takes a while to encode."""
    folder = tmp_path_factory.mktemp("long") / "walks"
    folder.mkdir()
    for name in ("c", "d"):
        (folder / f"{name}.txt").write_bytes((sources / f"{name}.txt").read_bytes())
    for seed, name in enumerate(("x", "y")):
        write_posed(folder / name, walk(seed), size=(240, 180), noise=True)
    return folder


def start(source: Path, out: Path) -> subprocess.Popen[str]:
    words = [COMMAND, "build", "sti", source, "--out", out, "--per-variant", 2, "--workers", 2]
    return subprocess.Popen(
        [str(word) for word in words],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )


def workers_of(process: int) -> list[psutil.Process]:
    found = []
    for child in psutil.Process(process).children():
        with contextlib.suppress(psutil.NoSuchProcess):
            if any("multiprocessing.spawn" in word for word in child.cmdline()):
                found.append(child)
    return found


def imports(worker: psutil.Process) -> bool:
    """Whether a worker has begun to import the rooms, which takes it a second."""
    try:
        return any("numpy" in mapped.path for mapped in worker.memory_maps())
    except psutil.Error:
        return False


def finished(out: Path) -> dict[str, int]:
    """The recordings whose parts are made, and when that was."""
    found = (out.parent / f".{out.name}.building" / "parts").glob("[0-9]*/recordings/*/recording.json")
    return {path.parent.name: path.stat().st_mtime_ns for path in found}


def sources_of(labels: list[str]) -> set[str]:
    """Whose progress was told."""
    return {label.partition(":")[0].removesuffix(".txt") for label in labels}


def killed(source: Path, out: Path) -> dict[str, int]:
    """What a build of four recordings has finished when it is killed after the first of them."""
    process = start(source, out)
    wait_until(lambda: finished(out))
    family = workers_of(process.pid)
    process.kill()
    process.wait()
    _, alive = psutil.wait_procs(family, timeout=30)
    for worker in alive:
        worker.kill()
    assert not alive, "workers outlived their parent"
    return finished(out)


@pytest.mark.slow
def test_killed_and_started_again_it_makes_only_what_is_missing(long_sources: Path, tmp_path: Path) -> None:
    for attempt in range(5):  # on a busy machine the last part may be there before the first is noticed
        out = tmp_path / str(attempt) / "bench"
        kept = killed(long_sources, out)
        if 0 < len(kept) < 4:
            break
    assert 0 < len(kept) < 4 and not out.exists()

    made: list[str] = []
    built = build(request(long_sources, out), workers=1, progress=lambda done, total, name: made.append(name))
    assert sources_of(made) == {"c", "d", "x", "y"} - kept.keys()
    for name, when in kept.items():
        assert (out / "recordings" / name / "recording.json").stat().st_mtime_ns == when
    assert left_over(out) == []
    assert validate(out, deep=True) == []
    straight = build(request(long_sources, tmp_path / "straight" / "bench"), workers=1)
    assert truth_of(built.folder) == truth_of(straight.folder)
    assert built.card == straight.card and built.notes == straight.notes


def test_media_that_cannot_be_measured_are_named_with_their_source(sources: Path, tmp_path: Path) -> None:
    (tmp_path / "images").mkdir()
    (tmp_path / "images/torn.png").write_bytes(next((sources / "a").rglob("*.png")).read_bytes()[:200])
    with pytest.raises(InputError, match=r"^walks/a: images/torn\.png"):
        _measured(tmp_path, ["images/torn.png"], {}, "walks/a")


@pytest.mark.parametrize("harm", ["the clip has changed", "an earlier version wrote it"])
def test_a_part_that_cannot_be_used_is_made_anew(sources: Path, undisturbed: Built, tmp_path: Path, harm: str) -> None:
    out = tmp_path / "bench"

    def stop(done: float, total: int, name: str) -> None:
        if done == 2:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        build(request(sources, out), workers=1, progress=stop)
    [clip] = [clip for clip in tmp_path.rglob("clips/*.mp4") if clip.stem == "a"]
    if harm == "the clip has changed":
        clip.unlink()  # it may be a link to another file
        clip.write_bytes(b"")
    else:
        noted = clip.parents[1] / "part.json"
        entry = json.loads(noted.read_text())
        paths = [each["path"] for each in entry.pop("files")]
        noted.write_text(json.dumps(entry | {"media": paths}))
    made: list[str] = []
    built = build(request(sources, out), workers=1, progress=lambda done, total, name: made.append(name))
    assert sources_of(made) == {"a", "c", "d"}
    assert truth_of(built.folder) == truth_of(undisturbed.folder)


KILLED = """
import os, signal, sys
from pathlib import Path
from types import SimpleNamespace
from chronotope.make import BuildRequest, build
from chronotope.make.jobs import assemble, workshop
def kill(*_, **__): os.kill(os.getpid(), signal.SIGKILL)
if sys.argv[3] == "at the tables":
    assemble.write_benchmark_tables = kill
else:
    workshop.shutil = SimpleNamespace(rmtree=kill)
build(BuildRequest("sti", Path(sys.argv[1]), Path(sys.argv[2]), options={"per_variant": 2}), workers=1)
"""


def kill_build(source: Path, out: Path, when: str) -> None:
    ended = subprocess.run([sys.executable, "-c", KILLED, source, out, when], stderr=subprocess.DEVNULL)
    assert ended.returncode == -signal.SIGKILL


@pytest.mark.parametrize("end", ["killed", "failed"])
def test_a_build_that_ends_while_it_is_put_together_keeps_every_part(
    sources: Path, undisturbed: Built, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, end: str
) -> None:
    """Then the clips and recordings are in the unfinished benchmark already."""
    out = tmp_path / "bench"
    if end == "killed":
        kill_build(sources, out, "at the tables")
        assert len([*tmp_path.glob(".bench.building/benchmark/recordings/*")]) == 4
    else:
        with monkeypatch.context() as patch, pytest.raises(StoppedError):
            patch.setattr(assemble, "write_benchmark_tables", stop)
            build(request(sources, out), workers=1)
        assert finished(out).keys() == {"a", "b", "c", "d"}
    assert not out.exists()
    made: list[str] = []
    built = build(request(sources, out), workers=1, progress=lambda done, total, name: made.append(name))
    assert made == []
    assert truth_of(built.folder) == truth_of(undisturbed.folder) and validate(out, deep=True) == []
    assert left_over(out) == []


def test_killed_when_all_is_moved_the_same_command_works_again(
    sources: Path, undisturbed: Built, tmp_path: Path
) -> None:
    """Then the parts are empty: they count neither as finished, nor get what belongs to others."""
    walks, out = tmp_path / "walks", tmp_path / "bench"
    shutil.copytree(sources, walks)
    kill_build(walks, out, "at the end")
    assert (out / "card.yaml").exists()
    shutil.rmtree(out)
    (walks / "a").rename(tmp_path / "a")
    kill_build(walks, out, "at the tables")
    assert not out.exists()
    (tmp_path / "a").rename(walks / "a")
    built = build(request(walks, out), workers=1)
    assert truth_of(built.folder) == truth_of(undisturbed.folder) and validate(out, deep=True) == []
    assert left_over(out) == []


def test_parts_of_sources_that_are_gone_get_nothing_back(
    sources: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    walks, out = tmp_path / "walks", tmp_path / "bench"
    shutil.copytree(sources, walks)
    monkeypatch.setattr(assemble, "write_benchmark_tables", stop)
    for names in ({"a", "b", "c", "d"}, {"b", "c", "d"}):
        with pytest.raises(StoppedError):
            build(request(walks, out), workers=1)
        assert finished(out).keys() == names
        assert len([*tmp_path.glob(".bench.building/parts/*")]) == len(names)
        shutil.rmtree(walks / "a", ignore_errors=True)


def test_what_is_put_together_replaces_no_file(undisturbed: Built, tmp_path: Path) -> None:
    file = MediaFile("clips/a.mp4", "0" * 64, "video", 1, 1, 1, 1.0, 1.0)
    part = Part(tmp_path / "part", "fingerprint", "a", (file,), ("recordings/a",), {}, (), None, (), ())
    for name in ("part/clips/a.mp4", "bench/clips/a.mp4"):
        (tmp_path / name).parent.mkdir(parents=True)
        (tmp_path / name).write_text(name)
    with pytest.raises(FileExistsError, match="exists already"):
        part.move_to(tmp_path / "bench")
    assert (tmp_path / "bench/clips/a.mp4").read_text() == "bench/clips/a.mp4"
    assert (tmp_path / "part/clips/a.mp4").read_text() == "part/clips/a.mp4"


@pytest.mark.slow
@pytest.mark.parametrize("when", ["workers import", "a part is made"])
def test_ctrl_c_ends_in_one_sentence_and_the_same_command_goes_on(
    long_sources: Path, tmp_path: Path, when: str
) -> None:
    out = tmp_path / "bench"
    process = start(long_sources, out)
    wait_until(lambda: any(map(imports, workers_of(process.pid))) if when == "workers import" else finished(out))
    family = workers_of(process.pid)
    os.killpg(process.pid, signal.SIGINT)  # as a terminal does: to the workers too
    output, remarks = process.communicate(timeout=120)
    assert process.returncode == 130 and output == ""
    *progress, last = remarks.strip().splitlines()
    assert last == "stopped: finished recordings are kept; the same command makes the others"
    assert all(line.startswith(f"building {long_sources.name}: ") for line in progress), remarks
    assert not out.exists()
    assert not psutil.wait_procs(family, timeout=30)[1]
    kept = finished(out)
    assert len(kept) < 4
    older = sorted(kept)[:1]  # a part that an earlier version left, whose questions say less, is made anew
    for part in out.parent.rglob("part.json"):
        entry = json.loads(part.read_text())
        if entry["id"] in older:
            part.write_text(json.dumps(entry | {"schema_version": 1}))
    made: list[str] = []
    build(request(long_sources, out), workers=1, progress=lambda done, total, name: made.append(name))
    assert sources_of(made) == {"c", "d", "x", "y"} - (kept.keys() - set(older))


def test_a_worker_that_is_killed_is_told_in_a_sentence(long_sources: Path, tmp_path: Path) -> None:
    stop = threading.Event()

    def kill_workers() -> None:
        while not stop.wait(0.01):
            for worker in workers_of(os.getpid()):
                worker.kill()

    killer = threading.Thread(target=kill_workers)
    killer.start()
    try:
        with pytest.raises(InputError, match=r"worker process was killed.* --workers 1"):
            build(request(long_sources, tmp_path / "bench"), workers=2)
    finally:
        stop.set()
        killer.join()
    assert not (tmp_path / "bench").exists()


def stop_after(parts: int):
    def progress(done: int, total: int, name: str) -> None:
        if done == parts:
            raise StoppedError

    return progress


@pytest.mark.parametrize("change", ["poses", "picture", "settings", "settings beside a file", "added", "removed"])
def test_a_source_that_changed_meanwhile_is_read_again(tmp_path: Path, change: str) -> None:
    sources, out = tmp_path / "walks", tmp_path / "bench"
    write_posed(sources / "a", walk(0, 25))
    write_tum(sources / "c.txt", walk(2))
    write_tum(sources / "d.txt", walk(3))
    with pytest.raises(StoppedError):
        build(request(sources, out), workers=1, progress=stop_after(2))
    changed = {"a"}
    match change:
        case "poses":
            np.savetxt(sources / "a" / "poses.txt", walk(5, 25)[:, :3].reshape(-1, 12))
        case "picture":
            first, last = sources / "a/frames/000000.png", sources / "a/frames/000024.png"
            first.write_bytes(last.read_bytes())
        case "settings":
            (sources / "a" / "chronotope.yaml").write_text("fps: 5\nkind: indoor\ngravity: -z\n")
        case "settings beside a file":
            (sources / "chronotope.yaml").write_text("kind: outdoor\n")
            changed = {"c.txt"}
        case "added":
            write_tum(sources / "0.txt", walk(8))
            changed = {"0.txt", "a", "c.txt"}  # their numbers have moved
        case "removed":
            (sources / "c.txt").unlink()
            changed = set()
    made: list[str] = []
    build(request(sources, out), workers=1, progress=lambda done, total, name: made.append(name))
    assert {name.partition(":")[0] for name in made} == changed | {"d.txt"}
    straight = build(request(sources, tmp_path / "straight" / "bench"), workers=1)
    assert truth_of(out) == truth_of(straight.folder)


def test_another_request_does_not_go_on_with_foreign_parts(tmp_path: Path) -> None:
    for seed, name in enumerate(("c", "d")):
        (tmp_path / "walks").mkdir(exist_ok=True)
        write_tum(tmp_path / "walks" / f"{name}.txt", walk(seed))
    out = tmp_path / "bench"
    with pytest.raises(StoppedError):
        build(request(tmp_path / "walks", out), workers=1, progress=stop_after(1))
    made: list[str] = []
    build(request(tmp_path / "walks", out, seed=1), workers=1, progress=lambda done, total, name: made.append(name))
    assert list(dict.fromkeys(name.partition(":")[0] for name in made)) == ["c.txt", "d.txt"]


def test_two_builds_of_one_folder_do_not_meet(long_sources: Path, tmp_path: Path) -> None:
    out = tmp_path / "bench"

    def build_it_too(done: int, total: int, name: str) -> None:
        with pytest.raises(InputError, match="another process is building this benchmark"):
            build(request(long_sources, out), workers=1)
        raise StoppedError

    with pytest.raises(StoppedError):
        build(request(long_sources, out), workers=1, progress=build_it_too)


# What cannot be used


@pytest.fixture
def one_broken(sources: Path, tmp_path: Path) -> Path:
    folder = tmp_path / "walks"
    folder.mkdir()
    (folder / "c.txt").write_bytes((sources / "c.txt").read_bytes())
    (folder / "broken.txt").write_text("1.0 0 0 0 0 0 0 1\n2.0 0 0 zero 0 0 0 1\n")
    return folder


def test_a_broken_recording_ends_the_build(one_broken: Path, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"broken\.txt, line 2: column 4 is 'zero'"):
        build(request(one_broken, tmp_path / "bench"), workers=1)
    assert not (tmp_path / "bench").exists()
    assert left_over(tmp_path / "bench") == []  # nothing was finished before it


def test_finished_parts_stay_after_a_failure(one_broken: Path, tmp_path: Path) -> None:
    (one_broken / "broken.txt").rename(one_broken / "z.txt")
    with pytest.raises(InputError, match=r"z\.txt, line 2"):
        build(request(one_broken, tmp_path / "bench"), workers=1)
    assert left_over(tmp_path / "bench") == [".bench.building"]


def test_where_nothing_can_be_written_it_is_told(sources: Path) -> None:
    if not Path("/proc/self").exists():
        pytest.skip("needs a folder in which nobody may write: /proc")
    with pytest.raises(InputError, match=r"^/proc/x: cannot be written \(.*choose another --out"):
        build(request(sources, Path("/proc/x")), workers=1)


def test_keep_going_leaves_it_out_and_says_so(one_broken: Path, undisturbed: Built, tmp_path: Path) -> None:
    built = build(request(one_broken, tmp_path / "bench"), workers=1, keep_going=True)
    assert [failure.source for failure in built.failures] == ["broken.txt"]
    assert "line 2" in built.failures[0].reason
    expected = [row for row in canonical_rows(undisturbed.folder / "questions.parquet") if '"cluster": "c"' in row]
    assert canonical_rows(built.folder / "questions.parquet") == expected
    assert left_over(built.folder) == []
    again = build(request(one_broken, tmp_path / "bench"), workers=1, keep_going=True)
    assert again.already_there and again.failures == built.failures


@pytest.mark.parametrize("then", ["repaired", "removed"])
def test_what_happens_to_a_broken_recording_after_it_was_left_out(
    one_broken: Path, sources: Path, tmp_path: Path, then: str
) -> None:
    """The build goes on, and the same command tells later that the recordings are no longer the same."""
    broken = one_broken / "broken.txt"

    def change(done: float, total: int, name: str) -> None:
        if done == 2 and then == "repaired":
            shutil.copyfile(sources / "d.txt", broken)
        elif done == 2:
            broken.unlink()

    built = build(request(one_broken, tmp_path / "bench"), workers=1, keep_going=True, progress=change)
    assert [failure.source for failure in built.failures] == ["broken.txt"]
    assert {question.cluster for question in built.benchmark.questions} == {"c"}
    with pytest.raises(InputError, match="have changed since then"):
        build(request(one_broken, tmp_path / "bench"), workers=1, keep_going=True)


def test_where_everything_is_broken_the_reason_is_told(tmp_path: Path) -> None:
    (tmp_path / "walks").mkdir()
    for name in ("one", "two"):
        (tmp_path / "walks" / f"{name}.txt").write_text("1.0 0 0 0 0 0 0 1\n2.0 0 0 zero 0 0 0 1\n")
    with pytest.raises(InputError, match=r"no recording could be used: .*one\.txt, line 2.*\(and 1 other failed\)"):
        build(request(tmp_path / "walks", tmp_path / "bench"), workers=1, keep_going=True)
    assert not (tmp_path / "bench").exists()


def test_a_camera_at_rest_gives_no_benchmark(tmp_path: Path) -> None:
    write_tum(tmp_path / "rest.txt", np.repeat(walk(0)[:1], 41, 0))
    with pytest.raises(InputError, match=r"rest\.txt: no question could be written.*STATIONARY"):
        build(request(tmp_path / "rest.txt", tmp_path / "bench", given=Given(gravity="unknown")), workers=1)
    assert not (tmp_path / "bench").exists()


def test_two_recordings_of_one_name_are_refused(tmp_path: Path) -> None:
    (tmp_path / "walks").mkdir()
    write_tum(tmp_path / "walks" / "the walk.txt", walk(0))
    write_tum(tmp_path / "walks" / "The-Walk.txt", walk(1))
    made: list[str] = []
    with pytest.raises(
        InputError, match=r"two recordings have the name 'the-walk' \(The-Walk\.txt and the walk\.txt\)"
    ):
        build(
            request(tmp_path / "walks", tmp_path / "bench"),
            workers=1,
            progress=lambda done, total, name: made.append(name),
        )
    assert made == [] and not (tmp_path / "bench").exists() and left_over(tmp_path / "bench") == []


def test_a_recording_may_be_called_like_another_and_its_task(tmp_path: Path) -> None:
    (tmp_path / "walks").mkdir()
    write_tum(tmp_path / "walks" / "walk.txt", walk(0))  # its average speed ...
    write_tum(tmp_path / "walks" / "walk-average.txt", walk(1))  # ... and the speed of this one
    built = build(request(tmp_path / "walks", tmp_path / "bench"), workers=1)
    assert validate(built.folder) == []
    questions = open_benchmark(built.folder).questions
    assert {q.cluster for q in questions} == {"walk", "walk-average"}
    assert {q.id.partition("--")[0] for q in questions} == {"walk", "walk-average"}
    assert len({q.id for q in questions}) == len(questions)


# What is there already


def contents(folder: Path) -> dict[str, tuple[int, int]]:
    return {
        str(path.relative_to(folder)): (path.stat().st_mtime_ns, path.stat().st_ino)
        for path in folder.rglob("*")
        if path.is_file()
    }


def test_the_same_command_again_finds_what_it_made(sources: Path, undisturbed: Built) -> None:
    before = contents(undisturbed.folder)
    again = build(request(sources, undisturbed.folder), workers=1)
    assert again.already_there and again.card == undisturbed.card
    assert contents(undisturbed.folder) == before and left_over(undisturbed.folder) == []


def test_another_request_never_overwrites(sources: Path, undisturbed: Built) -> None:
    before = contents(undisturbed.folder)
    with pytest.raises(
        InputError, match=r"contains the benchmark of the command 'chronotope build sti walks --seed 0 .*--out"
    ):
        build(request(sources, undisturbed.folder, seed=1), workers=1)
    assert contents(undisturbed.folder) == before and left_over(undisturbed.folder) == []


@pytest.mark.parametrize("what", ["file", "folder"])
def test_something_else_in_the_way_stays(sources: Path, tmp_path: Path, what: str) -> None:
    out = tmp_path / "mine"
    if what == "folder":
        out.mkdir()
        (out / "thesis.tex").write_text("mine")
    else:
        out.write_text("mine")
    with pytest.raises(InputError, match="mine: exists already and is not a benchmark: choose another --out"):
        build(request(sources, out), workers=1)
    assert (out / "thesis.tex" if what == "folder" else out).read_text() == "mine"
    assert left_over(out) == []


def test_an_empty_folder_is_filled(sources: Path, tmp_path: Path) -> None:
    (tmp_path / "bench").mkdir()
    built = build(request(sources / "c.txt", tmp_path / "bench"), workers=1)
    assert validate(built.folder) == []


# The command on the card


@pytest.mark.slow
def test_the_command_on_the_card_makes_the_benchmark(tmp_path: Path) -> None:
    """A name with a space, the current folder as the source: the words of the card make the same rows."""
    source = tmp_path / "my walks"
    write_posed(source, walk(4, 31))
    first = chronotope("build", "sti", ".", "--out", "../first", "--per-variant", 1, "--gravity", "0,0,-2", cwd=source)
    assert first.returncode == 0, first.stderr
    command = yaml.safe_load((tmp_path / "first" / "card.yaml").read_text())["command"]
    assert "'my walks'" in command and "--per-variant 1" in command
    again = subprocess.run(
        f"{command} --out second",
        shell=True,
        cwd=tmp_path,
        env={**os.environ, "PATH": f"{COMMAND.parent}:{os.environ['PATH']}"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert again.returncode == 0, again.stderr
    assert truth_of(tmp_path / "second") == truth_of(tmp_path / "first")


@pytest.mark.filterwarnings("error::RuntimeWarning")
def test_a_build_without_questions_tells_the_cause(tmp_path: Path) -> None:
    angles = 0.02 * np.arange(60)
    rows = [
        f"{1.35 * k:.2f} {10 * np.cos(a):.5f} {10 * np.sin(a):.5f} 1 0 0 {np.sin(a / 2):.6f} {np.cos(a / 2):.6f}"
        for k, a in enumerate(angles)
    ]
    (tmp_path / "far.txt").write_text("\n".join(rows))
    with pytest.raises(NoQuestionError, match="no question could be written") as told:
        build(BuildRequest(family="sti", source=tmp_path / "far.txt", out=tmp_path / "bench"), workers=1)
    assert any("far: the poses are 1.35 s apart" in note for note in told.value.notes)
    assert told.value.refusals["pose"]["INVALID_POSE"] > 0
