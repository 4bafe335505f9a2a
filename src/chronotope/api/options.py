"""The options of a run that no family defines, checked for Python programs and for campaigns."""

import operator
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, StrictBool

from chronotope.api.settings import impossible
from chronotope.evaluate.plan import RunPrice
from chronotope.evaluate.run import Lead
from chronotope.models.model import check_fields
from chronotope.protocol import Layout

__all__ = ["Conduct", "FilterGiven", "Names", "Price", "PythonOptions"]


def _whole(value: Any) -> Any:
    if isinstance(value, bool) or not hasattr(value, "__index__"):
        raise ValueError("expected a whole number")
    return operator.index(value)  # NumPy's integers have their own type


def _number(value: Any) -> float:
    if isinstance(value, bool | str) or not hasattr(value, "__float__"):
        raise ValueError("expected a number")
    return float(value)


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


def _price(value: Any) -> Any:
    if value is None or isinstance(value, RunPrice):
        return value
    try:
        of_input, of_output = map(_number, value)
        return RunPrice(input=of_input, output=of_output)
    except (TypeError, ValueError):
        raise ValueError(
            "expected the prices of a million input and output tokens, as [2.5, 10], both at least 0"
        ) from None


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


Whole = Annotated[int, BeforeValidator(_whole)]
Number = Annotated[float, BeforeValidator(_number)]
Names = Annotated[tuple[str, ...], BeforeValidator(_names)]
Chosen = Annotated[tuple[str, ...] | None, BeforeValidator(_chosen)]
Price = Annotated[RunPrice | None, BeforeValidator(_price)]


class Conduct(BaseModel):
    """The options of a run that campaigns and Python programs share."""

    model_config = ConfigDict(frozen=True, extra="forbid", populate_by_name=True, allow_inf_nan=False)

    limit: Annotated[Whole, Field(ge=1)] | None = None
    max_tokens: Annotated[Whole, Field(ge=1)] | None = None
    temperature: Annotated[Number, Field(ge=0)] = 0.0
    layout: Layout | None = None
    lead: Lead | None = None
    concurrency: Annotated[Whole, Field(ge=1)] | None = None
    timeout: Annotated[Number, Field(gt=0)] | None = None
    wait: Annotated[Number, Field(ge=0)] | None = None
    price: Price = None
    check: StrictBool | None = None
    allow_lost_order: StrictBool | None = None
    batch: StrictBool | None = None

    @property
    def conduct(self) -> dict[str, Any]:
        """Return the given options that `RunRequest` has under the same names."""
        names = ("layout", "lead", "concurrency", "timeout", "wait", "check", "allow_lost_order", "batch")
        return {name: value for name in names if (value := getattr(self, name)) is not None}


class FilterGiven(BaseModel):
    """The options of `chronotope.filter_pass` whose types can be checked.

    `chronotope.api.filtering.filter_pass` describes them.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)

    record: Annotated[Path | None, BeforeValidator(_path)] = None
    temperature: Annotated[Number, Field(ge=0)] | None = None
    top_p: Annotated[Number, Field(gt=0, le=1)] | None = None
    max_tokens: Annotated[Whole, Field(ge=1)] | None = None
    set: Annotated[dict[str, Any] | None, BeforeValidator(_mapping)] = None
    price: Price = None
    max_cost: Annotated[Number, Field(gt=0)] | None = None
    concurrency: Annotated[Whole, Field(ge=1)] | None = None
    timeout: Annotated[Number, Field(gt=0)] | None = None
    wait: Annotated[Number, Field(ge=0)] | None = None
    check: StrictBool | None = None

    @property
    def decoding(self) -> dict[str, Any]:
        """Return the given settings of the replies."""
        given = {"temperature": self.temperature, "top_p": self.top_p, "max_tokens": self.max_tokens, "extra": self.set}
        return {name: value for name, value in given.items() if value is not None}

    @property
    def conduct(self) -> dict[str, Any]:
        """Return the given options that `PassRequest` has under the same names."""
        names = ("record", "price", "max_cost", "concurrency", "timeout", "wait", "check")
        return {name: value for name in names if (value := getattr(self, name)) is not None}


class PythonOptions(Conduct):
    """The options of `chronotope.run` whose types can be checked.

    `chronotope.api.running.run` describes them.
    """

    questions: Chosen = None
    tasks: Names = ()
    variants: Names = ()
    name: str | None = None
    version: str | None = None
    base_url: str | None = None
    at_once: Annotated[Whole, Field(ge=1)] = 1
    batch_size: Annotated[Whole, Field(ge=1)] | None = None
    out: Annotated[Path | None, BeforeValidator(_path)] = None
    set: Annotated[dict[str, Any] | None, BeforeValidator(_mapping)] = None
    max_cost: Annotated[Number, Field(gt=0)] | None = None
    judge_price: Price = None
    caption_price: Price = None
    summary_price: Price = None
