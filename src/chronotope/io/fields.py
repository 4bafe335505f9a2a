"""The first fault of a failed Pydantic validation, as one sentence."""

from pydantic import ValidationError

__all__ = ["first_fault"]


def first_fault(error: ValidationError) -> str:
    """Describe the first fault, such as ``field 'entities.3.size': Field required (found ...)``."""
    fault = error.errors(include_url=False)[0]
    place = ".".join(str(part) for part in fault["loc"])
    where = f"field {place!r}" if place else "the whole file"
    if fault["type"] == "extra_forbidden":
        return f"{where} is unknown: remove it or correct its name"
    found = "" if fault["type"] == "missing" else f" (found {str(fault['input'])[:60]!r})"
    return f"{where}: {fault['msg'].removeprefix('Value error, ')}{found}"
