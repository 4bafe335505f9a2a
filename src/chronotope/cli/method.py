"""The flags of methods: ways to get answers besides asking, and the models of their stages."""

from collections.abc import Mapping, Sequence
from typing import Any

from pydantic import BaseModel, ConfigDict, Field

import chronotope.api as ct
from chronotope.api.vocabulary import Credentials, Price, amount, find_method, methods, urls_of
from chronotope.cli.console import note, table
from chronotope.cli.flags import body_fields, flag_of, given_fields, listed_fields, validated
from chronotope.errors import InputError

METHOD = "Method"  # the heading of the flags
_CALLS = {"caption": "captions", "summary": "summaries", "answer": "answers"}
_KINDS = ("caption", "summary")  # of the stages that can have models of their own


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
    caption_price: Price = Field(None, description="IN,OUT: its price per million input and output tokens")
    summary_model: str | None = Field(None, description="the model that summarizes (default: --model)")
    summary_base_url: str | None = Field(None, description="base URL of its service (default: --base-url)")
    summary_key_variable: str | None = Field(None, description="the environment variable with its API key")
    summary_set: list[str] = Field(
        default_factory=list, description="key=value: a field of its request body; can be repeated"
    )
    summary_price: Price = Field(None, description="IN,OUT: its price per million input and output tokens")


def method_settings() -> dict[str, type[BaseModel]]:
    """Return the settings of all methods, by the heading of their flags."""
    return {f"Method {one.name}": one.Settings for one in methods().values()}


def method_options(fields: dict[str, Any], beside: Sequence[ct.ModelSpec], base_urls: Sequence[str]) -> dict[str, Any]:
    """Remove the flags of methods from ``fields``; return them as parameters of `chronotope.run`.

    ``beside`` are the models of the run. A model of a stage with the same URL uses their credentials; a model at
    another URL never gets them. The result is empty if no flag names a method.

    Raises:
        InputError: If there is no method with this name, or a flag of a method is given without a method.
    """
    names = {name for settings in method_settings().values() for name in settings.model_fields}
    own = {name: value for name in MethodFlags.model_fields if (value := fields.pop(name, None)) not in (None, [])}
    others = given_fields({name: fields.pop(name) for name in names if name in fields})
    flags: MethodFlags = validated(MethodFlags, own, "chronotope run")
    if flags.method is None:
        for name in (*own, *others):
            raise InputError(f"{flag_of(name)}: belongs to a method: add --method hctr, or omit this flag")
        return {}
    try:
        chosen = find_method(flags.method)
    except InputError as error:
        raise InputError(f"--method: {error}") from None
    validated(chosen.Settings, others, f"method {chosen.name}")
    options = {"method": chosen.name, **listed_fields(chosen.Settings, others)}
    for kind in _KINDS:
        about = {name.removeprefix(f"{kind}_"): value for name, value in own.items() if name.startswith(f"{kind}_")}
        name = about.pop("model", None)
        if name is None:
            for flag in about:
                raise InputError(f"{flag_of(f'{kind}_{flag}')}: needs --{kind}-model: add it, or omit this flag")
            continue
        options[f"{kind}_model"] = _spec(kind, name, about, beside, base_urls)
        options[f"{kind}_price"] = getattr(flags, f"{kind}_price")
    return options


def _spec(
    kind: str, name: str, about: Mapping[str, Any], beside: Sequence[ct.ModelSpec], base_urls: Sequence[str]
) -> ct.ModelSpec:
    """Return the model of a stage, with the credentials of its service."""
    from chronotope.api.judging import with_credentials  # loads much that --help does not need

    url = about.get("base_url") or (base_urls if name.startswith("endpoint/") else None)
    variable = about.get("key_variable")
    spec = ct.ModelSpec(
        name, **urls_of(url), settings=body_fields(about.get("set", []), f"--{kind}-set"),
        credentials=None if variable is None else Credentials(variable),
    )  # fmt: skip
    return with_credentials(spec, beside, f"--{kind}-key-variable")


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
