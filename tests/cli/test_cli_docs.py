"""The commands of the README and the manual are right: each parses, and those of a page run, in their order.

A block fenced as ``bash`` or ``console`` is something to type. Where a line of a console block begins with ``$``, only
such lines are typed and the others are output. A block fenced as ``python`` is run as it is. A block fenced as ``yaml``
whose first line is a comment with a file's name is that file.
"""

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pyarrow.parquet as pq
import pytest
import yaml
from cli_words import check_words

import ikea_released
import m3_released
import sti_released
import vgenst_released
from m3_truth_files import write_scene
from service import ChatService, SeeingProcess, completion, free_port
from small_sources import COMMAND
from tiny_models import save_tiny

ROOT = Path(__file__).parents[2]
BLOCK = re.compile(r"^```(bash|console|sh|shell|python|yaml)[^\n]*\n(.*?)^```", re.MULTILINE | re.DOTALL)
FILE = re.compile(r"# ([\w-]+\.yaml)\n")
OURS = re.compile(r"(?:[A-Z_]+=\S* )*(?:chronotope|python3? (?:examples|perf)/\S+\.py) .+")
DEMO = "chronotope-demo"
WORLD = re.compile(r"chronotope build \w+ world:(?!furniture|.*--(?:engine|quality))")
WEIGHTS, HUB = "weights", re.compile(r"transformers/Qwen/[\w.-]+")
# A release under its folder's name, or under an address on a hub, which stands for a folder here.
IMPORT = re.compile(r"(chronotope import (sti|ikea|m3|vgenst) )(?:hf://(?:[\w.-]+/)+)?([\w-]+)(?:@\S+)?(?= )")

# The scripts of perf/, and the training of a model, do the same things at every size: that they still run is seen
# at the smallest. Their results go elsewhere than to the repository.
SMALL = {
    "attention": "--tokens 200",
    "decode": "--pairs 1 --lengths 1",
    "render": "--pairs 1 --frames 2",
    "verify": "--tables 1 --frames 20",
    "write_sti": "--pairs 1 --frames 20 --objects 2",
    "write_vgenst": "--pairs 1 --scenes 1",
    "endpoint": "--pairs 1 --clips 1 --results results.md",
    "placements": "--clips 1 --questions 1 --results results.md",
    "prefill": "--pairs 1 --frames 2 --questions 2 --results results.md",
    "train_looker": "--pairs 2 --steps 1",
    "open": "--questions 200 --clips 2",
    "plan": "--trial 0 --builds 'sti world:table:1 --quality fast'",
    "cluster": "--questions 300 --servers 8 --clients 1",
    "review_load": "--verdicts 20 --people 4",
    "paired": "--pairs 1 --clips 1 --frames 20 --results results.md",
}


def pages() -> list[Path]:
    """The README, and the pages that are written by hand, in the order of the manual's navigation."""
    navigation = yaml.safe_load((ROOT / "mkdocs.yml").read_text(encoding="utf-8"))["nav"]
    named = [ROOT / "docs" / page for entry in navigation for page in entry.values()]
    return [ROOT / "README.md", *(page for page in named if page.is_file())]


PAGES = pages()
# They take minutes: tests/probe measure the same models in the same ways, tests/world build homes in the same ways, and
# scripts of perf/ change seldom.
COMPLETE = ("houses", "looker", "performance", "probing")


def steps(text: str) -> Iterator[tuple[str, str]]:
    """What a page has people do: commands of ours (lines joined where they go on, parted at ``&&``), Python, files."""
    for language, block in BLOCK.findall(text):
        if language in ("python", "yaml"):
            if language == "python" or FILE.match(block):
                yield language, block
            continue
        lines = block.replace("\\\n", " ").splitlines()
        prompted = [line.removeprefix("$ ") for line in lines if line.startswith("$ ")]
        for line in prompted or lines:
            for command in re.split(r"&&|;", line.split(" # ")[0]):
                words = " ".join(command.split())
                if OURS.fullmatch(words):
                    yield "command", words


def typed(text: str) -> Iterator[str]:
    """The commands alone."""
    return (words for kind, words in steps(text) if kind == "command")


def documented() -> list[str]:
    return [words for page in PAGES for words in typed(page.read_text(encoding="utf-8"))]


