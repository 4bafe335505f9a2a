"""Lines of a ledger that a test changes."""

import json
from pathlib import Path
from typing import Any


def changed_lines(ledger: Path) -> tuple[str, list[dict[str, Any]]]:
    """The header of a ledger, and its lines without their checksums: whoever means a change takes the checksum out."""
    header, *lines = ledger.read_text().splitlines()
    return header, [{name: value for name, value in json.loads(line).items() if name != "crc32"} for line in lines]


def write_changed(ledger: Path, header: str, lines: list[dict[str, Any]]) -> None:
    """Write a ledger of these lines."""
    ledger.write_text("\n".join([header, *map(json.dumps, lines)]) + "\n")
