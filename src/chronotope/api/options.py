"""The options of a run that no family defines, checked for Python programs and for campaigns."""

import inspect
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any, TypeVar

from pydantic import BeforeValidator, Field, StrictBool

from chronotope.api.checked_settings import impossible, unknown
from chronotope.errors import InputError
from chronotope.evaluate.run import Asking
from chronotope.io import value_words
from chronotope.models import Calls, JobCalls, ModelSpec, Number, Price, Whole
from chronotope.models.model import check_fields


def _names(value: Any) -> Any:
    names = [value] if isinstance(value, str) else value
    if names is None or isinstance(names, Mapping) or not hasattr(names, "__iter__"):
        raise ValueError("expected a text, or a list of texts")
    names = tuple(names)
    if not all(isinstance(one, str) for one in names):
        raise ValueError("expected a list of texts")
    return names


def _chosen(value: Any) -> Any:
    """Refuse an empty list of questions.

    A search that found none must not ask, and pay for, all questions.
    """
    names = None if value is None else _names(value)
    if names == ():
        raise ValueError("expected at least one question, or None for all questions")
    return names


def _path(value: Any) -> Any:
    if value is not None and not isinstance(value, str | Path):
        raise ValueError("expected a path")
    if value is not None and (fault := impossible(str(value))):
        raise ValueError(fault)
    return value


def _mapping(value: Any) -> Any:
    if value is not None and not isinstance(value, Mapping):
        raise ValueError("expected a mapping of names to values")
    return value if value is None else check_fields(dict(value))


Function = TypeVar("Function", bound=Callable[..., Any])
Names = Annotated[tuple[str, ...], BeforeValidator(_names)]
Urls = Annotated[tuple[str, ...], BeforeValidator(lambda value: () if value is None else _names(value))]
Chosen = Annotated[tuple[str, ...] | None, BeforeValidator(_chosen)]


def spec_of(model: str | ModelSpec, base_url: str | None = None, fields: Mapping[str, Any] | None = None) -> ModelSpec:
    """Return the description of a model, which can be a name.

    ``fields`` are further fields of the request body.

    Raises:
        InputError: If ``model`` has another type, or a `ModelSpec` is given with a URL.
    """
    if not isinstance(model, str | ModelSpec):
        raise InputError(f"found {value_words(model)}", where="model", expected="the name of a model, or a ModelSpec")
    if isinstance(model, str):
        return ModelSpec(model, base_url, settings=dict(fields or {}))
    if base_url is not None:
        raise InputError("can be used only with the name of a model", where="base_url", fix="omit it")
    return replace(model, settings=dict(model.settings) | dict(fields or {}))


def check_names(function: Callable[..., Any], calls: Mapping[str, Any]) -> None:
    """Check that a function has all parameters that its ``**calls`` got.

    Raises:
        InputError: If it lacks one. The error names all parameters.
    """
    known = sorted(inspect.signature(function).parameters)
    for option in calls:
        if option not in known:
            raise unknown("there is no such option", option, known, option)


def check_writer(
    writer: object,
    calls: Calls,
    base_url: str | None,
    called: Callable[[str], str] = str,
    missing: str = "writer='endpoint/NAME'",
) -> None:
    """Check that no setting is given that only a writer needs, if there is no writer.

    ``called`` makes the name of a setting as the user gives it, and ``missing`` is how the user gives a writer.

    Raises:
        InputError: If such a setting is given.
    """
    given = {"base_url": base_url} | {name: getattr(calls, name) for name in JobCalls.model_fields}
    usual = {"base_url": None} | {name: one.default for name, one in JobCalls.model_fields.items()}
    for name, value in given.items():
        if writer is None and value != usual[name]:
            raise InputError("is a setting of a writer", where=called(name), fix=f"add {missing}, or omit it")


def with_calls(settings: type[Calls]) -> Callable[[Function], Function]:
    """Show the settings of calls among the parameters of a function.

    The settings replace a parameter ``**calls``. A parameter with another name stays, because it takes further
    settings.
    """

    def shown(function: Function) -> Function:
        signature = inspect.signature(function)
        own = [one for one in signature.parameters.values() if one.kind is not one.VAR_KEYWORD]
        rest = [one for one in signature.parameters.values() if one.kind is one.VAR_KEYWORD and one.name != "calls"]
        calls = [
            inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=info.default, annotation=info.annotation)
            for name, info in settings.model_fields.items()
            if name in Calls.model_fields
        ]
        function.__signature__ = signature.replace(parameters=[*own, *calls, *rest])  # type: ignore[attr-defined]
        return function

    return shown


class Conduct(Asking):
    """The options of a run that campaigns and Python programs share."""

    limit: Annotated[Whole, Field(ge=1)] | None = None


class FilterGiven(Calls):
    """The options of `chronotope.filter_pass` whose types can be checked.

    `chronotope.api.filtering.filter_pass` describes them.
    """

    record: Annotated[Path | None, BeforeValidator(_path)] = None
    temperature: Annotated[Number, Field(ge=0)] | None = None
    top_p: Annotated[Number, Field(gt=0, le=1)] | None = None
    max_tokens: Annotated[Whole, Field(ge=1)] | None = None
    set: Annotated[dict[str, Any] | None, BeforeValidator(_mapping)] = None
    check: StrictBool = True

    @property
    def decoding(self) -> dict[str, Any]:
        """Return the given settings of the replies."""
        given = {"temperature": self.temperature, "top_p": self.top_p, "max_tokens": self.max_tokens, "extra": self.set}
        return {name: value for name, value in given.items() if value is not None}


class PythonOptions(Conduct):
    """The options of `chronotope.run` whose types can be checked.

    `chronotope.api.running.run` describes them.
    """

    questions: Chosen = None
    tasks: Names = ()
    variants: Names = ()
    name: str | None = None
    version: str | None = None
    shard: str | None = None
    base_url: Urls = ()
    at_once: Annotated[Whole, Field(ge=1)] = 1
    batch_size: Annotated[Whole, Field(ge=1)] | None = None
    out: Annotated[Path | None, BeforeValidator(_path)] = None
    set: Annotated[dict[str, Any] | None, BeforeValidator(_mapping)] = None
    judge_price: Price = None
    caption_price: Price = None
    summary_price: Price = None
