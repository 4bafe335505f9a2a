"""Releases that come packed: unpacked into the cache, safely, once, whole or not at all."""

import gzip
import io
import os
import shutil
import stat
import struct
import tarfile
import tracemalloc
import zipfile
from pathlib import Path

import pytest

import ikea_released
import m3_released
import vgenst_released
from chronotope.errors import InputError
from chronotope.make import import_release
from chronotope.make.transfer import archives
from chronotope.make.transfer.archives import unpacked
from chronotope.make.transfer.unpacked import unpacked_view
from chronotope.question import open_benchmark, validate
from commands import command
from sti_released import row, write_release


def pack(folder: Path, archive: Path, *, inside: str = "") -> Path:
    """Move what a folder holds into an archive, under ``inside``."""
    archive.parent.mkdir(parents=True, exist_ok=True)
    with zipfile.ZipFile(archive, "w") as packed:
        for file in sorted(folder.rglob("*")):
            if file.is_file():
                packed.write(file, f"{inside}{file.relative_to(folder)}")
    shutil.rmtree(folder)
    return archive


def cached() -> list[Path]:
    folder = Path(os.environ["CHRONOTOPE_CACHE"]) / "unpacked"
    return sorted(folder.iterdir()) if folder.exists() else []


def sti(folder: Path) -> Path:
    return write_release(folder, [row(number) for number in range(9)])


@pytest.mark.parametrize("inside", ["", "video/", "videos/", "STI-Bench/video/"])
def test_a_folder_with_a_packed_part_is_as_good_as_the_whole(tmp_path: Path, inside: str) -> None:
    wanted = import_release("sti", sti(tmp_path / "whole"), tmp_path / "wanted").benchmark
    release = sti(tmp_path / "release")
    pack(release / "video", release / "video.zip", inside=inside)
    before = sorted(release.rglob("*"))
    imported = import_release("sti", release, tmp_path / "bench")
    assert imported.benchmark.questions == wanted.questions and validate(tmp_path / "bench") == []
    assert imported.benchmark.card.content_hash == wanted.card.content_hash
    assert any("unpacked into the cache: video.zip" in note for note in imported.notes)
    assert sorted(release.rglob("*")) == before  # nothing is written beside it
    assert not any(file.is_symlink() for file in (tmp_path / "bench").rglob("*"))
    [kept] = cached()
    times = {file: file.stat().st_mtime_ns for file in kept.rglob("*")}
    import_release("sti", release, tmp_path / "again")
    assert cached() == [kept] and {file: file.stat().st_mtime_ns for file in kept.rglob("*")} == times
    assert not list((Path(os.environ["CHRONOTOPE_CACHE"]) / "views").iterdir())


def test_a_release_packed_as_one_with_a_packed_part_is_read(tmp_path: Path) -> None:
    release = sti(tmp_path / "release")
    pack(release / "video", release / "video.zip", inside="video/")
    archive = pack(release, tmp_path / "STI-Bench.zip", inside="STI-Bench/")
    command("import", "sti", archive, "--out", tmp_path / "bench", code=0)
    assert len(open_benchmark(tmp_path / "bench").questions) == 9
    clips = sti(tmp_path / "other")
    pack(clips / "video", tmp_path / "clips.zip")
    imported = import_release("sti", clips / "qa.parquet", tmp_path / "apart", tmp_path / "clips.zip")
    assert len(imported.benchmark.questions) == 9


