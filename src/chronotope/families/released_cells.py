"""Tolerant types of the cells of released tables.

The types read a value in any form in which the authors or mirrors of a benchmark store it. If a value cannot be read,
they raise UnusableError with the code ``unreadable``.
"""

import json
import math
from collections.abc import Mapping
from decimal import Decimal
from string import ascii_uppercase
from typing import Annotated, Any, Self

from pydantic import BaseModel, BeforeValidator, ConfigDict, ValidationError

from chronotope.families.released import UnusableError

_MOST_DIGITS = 20


def text_of(value: Any) -> str:
    """Return text or a number as text; the text of a missing value (null or NaN) is empty.

    A float such as 3.0 becomes the text "3", because tables with empty cells store whole numbers as floats.

    Raises:
        UnusableError: If the value is neither text nor a finite number, or has an unpaired surrogate.
    """
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return ""
    if isinstance(value, bool) or not isinstance(value, str | int | float | Decimal):
        raise UnusableError("unreadable")
    if isinstance(value, float):
        if math.isinf(value):
            raise UnusableError("unreadable")
        value = int(value) if value.is_integer() else value
    text = str(value)
    if any(0xD800 <= ord(letter) < 0xE000 for letter in text):  # an unpaired surrogate has no UTF-8 encoding
        raise UnusableError("unreadable")
    return text


def word_of(value: Any) -> str:
    """Return a value as text without surrounding blanks; the text of an unusable value is empty."""
    try:
        return str(value).lower() if isinstance(value, bool) else text_of(value).strip()
    except UnusableError:
        return ""


def sentence_of(value: Any) -> str:
    """Return a text that is not empty, without surrounding blanks.

    Raises:
        UnusableError: If the value is not such a text.
    """
    if not isinstance(value, str) or not (text := text_of(value).strip()):
        raise UnusableError("unreadable")
    return text


def count_of(value: Any) -> int:
    """Return a whole number from 0, which may be stored as a float or as digits.

    Raises:
        UnusableError: If the value is not such a number.
    """
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    if isinstance(value, str) and value.isascii() and value.strip().isdigit() and len(value) < _MOST_DIGITS:
        value = int(value)
    if not isinstance(value, int) or isinstance(value, bool) or value < 0:
        raise UnusableError("unreadable")
    return value


def parsed(value: Any) -> Any:
    """Return the value of a cell with a struct, a list of pairs, or a JSON object.

    Structs and pairs become dictionaries. Other values are returned unchanged.

    Raises:
        UnusableError: If the text of an object is not JSON, or if a name stands in two pairs.
    """
    if isinstance(value, str) and value.lstrip().startswith("{"):
        try:
            return json.loads(value)
        except (ValueError, RecursionError):
            raise UnusableError("unreadable") from None
    if isinstance(value, list) and value and all(map(_is_pair, value)):  # a map column of a Parquet table
        if len({name for name, _ in value}) < len(value):
            raise UnusableError("unreadable")
        return dict(value)
    return value


def _is_pair(value: Any) -> bool:
    return isinstance(value, tuple) and len(value) == 2 and isinstance(value[0], str)


def by_letter(value: Mapping[Any, Any]) -> dict[str, Any]:
    """Return the values of a mapping whose keys are letters, in the order of the letters.

    Blanks, brackets and stops around a letter, and its case, are ignored.

    Raises:
        UnusableError: If a key is not a letter from A to Z, or if a letter stands twice.
    """
    letters = {str(key).strip(" \t\r\n().:").upper(): one for key, one in value.items()}
    if not set(letters) <= set(ascii_uppercase) or len(letters) < len(value):
        raise UnusableError("unreadable")
    return dict(sorted(letters.items()))


Text = Annotated[str, BeforeValidator(text_of)]
Trimmed = Annotated[str, BeforeValidator(lambda value: text_of(value).strip())]
Sentence = Annotated[str, BeforeValidator(sentence_of)]
Count = Annotated[int, BeforeValidator(count_of)]


class ReleasedRow(BaseModel):
    """The fields of a released row; unknown fields are ignored.

    Fields are read in the order of the class. The first field that cannot be read decides the code of the error.
    """

    model_config = ConfigDict(extra="ignore", frozen=True)

    @classmethod
    def of(cls, values: Mapping[str, Any]) -> Self:
        """Read the fields of a row.

        Raises:
            UnusableError: If a field is missing or cannot be read.
        """
        try:
            return cls.model_validate(dict(values))
        except ValidationError:
            raise UnusableError("unreadable") from None
