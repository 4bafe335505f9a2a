"""The commands of the README and the manual are right: each parses, and each runs, in the order in which they stand.

A block fenced as ``bash`` or ``console`` is something to type. Where a line of a console block begins with ``$``, only
such lines are typed and the others are output.
"""

import json
import os
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from cli_words import check_words

from small_sources import COMMAND

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
SERVER = ROOT / "tests" / "evaluate" / "support" / "seeing_server.py"
BLOCK = re.compile(r"^```(?:bash|console|sh|shell)[^\n]*\n(.*?)^```", re.MULTILINE | re.DOTALL)
OURS = re.compile(r"(?:[A-Z_]+=\S* )*(?:chronotope|python3? (?:examples|perf)/\S+\.py) .+")


def typed(text: str) -> Iterator[str]:
    """Each command of ours in the blocks of a page: lines joined where they go on, and parted at ``&&``."""
    for block in BLOCK.findall(text):
        lines = block.replace("\\\n", " ").splitlines()
        prompted = [line.removeprefix("$ ") for line in lines if line.startswith("$ ")]
        for line in prompted or lines:
            for command in re.split(r"&&|;", line.split(" # ")[0]):
                words = " ".join(command.split())
                if OURS.fullmatch(words):
                    yield words


def documented() -> list[str]:
    return [words for page in PAGES for words in typed(page.read_text(encoding="utf-8"))]


def test_blocks_are_read_as_a_shell_reads_them() -> None:
    text = (
        "```bash\npip install . && \\\npython examples/x.py clips && \\\nchronotope show bench  # look\n```\n"
        "```console\n$ KEY=1 chronotope run bench \\\n  --model x\nchronotope says hello\n```\n"
        "```\nchronotope build FAMILY SOURCE\n```\n```yaml\nchronotope show: 1\n```\n"
    )
    assert list(typed(text)) == [
        "python examples/x.py clips",
        "chronotope show bench",
        "KEY=1 chronotope run bench --model x",
    ]


def test_the_first_page_shows_the_whole_way() -> None:
    names = [
        words.split()[1] for words in typed(PAGES[0].read_text(encoding="utf-8")) if words.startswith("chronotope")
    ]
    assert [name for name in ("build", "run", "report") if name in names] == ["build", "run", "report"]


@pytest.mark.parametrize("words", dict.fromkeys(words for words in documented() if "chronotope " in words))
def test_every_documented_command_parses(words: str) -> None:
    check_words(shlex.split(words.partition("chronotope ")[2].split(" | ")[0].split(" > ")[0]))


@pytest.fixture
def endpoint(tmp_path: Path) -> Iterator[str]:
    """The URL of a chat-completions server that sees the pictures of a check and answers A to everything else."""
    (tmp_path / "server").mkdir()
    with subprocess.Popen(
        [sys.executable, str(SERVER), str(tmp_path / "server")], stdout=subprocess.PIPE, text=True
    ) as server:
        try:
            yield f"http://127.0.0.1:{int(server.stdout.readline())}/docs/%5B%5D/v1"
        finally:
            server.kill()


@pytest.mark.slow
def test_every_documented_command_runs(tmp_path: Path, endpoint: str) -> None:
    """In one folder, one after the other, with two example folders in place of eight and a server of our own."""
    place = tmp_path / "place"
    place.mkdir()
    path = f"{COMMAND.parent}{os.pathsep}{os.environ['PATH']}"
    ran: list[str] = []
    for line in dict.fromkeys(["python examples/posed_folders.py clips", *documented()]):
        words = re.sub(r"^python3? (examples|perf)/", rf"{shlex.quote(sys.executable)} {ROOT}/\1/", line)
        if "posed_folders.py" in words and "--folders" not in words:
            words += " --folders 2"
        if "perf/endpoint.py" in words:
            words += " --results results.md"
        if "predictions.jsonl" in words:
            ids = pq.read_table(place / "bench" / "questions.parquet")["id"].to_pylist()
            replies = [{"id": one, "reply": "B"} for one in ids]
            (place / "predictions.jsonl").write_text("\n".join(map(json.dumps, replies)))
        words = re.sub(r"(--base-url[ =])\S+", rf"\g<1>{endpoint}", words)
        told = subprocess.run(
            ["bash", "-o", "pipefail", "-c", words],
            cwd=place,
            env={**os.environ, "PATH": path},
            capture_output=True,
            text=True,
            check=False,
        )
        assert told.returncode == 0, f"{line}\n{told.stdout}{told.stderr}"
        ran.append(line)
    assert (place / "report" / "index.html").is_file()
    assert sum(words.startswith("chronotope") for words in ran) >= 4
    if any("endpoint/" in words for words in ran):
        assert (tmp_path / "server" / "docs.jsonl").stat().st_size > 0