def test_the_archives_of_every_family(tmp_path: Path) -> None:
    rows = [vgenst_released.row(idx=idx) for idx in range(3)]
    release = vgenst_released.write_release(tmp_path / "vgenst", rows)
    task = release / "videos" / vgenst_released.MC
    for part in [item for item in task.iterdir() if item.is_dir()]:
        pack(part, task / f"{part.name}.zip", inside=f"{part.name}/")
    assert [file.suffix for file in task.iterdir()] == [".zip"]
    assert len({q.base or q.id for q in import_release("vgenst", release, tmp_path / "v").benchmark.questions}) == 3

    rows = [ikea_released.row(one, "Chair", "bekvam_3017", n) for n, one in enumerate(ikea_released.TASKS)]
    release = ikea_released.write_release(tmp_path / "ikea", rows)
    for part in ("manual_img", "qa_frames"):
        pack(release / part, release / f"{part}.zip", inside=f"{part}/")
    assert len(import_release("ikea", release, tmp_path / "i").benchmark.questions) == len(rows)

    release = m3_released.write_release(tmp_path / "m3", [m3_released.row(number) for number in range(4)])
    archive = pack(release, tmp_path / "M3-Verse.zip")
    assert len(import_release("m3", archive, tmp_path / "m").benchmark.questions) == 4


def zipped(path: Path, *members: tuple[str, bytes, int]) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as packed:
        for name, data, kind in members:
            info = zipfile.ZipInfo(name)
            info.external_attr = (kind | 0o644) << 16
            packed.writestr(info, data, zipfile.ZIP_DEFLATED)
    return path


def tarred(path: Path, *members: tuple[str, bytes, str]) -> Path:
    with tarfile.open(path, "w:gz") as packed:
        for name, kind, target in members:
            info = tarfile.TarInfo(name)
            info.type, info.linkname, info.size = kind, target, 3 if kind == tarfile.REGTYPE else 0
            packed.addfile(info, io.BytesIO(b"abc"))
    return path


REGULAR = stat.S_IFREG


@pytest.mark.parametrize(
    ("name", "members", "said"),
    [
        ("up.zip", [("a.mp4", b"1", REGULAR), ("../up.mp4", b"1", REGULAR)], "'../up.mp4' is not safe"),
        ("inside.zip", [("a/../../up.mp4", b"1", REGULAR)], "is not safe"),
        ("root.zip", [("/tmp/up.mp4", b"1", REGULAR)], "is not safe"),
        ("windows.zip", [("..\\up.mp4", b"1", REGULAR)], "is not safe"),
        ("broken.zip", [("con\nx", b"1", REGULAR)], "line break or a control character"),
        ("drive.zip", [("C:/up.mp4", b"1", REGULAR)], "is not safe"),
        ("link.zip", [("a", b"/etc/passwd", stat.S_IFLNK)], "a link or a device"),
        ("device.zip", [("a", b"", stat.S_IFCHR)], "a link or a device"),
        ("twice.zip", [("a", b"1", REGULAR), ("a", b"2", REGULAR)], "twice"),
        ("under.zip", [("a", b"1", REGULAR), ("a/b", b"2", REGULAR)], "cannot be unpacked"),
        ("up.tar.gz", [("../up.mp4", tarfile.REGTYPE, "")], "is not safe"),
        ("link.tar.gz", [("a", tarfile.SYMTYPE, "/etc/passwd")], "a link or a device"),
        ("hard.tgz", [("a", tarfile.LNKTYPE, "/etc/passwd")], "a link or a device"),
        ("pipe.tar", [("a", tarfile.FIFOTYPE, "")], "a link or a device"),
        ("device.tar", [("a", tarfile.BLKTYPE, "")], "a link or a device"),
    ],
)
@pytest.mark.filterwarnings("ignore:Duplicate name")
def test_what_is_not_safe_is_refused_and_nothing_stays(tmp_path: Path, name: str, members: list, said: str) -> None:
    place = tmp_path / "place"
    place.mkdir()
    archive = (zipped if name.endswith(".zip") else tarred)(place / name, *members)
    with pytest.raises(InputError, match=said) as refused:
        unpacked(archive)
    assert str(archive) in str(refused.value) and "\n" not in str(refused.value)
    assert cached() == [] and [item.name for item in place.iterdir()] == [name]
    assert not (tmp_path / "up.mp4").exists() and not (Path(os.environ["CHRONOTOPE_CACHE"]) / "up.mp4").exists()


