"""A copy of the reader of replies, for tasks that run without Chronotope."""

import re
from importlib.resources import files
from pathlib import Path

ROOM = "chronotope.protocol.reading"
READER = "chronotope_reader"  # the name of the copied package
_IMPORT = re.compile(rf"^from {re.escape(ROOM)}\.(\w+) import ", re.MULTILINE)
_FOREIGN = re.compile(r"^\s*(?:from|import) chronotope\b", re.MULTILINE)


def reader_files(first: str = "shown") -> dict[str, str]:
    """Return the modules of the reader with relative imports, by file name.

    The result has the module ``first`` and all modules that it needs.
    """
    found: dict[str, str] = {}
    waiting = [first]
    while waiting:
        name = waiting.pop()
        if f"{name}.py" in found:
            continue
        text = (files(ROOM) / f"{name}.py").read_text(encoding="utf-8")
        waiting += _IMPORT.findall(text)
        text = _IMPORT.sub(r"from .\1 import ", text)
        if _FOREIGN.search(text):
            raise AssertionError(f"{name} imports a module outside {ROOM}")  # a test holds that none does
        found[f"{name}.py"] = text
    return dict(sorted(found.items()))


def write_reader(folder: Path) -> None:
    """Write the package ``chronotope_reader`` into a folder."""
    place = folder / READER
    place.mkdir()
    kit = (files("chronotope.suites") / "kits" / "reader.py.txt").read_text(encoding="utf-8")
    for name, text in {"__init__.py": kit, **reader_files()}.items():
        (place / name).write_text(text, encoding="utf-8")
