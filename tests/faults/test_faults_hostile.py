"""Benchmarks from elsewhere: nothing is written outside, nothing fills the memory, nothing waits for ever."""

import dataclasses
import io
import os
import shutil
import struct
import subprocess
import sys
import zlib
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path

import av
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import yaml
from faults_clips import coded, read_code, write_clip
from faults_tools import chronotope, told_once, tree
from PIL import Image

from chronotope.errors import InputError
from chronotope.media import decode_frames, frame_times, probe, read_picture
from chronotope.question import (
    CardDraft,
    MediaFile,
    MediaItem,
    Mention,
    Option,
    Question,
    Window,
    measure_media,
    open_benchmark,
    write_benchmark_tables,
)
from chronotope.question.benchmark import count
from chronotope.question.rows import content_hash, write_media, write_questions
from chronotope.question.schema import QUESTIONS_SCHEMA

CLIPS = ("clips/a.mp4", "clips/b.mp4")
TRICKS = ["../../escaped", "{outside}/escaped", "a/../../../escaped", "..\\..\\escaped", "~/escaped", "x" * 300]


def question(**changed: object) -> Question:
    plain = Question(
        id="q",
        family="sti",
        task="Speed & Acceleration",
        cluster="clip",
        stem="How fast is it?",
        options=tuple(Option(f"{n} m/s") for n in range(1, 5)),
        answer=(1,),
        window=Window(0.0, 1.0),
        media=tuple(MediaItem("video", "video", (clip,)) for clip in CLIPS),
    )
    return dataclasses.replace(plain, **changed)


