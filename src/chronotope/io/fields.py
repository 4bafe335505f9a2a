"""The first fault of a failed Pydantic validation, as one sentence."""

from pydantic import BaseModel, ValidationError

_LONGEST = 120  # letters of a place


def first_fault(error: ValidationError) -> str:
    """Describe the first fault, such as ``field 'entities.3.size': Field required (found ...)``."""
    fault = error.errors(include_url=False)[0]
    place = ".".join(str(part) for part in fault["loc"])
    if len(place) > _LONGEST:
        place = f"{place[: _LONGEST // 2]} ... {place[-_LONGEST // 2 :]}"
    where = f"field {place!r}" if place else "the whole file"
    if fault["type"] == "extra_forbidden":
        return f"{where} is unknown: remove it or correct its name"
    # A value of many parts, such as the whole file, would hide the fault.
    is_long = isinstance(fault["input"], (dict, list, tuple, BaseModel))
    found = "" if fault["type"] == "missing" or is_long else f" (found {str(fault['input'])[:60]!r})"
    return f"{where}: {fault['msg'].removeprefix('Value error, ')}{found}"
