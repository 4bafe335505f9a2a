"""The flags of methods: ways to get answers besides asking, and the models of their stages."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from pydantic import BaseModel, ConfigDict, Field

from chronotope.api.judging import judge_credentials
from chronotope.api.method import KINDS
from chronotope.api.vocabulary import (
    Credentials,
    MethodRequest,
    ModelSpec,
    RunPrice,
    StepKind,
    amount,
    find_method,
    methods,
    price_of,
)
from chronotope.cli.console import note, table
from chronotope.cli.flags import body_fields, given_fields, validated
from chronotope.errors import InputError

METHOD = "Method"  # the heading of the flags
_CALLS = {"caption": "captions", "summary": "summaries", "answer": "answers"}


class MethodFlags(BaseModel):
    """The method of a run, and the models of its stages; each field is a flag."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    method: str | None = Field(
        None,
        description="answer in another way than by asking, such as hctr (describe clips, summarize, answer from text)",
    )
    caption_model: str | None = Field(None, description="the model that describes clips (default: --model)")
    caption_base_url: str | None = Field(None, description="base URL of its service (default: --base-url)")
    caption_key_variable: str | None = Field(None, description="the environment variable with its API key")
    caption_set: list[str] = Field(
        default_factory=list, description="key=value: a field of its request body; can be repeated"
    )
    caption_price: str | None = Field(None, description="IN,OUT: its price per million input and output tokens")
    summary_model: str | None = Field(None, description="the model that summarizes (default: --model)")
    summary_base_url: str | None = Field(None, description="base URL of its service (default: --base-url)")
    summary_key_variable: str | None = Field(None, description="the environment variable with its API key")
    summary_set: list[str] = Field(
        default_factory=list, description="key=value: a field of its request body; can be repeated"
    )
    summary_price: str | None = Field(None, description="IN,OUT: its price per million input and output tokens")


def method_settings() -> dict[str, type[BaseModel]]:
    """Return the settings of all methods, by the heading of their flags."""
    return {f"Method {one.name}": one.Settings for one in methods().values()}


def take_method_flags(
    fields: dict[str, Any], beside: Sequence[ModelSpec], base_url: str | None
) -> MethodRequest | None:
    """Remove the flags of methods from ``fields``; return the method.

    ``beside`` are the models of the run. A model of a stage with the same URL uses their credentials; a model at
    another URL never gets them.

    Raises:
        InputError: If there is no method with this name, or a flag of a method is given without a method.
    """
    names = {name for settings in method_settings().values() for name in settings.model_fields}
    own = {name: value for name in MethodFlags.model_fields if (value := fields.pop(name, None)) not in (None, [])}
    others = given_fields({name: fields.pop(name) for name in names if name in fields})
    flags = MethodFlags(**own)
    if flags.method is None:
        for name in (*own, *others):
            raise InputError(f"--{name.replace('_', '-')}: belongs to a method: add --method hctr, or omit this flag")
        return None
    try:
        chosen = find_method(flags.method)
    except InputError as error:
        raise InputError(f"--method: {error}") from None
    settings = validated(chosen.Settings, others, f"method {chosen.name}")
    models: dict[StepKind, ModelSpec] = {}
    for kind in KINDS:
        about = {name.removeprefix(f"{kind}_"): value for name, value in own.items() if name.startswith(f"{kind}_")}
        name = about.pop("model", None)
        if name is None:
            for flag in about:
                raise InputError(f"--{kind}-{flag.replace('_', '-')}: needs --{kind}-model: add it, or omit this flag")
            continue
        models[kind] = _spec(kind, name, about, beside, base_url)
    prices: dict[StepKind, RunPrice | None] = {
        kind: price_of(getattr(flags, f"{kind}_price"), f"--{kind}-price") for kind in models
    }
    return MethodRequest(chosen, settings, models, prices)


def _spec(
    kind: StepKind,
    name: str,
    about: Mapping[str, Any],
    beside: Sequence[ModelSpec],
    base_url: str | None,
) -> ModelSpec:
    """Return the model of a stage, with the credentials of its service."""
    url = about.get("base_url") or (base_url if name.startswith("endpoint/") else None)
    variable = about.get("key_variable")
    spec = ModelSpec(
        name, url, settings=body_fields(about.get("set", []), f"--{kind}-set"),
        credentials=None if variable is None else Credentials(variable),
    )  # fmt: skip
    return replace(spec, credentials=judge_credentials(spec, beside, f"--{kind}-key-variable"))


def tell_stages(results: list[dict[str, Any]]) -> None:
    """Print the planned calls of each stage."""
    rows = [
        [
            _CALLS[one["kind"]], one["model"],
            *(f"{one[name]:,}" for name in ("calls", "already", "pictures", "tokens")), amount(one["money"]),
        ]
        for r in results
        for one in r["stages"]
    ]  # fmt: skip
    if rows:
        columns = ["stage", "model", "calls", "answered before", "pictures", "tokens (estimated)", "money (estimated)"]
        table("Planned calls of each stage", columns, rows, words=(0, 1))
        note("unknown replies count with their maximum length (--caption-tokens, --summary-tokens)", "dim")


def tell_stages_made(result: dict[str, Any]) -> None:
    """Print the calls of each stage that a run made."""
    if result["stages"]:
        told = ", ".join(f"{count} {_CALLS[kind]}" for kind, count in result["stages"].items())
        note(f"{result['model']}: calls of --method in this command: {told}", "dim")
