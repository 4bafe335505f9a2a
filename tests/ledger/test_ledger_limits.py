"""What a writer writes, its reader reads: a reply that is too large costs one answer, and never a ledger."""

import tracemalloc
from pathlib import Path

import pytest

from chronotope.errors import InputError
from chronotope.io import bounded_lines, read_json, read_yaml, write_json, write_yaml
from chronotope.io import read as limits
from chronotope.ledger import Ledger, LedgerLine, content, ledger_content, line


def call(key: str, **fields: object) -> LedgerLine:
    return LedgerLine.model_validate({"key": key, "ask": f"ask of {key}", "state": "replied", "reply": "A"} | fields)


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Limits of 4 kB for a reply and 32 kB for a line, as 16 MB and 128 MB."""
    monkeypatch.setattr(line, "MOST_REPLY", 4 << 10)
    monkeypatch.setattr(content, "MOST_LINE", 32 << 10)


def test_a_line_that_is_too_long_is_one_damaged_line(tmp_path: Path, small: None) -> None:
    path = tmp_path / "ledger.jsonl"
    with Ledger.open(path) as ledger:
        ledger.append(call("first"))
    kept = path.read_bytes()
    long = content._encoded(call("long", reply="x" * (40 << 10)))
    for end in (long, long[:-1]):  # an earlier version wrote it; an editor has removed its line break
        path.write_bytes(kept + long + kept.splitlines(keepends=True)[1].replace(b"first", b"other") + end)
        found = ledger_content(path)
        assert [one.key for one in found.lines] == ["first"]
        assert found.damaged == [3, 4, 5], "the copy has another checksum"
        with Ledger.open(path) as ledger:
            ledger.append(call("last"))
        assert [one.key for one in ledger_content(path).lines] == ["first", "last"]


@pytest.mark.parametrize(
    "fields",
    [
        {"reply": "x" * 5000},
        {"reply": "x" * 2500, "reasoning": "y" * 2500},
        {"reply": "é" * 2500},
        {"reply": "\ud83d" * 2000},
    ],
)
def test_a_reply_that_is_too_large_is_a_failed_call_that_keeps_its_cost(
    tmp_path: Path, small: None, fields: dict[str, str]
) -> None:
    path = tmp_path / "ledger.jsonl"
    with Ledger.open(path) as ledger:
        ledger.append(call("large", **fields, money=0.5, input_tokens=7, letter_log_probabilities={"A": -1.0}))
        assert not ledger.replied
    [one] = ledger_content(path).lines
    assert (one.state, one.reply, one.reasoning, one.money, one.input_tokens) == ("failed", None, None, 0.5, 7)
    assert one.error is not None and "the reply has 0.0 MB, expected at most" in one.error


@pytest.mark.parametrize(
    "fields",
    [
        {"error": "x" * (40 << 10), "state": "failed"},
        {"finish": "x" * (40 << 10)},
        {"pictures": ["x" * 64] * 1000},
        {"extra": {"x": "y" * (40 << 10)}},
        {"letter_log_probabilities": {f"{number}": 0.0 for number in range(8000)}},
    ],
)
def test_no_field_makes_a_line_that_cannot_be_read(tmp_path: Path, small: None, fields: dict[str, object]) -> None:
    path = tmp_path / "ledger.jsonl"
    with Ledger.open(path) as ledger:
        ledger.append(call("large", **fields))
    found = ledger_content(path)
    assert [one.key for one in found.lines] == ["large"] and not found.damaged
    assert found.lines[0].state == "failed" and len(path.read_bytes()) < content.MOST_LINE


def test_a_control_character_of_six_bytes_fits(tmp_path: Path, small: None) -> None:
    """A reply of the largest size, each of whose bytes JSON writes as six."""
    path = tmp_path / "ledger.jsonl"
    with Ledger.open(path) as ledger:
        ledger.append(call("one", reply="\x01" * (4 << 10)))
    assert ledger_content(path).lines[0].reply == "\x01" * (4 << 10)


def test_long_lines_are_skipped_in_little_memory(tmp_path: Path) -> None:
    path = tmp_path / "lines"
    path.write_bytes(b"a\n" + b"x" * (24 << 20) + b"end\nb\n")
    with path.open("rb") as file:
        tracemalloc.start()
        found = [(one.size, one.too_long, one.data[-4:]) for one in bounded_lines(file, 1 << 20)]
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
    assert found == [(2, False, b"a\n"), ((24 << 20) + 4, True, b"end\n"), (2, False, b"b\n")]
    assert peak < 6 << 20


def test_no_file_is_written_that_its_reader_refuses(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    deep: object = 1
    for _ in range(150):
        deep = [deep]
    with pytest.raises(InputError, match=r"run\.yaml: its values are nested more than 100 levels deep"):
        write_yaml(tmp_path / "run.yaml", {"extra": deep})
    with pytest.raises(InputError, match=r"run\.yaml: would have \d+ KB, and such a file is read only up to 512 KB"):
        write_yaml(tmp_path / "run.yaml", {"extra": "x" * (600 << 10)})
    with pytest.raises(InputError, match=r"a\.json: would have 2 MB, and such a file is read only up to 1 MB"):
        write_json(tmp_path / "a.json", "x" * (2 << 20), most=1 << 20)
    assert not list(tmp_path.iterdir())
    write_yaml(tmp_path / "run.yaml", {"extra": "x" * (limits.MOST_YAML - 100)})
    assert len(read_yaml(tmp_path / "run.yaml")["extra"]) == limits.MOST_YAML - 100
    write_json(tmp_path / "a.json", ["x"] * 3)
    assert read_json(tmp_path / "a.json") == ["x"] * 3