def test_blocks_are_read_as_a_shell_reads_them() -> None:
    text = (
        "```bash\npip install . && \\\npython examples/x.py clips && \\\nchronotope show bench  # look\n```\n"
        "```console\n$ KEY=1 chronotope run bench \\\n  --model x\nchronotope says hello\n```\n"
        "```\nchronotope build FAMILY SOURCE\n```\n```yaml\nchronotope show: 1\n```\n```python\nprint(1)\n```\n"
    )
    assert list(typed(text)) == [
        "python examples/x.py clips",
        "chronotope show bench",
        "KEY=1 chronotope run bench --model x",
    ]
    assert [words for kind, words in steps(text) if kind == "python"] == ["print(1)\n"]


def test_every_page_is_in_the_navigation() -> None:
    assert {page.name for page in PAGES[1:]} >= {page.name for page in (ROOT / "docs").glob("*.md")}


def test_the_first_page_shows_the_whole_way() -> None:
    names = [
        words.split()[1] for words in typed(PAGES[0].read_text(encoding="utf-8")) if words.startswith("chronotope")
    ]
    assert "demo" in names or {"build", "run", "report"} <= set(names)


@pytest.mark.parametrize("words", dict.fromkeys(words for words in documented() if "chronotope " in words))
def test_every_documented_command_parses(words: str) -> None:
    check_words(shlex.split(words.partition("chronotope ")[2].split(" | ")[0].split(" > ")[0]))


@pytest.fixture
def endpoint(tmp_path: Path) -> Iterator[str]:
    """The URL of a chat-completions server that sees the pictures of a check and answers A to everything else."""
    (tmp_path / "server").mkdir()
    with SeeingProcess(tmp_path / "server") as server:
        yield server.looking()[0]


class Judge(ChatService):
    """A service that finds every answer right; ``cases`` are those that it was shown."""

    def __init__(self) -> None:
        self.cases: list[dict] = []
        super().__init__()

    def answer(self, body: dict) -> tuple[int, dict]:
        content = body["messages"][-1]["content"]
        self.cases.append(json.loads(content if isinstance(content, str) else content[0]["text"]))
        return 200, completion(json.dumps({"reason": "planted", "correct": True}))


@pytest.fixture
def judge() -> Iterator[Judge]:
    with Judge() as judge:
        yield judge


