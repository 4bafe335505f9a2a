"""The ledger file: appended lines come back, torn tails are repaired, broken lines left out, newer files refused."""

import json
import math
import threading
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chronotope.errors import InputError
from chronotope.ledger import Ledger, LedgerLine, answers, ledger_content, read_ledger

HEADER = b'{"schema": 1}\n'


def line(key: str, state: str = "replied", reply: str | None = "A") -> LedgerLine:
    return LedgerLine.model_validate({"key": key, "ask": f"ask-{key}", "state": state, "reply": reply})


lines = st.builds(
    LedgerLine,
    key=st.text("0123456789abcdef", min_size=1, max_size=4),
    kind=st.sampled_from(["answer", "judge", "check"]),
    ask=st.text(max_size=8),
    state=st.sampled_from(["replied", "refused", "failed", "missing_media"]),
    # Every code point, halves of surrogate pairs and line separators among them: a reply is whatever came back.
    reply=st.none() | st.text(st.characters(codec=None)),
    letter_log_probabilities=st.none() | st.dictionaries(st.sampled_from("ABC"), st.floats(max_value=0)),
    money=st.none() | st.floats(0, 10),
    pictures=st.lists(st.text("0123456789abcdef", max_size=4), max_size=3),
    extra=st.dictionaries(st.text(max_size=3), st.none() | st.integers() | st.text(max_size=5), max_size=3),
)


def plain(line: LedgerLine) -> str:
    return repr(line.model_dump())


@given(st.lists(lines, max_size=8))
def test_what_is_appended_is_read_back(tmp_path_factory: pytest.TempPathFactory, written: list[LedgerLine]) -> None:
    path = tmp_path_factory.mktemp("run") / "ledger.jsonl"
    for part in (written[:3], written[3:]):  # a run goes on in a second session
        with Ledger.open(path) as ledger:
            for entry in part:
                ledger.append(entry)
    # Of lines that are alike the first counts.
    assert [plain(entry) for entry in read_ledger(path)] == list(dict.fromkeys(plain(entry) for entry in written))
    data = path.read_bytes()
    assert data.startswith(HEADER)
    assert data.endswith(b"\n")
    assert data.count(b"\n") == len(written) + 1


def test_other_tools_read_it_as_json_lines_in_utf8(tmp_path: Path) -> None:
    path = tmp_path / "ledger.jsonl"
    with Ledger.open(path) as ledger:
        ledger.append(line("k", reply="C: 左に曲がる — 0.15 m/s²\u2028\nnext"))
    rows = [json.loads(row) for row in path.read_text(encoding="utf-8").split("\n")[:-1]]
    assert rows[0] == {"schema": 1}
    assert rows[1]["reply"] == "C: 左に曲がる — 0.15 m/s²\u2028\nnext"
    assert "左に曲がる" in path.read_text(encoding="utf-8")
    assert "error" not in rows[1]


def test_infinite_log_probabilities_come_back(tmp_path: Path) -> None:
    path = tmp_path / "ledger.jsonl"
    known = {"A": -0.1, "B": -math.inf}
    with Ledger.open(path) as ledger:
        ledger.append(line("k").model_copy(update={"letter_log_probabilities": known}))
    assert read_ledger(path)[0].letter_log_probabilities == known


SAMPLE = [line("a"), line("b", "failed", None), line("c", reply='左 {"x": 1}\n'), line("a", reply="B")]


def sample(path: Path) -> bytes:
    with Ledger.open(path) as ledger:
        for entry in SAMPLE:
            ledger.append(entry)
    return path.read_bytes()


def test_torn_at_every_byte(tmp_path: Path) -> None:
    whole = sample(tmp_path / "whole.jsonl")
    ends = [i + 1 for i, byte in enumerate(whole) if byte == ord("\n")]
    for cut in range(len(whole) + 1):
        path = tmp_path / "ledger.jsonl"
        path.write_bytes(whole[:cut])
        # A line counts once its last brace is there: a missing newline is put back, anything less is dropped.
        expected = SAMPLE[: max(0, sum(cut >= end - 1 for end in ends) - 1)]
        assert read_ledger(path) == expected, cut
        with Ledger.open(path) as ledger:
            assert ledger.replied == {entry.key: entry for entry in expected if entry.state == "replied"}
            ledger.append(line("new"))
        assert read_ledger(path) == [*expected, line("new")], cut
        assert (
            path.read_bytes()
            == whole[: max([len(HEADER), *(e for e in ends if cut >= e - 1)])]
            + (path.read_bytes().splitlines(keepends=True)[-1])
        )


