"""Reader of TFRecord files: sequences of records, each with check sums.

A record has four parts: its length (u64, little endian), the masked CRC32C of these 8 bytes (u32), the payload, and the
masked CRC32C of the payload (u32). The mask rotates the check sum to the right by 15 bits and adds a constant.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from chronotope.errors import InputError
from chronotope.io import reading

_MASK = 0xA282EAD8
_HEADER = 12  # number of bytes before the payload


@dataclass(frozen=True)
class Stored:
    """One record: its number in the file (from 0), and its payload with position."""

    number: int
    offset: int
    payload: bytes


def read_records(path: Path) -> Iterator[Stored]:
    """Yield the records of a file after checking each record.

    Only one record is in memory at a time.

    Raises:
        InputError: If a check sum is wrong, or if the last record is incomplete. The message names the first such
        record.
    """
    with reading(path), path.open("rb") as file:
        size = path.stat().st_size
        number = 0
        while file.tell() < size:
            yield _read_record(path, file, size, number)
            number += 1
    if number == 0:
        raise InputError(f"{path}: the file is empty, expected a TFRecord file")


def _read_record(path: Path, file: BinaryIO, size: int, number: int) -> Stored:
    header = file.read(_HEADER)
    offset = file.tell()
    length = int.from_bytes(header[:8], "little")
    if len(header) == _HEADER:
        _check(path, number, "length", header[:8], header[8:])
    if len(header) < _HEADER or length + 4 > size - offset:
        raise InputError(
            f"{path}: record {number} (from 0) is incomplete, because the file ends too early; download the file again"
        )
    payload = file.read(length)
    _check(path, number, "payload", payload, file.read(4))
    return Stored(number, offset, payload)


def _check(path: Path, number: int, what: str, data: bytes, stored: bytes) -> None:
    import google_crc32c  # the extra waymo; a source is listed without it

    crc = google_crc32c.value(data)
    masked = ((crc >> 15 | crc << 17) + _MASK) & 0xFFFFFFFF
    if masked != int.from_bytes(stored, "little"):
        raise InputError(
            f"{path}: record {number} (from 0): the check sum of its {what} is wrong, so the file is damaged or is not "
            "a TFRecord file; download the file again"
        )
