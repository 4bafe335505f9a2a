"""The settings of a probe; each field is a flag."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import yaml
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from chronotope.errors import InputError
from chronotope.families import Family
from chronotope.protocol import AskSettings

QUESTIONS = 100  # of the layers that ask; the paper's number
_WHOLE = ("representation", "patch")  # layers that need all questions, because they compare clips


class ProbeSettings(BaseModel):
    """The settings that determine the values of a probe.

    The selection of questions is not part of them: more questions extend a probe.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    condition: list[str] = Field(
        default_factory=list,
        description="a way of asking, as settings of the family: strategy=visual or input=blind,frames=8; repeat it to "
        "compare two ways on the same questions (representation: the pictures of all ways)",
    )
    at: str | None = Field(
        None, description="attention: decoder layers, such as 0,7,15, or all (default: six layers, evenly spaced)"
    )
    roles: str | None = Field(
        None,
        description="representation: two media roles of the benchmark, such as diagram,video or before,after "
        "(default: the first two); with more, such as diagram,photo,video, every two are compared, and the pairs with "
        "each other",
    )


@dataclass(frozen=True)
class Condition:
    """A way of asking: its name, and the settings of the family."""

    name: str
    settings: AskSettings


def most_questions(layer: str, limit: int | None) -> int | None:
    """Return the maximum number of questions of a layer; None means all."""
    return QUESTIONS if limit is None and layer not in _WHOLE else limit


def read_conditions(settings: ProbeSettings, family: Family) -> list[Condition]:
    """Read the conditions of a probe.

    Without a condition, the questions are asked with the family's default settings.

    Raises:
        InputError: If a condition is given twice, or is not a setting of the family.
    """
    names = settings.condition or ["as asked"]
    for place, name in enumerate(names):
        if name in names[:place]:
            raise InputError(f"--condition {name}: is given twice")
    return [
        Condition(name, _asked(name, family) if settings.condition else family.RunSettings.model_validate({}))
        for name in names
    ]


def _asked(text: str, family: Family) -> AskSettings:
    values: dict[str, Any] = {}
    for pair in text.split(","):
        key, equals, value = pair.partition("=")
        if not equals or not key.strip():
            raise InputError(f"--condition {text}: expected name=value, or several of them separated by commas")
        try:
            values[key.strip().replace("-", "_")] = yaml.safe_load(value)
        except yaml.YAMLError:
            raise InputError(f"--condition {text}: the value {value!r} cannot be read as YAML") from None
    try:
        return family.RunSettings.model_validate(values)
    except ValidationError as error:
        raise InputError(f"--condition {text}: {_fault(error, values, family)}") from None


def _fault(error: ValidationError, values: Mapping[str, Any], family: Family) -> str:
    first = error.errors()[0]
    field = str(first["loc"][0]) if first["loc"] else ""
    if first["type"] == "extra_forbidden":
        known = ", ".join(family.RunSettings.model_fields)
        return f"family {family.name} does not have the setting {field!r}; expected one of {known}"
    return f"{first['msg']}, found {values.get(field)!r}"


def read_layers(text: str | None, there: Sequence[int], default: Sequence[int]) -> list[int]:
    """Read the layers of ``--at``.

    ``there`` are the layers that can be measured.

    Raises:
        InputError: If a layer cannot be measured, or the text is not a list of numbers.
    """
    if text is None:
        return list(default)
    if text.strip() == "all":
        return list(there)
    try:
        chosen = sorted({int(one) for one in text.split(",")})
    except ValueError:
        raise InputError(f"--at {text}: expected numbers of layers, such as 0,7,15, or all") from None
    for layer in chosen:
        if layer not in there:
            raise InputError(
                f"--at {text}: layer {layer} has no attention; expected some of {', '.join(map(str, there))}"
            )
    return chosen


def read_roles(text: str | None, there: Sequence[str]) -> tuple[str, ...]:
    """Read the roles of ``--roles``: two or more, or the first two of a benchmark.

    There is only one role if the benchmark has only one.

    Raises:
        InputError: If a role is not in the benchmark, or there are not two roles.
    """
    if not there:
        raise InputError("no selected question shows a clip or a picture: select other questions")
    if text is None:
        return tuple(there[:2])
    roles = [one.strip() for one in text.split(",")]
    for role in roles:
        if role not in there:
            raise InputError(f"--roles {text}: no question shows {role!r}; expected two of {', '.join(there)}")
    if len(roles) < 2 or len(set(roles)) != len(roles):
        raise InputError(f"--roles {text}: expected two or more different roles, separated by commas")
    return tuple(roles)