def run_in(place: Path, words: str) -> None:
    told = subprocess.run(
        ["bash", "-o", "pipefail", "-c", words],
        cwd=place,
        env={**os.environ, "PATH": f"{COMMAND.parent}{os.pathsep}{os.environ['PATH']}", "AZURE_KEY": "a-key"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert told.returncode == 0, f"{words}\n{told.stdout}{told.stderr}"


def as_tested(words: str, place: Path, folders: int, endpoint: str, judge: Judge) -> str:
    """A command with fewer and plainer examples (of the posed folders, so many), and with services of our own."""
    words = re.sub(r"^python3? (examples|perf)/", rf"{shlex.quote(sys.executable)} {ROOT}/\1/", words)
    words = re.sub(r"\b(world:\w+:)\d+", r"\g<1>1", words)
    if WORLD.match(words):  # one command of the pages names photo, the default of homes, which takes minutes
        words += " --quality fast"
    if "posed_folders.py" in words and "--folders" not in words:
        words += f" --folders {folders}"
    if match := IMPORT.match(words):
        write_released(match[2], place / match[3])
        words = IMPORT.sub(r"\g<1>\g<3>", words)
    if match := re.search(r"(?:perf/|examples/(?=train_))(\w+)\.py", words):
        words += f" {SMALL[match[1]]}"  # where an option stands twice, the last one holds
    if match := re.search(r"chronotope score (\S+) (\S+\.jsonl)", words):
        ids = pq.read_table(place / match[1] / "questions.parquet")["id"].to_pylist()
        replies = [{"id": one, "reply": "B"} for one in ids]
        (place / match[2]).write_text("\n".join(map(json.dumps, replies)))
    if words.startswith("chronotope publish ") and "--out" not in words:
        words += " --out sent"  # tests/make uploads to a hub of its own
    if HUB.search(words):  # weights of the hub: tiny ones stand for them, which never stop by themselves
        words = HUB.sub(f"transformers/{place / WEIGHTS}", words)
        words += " --max-tokens 4" if words.startswith("chronotope run") else ""
    if words.startswith("chronotope review serve "):  # its usual port may be another server's
        words += f" --port {free_port()}"
    if re.match(r"chronotope (play|review serve) ", words):  # a server, which ends by Ctrl-C
        return f"timeout -s INT 8 {words} --no-browser; test $? -eq 124"
    words = re.sub(r"(--judge-base-url[ =])\S+", rf"\g<1>{judge.url}", words)
    words = re.sub(r"(--(?:caption-|summary-)?base-url[ =])\S+", rf"\g<1>{endpoint}", words)
    return re.sub(r"( --base-url \S+)\1+", r"\1", words)  # one server stands for several


def write_released(family: str, folder: Path) -> None:
    """A few rows in a family's released form, of which none has to be left out; once, whoever imports it again."""
    if folder.exists():
        return
    if family == "sti":
        sti_released.write_release(folder, [sti_released.row(number) for number in range(9)])
    elif family == "ikea":
        rows = [ikea_released.row(task, "Chair", "bekvam_3017", n) for n, task in enumerate(ikea_released.TASKS)]
        ikea_released.write_release(folder, rows)
    elif family == "m3":
        m3_released.write_release(folder, [m3_released.row(number) for number in range(10)])
        write_scene(folder / "scene_0")
    else:
        kinds = ("L1-OE", "L2-AR", "L3-CR")
        rows = [vgenst_released.row(idx=idx, kind=kind) for idx in range(4) for kind in kinds]
        vgenst_released.write_release(folder, rows)


def needs_demo(page: Path) -> bool:
    return any(DEMO in words or words == "chronotope demo" for _, words in steps(page.read_text(encoding="utf-8")))


# Those that need the demo come last: it may still be in the making.
@pytest.mark.slow
@pytest.mark.parametrize(
    "page",
    [
        pytest.param(page, marks=pytest.mark.complete) if page.stem in COMPLETE else page
        for page in sorted((page for page in PAGES if any(steps(page.read_text(encoding="utf-8")))), key=needs_demo)
    ],
    ids=lambda page: page.stem,
)
def test_everything_that_a_page_has_people_do_works(
    page: Path, tmp_path: Path, endpoint: str, judge: Judge, request: pytest.FixtureRequest
) -> None:
    """In a folder of its own, which holds the demo's where the page speaks of it."""
    todo = list(steps(page.read_text(encoding="utf-8")))
    place = tmp_path / "place"
    place.mkdir()
    if needs_demo(page):
        shutil.copytree(request.getfixturevalue("demo").place / DEMO, place / DEMO)
    needing = re.compile(r"transformers/|perf/(attention|prefill)|train_looker")
    if any(needing.search(words) for _, words in todo):
        pytest.importorskip("torch", reason="needs the extra local: pip install 'chronotope[local]'")
        save_tiny("qwen2_5_vl", place / WEIGHTS, max_position_embeddings=32768)
    folders = 2 if any("walk-turn-left" in words for _, words in todo) else 1  # that one is the second
    for kind, words in todo:
        if kind == "python":
            words = HUB.sub(f"transformers/{place / WEIGHTS}", words)
            run_in(place, f"{shlex.quote(sys.executable)} -c {shlex.quote(words)}")
        elif kind == "yaml":
            (place / FILE.match(words)[1]).write_text(re.sub(r"(base_url: )\S+", rf"\g<1>{endpoint}", words))
        elif words != "chronotope demo":  # the fixture has run it
            run_in(place, as_tested(words, place, folders, endpoint, judge))
    commands = [words for kind, words in todo if kind == "command"]
    for name in {match[1] for words in commands if (match := re.search(r"chronotope report .*--out (\S+)", words))}:
        assert (place / name / "index.html").is_file()
    for name in {
        match[1] for words in commands if (match := re.fullmatch(r"chronotope show \S+/recordings/(table\S+)", words))
    }:
        assert (place / f"show-{name}" / "contact-sheet.jpg").is_file()
    if any("--judge " in words and "--dry-run" not in words for words in commands):
        assert judge.cases and all(case["expected_answer"] for case in judge.cases)
    if any("endpoint/" in words and "--dry-run" not in words for words in commands):
        assert any(file.stat().st_size for file in (tmp_path / "server").glob("*.jsonl"))
