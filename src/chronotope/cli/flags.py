"""Flags made from the fields of Pydantic models.

The options of a family become flags without further code.
"""

import inspect
import re
from collections.abc import Callable, Collection, Mapping
from copy import copy
from typing import Annotated, Any, Literal, Optional, get_args, get_origin

import typer
import yaml
from pydantic import BaseModel, ValidationError
from pydantic.fields import FieldInfo
from typer.core import TyperGroup

from chronotope.api.checked_settings import PREFIX, fault_of
from chronotope.errors import InputError, visible
from chronotope.io import canonical_json


class Group(TyperGroup):
    """A group of commands with plain error messages about flags."""

    def invoke(self, ctx: Any) -> Any:
        """Run a command of the group.

        If a flag is wrong, the error message is one plain sentence.
        """
        try:
            return super().invoke(ctx)
        except typer.BadParameter as error:
            example = re.search(r"Example: .+", getattr(getattr(error.ctx, "command", None), "help", None) or "")
            # A missing argument has no message: the first example of the help is shown instead.
            shown = example[0] if example and not error.message else error.message
            error.message = visible(shown.removeprefix(PREFIX))
            raise


def with_flags(
    function: Callable[..., Any],
    models: Mapping[str, type[BaseModel]],
    *,
    show_defaults: bool = True,
    leave_out: Collection[str] = (),
) -> Callable[..., Any]:
    """Add an optional flag for each model field to a function.

    The function receives the values of the flags as ``**fields``. The value of a flag that was not given is None.
    ``models`` maps a heading in ``--help`` to a model. Fields with the same name become one flag that accepts the
    values of all these fields. Parameters and fields in ``leave_out`` get no flag and keep their default
    values.
    """
    every = [p for p in inspect.signature(function).parameters.values() if p.kind is not inspect.Parameter.VAR_KEYWORD]
    own = [p for p in every if p.name not in leave_out]
    flags: dict[str, inspect.Parameter] = {}
    for heading, model in models.items():
        for name, info in model.model_fields.items():
            if name in {p.name for p in own} or name in leave_out:
                continue
            if name in flags:
                flags[name] = _widened(flags[name], info, heading)
                continue
            flag = name.replace("_", "-")
            option = typer.Option(
                # If the default is false, a flag --no-... would have no effect and would only make the help wider.
                f"--{flag}/--no-{flag}" if info.default is True else f"--{flag}",
                help=flag_help(info, show_default=show_defaults),
                rich_help_panel=heading,
                show_default=False,
            )
            flags[name] = inspect.Parameter(
                name,
                inspect.Parameter.KEYWORD_ONLY,
                default=None,
                annotation=Annotated[Optional[_plain(info.annotation)], option],  # noqa: UP045 - a value at run time
            )

    def flagged(**kwargs: Any) -> Any:
        return function(**kwargs)

    flagged.__name__, flagged.__doc__ = function.__name__, function.__doc__
    parameters = [p.replace(kind=inspect.Parameter.KEYWORD_ONLY) for p in own] + list(flags.values())
    flagged.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    flagged.__annotations__ = {p.name: p.annotation for p in parameters}
    return flagged


def flag_help(info: FieldInfo, *, show_default: bool = True) -> str:
    """Return the help text of a field, with its default."""
    value = None if info.is_required() else info.get_default(call_default_factory=True)
    value = ",".join(map(str, value)) if isinstance(value, tuple) else value  # as the flag takes it
    return (info.description or "") + (f" (default: {value})" if show_default and value not in (None, []) else "")


def _plain(annotation: Any) -> Any:
    """Return the type X of the annotation ``X | None``.

    Returns str if there are several types besides None, or a model, because the settings class then parses the text,
    and for tuples, whose values are separated by commas.
    """
    if get_origin(annotation) is tuple:
        return str
    arguments = [a for a in getattr(annotation, "__args__", ()) if a is not type(None)]
    is_optional = type(None) in getattr(annotation, "__args__", ())
    if is_optional and len(arguments) > 1:
        return str
    found = arguments[0] if is_optional else annotation
    found = get_args(found)[0] if get_origin(found) is Annotated else found
    return str if isinstance(found, type) and issubclass(found, BaseModel) else found


