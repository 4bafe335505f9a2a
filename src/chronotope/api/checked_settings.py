"""Settings from a Python program or the command line, checked by the class that defines them."""

import errno
import os
from collections.abc import Mapping, Sequence
from difflib import get_close_matches
from os import PathLike
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ValidationError

from chronotope.errors import InputError
from chronotope.io import refusal, value_words

PREFIX = "Value error, "  # Pydantic puts this text before the message of a validator


def fault_of(error: ValidationError) -> tuple[str, str, Any]:
    """Return the first invalid field: its name, fault and value.

    The name is empty if several fields are invalid together.
    """
    first = error.errors()[0]
    # If a field accepts several types, each type has its own message.
    faults = [one["msg"].removeprefix(PREFIX) for one in error.errors() if one["loc"][:1] == first["loc"][:1]]
    return str(first["loc"][0]) if first["loc"] else "", " or ".join(dict.fromkeys(faults)), first["input"]


def unknown(fault: str, name: str, known: Sequence[str], where: str) -> InputError:
    """Return the error for a name that nothing defines.

    ``fault`` states the fault. The error names a similar name, if there is one, and all known names.
    """
    meant = get_close_matches(name, known, 1)
    told = fault + (f"; did you mean {meant[0]!r}?" if meant else "")
    return InputError(told, where=where, expected=f"one of {', '.join(known) or 'no setting'}")


def as_path(value: Any, parameter: str, expected: str = "a path") -> Path:
    """Return the path that a user stated.

    Raises:
        InputError: If the value is not a path.
    """
    path = os.fspath(value) if isinstance(value, str | PathLike) else None
    if not isinstance(path, str):
        raise InputError(f"found {value_words(value)}", where=parameter, expected=expected)
    if fault := impossible(path):
        raise InputError(f"{fault}, found {value_words(value)}", where=parameter, expected=expected)
    return Path(path)


def impossible(path: str) -> str | None:
    """Return the reason why no file can have this path, or None."""
    try:
        os.lstat(path)
    except ValueError:
        return "a path has no NUL character"
    except OSError as error:
        if error.errno in (errno.ENAMETOOLONG, errno.ELOOP):
            return refusal(error)
    return None


def checked(model: type[BaseModel], values: Mapping[str, Any] | None, parameter: str, owner: str) -> Any:
    """Make settings from plain values.

    ``parameter`` names the argument with the values. If it is empty, each value is an argument of its own.

    Raises:
        InputError: If a setting does not exist, or its value is invalid.
    """
    if values is not None and not isinstance(values, Mapping):
        raise InputError(f"found {value_words(values)}", where=parameter, expected="a mapping of names to values")
    values = dict(values or {})
    for name in values:
        if name not in model.model_fields:
            known = sorted(model.model_fields)
            where = f"{parameter}[{name!r}]" if parameter else str(name)
            raise unknown(f"{owner} does not have this setting", str(name), known, where)
    try:
        return model.model_validate(values)
    except ValidationError as error:
        name, fault, found = fault_of(error)
        where = (f"{parameter}[{name!r}]" if parameter else name) if name else parameter
        raise InputError(f"{fault}, found {value_words(found)}" if name else fault, where=where) from None