@pytest.fixture(scope="module")
def plain(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A small benchmark of one question about two clips; tests only read it."""
    folder = tmp_path_factory.mktemp("plain") / "bench"
    (folder / "clips").mkdir(parents=True)
    for number, clip in enumerate(CLIPS):
        write_clip(folder / clip, clip=number, frames=12)
    draft = CardDraft(name="bench", family="sti", profile="strict", licence="CC0-1.0")
    write_benchmark_tables(folder, draft, [question()], measure_media(folder, CLIPS))
    return folder


def rewritten(bench: Path, asked: Question, media: dict[str, MediaFile] | None = None, **card: object) -> None:
    """Put a question and media into a folder as somebody else's tool could, and make the card fit."""
    benchmark = open_benchmark(bench)
    media = media or benchmark.media
    write_media(bench / "media.parquet", media)
    write_questions(bench / "questions.parquet", [asked])
    hashed = content_hash([asked], {path: dataclasses.replace(file) for path, file in media.items()})
    update = {"counts": count([asked], media), "content_hash": hashed, **card}
    (bench / "card.yaml").write_text(yaml.safe_dump(benchmark.card.model_copy(update=update).model_dump(mode="json")))


@pytest.fixture
def bench(plain: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy in a folder of its own, deep enough that what escapes still lies below ``tmp_path``."""
    (tmp_path / "outside").mkdir()
    place = tmp_path / "deep" / "deeper" / "work"
    place.mkdir(parents=True)
    monkeypatch.chdir(place)
    return shutil.copytree(plain, place / "bench")


# Names


def tricked(trick: str) -> Question:
    """The trick in every column that takes any text."""
    return question(
        id=trick,
        cluster=trick,
        stem=trick,
        options=(Option(trick), *(Option(f"{n} m/s") for n in range(3))),
        media=tuple(MediaItem(trick, "video", (clip,), label=trick) for clip in CLIPS),
        tags={trick: (trick,), "scene": (trick,)},
        flags=(trick,),
        recordings=(trick,),
        mentions=(Mention(trick, "asked", trick),),
        provenance={"recording": trick, trick: trick, "entities": [trick], "phrases": {trick: trick}},
    )


@pytest.mark.parametrize("trick", TRICKS)
def test_no_column_becomes_a_path(bench: Path, tmp_path: Path, trick: str) -> None:
    """Over every command that reads a benchmark; what it writes lies in the current folder, and nowhere else."""
    trick = trick.format(outside=tmp_path / "outside")
    rewritten(bench, tricked(trick), name=trick, attributions=(trick,), licence=trick)
    outside = tree(tmp_path)
    replies = bench.parent / "replies.jsonl"
    replies.write_text('{"id": ' + yaml.safe_dump(trick, default_style='"').strip() + ', "reply": "A"}\n')
    for words in (
        ("show", bench, "--question", trick),
        ("show", bench),
        ("run", bench, "--model", "baseline/random"),
        ("run", bench, "--model", "baseline/random", "--dry-run"),
        ("score", bench, replies, "--out", "scored"),
        ("report", "runs", "--out", "report", "--frames", "all"),
        ("vary", bench, "--out", "varied"),
    ):
        told = chronotope(*words)
        assert told.code in (0, 2) and "Traceback" not in told.err, told.err
    work = bench.parent
    new = {name for name in tree(tmp_path) if name not in outside}
    inside = f"{tmp_path.name}/{work.relative_to(tmp_path)}/"
    assert new and all(name.startswith(inside) for name in new), new
    tops = {name.removeprefix(inside).split("/")[0] for name in new}
    shown = {top for top in tops if top.startswith("show-")}
    assert len(shown) == 1 and len(next(iter(shown))) < 120
    assert len(list((work / next(iter(shown))).iterdir())) == 16, "8 frames of each of two clips"
    assert tops - shown <= {"runs", "scored", "report", "varied", "replies.jsonl"}
    for name in work.rglob("*"):
        assert "\\" not in name.name and not name.name.startswith("~")


@pytest.mark.parametrize("trick", ["../../escaped", "a/../../escaped", ".hidden"])
def test_a_recording_s_name_is_no_path(bench: Path, tmp_path: Path, trick: str) -> None:
    source = tmp_path / "deep" / "walk"
    from small_sources import walk, write_posed

    write_posed(source, walk(1, 25))
    assert chronotope("build", "sti", source, "--out", "built", "--per-variant", 1, "--workers", 1).code == 0
    [folder] = Path("built/recordings").iterdir()
    path = folder / "recording.json"
    path.write_text(path.read_text().replace(f'"{folder.name}"', f'"{trick}"', 1))
    before = tree(tmp_path)
    told = chronotope("show", folder)
    assert told.code in (0, 2)
    told_once(chronotope("build", "sti", folder, "--out", "again", "--workers", 1), "field 'id'", "not a safe name")
    work = f"{tmp_path.name}/deep/deeper/work/"
    assert all(name.startswith(work) for name in tree(tmp_path) if name not in before)


# What is no ordinary file


def pipe(path: Path) -> None:
    path.unlink()
    os.mkfifo(path)


def zeros(path: Path) -> None:
    path.unlink()
    path.symlink_to("/dev/zero")


def socket(path: Path) -> None:
    import socket as sockets

    path.unlink()
    with sockets.socket(sockets.AF_UNIX) as opened:
        opened.bind(os.path.relpath(path))


@pytest.mark.parametrize("name", ["card.yaml", "questions.parquet", "media.parquet", "clips/a.mp4"])
@pytest.mark.parametrize("what", [pipe, zeros, socket])
def test_only_ordinary_files_are_opened(bench: Path, name: str, what: Callable[[Path], None]) -> None:
    """Reading a pipe waits for ever, and reading zeros never ends."""
    what(bench / name)
    for words in (("show", bench), ("run", bench, "--model", "baseline/random"), ("vary", bench, "--out", "varied")):
        told_once(chronotope(*words), name)
    with pytest.raises(InputError, match=r"a\.mp4" if "clips" in name else "expected"):
        open_benchmark(bench) if "clips" not in name else probe(bench / name)


def test_a_pipe_in_a_recording_is_told(bench: Path) -> None:
    folder = bench / "recordings" / "a"
    folder.mkdir(parents=True)
    os.mkfifo(folder / "recording.json")
    told_once(chronotope("show", bench), "recording.json is missing")


# What grows


def test_a_card_that_stands_for_gigabytes(bench: Path) -> None:
    card = bench / "card.yaml"
    lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x, x]"]
    lines += [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 10)}]" for n in range(1, 9)]
    card.write_text("\n".join(lines))
    assert card.stat().st_size < 800
    told_once(chronotope("show", bench), "card.yaml", "line 2 has an alias", "write its value instead")
    card.write_text("name: " + "x" * (5 << 20))
    told_once(chronotope("show", bench), "card.yaml", "larger than 512 KB")


def test_what_is_written_as_yaml_has_no_aliases(tmp_path: Path) -> None:
    from chronotope.io import read_yaml, write_yaml

    twice = ["one", "two"]
    write_yaml(tmp_path / "a.yaml", {"first": twice, "second": twice})
    assert "*" not in (tmp_path / "a.yaml").read_text()
    assert read_yaml(tmp_path / "a.yaml") == {"first": twice, "second": twice}


def bomb(path: Path, rows: int, size: int) -> None:
    """``rows`` questions whose stem is one text of ``size`` bytes, kept once in a dictionary."""
    indices = pa.array(np.zeros(rows, np.int32))
    columns = {
        field.name: pa.DictionaryArray.from_arrays(indices, pa.array(["x" * (size if field.name == "stem" else 3)]))
        if pa.types.is_string(field.type)
        else pa.array([[] if pa.types.is_list(field.type) else None] * rows, field.type)
        for field in QUESTIONS_SCHEMA
    }
    columns["multiple"] = pa.array([False] * rows)
    pq.write_table(pa.table(columns), path, compression="zstd", dictionary_pagesize_limit=size + 1000)


def test_a_table_that_stands_for_terabytes(bench: Path) -> None:
    bomb(bench / "questions.parquet", 400_000, 8 << 20)
    assert (bench / "questions.parquet").stat().st_size < 1_000_000
    told_once(chronotope("show", bench), "questions.parquet", "exceeds 2 GB when unpacked")


def test_a_table_with_too_many_rows(bench: Path) -> None:
    rows = 6_000_000
    pq.write_table(pa.table({field.name: pa.nulls(rows) for field in QUESTIONS_SCHEMA}), bench / "questions.parquet")
    assert (bench / "questions.parquet").stat().st_size < 1_000_000
    told_once(chronotope("show", bench), "questions.parquet", "6,000,000 rows, expected at most")


def test_a_table_with_lists_without_end(bench: Path) -> None:
    """A few thousand bytes that stand for a hundred million numbers, and a row of which a fault is told."""
    table = pq.read_table(bench / "questions.parquet")
    place, field = table.schema.get_field_index("answer"), table.schema.field("answer")
    for many, words in ((30_000_000, "30,000,000 values"), (100_000, "an index occurs twice (0, 0, 0")):
        answers = pa.array([np.zeros(many, np.int32)], field.type)
        pq.write_table(table.set_column(place, field, [answers]), bench / "questions.parquet", compression="zstd")
        assert (bench / "questions.parquet").stat().st_size < 100_000
        assert len(told_once(chronotope("show", bench), "questions.parquet", words)) < 1000


@pytest.mark.parametrize(
    ("column", "value"),
    [("frames", 2**31 - 1), ("width", 2**31 - 1), ("height", 2**31 - 1), ("fps", 1e9), ("duration_s", 1e300)],
)
def test_a_clip_of_impossible_size(bench: Path, column: str, value: float) -> None:
    media = open_benchmark(bench).media
    media = media | {CLIPS[0]: dataclasses.replace(media[CLIPS[0]], **{column: value})}
    rewritten(bench, question(), media)
    for words in (("show", bench, "--question", "q"), ("run", bench, "--model", "baseline/random")):
        told_once(chronotope(*words), "media.parquet, row 1", "expected at most")


def test_a_video_without_a_number_of_frames(bench: Path) -> None:
    media = open_benchmark(bench).media
    media = media | {CLIPS[0]: dataclasses.replace(media[CLIPS[0]], frames=None)}
    rewritten(bench, question(), media)
    told_once(chronotope("run", bench, "--model", "baseline/random"), "media.parquet, row 1", "expected frames")


# Questions that are none of the family's


def test_a_task_of_another_family(bench: Path) -> None:
    rewritten(bench, question(task="T3"))
    told_once(chronotope("run", bench, "--model", "baseline/random"), "question 'q'", "has no task 'T3'")


def test_pictures_where_videos_are_shown(bench: Path) -> None:
    Image.new("RGB", (32, 24), "red").save(bench / "a.png")
    media = open_benchmark(bench).media | measure_media(bench, ["a.png"])
    rewritten(bench, question(media=(MediaItem("video", "image", ("a.png",)),)), media)
    told_once(chronotope("run", bench, "--model", "baseline/random"), "question 'q'", "the question has image 'video'")


# Pictures and clips


def chunk(kind: bytes, content: bytes) -> bytes:
    return struct.pack(">I", len(content)) + kind + content + struct.pack(">I", zlib.crc32(kind + content))


def test_a_picture_that_stands_for_gigabytes(tmp_path: Path) -> None:
    """A PNG of 13,000 x 13,000 pixels in some hundred bytes, as its header tells."""
    header = struct.pack(">IIBBBBB", 13_000, 13_000, 8, 2, 0, 0, 0)
    content = (
        b"\x89PNG\r\n\x1a\n"
        + chunk(b"IHDR", header)
        + chunk(b"IDAT", zlib.compress(bytes(100_000)))
        + chunk(b"IEND", b"")
    )
    (tmp_path / "a.png").write_bytes(content)
    assert len(content) < 458
    for read in (read_picture, lambda path: measure_media(path.parent, [path.name])):
        with pytest.raises(InputError, match="13000 x 13000 px, expected at most 80 million"):
            read(tmp_path / "a.png")


def test_a_picture_of_another_format_starts_no_program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """EPS under the name of a PNG: Pillow would start Ghostscript on it."""
    import subprocess

    monkeypatch.setattr(subprocess, "check_call", lambda *_, **__: pytest.fail("a program was started"))
    monkeypatch.setattr(subprocess, "Popen", lambda *_, **__: pytest.fail("a program was started"))
    buffer = io.BytesIO()
    Image.new("RGB", (32, 24), "red").save(buffer, "EPS")
    (tmp_path / "a.png").write_bytes(buffer.getvalue())
    with pytest.raises(InputError, match="cannot be read as a picture"):
        read_picture(tmp_path / "a.png")


def titled(path: Path, title: bytes) -> Path:
    """A clip whose title is any bytes."""
    with av.open(str(path), "w") as container:
        container.metadata["title"] = "t" * len(title)
        stream = container.add_stream("libx264", rate=10)
        stream.width, stream.height, stream.pix_fmt = 128, 96, "yuv420p"
        for number in range(12):
            container.mux(stream.encode(av.VideoFrame.from_ndarray(coded(1, number), "rgb24")))
        container.mux(stream.encode(None))
    content = path.read_bytes()
    assert content.count(b"t" * len(title)) == 1
    path.write_bytes(content.replace(b"t" * len(title), title))
    return path


@pytest.mark.parametrize("suffix", ["mp4", "mkv", "avi"])
def test_a_title_that_is_not_utf_8_is_no_fault(tmp_path: Path, suffix: str) -> None:
    path = titled(tmp_path / f"clip.{suffix}", b"caf\xe9 \xff\xfe\x80 \xe2\x28 titles")
    assert probe(path).frames == 12 and len(frame_times(path)) == 12
    assert [read_code(shown) for _, shown in decode_frames(path, range(12))] == [(1, number) for number in range(12)]


@pytest.mark.parametrize("codec", ["mpeg4", "libx264", "mpeg2video"])
def test_frames_out_of_order_in_avi_are_read_or_refused(tmp_path: Path, codec: str) -> None:
    path = tmp_path / "clip.avi"
    with av.open(str(path), "w") as container:
        stream = container.add_stream(codec, rate=25)
        stream.width, stream.height, stream.pix_fmt = 128, 96, "yuv420p"
        stream.codec_context.gop_size, stream.codec_context.max_b_frames = 12, 2
        stream.codec_context.bit_rate = 4_000_000
        for number in range(30):
            frame = av.VideoFrame.from_ndarray(coded(2, number), "rgb24")
            frame.pts, frame.time_base = number, Fraction(1, 25)
            container.mux(stream.encode(frame))
        container.mux(stream.encode(None))
    try:
        shown = [read_code(picture)[1] for _, picture in decode_frames(path, range(30))]
    except InputError as error:
        assert str(error).startswith(f"{path}: ") and "\n" not in str(error)
    else:
        assert shown == list(range(30)) and probe(path).frames == 30


def test_damaged_clips_are_read_or_refused(tmp_path: Path) -> None:
    """In every container: changed bytes at the front, at the end and anywhere, and pieces exchanged."""
    whole = [titled(tmp_path / f"clip.{suffix}", b"any title at all").read_bytes() for suffix in ("mp4", "mkv", "avi")]
    random = np.random.default_rng(0)
    refused = 0
    for number in range(60):
        suffix, content = ("mp4", "mkv", "avi")[number % 3], bytearray(whole[number % 3])
        for _ in range(int(random.integers(1, 20))):
            place = int(random.integers(min(1500, len(content))))
            content[place if number % 2 else -1 - place] = int(random.integers(256))
        path = tmp_path / f"damaged.{suffix}"
        path.write_bytes(content)
        for read in (probe, frame_times, lambda path: list(decode_frames(path, [0, 7]))):
            try:
                read(path)
            except InputError as error:
                refused += 1
                assert str(error).startswith(f"{path}: ") and "\n" not in str(error)
    assert refused > 20, "the damage is not worth the name"


def test_a_released_table_that_stands_for_terabytes(tmp_path: Path) -> None:
    indices = pa.array(np.zeros(400_000, np.int32))
    names = ("ID", "Video", "Source", "Task", "Question", "Candidates", "Answer", "time_start", "time_end")
    texts = {name: pa.array(["x" * ((8 << 20) if name == "Question" else 3)]) for name in names}
    columns = {name: pa.DictionaryArray.from_arrays(indices, text) for name, text in texts.items()}
    pq.write_table(pa.table(columns), tmp_path / "qa.parquet", compression="zstd", dictionary_pagesize_limit=9 << 20)
    told = chronotope("import", "sti", tmp_path, "--out", tmp_path / "bench")
    told_once(told, "qa.parquet", "exceeds 2 GB when unpacked")
    assert not (tmp_path / "bench").exists()


def sparse(path: Path) -> None:
    path.unlink()
    with path.open("wb") as file:
        file.truncate(1 << 40)


@pytest.mark.parametrize(
    ("name", "what"),
    [("replies.jsonl", what) for what in (pipe, zeros, sparse)]
    + [(name, sparse) for name in ("qas.jsonl", "qa.jsonl", "qa.tsv")],
)
def test_a_file_of_lines_that_never_ends_is_not_read(bench: Path, name: str, what: Callable[[Path], None]) -> None:
    """In a process that may not take 4 GB more, and is ended when it waits."""
    file = bench.parent / name
    file.touch()
    what(file)
    words = {
        "replies.jsonl": ("score", bench, file),
        "qas.jsonl": ("import", "m3", file, "--out", "made"),
    }.get(name, ("import", "sti", file, "--out", "made"))
    command = (sys.executable, "-m", "chronotope.cli", *map(str, words))
    limited = ("bash", "-c", 'ulimit -v 4000000; exec "$@"', "bash", *command)
    ended = subprocess.run(limited, capture_output=True, text=True, timeout=60, check=False)
    assert ended.returncode == 2 and name in ended.stderr and "Traceback" not in ended.stderr, ended.stderr
    assert ended.stderr.count("\n") == 1
    assert not Path("made").exists() and not Path("runs").exists()
