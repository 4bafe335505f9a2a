"""Damage to a ledger: no flipped bit goes unnoticed, copies count once, and what is no ledger stays as it is."""

import json
import os
import random
import re
import zlib
from pathlib import Path

import pytest

from chronotope.errors import InputError
from chronotope.ledger import Ledger, LedgerContent, LedgerLine, answers, ledger_content, read_ledger

LINES = [
    LedgerLine(
        key=f"{number:02x}" * 32,
        ask=f"q{number}#rotate-1",
        state="replied" if number % 4 else "failed",
        reply=("B", 'C: "左に曲がる"\n', "0.15 m/s² \ud83d", "A" * 300)[number % 4],
        finish="stop",
        letter_log_probabilities={"A": -0.25, "B": float("-inf")} if number % 3 else None,
        input_tokens=1200 + number,
        money=0.0123,
        seconds=1.25,
        pictures=[f"{number:x}" * 64] * (number % 3),
        at="2026-11-22T23:20:00.000+00:00",
        extra={"reused": "runs/a"} if number % 5 == 0 else {},
    )
    for number in range(12)
]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "ledger.jsonl"
    with Ledger.open(path) as ledger:
        for one in LINES:
            ledger.append(one)
    return path


def content_of(path: Path) -> LedgerContent | None:
    """What a ledger holds; None where it is refused."""
    try:
        return ledger_content(path)
    except InputError:
        return None


def without_sums(data: bytes) -> bytes:
    """The ledger as an earlier version wrote it."""
    return re.sub(rb',"crc32":"[0-9a-f]{8}"}$', b"}", data, flags=re.MULTILINE)


def test_a_line_ends_with_the_checksum_of_its_bytes(path: Path) -> None:
    for raw in path.read_bytes().splitlines()[1:]:
        told = json.loads(raw)["crc32"]
        start = raw.index(b',"crc32"')
        assert told == f"{zlib.crc32(raw[:start]):08x}" and raw[start:] == f',"crc32":"{told}"}}'.encode()


def bits_to_flip(data: bytes) -> list[int]:
    """Every bit of the header, of a line's beginning, of two checksums and of all ends of lines, and 400 drawn ones."""
    ends = [place for place, byte in enumerate(data) if byte == ord("\n")]
    classes = [range(ends[0] + 40), *(range(end - 20, end + 1) for end in (ends[3], ends[-1])), ends]
    places = {place for some in classes for place in some}
    every = [8 * place + bit for place in sorted(places) for bit in range(8)]
    return every + random.Random(17).sample(range(8 * len(data)), 400)


