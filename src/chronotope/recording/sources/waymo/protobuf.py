"""Reader of the wire format of protocol buffers: numbered fields, without a schema.

A message is a sequence of fields. Each field has a tag and a value. The tag is a varint with the value 8 * field
number + wire type. The form of the field's value depends on the wire type: a varint (type 0), 8 bytes (type 1), a
length followed by that number of bytes (type 2), or 4 bytes (type 5). A field can occur several times. Unknown
fields are skipped. Groups (types 3 and 4) are not read.
"""

import struct
from typing import NamedTuple

import numpy as np

__all__ = ["Message", "WireError"]

_KINDS = {0: "a whole number", 1: "8 bytes", 2: "text or a message", 5: "4 bytes"}


class WireError(ValueError):
    """An error for bytes that are not a message, or a message without a required field.

    The error does not name the file; the caller adds the name.
    """


class _Value(NamedTuple):
    kind: int
    number: int  # the value of a varint, or the position of the bytes in the file
    data: memoryview


class Message:
    """The fields of one message, by field number.

    ``origin`` is the position of the message in the file. With this position, a long value can stay in the file and
    be read later (``span``). WireError is raised if the bytes are not a message.
    """

    def __init__(self, data: memoryview, origin: int = 0, name: str = "message") -> None:
        self._name = name
        self._fields: dict[int, list[_Value]] = {}
        empty = data[:0]
        at, end = 0, len(data)
        while at < end:
            key, at = _varint(data, at, name)
            kind, number = key & 7, key >> 3
            if kind == 0:
                place, at = _varint(data, at, name)
                value = _Value(0, place, empty)
            else:
                length, at = _length(data, at, kind, name)
                if number == 0 or length > end - at:
                    raise WireError(
                        f"{name} is incomplete or not a message: field {number} has a length of {length} bytes"
                    )
                value = _Value(kind, origin + at, data[at : at + length])
                at += length
            self._fields.setdefault(number, []).append(value)

    def __contains__(self, number: int) -> bool:
        return number in self._fields

    def messages(self, number: int, name: str) -> list["Message"]:
        """Return all messages in field ``number``.

        Error messages call these messages ``name``.
        """
        return [Message(value.data, value.number, name) for value in self._values(number, name, 2)]

    def message(self, number: int, name: str) -> "Message":
        """Return the message in field ``number``.

        WireError is raised if the field is missing.
        """
        found = self.messages(number, name)
        if not found:
            raise WireError(f"{self._name} has no {name} (field {number})")
        return found[-1]

    def text(self, number: int, name: str) -> str:
        """Return the text in field ``number``.

        WireError is raised if the field is missing or is not UTF-8.
        """
        try:
            return str(self._last(number, name, 2).data, "utf-8")
        except UnicodeDecodeError as error:
            raise WireError(f"{name} of {self._name} (field {number}) is not text in UTF-8") from error

    def whole(self, number: int, name: str, default: int | None = None) -> int:
        """Return the signed whole number in field ``number``.

        If the field is missing, ``default`` is returned or, if ``default`` is None, WireError is raised.
        """
        if default is not None and number not in self:
            return default
        value = self._last(number, name, 0).number
        return value - (1 << 64) if value >> 63 else value

    def double(self, number: int, name: str, default: float | None = None) -> float:
        """Return the double in field ``number``.

        If the field is missing, ``default`` is returned or, if ``default`` is None, WireError is raised.
        """
        if default is not None and number not in self:
            return default
        return float(struct.unpack("<d", self._last(number, name, 1).data)[0])

    def single(self, number: int, name: str, default: float) -> float:
        """Return the float of 4 bytes in field ``number``, or ``default``.

        ``default`` is returned if the field is missing.
        """
        if number not in self:
            return default
        return float(struct.unpack("<f", self._last(number, name, 5).data)[0])

    def doubles(self, number: int, name: str) -> np.ndarray:
        """Return all doubles (N,) in field ``number``.

        The doubles can be packed together, stored one by one, or both.
        """
        values = self._values(number, name, 1, 2)
        if any(len(value.data) % 8 for value in values):
            raise WireError(f"{name} of {self._name} (field {number}) is not a list of doubles")
        return np.frombuffer(b"".join(value.data for value in values), "<f8").astype(np.float64)

    def span(self, number: int, name: str) -> tuple[int, int]:
        """Return the start and the length of the bytes in field ``number``.

        The start is counted from the start of the file, like ``origin``.
        """
        value = self._last(number, name, 2)
        return value.number, len(value.data)

    def _values(self, number: int, name: str, *kinds: int) -> list[_Value]:
        found = self._fields.get(number, [])
        for value in found:
            if value.kind not in kinds:
                expected = " or ".join(_KINDS[kind] for kind in kinds)
                raise WireError(f"{name} of {self._name} (field {number}) is {_KINDS[value.kind]}, expected {expected}")
        return found

    def _last(self, number: int, name: str, kind: int) -> _Value:
        found = self._values(number, name, kind)
        if not found:
            raise WireError(f"{self._name} has no {name} (field {number})")
        return found[-1]  # if a single field occurs several times, the last value counts


def _length(data: memoryview, at: int, kind: int, name: str) -> tuple[int, int]:
    """Return the length in bytes of a value with this wire type.

    The second value is the position at which these bytes start.
    """
    if kind == 1:
        return 8, at
    if kind == 2:
        return _varint(data, at, name)
    if kind == 5:
        return 4, at
    raise WireError(f"{name} has a field of wire type {kind}, expected 0, 1, 2 or 5")


def _varint(data: memoryview, at: int, name: str) -> tuple[int, int]:
    end = len(data)
    if at < end and data[at] < 0x80:  # nearly all varints have only one byte
        return data[at], at + 1
    value = 0
    for shift in range(0, 70, 7):
        if at >= end:
            break
        byte = data[at]
        at += 1
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            return value & 0xFFFFFFFFFFFFFFFF, at
    raise WireError(f"{name} is incomplete or not a message: a varint in it has no last byte")
