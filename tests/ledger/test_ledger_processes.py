"""The ledger among real processes: one writer at a time, and nothing lost when it is killed."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from chronotope.errors import InputError
from chronotope.ledger import Ledger, LedgerLine, read_ledger

HOLD = """
import sys
from pathlib import Path
from chronotope.ledger import Ledger
with Ledger.open(Path(sys.argv[1])):
    print("held", flush=True)
    sys.stdin.read()
"""

# Says which lines were appended on a pipe: what it said was appended must be found in the file. It says so at length:
# a full pipe then stops it before it has written gigabytes.
APPEND = """
import sys
from pathlib import Path
from chronotope.ledger import Ledger, LedgerLine
with Ledger.open(Path(sys.argv[1])) as ledger:
    i = len(ledger.replied)
    while True:
        ledger.append(LedgerLine(key=str(i), ask="a", state="replied", reply="x" * (i * 997 % 20000)))
        print(f"{i:<1000}", flush=True)
        i += 1
"""


def start(program: str, path: Path) -> "subprocess.Popen[str]":
    return subprocess.Popen(
        [sys.executable, "-c", program, str(path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )


def test_one_process_at_a_time(tmp_path: Path) -> None:
    path = tmp_path / "run" / "ledger.jsonl"
    with start(HOLD, path) as holder:
        assert holder.stdout is not None
        assert holder.stdout.readline() == "held\n"
        with pytest.raises(InputError, match="another process writes to this folder") as refused, Ledger.open(path):
            pass
        assert str(path.parent) in str(refused.value)
        assert read_ledger(path) == []  # reading needs no lock
        holder.communicate("")
    with Ledger.open(path) as ledger:
        ledger.append(LedgerLine(key="k", ask="a", state="replied"))


def test_twice_in_one_process_is_refused_too(tmp_path: Path) -> None:
    path = tmp_path / "ledger.jsonl"
    with Ledger.open(path), pytest.raises(InputError, match="another process"), Ledger.open(path):
        pass


def test_lock_of_a_killed_process_does_not_dangle(tmp_path: Path) -> None:
    path = tmp_path / "ledger.jsonl"
    with start(HOLD, path) as holder:
        assert holder.stdout is not None
        holder.stdout.readline()
        holder.kill()
    with Ledger.open(path):
        pass


@pytest.mark.skipif(os.name != "posix", reason="kill -9 is a matter of POSIX")
def test_nothing_is_lost_when_killed(tmp_path: Path) -> None:
    path = tmp_path / "ledger.jsonl"
    appended = 0
    for round_ in range(6):
        with start(APPEND, path) as writer:
            assert writer.stdout is not None
            for _ in range(20 + 37 * round_):
                writer.stdout.readline()
            writer.send_signal(signal.SIGKILL)
            said = writer.stdout.read().split()
        before = appended + 20 + 37 * round_ + len(said)
        data = path.read_bytes()
        *whole, tail = data.split(b"\n")
        rows = [json.loads(row) for row in whole]  # every line that has its newline is whole
        assert rows[0] == {"schema": 1}
        assert [row["key"] for row in rows[1:]] == [str(i) for i in range(len(rows) - 1)]
        assert all(row["reply"] == "x" * (i * 997 % 20000) for i, row in enumerate(rows[1:]))
        assert tail == b"" or len(rows) == before + 1
        # All that was said to be appended is there, and at most the one line more that was being told.
        assert before <= len(rows) - 1 <= before + 1
        appended = len(read_ledger(path))