def test_what_a_tar_and_a_mac_pack_is_unpacked(tmp_path: Path) -> None:
    folder = unpacked(tarred(tmp_path / "x.tar.gz", ("./a/b.mp4", tarfile.REGTYPE, "")))
    assert (folder / "a" / "b.mp4").read_bytes() == b"abc"
    members = [
        ("a.mp4", b"1", 0),
        ("__MACOSX/._a.mp4", b"2", REGULAR),
        ("b/.DS_Store", b"3", REGULAR),
        ("Icon\r", b"", REGULAR),
    ]
    assert [file.name for file in unpacked(zipped(tmp_path / "x.zip", *members)).rglob("*")] == ["a.mp4"]


def test_what_grows_beyond_all_measure_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(archives, "SMALL", 1_000_000)
    bomb = zipped(tmp_path / "bomb.zip", *((f"{number}.mp4", bytes(500_000), REGULAR) for number in range(8)))
    assert bomb.stat().st_size < 10_000
    with pytest.raises(InputError, match="grows to more than 100 times its size"):
        unpacked(bomb)
    assert cached() == []
    monkeypatch.setattr(archives, "MOST_FILES", 3)
    many = zipped(tmp_path / "many.zip", *((f"{number}.mp4", b"1", REGULAR) for number in range(4)))
    with pytest.raises(InputError, match="more than 3 files"):
        unpacked(many)
    monkeypatch.setattr(archives, "ROOM_LEFT", 1 << 60)
    with pytest.raises(InputError, match=r"not enough disk space .* CHRONOTOPE_CACHE"):
        unpacked(zipped(tmp_path / "full.zip", ("1.mp4", b"1", REGULAR)))
    assert cached() == []


def header(kind: bytes, size: int, sparse: bool = False) -> bytes:
    info = tarfile.TarInfo("long")
    info.type, info.size = kind, size
    data = bytearray(info.tobuf(tarfile.GNU_FORMAT))
    if sparse:  # its map goes on in the next block
        data[482], data[148:156] = 1, b" " * 8
        data[148:156] = b"%06o\0 " % sum(data)
    return bytes(data)


LONG = 48_000_000
HEADERS = {
    "name": (tarfile.GNUTYPE_LONGNAME, b"a"),
    "link": (tarfile.GNUTYPE_LONGLINK, b"a"),
    "pax": (tarfile.XHDTYPE, b"48000000 comment=" + b"a" * 495),
    "global": (tarfile.XGLTYPE, b"48000000 comment=" + b"a" * 495),
    "solaris": (tarfile.SOLARIS_XHDTYPE, b"48000000 comment=" + b"a" * 495),
    "sparse": (tarfile.GNUTYPE_SPARSE, (b"0" * 11 + b" ") * 42 + b"\x01" + bytes(7)),
}


