"""The content of a ledger file: intact lines, and the numbers of damaged lines.

The last field of a line is ``crc32``, the CRC-32 (ISO 3309, eight hexadecimal digits) of the bytes before this field.
The checksum detects every flipped bit and every burst of up to 32 wrong bits. Lines of earlier versions have no
checksum. A line without a checksum is accepted if all its fields are fields of a ledger line.
"""

import json
import re
import stat
import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any, cast

from pydantic import ValidationError

from chronotope.errors import InputError
from chronotope.io import bounded_lines, refusal, remedy
from chronotope.io.packed import Keys, PackedList
from chronotope.ledger.line import LedgerLine, bounded, without_reply

SCHEMA = 1
HEADER = json.dumps({"schema": SCHEMA}).encode() + b"\n"
SHOWN = 5  # maximum number of damaged lines that a message names
MOST_LINE = 128 << 20  # bytes; a reply has at most MOST_REPLY, and JSON may need six bytes for one byte of a reply
MOST_SKIPPED = 1 << 30  # bytes of a damaged line; more is not a ledger, such as a file of zeros without end

_SUM = re.compile(rb',"crc32":"([0-9a-f]{8})"\}')
_SUM_LENGTH = 20


@dataclass(frozen=True)
class LedgerContent:
    """The lines of a ledger, and the damage to the ledger.

    - ``lines`` are in the order in which they were written. Only the first of several identical lines is kept. Two
      calls never produce identical lines, so the other lines are copies.
    - ``damaged`` has the numbers of the omitted lines, counted from 1.
    - ``whole`` is the number of intact bytes.
    - ``unfinished`` is true if only the last line break is missing.
    """

    path: Path
    lines: Sequence[LedgerLine]
    damaged: list[int]
    whole: int
    unfinished: bool

    @property
    def problem(self) -> str | None:
        """Return a sentence about the damaged lines, or None.

        Returns None if no line is damaged.
        """
        if not self.damaged:
            return None
        numbers = ", ".join(map(str, self.damaged[:SHOWN])) + (", …" if len(self.damaged) > SHOWN else "")
        count = "1 line" if len(self.damaged) == 1 else f"{len(self.damaged)} lines"
        return (
            f"{self.path}: {count} damaged ({numbers}); damaged lines are ignored, with their tokens and costs, "
            "and the next run repeats their calls if no other answer exists"
        )


def encode(line: LedgerLine) -> bytes:
    """Encode a line as bytes, with its checksum and its line break.

    A line that `parse` would not read is reduced to the fields that name the call.
    """
    data = _encoded(line)
    if len(data) <= MOST_LINE:
        return data
    small = without_reply(bounded(line), f"the line of this call has {len(data) >> 20} MB, too long for a ledger")
    return _encoded(small.model_copy(update={"pictures": [], "extra": {}}))


def _encoded(line: LedgerLine) -> bytes:
    fields = {name: value for name, value in line.model_dump(mode="json").items() if value is not None}
    # A log-probability can be -inf. Python writes it as -Infinity: the line is then not strict JSON, but the paid
    # answer is stored.
    try:
        data = json.dumps(fields, ensure_ascii=False, separators=(",", ":")).encode()
    except UnicodeEncodeError:  # UTF-8 cannot encode an unpaired surrogate, but JSON can escape it
        data = json.dumps(fields, separators=(",", ":")).encode()
    return b'%b,"crc32":"%08x"}\n' % (data[:-1], zlib.crc32(data[:-1]))


def _decode(raw: bytes) -> tuple[bytes, LedgerLine] | None:
    """Parse one line of a ledger.

    Returns the bytes of the line without the checksum, and the fields of the line. Returns None if the line is damaged.
    """
    raw = raw.removesuffix(b"\r")  # some editors end lines with a carriage return
    found = _SUM.fullmatch(raw[-_SUM_LENGTH:])
    if found is not None:
        raw = raw[:-_SUM_LENGTH]
        if zlib.crc32(raw) != int(found[1], 16):
            return None
        raw += b"}"
    try:
        fields: Any = json.loads(raw)
        # If a line without a checksum has an unknown field, the name of this field is damaged. The field may be the
        # checksum.
        if found is None and not (isinstance(fields, dict) and fields.keys() <= LedgerLine.model_fields.keys()):
            return None
        return raw, LedgerLine.model_validate(fields)
    except (ValidationError, ValueError, RecursionError):
        return None


