"""The file of a campaign: benchmarks, models and settings, each combined with each.

An entry of a list is a name, or a mapping with the name and further options. The options of a run are those of its
benchmark, its model and its settings together.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from itertools import product
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from chronotope.api.settings import fault_of
from chronotope.errors import InputError
from chronotope.evaluate.plan import RunPrice
from chronotope.evaluate.run import Lead
from chronotope.io import read_yaml
from chronotope.models import Credentials, ModelSpec
from chronotope.protocol import Layout

__all__ = ["KEYS", "CampaignFile", "Cell", "price_of", "read_campaign", "unknown_key"]

BODY = "set"


class _Strict(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", populate_by_name=True, allow_inf_nan=False)


class _Service(_Strict):
    """A model and its service."""

    name: str
    base_url: str | None = None
    key_variable: str | None = None
    header: tuple[str, ...] = ()

    @property
    def credentials(self) -> Credentials | None:
        given = Credentials(self.key_variable, self.header)
        return None if given == Credentials() else given


class _Judge(_Service):
    """The judge of open answers, with its price and the fields of its requests."""

    price: tuple[float, float] | None = None
    body: dict[str, Any] = Field(default_factory=dict, alias=BODY)

    @property
    def spec(self) -> ModelSpec:
        return ModelSpec(self.name, self.base_url, settings=self.body, credentials=self.credentials)


class Options(_Strict):
    """The options of a run that no family defines; each has the name of its flag, with underscores."""

    task: tuple[str, ...] = ()
    variant: tuple[str, ...] = ()
    limit: int | None = Field(None, ge=1)
    max_tokens: int | None = Field(None, ge=1)
    temperature: float = Field(0.0, ge=0)
    body: dict[str, Any] = Field(default_factory=dict, alias=BODY)
    layout: Layout | None = None
    lead: Lead | None = None
    concurrency: int | None = Field(None, ge=1)
    timeout: float | None = Field(None, gt=0)
    wait: float | None = Field(None, ge=0)
    price: tuple[float, float] | None = None
    check: bool | None = None
    allow_lost_order: bool | None = None
    batch: bool | None = None

    @property
    def conduct(self) -> dict[str, Any]:
        """Return the given options that `RunRequest` has under the same names."""
        names = ("layout", "lead", "concurrency", "timeout", "wait", "check", "allow_lost_order", "batch")
        return {name: value for name in names if (value := getattr(self, name)) is not None}


class _Content(_Strict):
    """The content of the file."""

    benchmarks: tuple[str | dict[str, Any], ...] = Field(min_length=1)
    models: tuple[str | dict[str, Any], ...] = Field(min_length=1)
    settings: tuple[dict[str, Any], ...] = ({},)
    judge: str | dict[str, Any] | None = None
    max_cost: float | None = Field(None, gt=0)
    runs: str = "runs"
    report: str = "report"


@dataclass(frozen=True)
class Cell:
    """One benchmark, one model and one entry of the settings.

    - ``place`` names the three entries for errors, such as "entry 2 of models". ``places`` maps each option to the name
      of its entry.
    - ``options`` are the options that no family defines. ``family`` are all other options, which must be settings of
      the family.
    - ``told`` is the entry of the settings as text, which is used in the name of the run.
    """

    place: tuple[str, str, str]
    places: Mapping[str, str]
    benchmark: Path
    model: ModelSpec
    options: Options
    family: Mapping[str, Any]
    told: str


@dataclass(frozen=True)
class CampaignFile:
    """A campaign as its file describes it; ``runs`` and ``report`` are folders beside the file."""

    path: Path
    cells: tuple[Cell, ...]
    judge: ModelSpec | None
    judge_price: RunPrice | None
    max_cost: float | None
    runs: Path
    report: Path


def read_campaign(path: Path) -> CampaignFile:
    """Read the file of a campaign.

    Paths in the file are relative to its folder.

    Raises:
        InputError: If the file cannot be read, a key is unknown or missing, a value is wrong, two entries of one run
            have the same key, or a folder of a benchmark does not exist.
    """
    content = _valid(_Content, read_yaml(path), path)
    benchmarks = [_entry(path, "benchmarks", n, one, "path") for n, one in enumerate(content.benchmarks, 1)]
    models = [_entry(path, "models", n, one, "name") for n, one in enumerate(content.models, 1)]
    settings = [_Entry(f"entry {n} of settings", one) for n, one in enumerate(content.settings, 1)]
    cells = tuple(_cell(path, *entries) for entries in product(benchmarks, models, settings))
    judge = None
    if content.judge is not None:
        told = {"name": content.judge} if isinstance(content.judge, str) else content.judge
        judge = _valid(_Judge, told, path, "judge")
    return CampaignFile(
        path, cells, None if judge is None else judge.spec,
        None if judge is None else price_of(judge.price, f"{path}: judge"),
        content.max_cost, path.parent / content.runs, path.parent / content.report,
    )  # fmt: skip


def price_of(price: tuple[float, float] | None, where: str) -> RunPrice | None:
    """Make the price of tokens from two numbers.

    Raises:
        InputError: If a number is less than 0.
    """
    if price is None:
        return None
    try:
        return RunPrice(input=price[0], output=price[1])
    except ValidationError:
        raise InputError(
            f"found {list(price)}", where=f"{where}: price", expected="two numbers that are at least 0"
        ) from None


@dataclass(frozen=True)
class _Entry:
    """An entry of a list in the file, with its place and its options."""

    place: str
    options: Mapping[str, Any]


def _entry(path: Path, of: str, number: int, told: str | Mapping[str, Any], name: str) -> _Entry:
    """Return an entry as a mapping, in which ``name`` is given."""
    entry = _Entry(f"entry {number} of {of}", {name: told} if isinstance(told, str) else told)
    if not isinstance(entry.options.get(name), str):
        raise InputError(f"has no {name}", where=f"{path}: {entry.place}", fix=f"write {name}: and a text")
    return entry


def _cell(path: Path, benchmark: _Entry, model: _Entry, settings: _Entry) -> Cell:
    merged, places = _merged(path, (benchmark, model, settings))
    folder = path.parent / merged.pop("path")
    if not folder.is_dir():
        raise InputError(
            f"there is no folder {folder}",
            where=f"{path}: {places['path']}: path",
            fix="correct the path, which is relative to the file",
        )
    service = _valid(_Service, {name: merged.pop(name) for name in _Service.model_fields if name in merged}, path)
    ours = _keys(Options)
    options = _valid(
        Options, {name: merged.pop(name) for name in ours if name in merged}, path, places=places
    )  # all others must be settings of the family
    spec = ModelSpec(service.name, service.base_url, credentials=service.credentials)
    told = ", ".join(f"{name} {_words(value)}" for name, value in settings.options.items())
    return Cell((benchmark.place, model.place, settings.place), places, folder, spec, options, merged, told)


def _merged(path: Path, entries: Sequence[_Entry]) -> tuple[dict[str, Any], dict[str, str]]:
    """Join the options of entries.

    The second value names the entry of each option.

    Raises:
        InputError: If two entries have the same option.
    """
    merged: dict[str, Any] = {}
    places: dict[str, str] = {}
    for entry in entries:
        for name, value in _flat(entry.options):
            if name in places:
                raise InputError(
                    f"the key {name!r} is also in {places[name]}",
                    where=f"{path}: {entry.place}",
                    fix="keep one of them",
                )
            places[name] = entry.place
            if name.startswith(f"{BODY}: "):
                merged.setdefault(BODY, {})[name.removeprefix(f"{BODY}: ")] = value
                places[BODY] = entry.place
            else:
                merged[name] = value
    return merged, places


def _flat(options: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    """Yield each option.

    Each field of the request body is an option of its own.
    """
    for name, value in options.items():
        if name == BODY and isinstance(value, dict) and value:
            yield from ((f"{BODY}: {key}", one) for key, one in value.items())
        else:
            yield name, value


def _valid(
    model: Any, values: Mapping[str, Any], path: Path, place: str = "", places: Mapping[str, str] | None = None
) -> Any:
    """Make a part of the file from plain values.

    Raises:
        InputError: If a key is unknown or missing, or a value is invalid.
    """
    where = f"{path}: {place}" if place else str(path)
    known = _keys(model)
    for name in values:
        if name not in known:
            raise unknown_key(str(name), known, where)
    try:
        return model.model_validate(values)
    except ValidationError as error:
        name, fault, found = fault_of(error)
        if error.errors()[0]["type"] == "missing":
            raise InputError(
                f"the key {name!r} is missing", where=where, expected=f"one of {', '.join(known)}"
            ) from None
        at = (places or {}).get(name, place)
        where = f"{path}: {at}: {name}" if at else f"{path}: {name}"
        raise InputError(f"{fault}, found {found!r}", where=where) from None


def _keys(model: type[BaseModel]) -> list[str]:
    """Return the keys of a part of the file."""
    return [info.alias or name for name, info in model.model_fields.items()]


KEYS = ("path", *_keys(_Service), *_keys(Options))  # the keys that an entry of any list may have


def unknown_key(name: str, known: Sequence[str], where: str) -> InputError:
    """Return the error for a key that nothing defines."""
    meant = get_close_matches(name, known, 1)
    told = f"there is no key {name!r}" + (f"; did you mean {meant[0]!r}?" if meant else "")
    return InputError(told, where=where, expected=f"one of {', '.join(known)}")


def _words(value: Any) -> str:
    return ",".join(map(str, value)) if isinstance(value, list) else str(value)