@pytest.mark.parametrize("kind", HEADERS)
def test_a_header_that_stands_for_gigabytes_is_not_read(tmp_path: Path, kind: str) -> None:
    sort, filling = HEADERS[kind]
    bomb = tmp_path / "bomb.tar.gz"
    with gzip.open(bomb, "wb", compresslevel=1) as file:
        file.write(header(sort, LONG, sparse=kind == "sparse"))
        for _ in range(16):
            file.write(filling * (LONG // 16 // len(filling)))
    assert bomb.stat().st_size < 1_000_000
    tracemalloc.start()
    try:
        with pytest.raises(InputError, match="has more than 1 MB of headers before the content of a file") as refused:
            unpacked(bomb)
        assert tracemalloc.get_traced_memory()[1] < 12_000_000
    finally:
        tracemalloc.stop()
    assert str(bomb) in str(refused.value) and "\n" not in str(refused.value) and cached() == []


def test_what_a_tar_passes_over_is_counted_and_bounded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(archives, "SMALL", 1_000_000)
    with tarfile.open(tmp_path / "passed.tar.gz", "w:gz") as packed:
        for name in ("__MACOSX/a", "b"):
            info = tarfile.TarInfo(name)
            info.size = 2_000_000
            packed.addfile(info, io.BytesIO(bytes(info.size)))
    with pytest.raises(InputError, match="grows to more than 100 times its size"):
        unpacked(tmp_path / "passed.tar.gz")
    notes = {f"note{number}": "x" for number in range(archives.MOST_GLOBALS + 1)}
    with tarfile.open(tmp_path / "notes.tar", "w", format=tarfile.PAX_FORMAT, pax_headers=notes) as packed:
        packed.addfile(tarfile.TarInfo("a"))
    with pytest.raises(InputError, match="has more than 64 global headers"):
        unpacked(tmp_path / "notes.tar")
    assert cached() == []


GNU, PAX, USTAR = tarfile.GNU_FORMAT, tarfile.PAX_FORMAT, tarfile.USTAR_FORMAT


@pytest.mark.parametrize(
    ("suffix", "form"),
    [(".tar", GNU), (".tar", PAX), (".tar.gz", PAX), (".tar.gz", USTAR), (".tar.bz2", GNU), (".tar.xz", PAX)],
)
def test_every_form_of_tar_is_unpacked_and_its_damage_is_told(tmp_path: Path, suffix: str, form: int) -> None:
    long = "/".join(["å" * 60 if form != USTAR else "a" * 30] * 3)
    wanted = {f"{long}/{number}.mp4": os.urandom(1_200_000 if number == 1 else 700 * number) for number in range(4)}
    with tarfile.open(
        tmp_path / f"x{suffix}", f"w:{suffix.rpartition('.')[2].replace('tar', '')}", format=form
    ) as packed:  # type: ignore[call-overload]
        for name, data in wanted.items():
            info = tarfile.TarInfo(name)
            info.size = len(data)
            packed.addfile(info, io.BytesIO(data))
    folder = unpacked(tmp_path / f"x{suffix}")
    assert {str(file.relative_to(folder)): file.read_bytes() for file in folder.rglob("*.mp4")} == wanted
    data = (tmp_path / f"x{suffix}").read_bytes()
    broken = [data[:600_000], data[:600_000] + bytes(100) + data[600_100:]]
    for number, content in enumerate(broken if suffix != ".tar" else broken[:1]):  # a plain one has no checksum
        (tmp_path / f"{number}{suffix}").write_bytes(content)
        with pytest.raises(InputError, match="cannot be unpacked"):
            unpacked(tmp_path / f"{number}{suffix}")
    assert cached() == [folder]


def test_a_damaged_archive_is_told_and_leaves_nothing(tmp_path: Path) -> None:
    archive = zipped(tmp_path / "video.zip", *((f"{number}.mp4", os.urandom(1000), REGULAR) for number in range(9)))
    data = bytearray(archive.read_bytes())
    data[5000] ^= 1
    archive.write_bytes(data)
    with pytest.raises(InputError, match=r"video.zip: cannot be unpacked \(.*: download the archive again"):
        unpacked(archive)
    archive.write_bytes(data[:4000])
    with pytest.raises(InputError, match="cannot be unpacked"):
        unpacked(archive)
    release = sti(tmp_path / "release")
    shutil.rmtree(release / "video")
    shutil.copy(archive, release)
    told = command("import", "sti", release, "--out", tmp_path / "bench", code=2)
    assert told.err.count("\n") == 1 and "Traceback" not in told.err
    assert cached() == [] and not (tmp_path / "bench").exists()


def test_an_archive_that_is_not_needed_stays_packed(tmp_path: Path) -> None:
    release = sti(tmp_path / "release")
    zipped(release / "extra.zip", ("../up.mp4", b"1", REGULAR))
    assert len(import_release("sti", release, tmp_path / "bench").benchmark.questions) == 9
    with pytest.raises(InputError, match=r"none of its|no table|qa_benchmark"):
        import_release("ikea", release, tmp_path / "ikea")  # another benchmark's: nothing is unpacked for it
    assert cached() == []


def test_clips_one_folder_down_are_found(tmp_path: Path) -> None:
    release = sti(tmp_path / "release")
    place = tmp_path / "clips" / "unpacked" / "video"
    place.parent.mkdir(parents=True)
    (release / "video").rename(place)
    for given in (place, place.parent, place.parent.parent):
        out = tmp_path / f"bench-{given.name}"
        assert len(import_release("sti", release / "qa.parquet", out, given).benchmark.questions) == 9
    rows = [ikea_released.row(one, "Chair", "bekvam_3017", n) for n, one in enumerate(ikea_released.TASKS)]
    release = ikea_released.write_release(tmp_path / "ikea", rows)
    (tmp_path / "frames").mkdir()
    (release / "qa_frames").rename(tmp_path / "frames" / "qa_frames")
    imported = import_release("ikea", release, tmp_path / "i", tmp_path / "frames")
    assert len(imported.benchmark.questions) == len(rows)
    release = vgenst_released.write_release(tmp_path / "vgenst", [vgenst_released.row()])
    (tmp_path / "down").mkdir()
    (release / "videos").rename(tmp_path / "down" / "VGenST-Bench")
    assert import_release("vgenst", release, tmp_path / "v", tmp_path / "down").benchmark.questions


def test_many_archives_share_what_they_may_grow_to(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(archives, "SMALL", 1_000_000)
    inner = zipped(tmp_path / "v.zip", ("a.mp4", bytes(900_000), REGULAR)).read_bytes()
    assert len(inner) < 9_000
    members = [*((f"v{n}.zip", inner, REGULAR) for n in range(4)), ("qa.json", b"[]", REGULAR)]
    outer = zipped(tmp_path / "outer.zip", *members)
    said = r"outer\.zip/v0\.zip: grows to more than 100 times its size"
    with pytest.raises(InputError, match=said), unpacked_view(outer, print):
        pass


@pytest.mark.parametrize("is_large", [False, True])
def test_a_list_of_files_of_gigabytes_is_not_read(tmp_path: Path, is_large: bool) -> None:
    size = 1 << 31
    end = struct.pack("<4s4H2LH", b"PK\x05\x06", 0, 0, 65535, 65535, 0xFFFFFFFF if is_large else size, 0, 0)
    large = struct.pack("<4sQ2H2L4Q", b"PK\x06\x06", 44, 45, 45, 0, 0, 10**7, 10**7, size, 0)
    (tmp_path / "a.zip").write_bytes((large if is_large else b"") + end)
    with pytest.raises(InputError, match="lists its files in 2048 MB, more than any known release"):
        unpacked(tmp_path / "a.zip")


def test_names_that_a_disk_does_not_tell_apart_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A disk that ignores case: a link of the second name is taken for the first."""
    real, seen = Path.symlink_to, set[str]()

    def ignoring_case(link: Path, target: Path) -> None:
        if str(link).lower() in seen:
            raise FileExistsError(17, "File exists", str(link))
        seen.add(str(link).lower())
        real(link, target)

    zipped(tmp_path / "a.zip", ("Clip.mp4", b"1", REGULAR))
    (tmp_path / "clip.mp4").write_bytes(b"2")
    with unpacked_view(tmp_path, print) as view:
        assert {file.name for file in view.iterdir()} == {"Clip.mp4", "clip.mp4"}  # this disk keeps them apart
    monkeypatch.setattr(Path, "symlink_to", ignoring_case)
    with pytest.raises(InputError, match="same name except for upper and lower case"), unpacked_view(tmp_path, print):
        pass