def _check_header(path: Path, raw: bytes) -> None:
    try:
        header = json.loads(raw)
    except ValueError:
        header = None
    schema = cast("dict[str, Any]", header).get("schema") if isinstance(header, dict) else None
    if type(schema) is not int or schema < 1:
        raise InputError(
            f'{path}: line 1 is not the header of a ledger, expected {{"schema": {SCHEMA}}}: name a ledger, or restore '
            "this file"
        )
    if schema > SCHEMA:
        raise InputError(f"{path}: ledger schema {schema}, but this version reads up to {SCHEMA}: update chronotope")


def parse(path: Path, file: IO[bytes]) -> LedgerContent:
    """Read the content of an open ledger, line by line.

    A last line that lacks only its line break is accepted. Any other incomplete last line is omitted. A line that is
    longer than any valid line is damaged.

    Raises:
        InputError: If the first line is not the header of a ledger, if the ledger has a newer version, or if a line has
            no end in sight.
    """
    whole, unfinished = 0, False
    known = Keys()  # hashes: the bytes would need the memory of the whole file
    given: dict[frozenset[str], set[str]] = {}  # the names of the fields that a line has: one set for all such lines
    lines = PackedList[LedgerLine]()
    damaged: list[int] = []
    for number, one in enumerate(bounded_lines(file, MOST_LINE, MOST_SKIPPED), 1):
        if one.endless:
            raise InputError(
                f"{path}: line {number} has more than {MOST_SKIPPED >> 30} GB, too long for a line of a ledger: name a "
                "ledger, or restore this file"
            )
        raw = one.data.removesuffix(b"\n")
        if one.too_long and number > 1:
            whole, unfinished = whole + one.size, raw == one.data
            damaged.append(number)
            continue
        if raw == one.data:
            # A last line without a line break is complete if it is a JSON object or has a checksum, which is written
            # last. An incomplete first line that is not the beginning of a header is refused below, because the file is
            # not a ledger.
            if not (_is_object(raw) or _SUM.search(raw) or (number == 1 and not HEADER.startswith(raw))):
                break
            unfinished = True
        whole += one.size
        if number == 1:
            _check_header(path, raw)
            continue
        decoded = _decode(raw)
        if decoded is None:
            if raw + b"\n" != HEADER:  # the header of a second ledger that was appended to this one
                damaged.append(number)
        elif known.add(decoded[0]):
            lines.append(_lighter(decoded[1], given))
    return LedgerContent(path, lines, damaged, whole, unfinished)


def _lighter(line: LedgerLine, given: dict[frozenset[str], set[str]]) -> LedgerLine:
    """Let a line share the names of its fields, a third of its memory, with earlier lines."""
    names = line.model_fields_set
    object.__setattr__(line, "__pydantic_fields_set__", given.setdefault(frozenset(names), names))
    return line


def _is_object(data: bytes) -> bool:
    try:
        return isinstance(json.loads(data), dict)
    except (ValueError, RecursionError):
        return False


def ledger_content(path: Path) -> LedgerContent:
    """Read a ledger without locking it, even during a run.

    An incomplete last line is omitted.

    Raises:
        InputError: If the file is missing, is not a regular file or not a ledger, or was written by a newer version.
    """
    try:
        if not stat.S_ISREG(path.stat().st_mode):
            raise InputError(f"{path}: is not a regular file, so it cannot be a ledger: name a run with a ledger")
        with path.open("rb") as file:
            return parse(path, file)
    except OSError as error:
        raise InputError(f"{path}: the ledger cannot be read ({refusal(error)}): {remedy(error)}") from error


def read_ledger(path: Path) -> Sequence[LedgerLine]:
    """Return the intact lines of a ledger.

    See `ledger_content` for the errors.
    """
    return ledger_content(path).lines