def _widened(flag: inspect.Parameter, field: FieldInfo, heading: str) -> inspect.Parameter:
    """Extend a flag by a further field of the same name.

    The flag accepts the values of both fields. The help of the flag shows both help texts if they differ.
    """
    taken, other, option = _plain(flag.annotation.__origin__), _plain(field.annotation), flag.annotation.__metadata__[0]
    if taken == other or (field.description or "") in (option.help or ""):
        return flag
    both = get_origin(taken) is get_origin(other) is Literal
    choices = dict.fromkeys((*get_args(taken), *get_args(other))) if both else {}
    widened = Literal[tuple(choices)] if both else str
    option = copy(option)
    option.help = f"{option.help}; {heading}: {field.description}"
    return flag.replace(annotation=Annotated[Optional[widened], option])  # noqa: UP045 - a value at run time


def flag_of(name: str) -> str:
    """Return the flag of a parameter, as the user types it."""
    return f"--{name.replace('_', '-')}"


def given_fields(fields: Mapping[str, Any]) -> dict[str, Any]:
    """Return the flags that the user gave, with their values."""
    return {name: value for name, value in fields.items() if value is not None}


def listed_fields(model: type[BaseModel], fields: Mapping[str, Any]) -> dict[str, Any]:
    """Return the flags that the user gave.

    Values separated by commas become lists if the model has tuples.
    """
    tuples = {name for name, info in model.model_fields.items() if get_origin(info.annotation) is tuple}
    return {
        name: [one.strip() for one in value.split(",")] if name in tuples and isinstance(value, str) else value
        for name, value in given_fields(fields).items()
    }


def validated(model: type[BaseModel], fields: Mapping[str, Any], owner: str) -> Any:
    """Make a model from the values of flags.

    Raises:
        InputError: If a flag is not a field of the model, or its value is invalid. The message names the flag.
    """
    given = given_fields(fields)
    foreign = [name for name in given if name not in model.model_fields]
    if foreign:
        raise InputError(f"{flag_of(foreign[0])}: {owner} does not have this setting")
    try:
        return model.model_validate(listed_fields(model, given))
    except ValidationError as error:
        name, fault, found = fault_of(error)
        # A fault in a combination of flags belongs to no single flag.
        raise InputError(f"{flag_of(name)}: {fault}, found {found!r}" if name else f"{owner}: {fault}") from None


def checked_fields(model: type[BaseModel], fields: Mapping[str, Any], owner: str) -> dict[str, Any]:
    """Return the flags that the user gave, as parameters of a function that makes the model itself.

    Raises:
        InputError: In the same cases as `validated`.
    """
    validated(model, fields, owner)
    return listed_fields(model, fields)


def variants_of(text: str) -> tuple[str, ...]:
    """Return the variants that a flag names; no name stands for all."""
    return () if text == "all" else tuple(name.strip() for name in text.split(","))


def body_fields(pairs: list[str], flag: str = "--set") -> dict[str, Any]:
    """Parse ``key=value`` pairs as fields of a request body.

    Each value is read as YAML, so it can be a number, true, false, a text, a list or a mapping.

    Raises:
        InputError: If a pair has no key or no equals sign, or a field contains a secret.
    """
    from chronotope.api.vocabulary import (
        refuse_secrets,  # this import takes half a second, and `--help` does not need it
    )

    extra: dict[str, Any] = {}
    for pair in pairs:
        key, equals, value = pair.partition("=")
        if not equals or not key:
            refuse_secrets({pair: ""})
            raise InputError(f"{flag}: expected key=value, found {pair!r}")
        try:
            extra[key] = yaml.safe_load(value)
            canonical_json(extra[key])
        except (yaml.YAMLError, TypeError, ValueError):  # not YAML, or a value without a JSON form, such as a date
            extra[key] = value
    refuse_secrets(extra)
    return extra
