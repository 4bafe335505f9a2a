"""Settings from a Python program or the command line, checked by the class that defines them."""

from collections.abc import Mapping
from typing import Any

from pydantic import BaseModel, ValidationError

from chronotope.errors import InputError

__all__ = ["PREFIX", "checked", "fault_of"]

PREFIX = "Value error, "  # Pydantic puts this text before the message of a validator


def fault_of(error: ValidationError) -> tuple[str, str, Any]:
    """Return the first invalid field: its name, fault and value.

    The name is empty if several fields are invalid together.
    """
    first = error.errors()[0]
    # If a field accepts several types, each type has its own message.
    faults = [one["msg"].removeprefix(PREFIX) for one in error.errors() if one["loc"][:1] == first["loc"][:1]]
    return str(first["loc"][0]) if first["loc"] else "", " or ".join(dict.fromkeys(faults)), first["input"]


def checked(model: type[BaseModel], values: Mapping[str, Any] | None, parameter: str, owner: str) -> Any:
    """Make settings from plain values; ``parameter`` names the argument with the values.

    Raises:
        InputError: If a setting does not exist, or its value is invalid.
    """
    values = dict(values or {})
    for name in values:
        if name not in model.model_fields:
            known = ", ".join(sorted(model.model_fields)) or "no setting"
            raise InputError(
                f"{owner} does not have this setting", where=f"{parameter}[{name!r}]", expected=f"one of {known}"
            )
    try:
        return model.model_validate(values)
    except ValidationError as error:
        name, fault, found = fault_of(error)
        where = f"{parameter}[{name!r}]" if name else parameter
        raise InputError(f"{fault}, found {found!r}" if name else fault, where=where) from None