@given(st.integers(0, 200), st.binary(max_size=40).filter(lambda tail: b"\n" not in tail))
def test_torn_tail_of_any_bytes_is_dropped(tmp_path_factory: pytest.TempPathFactory, cut: int, tail: bytes) -> None:
    path = tmp_path_factory.mktemp("run") / "ledger.jsonl"
    whole = sample(path)
    path.write_bytes(whole + b"{" + tail[:cut] + b"\0")
    with Ledger.open(path):
        pass
    assert path.read_bytes() == whole


def test_replied_and_answers(tmp_path: Path) -> None:
    path = tmp_path / "ledger.jsonl"
    written = [
        line("a", "failed", None),
        line("a", reply="first"),
        line("b", "refused", None),
        line("b", "failed", None),
        line("a", reply="second"),
        line("a", "failed", None),
    ]
    with Ledger.open(path) as ledger:
        for entry in written:
            ledger.append(entry)
        assert ledger.replied == {"a": written[4]}
    with Ledger.open(path) as ledger:
        assert ledger.replied == {"a": written[4]}
    assert answers(read_ledger(path)) == {"a": written[4], "b": written[3]}


@pytest.mark.parametrize(
    "broken",
    [b"{", b"", b"[1]", b'{"key": "k"}', b"\xff\xfe", b'{"key":"k","ask":"a","state":"lost"}', b"[" * 100_000],
)
def test_broken_middle_is_left_out_and_named(tmp_path: Path, broken: bytes) -> None:
    path = tmp_path / "ledger.jsonl"
    whole = sample(path).splitlines(keepends=True)
    data = b"".join([*whole[:3], broken + b"\n", *whole[3:]])
    path.write_bytes(data)
    content = ledger_content(path)
    assert content.lines == SAMPLE and content.damaged == [4]
    assert content.problem is not None and "1 line damaged (4)" in content.problem
    with Ledger.open(path) as ledger:
        assert ledger.problem == content.problem
    assert path.read_bytes() == data, "what was written is never rewritten"


def test_newer_header_is_refused_and_untouched(tmp_path: Path) -> None:
    path = tmp_path / "ledger.jsonl"
    path.write_bytes(b'{"schema": 2, "compressed": true}\nwhatever comes then')
    with pytest.raises(InputError, match="ledger schema 2, but this version reads up to 1"), Ledger.open(path):
        pass
    with pytest.raises(InputError, match="ledger schema 2, but this version reads up to 1"):
        read_ledger(path)
    assert path.read_bytes() == b'{"schema": 2, "compressed": true}\nwhatever comes then'


@pytest.mark.parametrize("first", [b'{"key":"k","ask":"a","state":"failed"}', b"id,reply", b"{}", b'{"schema": true}'])
def test_no_header_is_no_ledger(tmp_path: Path, first: bytes) -> None:
    path = tmp_path / "ledger.jsonl"
    path.write_bytes(first + b"\n")
    with pytest.raises(InputError, match="line 1 is not the header of a ledger"), Ledger.open(path):
        pass


def test_missing_ledger_is_a_sentence(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="cannot be read"):
        read_ledger(tmp_path / "ledger.jsonl")


def test_a_folder_in_its_place_is_a_sentence(tmp_path: Path) -> None:
    (tmp_path / "ledger.jsonl").mkdir()
    with pytest.raises(InputError, match="cannot be opened"), Ledger.open(tmp_path / "ledger.jsonl"):
        pass


def test_threads_append_whole_lines(tmp_path: Path) -> None:
    path = tmp_path / "ledger.jsonl"
    with Ledger.open(path) as ledger:

        def work(worker: int) -> None:
            for i in range(100):
                ledger.append(line(f"{worker}-{i}", reply="x" * (i * 50)))

        threads = [threading.Thread(target=work, args=(worker,)) for worker in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert len(ledger.replied) == 800
    assert {entry.key for entry in read_ledger(path)} == {f"{w}-{i}" for w in range(8) for i in range(100)}
