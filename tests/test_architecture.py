"""The house: what may import what, how long a module and a function may be."""

import ast
import importlib.util
import re
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
SOURCE = ROOT / "src" / "chronotope"
MODULES = sorted(SOURCE.rglob("*.py"))
LONGEST_MODULE, LONGEST_FUNCTION = 500, 60
LONGEST_FIRST_LINE = 18  # words of a docstring: with fewer, sentences lose their nouns to the next sentence
PAGES = [*sorted((ROOT / "docs").glob("*.md")), ROOT / "README.md", ROOT / "CONTRIBUTING.md"]


@cache
def nodes_of(path: Path) -> list[ast.AST]:
    return list(ast.walk(ast.parse(path.read_text(encoding="utf-8"))))


def contract() -> dict:
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["importlinter"]
    [layers] = [one for one in settings["contracts"] if one.get("containers") == ["chronotope"]]
    return layers


@pytest.mark.slow
def test_the_rooms_import_only_what_lies_beneath_them() -> None:
    if importlib.util.find_spec("importlinter") is None:
        pytest.skip("import-linter is not installed: pip install -e '.[lint]'")
    told = subprocess.run(
        [sys.executable, "-c", "from importlinter.cli import lint_imports_command; lint_imports_command()"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert told.returncode == 0, told.stdout + told.stderr
    assert "6 kept, 0 broken" in told.stdout


def test_every_room_of_the_contract_is_there_and_every_room_is_in_it() -> None:
    rooms = [room.strip() for layer in contract()["layers"] for room in layer.split("|")]
    promised = {room.strip("()") for room in rooms if room.startswith("(")}  # of later versions
    built = {room for room in rooms if not room.startswith("(")}
    for room in built:
        assert (SOURCE / room / "__init__.py").is_file() or (SOURCE / f"{room}.py").is_file(), room
    there = {path.name for path in SOURCE.iterdir() if (path / "__init__.py").is_file()}
    there |= {path.stem for path in SOURCE.glob("*.py")} - {"__init__"}
    assert there <= built | promised


def test_modules_and_functions_can_be_read_at_once() -> None:
    assert len(MODULES) > 300
    too_long = []
    for path in MODULES:
        name, text = path.relative_to(SOURCE).as_posix(), path.read_text(encoding="utf-8")
        if (lines := len(text.splitlines())) > LONGEST_MODULE:
            too_long.append(f"{name} has {lines} lines")
        for node in nodes_of(path):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                length = node.end_lineno - node.lineno + 1
                if length > LONGEST_FUNCTION:
                    too_long.append(f"{name}: {node.name} has {length} lines")
    assert too_long == []


@pytest.mark.parametrize("room", ["report", "view", "evaluate.score", "evaluate.plan"])
def test_who_only_looks_loads_no_http_client(room: str) -> None:
    code = f"import sys, chronotope.{room}; print(sorted({{'httpx', 'httpcore', 'mujoco'}} & set(sys.modules)))"
    told = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert told.stdout.strip() == "[]"


def test_a_docstring_begins_with_one_short_sentence() -> None:
    broken = []
    for path in MODULES:
        name = path.relative_to(SOURCE).as_posix()
        for node in nodes_of(path):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and (text := ast.get_docstring(node)):
                if "Example: " in text:  # the help of a command, which is laid out for the terminal
                    continue
                first = text.splitlines()[0]
                if len(first.split()) > LONGEST_FIRST_LINE or not first.endswith((".", "?")):
                    broken.append(f"{name}: {node.name}: {first}")
    assert broken == []


def docstrings() -> Iterator[tuple[str, str]]:
    """Every docstring of the source, and where it stands."""
    of = ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef
    for path in MODULES:
        name = path.relative_to(SOURCE)
        for node in nodes_of(path):
            if isinstance(node, of) and (text := ast.get_docstring(node)):
                yield f"{name.as_posix()}: {getattr(node, 'name', 'the module')}", text


def test_a_later_paragraph_of_a_docstring_names_its_subject() -> None:
    lost = [
        f"{place}: {paragraph.strip()[:60]}"
        for place, text in docstrings()
        for paragraph in re.split(r"\n\s*\n", text)[1:]
        if re.match(r"\s*(It|They|This|These)\b", paragraph)
    ]
    assert lost == []


def test_what_a_thing_is_not_is_said_with_not() -> None:
    """ "is not a room", never "is no room"; but "there is no room", and "is no longer" or "is no wider"."""
    texts = [*docstrings(), *((page.name, page.read_text(encoding="utf-8")) for page in PAGES)]
    assert len(texts) > 1000
    wrong = re.compile(r"(?<!there )\b(?:is|are) no (?!more\b|\w+er\b)\w+", re.IGNORECASE)
    assert [f"{place}: {found[0]}" for place, text in texts for found in wrong.finditer(" ".join(text.split()))] == []


def test_commands_load_only_what_they_need() -> None:
    heavy = {"app": {"numpy", "pyarrow", "av", "asyncio", "httpx"}, "run": {"av", "mujoco", "httpx"}, "report": {"av"}}
    for command, not_needed in heavy.items():
        code = f"import sys, chronotope.cli.{command}; print(sorted({not_needed!r} & set(sys.modules)))"
        told = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
        assert told.stdout.strip() == "[]", command


def test_pictures_are_opened_only_by_the_one_door() -> None:
    """`media.open_picture` limits formats and pixels; Pillow alone starts Ghostscript on some files."""
    found = []
    for path in MODULES:
        if path == SOURCE / "media" / "pictures.py":
            continue
        for node in nodes_of(path):
            name = path.relative_to(SOURCE).as_posix()
            if isinstance(node, ast.Attribute) and node.attr == "open" and ast.unparse(node.value).endswith("Image"):
                found.append(f"{name}:{node.lineno}")
            elif isinstance(node, ast.ImportFrom) and node.module in ("PIL.Image", "PIL.ImageFile"):
                found += [f"{name}:{node.lineno}" for alias in node.names if alias.name in ("open", "Parser")]
    assert found == []


def test_no_path_goes_to_arrow_or_ffmpeg_as_it_is() -> None:
    """Both take the start of a relative path such as `sti:v1/questions.parquet` for the scheme of a URL."""
    places = {"write_table": 1} | dict.fromkeys(["read_table", "read_schema", "read_metadata", "ParquetFile"], 0)
    found = []
    for path in MODULES:
        for node in nodes_of(path):
            if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute):
                continue
            called, given = ast.unparse(node.func), None
            if called.startswith("pq.") and node.func.attr in places:
                given, wanted = node.args[places[node.func.attr]], ("arrow_path(",)
            elif called == "av.open":
                given, wanted = node.args[0], ("file_url(", "url", "io.BytesIO(")
            if given is not None and not ast.unparse(given).startswith(wanted):
                found.append(f"{path.relative_to(SOURCE).as_posix()}:{node.lineno}: {ast.unparse(node)[:80]}")
    assert found == []


def test_a_module_name_in_more_than_three_rooms_has_a_noun_that_tells_which() -> None:
    rooms: dict[str, set[str]] = {}
    for path in MODULES:
        inside = path.relative_to(SOURCE).parts
        if len(inside) > 1 and path.stem != "__init__":
            rooms.setdefault(path.stem, set()).add(inside[0])
    assert {name: sorted(of) for name, of in rooms.items() if len(of) > 3} == {}


def test_every_folder_of_modules_is_a_package() -> None:
    """An installed copy would lack a folder without ``__init__.py``, or one that Git ignores."""
    assert [
        folder.as_posix() for folder in {path.parent for path in MODULES} if not (folder / "__init__.py").is_file()
    ] == []
