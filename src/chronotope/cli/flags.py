"""Flags made of the fields of Pydantic models, so that a family's options need no code here."""

import inspect
from collections.abc import Callable, Collection, Mapping
from typing import Annotated, Any, Optional

import typer
import yaml
from pydantic import BaseModel, ValidationError
from typer.core import TyperGroup

from chronotope.errors import InputError
from chronotope.files import canonical_json

__all__ = ["Group", "body_fields", "given_fields", "validated", "with_flags"]

PREFIX = "Value error, "  # what Pydantic, with which Typer checks flags too, puts before a sentence that is not its own


class Group(TyperGroup):
    """Commands whose flags are refused in plain words."""

    def invoke(self, ctx: Any) -> Any:
        """See TyperGroup."""
        try:
            return super().invoke(ctx)
        except typer.BadParameter as error:
            error.message = error.message.removeprefix(PREFIX)
            raise


def with_flags(
    function: Callable[..., Any],
    models: Mapping[str, type[BaseModel]],
    *,
    show_defaults: bool = True,
    leave_out: Collection[str] = (),
) -> Callable[..., Any]:
    """``function(..., **fields)`` with one optional flag for each field of the models, None where it is not given.

    ``models`` maps a heading of ``--help`` to a model. Fields of one name are one flag. The function's own parameters
    in ``leave_out`` are no flags, and keep their defaults.
    """
    every = [p for p in inspect.signature(function).parameters.values() if p.kind is not inspect.Parameter.VAR_KEYWORD]
    own = [p for p in every if p.name not in leave_out]
    flags: dict[str, inspect.Parameter] = {}
    for heading, model in models.items():
        for name, info in model.model_fields.items():
            if name in flags or name in {p.name for p in own}:
                continue
            value = None if info.is_required() else info.get_default(call_default_factory=True)
            default = f" (default: {value})" if show_defaults and value is not None else ""
            flag = name.replace("_", "-")
            option = typer.Option(
                f"--{flag}/--no-{flag}" if _plain(info.annotation) is bool else f"--{flag}",
                help=(info.description or "") + default,
                rich_help_panel=heading,
                show_default=False,
            )
            flags[name] = inspect.Parameter(
                name,
                inspect.Parameter.KEYWORD_ONLY,
                default=None,
                annotation=Annotated[Optional[_plain(info.annotation)], option],  # noqa: UP045 - a value, not a hint
            )

    def flagged(**kwargs: Any) -> Any:
        return function(**kwargs)

    flagged.__name__, flagged.__doc__ = function.__name__, function.__doc__
    parameters = [p.replace(kind=inspect.Parameter.KEYWORD_ONLY) for p in own] + list(flags.values())
    flagged.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    flagged.__annotations__ = {p.name: p.annotation for p in parameters}
    return flagged


def _plain(annotation: Any) -> Any:
    """The type behind ``X | None``."""
    arguments = [a for a in getattr(annotation, "__args__", ()) if a is not type(None)]
    is_optional = type(None) in getattr(annotation, "__args__", ())
    return arguments[0] if is_optional and len(arguments) == 1 else annotation


def given_fields(fields: Mapping[str, Any]) -> dict[str, Any]:
    """The flags that were given."""
    return {name: value for name, value in fields.items() if value is not None}


def validated(model: type[BaseModel], fields: Mapping[str, Any], owner: str) -> Any:
    """The model with these fields; InputError names the flag that does not belong to it or has a bad value."""
    given = given_fields(fields)
    foreign = [name for name in given if name not in model.model_fields]
    if foreign:
        raise InputError(f"--{foreign[0].replace('_', '-')}: {owner} has no such setting")
    try:
        return model.model_validate(given)
    except ValidationError as error:
        first = error.errors()[0]
        flag = "-".join(str(part) for part in first["loc"]).replace("_", "-")
        fault = first["msg"].removeprefix(PREFIX)
        # What is wrong with several flags together is about none of them.
        raise InputError(f"--{flag}: {fault}, found {first['input']!r}" if flag else f"{owner}: {fault}") from None


def body_fields(pairs: list[str]) -> dict[str, Any]:
    """The fields of a request body that --set gives, their values read as YAML (numbers, true, text)."""
    extra: dict[str, Any] = {}
    for pair in pairs:
        key, equals, value = pair.partition("=")
        if not equals or not key:
            raise InputError(f"--set: expected key=value, found {pair!r}")
        try:
            extra[key] = yaml.safe_load(value)
            canonical_json(extra[key])
        except (yaml.YAMLError, TypeError, ValueError):  # no YAML, or a value that JSON has not, such as a date
            extra[key] = value
    return extra
