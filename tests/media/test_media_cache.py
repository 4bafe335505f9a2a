"""The frame cache: what it returns is what decoding gives, whatever happened to its folder."""

import io
import os
import shutil
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path

import av
import numpy as np
import pytest
from PIL import Image

from chronotope.errors import InputError
from chronotope.media import FrameCache, cache_folder, decode_frames, encode_picture, plan_frames, probe


@pytest.fixture
def opened(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The clips opened since the test began."""
    names: list[str] = []
    real: Callable[..., object] = av.open
    monkeypatch.setattr(av, "open", lambda name, *rest, **more: names.append(name) or real(name, *rest, **more))
    return names


def entries(folder: Path) -> list[Path]:
    return sorted(folder.glob("*.frames"))


def test_pictures_are_those_of_the_plans(clips, opened: list[str], read_number, tmp_path: Path) -> None:
    path = clips["h264 g=30"]
    facts = probe(path)
    plans = [
        plan_frames(facts, "endpoints", count=5),
        plan_frames(facts, "times", at=[2.0, 0.0, 2.0], codec="png"),
        plan_frames(facts, "midpoints", count=3, size=(48, 32), quality=60),
        plan_frames(facts, "endpoints", count=5, window=(-1, 100)),
    ]
    expected = [
        [encode_picture(dict(decode_frames(path, [i], p.size))[i], p.codec, p.quality) for i in p.indices]
        for p in plans
    ]
    opened.clear()
    made = FrameCache(tmp_path / "c").frames(path, plans)
    assert opened == ["fd:"], "one pass for all plans, over the file that was hashed"
    assert made == expected
    again = FrameCache(tmp_path / "c").frames(path, plans)
    assert again == expected
    assert len(opened) == 1, "kept pictures open no clip"
    assert len(entries(tmp_path / "c")) == 3, "plans of one key share an entry"
    shown = [np.asarray(Image.open(io.BytesIO(picture.data))) for picture in again[1]]
    assert [read_number(picture) for picture in shown] == [60, 0, 60]


def test_only_what_is_missing_is_decoded(clips, opened: list[str], tmp_path: Path) -> None:
    path = clips["vp9"]
    facts = probe(path)
    old, new = plan_frames(facts, "endpoints", count=3), plan_frames(facts, "endpoints", count=4)
    cache = FrameCache(tmp_path)
    first = cache.frames(path, [old])
    kept = entries(tmp_path)[0].read_bytes()
    both = cache.frames(path, [old, new])
    assert both[0] == first[0]
    assert len(entries(tmp_path)) == 2
    assert kept in [entry.read_bytes() for entry in entries(tmp_path)]


@pytest.mark.parametrize("damage", ["cut", "flip", "empty", "header", "longer", "other"])
def test_a_damaged_entry_is_made_again(clips, opened: list[str], tmp_path: Path, damage: str) -> None:
    path = clips["h264 g=30"]
    plan = plan_frames(probe(path), "endpoints", count=4)
    good = FrameCache(tmp_path).frames(path, [plan])
    entry = entries(tmp_path)[0]
    content = entry.read_bytes()
    flipped = bytearray(content)
    flipped[-100] ^= 1
    other_plan = plan_frames(probe(path), "endpoints", count=5)
    FrameCache(tmp_path / "other").frames(path, [other_plan])
    entry.write_bytes(
        {
            "cut": content[:-1],
            "flip": bytes(flipped),
            "empty": b"",
            "header": b"[1]" + content,
            "longer": content + b"x",
            "other": entries(tmp_path / "other")[0].read_bytes(),
        }[damage]
    )
    opened.clear()
    assert FrameCache(tmp_path).frames(path, [plan]) == good
    assert len(opened) == 1
    assert entry.read_bytes() == content


def test_the_folder_may_vanish(clips, tmp_path: Path) -> None:
    path = clips["h264 g=30"]
    plan = plan_frames(probe(path), "endpoints", count=2)
    cache = FrameCache(tmp_path / "cache")
    first = cache.frames(path, [plan])
    shutil.rmtree(tmp_path / "cache")
    assert cache.frames(path, [plan]) == first


def test_the_size_is_bounded_and_the_longest_unused_goes_first(clips, tmp_path: Path) -> None:
    path = clips["h264 g=30"]
    facts = probe(path)
    plans = [plan_frames(facts, "times", at=[second]) for second in (0.0, 0.5, 1.0, 1.5)]
    size = 0
    for plan in plans:
        FrameCache(tmp_path / "probe").frames(path, [plan])
    size = max(entry.stat().st_size for entry in entries(tmp_path / "probe"))
    cache = FrameCache(tmp_path / "cache", max_bytes=3 * size)
    for age, plan in enumerate(plans[:3]):
        cache.frames(path, [plan])
        os.utime(tmp_path / "cache" / f"{plan.key}.frames", (time.time() - 1000 + age,) * 2)
    abandoned, young = tmp_path / "cache" / ".dead.partial.frames", tmp_path / "cache" / ".young.partial.frames"
    abandoned.write_bytes(b"x")
    young.write_bytes(b"x")
    os.utime(abandoned, (time.time() - 90_000,) * 2)
    cache.frames(path, [plans[0]])
    cache.frames(path, [plans[3]])
    assert {entry.stem for entry in entries(tmp_path / "cache") if entry.name[0] != "."} == {
        plans[i].key for i in (0, 2, 3)
    }
    assert not abandoned.exists(), "what a killed process left is cleared away"
    assert young.exists(), "what another process is writing is left alone"
    tiny = FrameCache(tmp_path / "tiny", max_bytes=10)
    assert tiny.frames(path, plans) == cache.frames(path, plans)
    assert sum(entry.stat().st_size for entry in entries(tmp_path / "tiny")) <= 10


def test_another_clip_is_refused_with_both_hashes(clips, tmp_path: Path) -> None:
    path = tmp_path / "clip.mp4"
    shutil.copy(clips["h264 g=30"], path)
    facts = probe(path)
    cache = FrameCache(tmp_path / "cache")
    cache.frames(path, [plan_frames(facts, "endpoints", count=2)])
    shutil.copy(clips["h264 g=250"], path)
    other = probe(path)
    with pytest.raises(InputError, match=f"SHA-256 {other.sha256}, expected {facts.sha256}"):
        cache.frames(path, [plan_frames(facts, "endpoints", count=3)])
    assert len(entries(tmp_path / "cache")) == 1
    with pytest.raises(InputError, match=r"gone\.mp4: cannot be opened"):
        cache.frames(tmp_path / "gone.mp4", [plan_frames(facts, "endpoints", count=3)])


def test_a_file_in_the_way_of_the_folder_stops_nothing(clips, opened: list[str], tmp_path: Path) -> None:
    path = clips["h264 g=30"]
    plans = [plan_frames(probe(path), "endpoints", count=count) for count in (2, 3)]
    expected = FrameCache(tmp_path / "good").frames(path, plans)
    (tmp_path / "file").write_text("mine")
    cache = FrameCache(tmp_path / "file")
    opened.clear()
    assert cache.problem is None
    assert [cache.frames(path, plans) for _ in range(2)] == [expected] * 2
    assert len(opened) == 2, "each time anew"
    assert cache.problem.startswith(f"{tmp_path / 'file'}: frames cannot be cached here (")
    assert "CHRONOTOPE_CACHE" in cache.problem and "\n" not in cache.problem
    assert (tmp_path / "file").read_text() == "mine"


def test_something_in_the_way_of_one_entry_is_told_once(clips, tmp_path: Path) -> None:
    path = clips["h264 g=30"]
    blocked, free = (plan_frames(probe(path), "endpoints", count=count) for count in (2, 3))
    good = FrameCache(tmp_path / "good")
    expected = good.frames(path, [blocked, free])
    assert good.problem is None
    (tmp_path / "c" / f"{blocked.key}.frames" / "inside").mkdir(parents=True)
    cache = FrameCache(tmp_path / "c")
    assert cache.frames(path, [blocked, free]) == expected
    assert "(Is a directory)" in cache.problem or "(Directory not empty)" in cache.problem
    assert (tmp_path / "c" / f"{free.key}.frames").is_file(), "the others are kept"
    first = cache.problem
    (tmp_path / "c" / f"{free.key}.frames").unlink()
    shutil.rmtree(tmp_path / "c")
    (tmp_path / "c").touch()
    assert cache.frames(path, [free]) == expected[1:]
    assert cache.problem == first
    assert list(tmp_path.glob("**/.*")) == [], "nothing half-written stays"


FULL = """
import resource, sys
from pathlib import Path
from chronotope.media import FrameCache, plan_frames, probe
clip, folder = Path(sys.argv[1]), Path(sys.argv[2])
plans = [plan_frames(probe(clip), "endpoints", count=count) for count in (2, 9)]
expected = FrameCache(folder / "good").frames(clip, plans)
small, large = ((folder / "good" / f"{plan.key}.frames").stat().st_size for plan in plans)
resource.setrlimit(resource.RLIMIT_FSIZE, ((small + large) // 2,) * 2)
cache = FrameCache(folder / "full")
assert cache.frames(clip, plans) == expected
assert "frames cannot be cached here (File too large)" in cache.problem
assert [entry.name for entry in (folder / "full").iterdir()] == [f"{plans[0].key}.frames"]
"""


@pytest.mark.skipif(sys.platform == "win32", reason="files have no limit of size there")
def test_an_entry_that_does_not_fit_stops_nothing(clips, tmp_path: Path) -> None:
    subprocess.run([sys.executable, "-c", FULL, str(clips["h264 g=30"]), str(tmp_path)], check=True, timeout=120)


@pytest.mark.skipif(sys.platform == "win32", reason="folders have no mode there")
@pytest.mark.parametrize("mode", [0o000, 0o500])
def test_a_folder_without_permission_stops_nothing(clips, tmp_path: Path, mode: int) -> None:
    path = clips["h264 g=30"]
    plan = plan_frames(probe(path), "endpoints", count=2)
    expected = FrameCache(tmp_path / "c").frames(path, [plan])
    [entry] = entries(tmp_path / "c")
    entry.write_bytes(entry.read_bytes()[:-1])
    (tmp_path / "c").chmod(mode)
    try:
        if os.access(tmp_path / "c", os.W_OK):
            pytest.skip("this user may write everywhere")
        cache = FrameCache(tmp_path / "c")
        assert cache.frames(path, [plan]) == expected
        assert "(Permission denied)" in cache.problem
    finally:
        (tmp_path / "c").chmod(0o700)


@pytest.mark.parametrize("call", ["unlink", "scandir"])
def test_a_folder_that_cannot_be_cleared_stops_nothing(
    clips, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, call: str
) -> None:
    """A damaged entry that stays, entries that cannot be evicted: as in a folder that belongs to somebody else."""
    path = clips["h264 g=30"]
    plans = [plan_frames(probe(path), "endpoints", count=count) for count in (2, 3)]
    expected = FrameCache(tmp_path / "c").frames(path, plans)
    for entry in entries(tmp_path / "c"):
        entry.write_bytes(entry.read_bytes()[:-1])

    def refuse(*arguments: object, **more: object) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(*((Path, "unlink") if call == "unlink" else (os, "scandir")), refuse)
    cache = FrameCache(tmp_path / "c", max_bytes=10)
    assert cache.frames(path, plans) == expected
    assert "(Permission denied)" in cache.problem


def test_many_threads(clips, tmp_path: Path) -> None:
    path = clips["h264 g=30"]
    facts = probe(path)
    plans = [plan_frames(facts, "endpoints", count=2 + i % 3) for i in range(6)]
    cache = FrameCache(tmp_path, max_bytes=20_000)
    results: dict[int, object] = {}
    threads = [
        threading.Thread(target=lambda i=i, p=p: results.__setitem__(i, cache.frames(path, [p, plans[0]])))
        for i, p in enumerate(plans)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert results == {i: FrameCache(tmp_path / "alone").frames(path, [p, plans[0]]) for i, p in enumerate(plans)}


SCRIPT = """
import sys
from pathlib import Path
from chronotope.media import FrameCache, plan_frames, probe
clip, folder = Path(sys.argv[1]), Path(sys.argv[2])
facts = probe(clip)
cache = FrameCache(folder, max_bytes=40_000)
for _ in range(5):
    for count in range(2, 7):
        for picture in cache.frames(clip, [plan_frames(facts, "endpoints", count=count)])[0]:
            print(count, picture.sha256)
"""


def test_several_processes_share_a_folder(clips, tmp_path: Path) -> None:
    """The bound is so low that they keep evicting what the others read and write."""
    command = [sys.executable, "-c", SCRIPT, str(clips["h264 g=30"]), str(tmp_path / "cache")]
    running = [subprocess.Popen(command, stdout=subprocess.PIPE, text=True) for _ in range(3)]
    printed = [process.communicate(timeout=120)[0] for process in running]
    assert [process.returncode for process in running] == [0, 0, 0]
    assert printed[0] == printed[1] == printed[2]
    assert printed[0].count("\n") == 5 * (2 + 3 + 4 + 5 + 6)


def test_where_the_cache_lies(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("CHRONOTOPE_CACHE", str(tmp_path / "here"))
    assert cache_folder() == tmp_path / "here"
    assert FrameCache().folder == tmp_path / "here" / "frames"
    monkeypatch.delenv("CHRONOTOPE_CACHE")
    assert cache_folder().name == "chronotope"
