"""Readers of text, JSON and YAML files of limited size."""

import json
import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

import yaml

from chronotope.errors import InputError
from chronotope.io.system import irregular, reading

MOST_JSON = 64 << 20  # bytes; the parsed values need about 25 times this size in memory
MOST_YAML = 512 << 10  # bytes; PyYAML needs 10 s for a file of this size
DEEPEST_YAML = 100  # maximum depth of nested lists and mappings
_END = 64 << 10  # bytes that are kept of each end of a line that is too long


@dataclass(frozen=True)
class BoundedLine:
    """A line of a file, with its line break.

    ``size`` is its number of bytes. If the line is ``too_long``, ``data`` has only its beginning and its end. A line
    without an end in sight is ``endless``, and is the last one.
    """

    data: bytes
    size: int
    too_long: bool = False
    endless: bool = False


def bounded_lines(file: IO[bytes], most: int, most_skipped: int | None = None) -> Iterator[BoundedLine]:
    """Yield the lines of a file.

    At most ``most`` bytes of each line are in memory.

    A longer line is skipped to its end, and does not end the file. After ``most_skipped`` bytes it is endless.
    """
    while data := file.readline(most + 1):
        size = len(data)
        if size <= most:
            yield BoundedLine(data, size)
            continue
        head, tail = data[:_END], data[-_END:]
        del data
        while not tail.endswith(b"\n") and (more := file.readline(1 << 20)):
            size += len(more)
            tail = (tail + more)[-_END:]
            if most_skipped is not None and size > most_skipped:
                yield BoundedLine(head + tail, size, too_long=True, endless=True)
                return
        yield BoundedLine(head + tail, size, too_long=True)


def read_bytes(path: Path, most: int) -> bytes:
    """Read a file of at most ``most`` bytes.

    Raises:
        InputError: If the file is larger than ``most``, is missing, or is a pipe or a device.
    """
    if fault := irregular(path):
        raise InputError(fault)
    with reading(path), path.open("rb") as file:
        data = file.read(most + 1) if os.fstat(file.fileno()).st_size <= most else None
    if data is None or len(data) > most:
        size = f"{most >> 20} MB" if most >> 20 else f"{most >> 10} KB"
        raise InputError(f"{path}: is larger than {size}, the limit for such a file; replace it by the correct file")
    return data


def read_text(path: Path, most: int) -> str:
    """Read a file of at most ``most`` bytes as UTF-8 text.

    Raises:
        InputError: If the file is larger than ``most``, is missing, is a pipe or a device, or is not UTF-8.
    """
    try:
        return read_bytes(path, most).decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise InputError(f"{path}: cannot be read ({error}): expected text in UTF-8") from error


def read_json(path: Path, parse_int: Callable[[str], Any] | None = None, most: int = MOST_JSON) -> Any:
    """Read a JSON file of up to ``most`` bytes.

    The default of ``most`` is 64 MB. ``parse_int`` converts the digits of a whole number to a value. It is needed for
    numbers with more digits than Python's ``int`` accepts.

    Raises:
        InputError: If the file cannot be read or is not JSON. The message names the file and, if known, the line and
            column of the fault.
    """
    text = read_text(path, most)
    try:
        return json.loads(text, parse_int=parse_int)
    except json.JSONDecodeError as error:
        raise InputError(f"{path}: is not JSON at line {error.lineno}, column {error.colno} ({error.msg})") from error
    except RecursionError as error:
        raise InputError(f"{path}: the JSON cannot be read (it is nested too deeply)") from error
    except ValueError as error:  # raised by Python for a whole number with thousands of digits
        raise InputError(f"{path}: the JSON cannot be read (a number has too many digits)") from error


_Loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)  # SafeLoader, used without libyaml, is ten times slower


def _check_plain(text: str) -> None:
    """Refuse YAML that has aliases or is nested too deeply.

    Ten lines with aliases can expand to gigabytes, and deep nesting crashes libyaml.
    """
    depth = 0
    for event in yaml.parse(text, _Loader):
        if isinstance(event, yaml.AliasEvent):
            raise yaml.YAMLError(
                f"line {event.start_mark.line + 1} has an alias (*name), and aliases are not supported: write its "
                "value instead"
            )
        depth += isinstance(event, yaml.CollectionStartEvent) - isinstance(event, yaml.CollectionEndEvent)
        if depth > DEEPEST_YAML:
            raise yaml.YAMLError(f"line {event.start_mark.line + 1} is nested more than {DEEPEST_YAML} levels deep")


def read_yaml(path: Path) -> dict[str, Any]:
    """Read a YAML file (up to 512 KB) that contains a mapping.

    Raises:
        InputError: If the file cannot be read, is too large, is not YAML, has aliases, is nested too deeply, or does
            not contain a mapping.
    """
    text = read_text(path, MOST_YAML)
    try:
        _check_plain(text)
        value = yaml.load(text, _Loader)
    except yaml.YAMLError as error:
        told = " ".join(str(error).split()).replace(' in "<unicode string>",', " at")
        raise InputError(f"{path}: is not YAML ({told})") from error
    except (ValueError, AttributeError, RecursionError) as error:  # invalid dates, huge numbers, deep nesting
        raise InputError(f"{path}: cannot be read as YAML ({' '.join(str(error).split())[:80]})") from error
    if value is None:
        return {}
    if not isinstance(value, dict):
        raise InputError(f"{path}: expected 'name: value' lines, found {type(value).__name__}")
    return value
