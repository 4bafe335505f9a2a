"""Reader of TFRecord files: sequences of records, each with check sums.

A record has four parts: its length (u64, little endian), the masked CRC32C of these 8 bytes (u32), the payload, and the
masked CRC32C of the payload (u32). CRC32C uses the Castagnoli polynomial, reflected. The mask rotates the check sum to
the right by 15 bits and adds a constant. A record can be several megabytes long, so it is first reduced ("folded") to a
few bytes with the same check sum.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import BinaryIO

import numpy as np

from chronotope.errors import InputError
from chronotope.io import reading

__all__ = ["Stored", "crc32c", "masked_crc32c", "read_records"]

_POLYNOMIAL = 0x82F63B78
_MASK = 0xA282EAD8
_DEGREE = 32
# Distances of the polynomial's terms from its highest term, x^32. The polynomial is reflected: bit 31 - n is for x^n.
_STEPS = tuple(1 + bit for bit in range(_DEGREE) if _POLYNOMIAL >> bit & 1)
_BLOCKS = (8192, 512, 32)  # bytes
_FEW = 1024  # largest number of bytes that are summed one by one
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
    if masked_crc32c(data) != int.from_bytes(stored, "little"):
        raise InputError(
            f"{path}: record {number} (from 0): the check sum of its {what} is wrong, so the file is damaged or is not "
            "a "
            "TFRecord file; download the file again"
        )


def masked_crc32c(data: bytes) -> int:
    """Return the masked CRC32C of some bytes, as TFRecord stores it."""
    crc = crc32c(data)
    return ((crc >> 15 | crc << 17) + _MASK) & 0xFFFFFFFF


def crc32c(data: bytes) -> int:
    """Return the CRC32C of some bytes."""
    crc = 0xFFFFFFFF
    if len(data) > _FEW:
        # `_folded` flips the first four bytes, so the start value is zero and not all ones.
        data, crc = _folded(data), 0
    table = _table()
    for byte in data:
        crc = table[(crc ^ byte) & 0xFF] ^ crc >> 8
    return crc ^ 0xFFFFFFFF


def _folded(data: bytes) -> bytes:
    """Return a few bytes with the same check sum as ``data``.

    The check sum of the returned bytes, computed from the start value zero, equals the check sum of ``data`` (at
    least 4 bytes), computed from the start value of all ones.

    The method treats the bits of the data as the coefficients of a polynomial over GF(2), the highest first. The check
    sum depends only on the remainder of this polynomial modulo the CRC polynomial P. The 2^k-th power of P has
    remainder zero, and it equals P with every exponent multiplied by 2^k. So the distance between two terms of this
    power is a multiple of 2^k bits. The first block of the data can therefore be removed, if it is added (XOR) to each
    later block at which P has a term. P has no term close to its highest term, so several blocks can be removed at
    once.
    """
    largest = _BLOCKS[0]
    rest = np.zeros(-(-len(data) // largest) * largest, np.uint8)  # leading zeros do not change the check sum
    start = len(rest) - len(data)
    rest[start:] = np.frombuffer(data, np.uint8)
    rest[start : start + 4] ^= 0xFF
    for block in _BLOCKS:
        words = rest.view(np.uint64)
        length = block // 8
        steps = [step * length for step in _STEPS]
        done = 0
        while (left := len(words) - done - _DEGREE * length) > 0:
            count = min(steps[0], left)
            first = words[done : done + count]
            for step in steps:
                further = words[done + step : done + step + count]
                np.bitwise_xor(further, first, out=further)
            done += count
        rest = words[done:].view(np.uint8)
    return rest.tobytes()


@cache
def _table() -> list[int]:
    """Return the change of the CRC register for each byte value (256,)."""
    values = list(range(256))
    for _ in range(8):
        values = [value >> 1 ^ (value & 1) * _POLYNOMIAL for value in values]
    return values