def test_no_flipped_bit_goes_unnoticed(path: Path) -> None:
    data = path.read_bytes()
    assert content_of(path) is not None and ledger_content(path).damaged == []
    for bit in bits_to_flip(data):
        broken = bytearray(data)
        broken[bit // 8] ^= 1 << bit % 8
        path.write_bytes(broken)
        content = content_of(path)
        if content is None:
            assert bit // 8 <= data.index(b"\n"), "a ledger is refused for its header alone"
            continue
        assert content.damaged and content.problem, bit
        assert all(line in LINES for line in content.lines), "a changed line was taken for an answer"
        assert len(content.lines) >= len(LINES) - 2, "one flipped bit breaks two lines at most"
        if bit % 9:
            continue
        before = path.read_bytes()
        with Ledger.open(path) as ledger:
            assert ledger.problem == content.problem and set(ledger.replied) <= set(answers(content.lines))
        assert path.read_bytes() in (before, before + b"\n"), "what is damaged is kept, and left out"


def test_lines_without_a_checksum_still_read(path: Path) -> None:
    new = path.read_bytes()
    path.write_bytes(without_sums(new))
    assert b"crc32" not in path.read_bytes()
    content = ledger_content(path)
    assert content.lines == LINES and content.damaged == []
    more = LINES[1].model_copy(update={"key": "new"})
    with Ledger.open(path) as ledger:
        ledger.append(more)
    assert ledger_content(path).lines == [*LINES, more] and ledger_content(path).damaged == []


def test_earlier_versions_read_it() -> None:
    """They leave out fields that they do not know, and refuse other schemas than 1."""
    assert LedgerLine.model_config["extra"] == "ignore"


@pytest.mark.parametrize("other_writer", [False, True])
def test_copied_lines_count_once(path: Path, other_writer: bool) -> None:
    """Also copies of the whole file behind itself, and copies that a version without checksums has made."""
    data = path.read_bytes()
    path.write_bytes(data + (without_sums(data) if other_writer else data) + data.splitlines(keepends=True)[5])
    content = ledger_content(path)
    assert content.lines == LINES and content.damaged == []


def test_repeats_of_a_call_count_each(tmp_path: Path) -> None:
    path = tmp_path / "ledger.jsonl"
    tries = [LINES[4].model_copy(update={"at": f"2026-11-22T23:20:0{second}.000+00:00"}) for second in range(3)]
    with Ledger.open(path) as ledger:
        for one in tries:
            ledger.append(one)
    assert read_ledger(path) == tries


def test_lines_ended_by_an_editor_read(path: Path) -> None:
    path.write_bytes(path.read_bytes().replace(b"\n", b"\r\n"))
    assert ledger_content(path).lines == LINES and ledger_content(path).damaged == []


# What is no ledger


def refused(path: Path, words: str) -> None:
    before = sorted(item.name for item in path.parent.iterdir())
    with pytest.raises(InputError, match=words) as told, Ledger.open(path):
        pass
    assert str(path) in str(told.value)
    assert sorted(item.name for item in path.parent.iterdir() if item.suffix != ".lock") == before


@pytest.mark.parametrize("text", [b"my shopping list", b"{", b'{"schema": 1', b"\0", b'{"schema": 1}\0', b" "])
def test_a_text_without_a_line_end_stays_as_it_is(tmp_path: Path, text: bytes) -> None:
    path = tmp_path / "ledger.jsonl"
    path.write_bytes(text)
    if b'{"schema": 1}\n'.startswith(text):  # a ledger that was torn in its first line is begun anew
        with Ledger.open(path):
            pass
        assert read_ledger(path) == []
        return
    refused(path, "line 1 is not the header of a ledger")
    assert path.read_bytes() == text


@pytest.mark.parametrize("target", ["precious.txt", "gone.txt"])
def test_a_link_is_not_followed(tmp_path: Path, target: str) -> None:
    (tmp_path / "precious.txt").write_text("precious")
    (tmp_path / "run").mkdir()
    path = tmp_path / "run" / "ledger.jsonl"
    path.symlink_to(tmp_path / target)
    refused(path, "is a link")
    assert path.is_symlink() and (tmp_path / "precious.txt").read_text() == "precious"
    assert not (tmp_path / "gone.txt").exists()


def test_a_lock_that_is_a_link_is_not_followed(tmp_path: Path) -> None:
    (tmp_path / "precious.txt").write_text("precious")
    (tmp_path / "ledger.jsonl.lock").symlink_to(tmp_path / "precious.txt")
    with pytest.raises(InputError, match=r"ledger\.jsonl\.lock: is a link"), Ledger.open(tmp_path / "ledger.jsonl"):
        pass
    assert (tmp_path / "precious.txt").read_text() == "precious"


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="pipes with names are a matter of POSIX")
def test_a_pipe_is_refused_and_not_waited_for(tmp_path: Path) -> None:
    path = tmp_path / "ledger.jsonl"
    os.mkfifo(path)
    refused(path, "is a pipe, a device")
    with pytest.raises(InputError, match="not a regular file"):
        read_ledger(path)


@pytest.mark.skipif(os.name != "posix" or os.geteuid() != 0, reason="making a device needs root")
def test_a_device_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "ledger.jsonl"
    try:
        os.mknod(path, 0o600 | 0o020000, os.makedev(1, 5))  # /dev/zero, which never ends
    except OSError as error:
        pytest.skip(f"no device can be made here: {error}")
    refused(path, "is a pipe, a device")
    with pytest.raises(InputError, match="not a regular file"):
        read_ledger(path)


def test_a_ledger_that_a_link_leads_to_can_be_read(path: Path, tmp_path: Path) -> None:
    """Folders of data are kept as links by some tools; reading harms nobody."""
    (tmp_path / "link.jsonl").symlink_to(path)
    assert read_ledger(tmp_path / "link.jsonl") == LINES


@pytest.mark.slow
def test_a_ledger_of_zeros_without_end_is_refused_before_it_is_read(tmp_path: Path, path: Path) -> None:
    """A file that has a terabyte and takes no room, alone and behind lines that are fine."""
    kept = path.read_bytes()
    for number, start in enumerate((b"", kept)):
        file = tmp_path / f"{number}.jsonl"
        file.write_bytes(start)
        os.truncate(file, 1 << 40)
        for read in (ledger_content, lambda one: Ledger.open(one).__enter__()):
            with pytest.raises(InputError, match=r"line \d+ has more than 1 GB"):
                read(file)
        assert file.stat().st_size == 1 << 40
