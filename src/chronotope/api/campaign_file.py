"""The file of a campaign: benchmarks, models and settings, each combined with each.

An entry of a list is a name, or a mapping with the name and further options. The options of a run are the options of
its benchmark, its model and its settings together.
"""

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from types import UnionType
from typing import Annotated, Any

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError, field_validator

from chronotope.api.checked_settings import fault_of, unknown
from chronotope.api.options import Conduct, Names, Urls
from chronotope.errors import InputError
from chronotope.evaluate.plan import RunPrice
from chronotope.io import read_yaml
from chronotope.models import Credentials, ModelSpec, Number, Price, urls_of

BODY = "set"


class _Strict(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", populate_by_name=True, allow_inf_nan=False)


class _Service(_Strict):
    """A model and its service."""

    name: str
    base_url: Urls = ()
    key_variable: str | None = None
    header: tuple[str, ...] = ()

    @property
    def credentials(self) -> Credentials | None:
        given = Credentials(self.key_variable, self.header)
        return None if given == Credentials() else given


class _Judge(_Service):
    """The judge of open answers, with its price and the fields of its requests."""

    price: Price = None
    body: dict[str, Any] = Field(default_factory=dict, alias=BODY)

    @field_validator("base_url")
    @classmethod
    def _one(cls, urls: tuple[str, ...]) -> tuple[str, ...]:
        if len(urls) > 1:
            raise ValueError("expected one URL, because one server judges")
        return urls

    @property
    def spec(self) -> ModelSpec:
        return ModelSpec(self.name, **urls_of(self.base_url), settings=self.body, credentials=self.credentials)


class Options(Conduct):
    """The options of a run that no family defines; each has the name of its flag, with underscores."""

    task: Names = ()
    variant: Names = ()
    body: dict[str, Any] = Field(default_factory=dict, alias=BODY)

    @field_validator("lead", mode="before")
    @classmethod
    def _off(cls, lead: Any) -> Any:
        return "off" if lead is False else lead  # YAML reads a bare ``off`` as false


def _list_of(what: str, kinds: type | UnionType) -> BeforeValidator:
    """Return the check of a list in the file."""

    def check(value: Any) -> Any:
        if not isinstance(value, list) or not value or not all(isinstance(one, kinds) for one in value):
            raise ValueError(f"expected a list of {what}")
        return value

    return BeforeValidator(check)


class _Content(_Strict):
    """The content of the file."""

    benchmarks: Annotated[
        tuple[str | dict[str, Any], ...], _list_of("paths, or of mappings with the key path", str | dict)
    ]
    models: Annotated[tuple[str | dict[str, Any], ...], _list_of("names, or of mappings with the key name", str | dict)]
    settings: Annotated[tuple[dict[str, Any], ...], _list_of("mappings, such as limit: 10", dict)] = ()
    judge: str | dict[str, Any] | None = None
    max_cost: Annotated[Number, Field(gt=0)] | None = None
    runs: str = "runs"
    report: str = "report"


@dataclass(frozen=True)
class Cell:
    """One benchmark, one model and one entry of the settings.

    - ``place`` names the three entries for errors, such as "entry 2 of models"; the third name is empty if the file has
      no settings. ``places`` maps each option to the name of its entry.
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

    @property
    def entries(self) -> str:
        """Return the names of the entries as one text."""
        return ", ".join(filter(None, self.place))


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
    told = read_yaml(path)
    if told.get("settings", True) in ([], None):
        told = {name: value for name, value in told.items() if name != "settings"}
    content = _valid(_Content, told, path)
    benchmarks = [_entry(path, "benchmarks", n, one, "path") for n, one in enumerate(content.benchmarks, 1)]
    models = [_entry(path, "models", n, one, "name") for n, one in enumerate(content.models, 1)]
    settings = [_Entry(f"entry {n} of settings", one) for n, one in enumerate(content.settings, 1)]
    settings = settings or [_Entry("", {})]
    cells = tuple(_cell(path, *entries) for entries in product(benchmarks, models, settings))
    judge = None
    if content.judge is not None:
        told = {"name": content.judge} if isinstance(content.judge, str) else content.judge
        judge = _valid(_Judge, told, path, "judge")
    return CampaignFile(
        path, cells, None if judge is None else judge.spec,
        None if judge is None else judge.price,
        content.max_cost, path.parent / content.runs, path.parent / content.report,
    )  # fmt: skip


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
    service = _valid(
        _Service, {name: merged.pop(name) for name in _Service.model_fields if name in merged}, path, places=places
    )
    ours = _keys(Options)
    options = _valid(
        Options, {name: merged.pop(name) for name in ours if name in merged}, path, places=places
    )  # all others must be settings of the family
    spec = ModelSpec(service.name, **urls_of(service.base_url), credentials=service.credentials)
    told = ", ".join(f"{name} {_words(value)}" for name, value in settings.options.items())
    entries = (benchmark.place, model.place, settings.place)
    return Cell(entries, places, folder, spec, options, merged, told)


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
            raise unknown(f"there is no key {str(name)!r}", str(name), known, where)
    try:
        return model.model_validate(values)
    except ValidationError as error:
        name, fault, found = fault_of(error)
        if error.errors()[0]["type"] == "missing" and len(error.errors()[0]["loc"]) == 1:
            raise InputError(
                f"the key {name!r} is missing", where=where, expected=f"one of {', '.join(known)}"
            ) from None
        at = (places or {}).get(name, place)
        where = f"{path}: {at}: {name}" if at else f"{path}: {name}"
        raise InputError(f"{fault}, found {found!r}", where=where) from None


def _keys(model: type[BaseModel]) -> list[str]:
    """Return the keys of a part of the file.

    The limit on the cost is a key of the whole file, because it is one limit for all runs.
    """
    fields = {name: info for name, info in model.model_fields.items() if model is not Options or name != "max_cost"}
    return [info.alias or name for name, info in fields.items()]


KEYS = ("path", *_keys(_Service), *_keys(Options))  # the keys that an entry of any list may have


def in_keys(text: str, known: Collection[str] = ()) -> str:
    """Replace the flags in a text with the keys of the file.

    For example, ``--no-check`` becomes ``check: false``. ``known`` are the keys besides those that every file can have.
    Other flags are kept.
    """

    def key(flag: re.Match[str]) -> str:
        name = flag[2].replace("-", "_")
        if name not in (*KEYS, *_keys(_Content), *known):
            return flag[0]
        return f"{name}: false" if flag[1] else name

    return re.sub(r"(?<![\w/-])--(no-)?([a-z][a-z-]*)", key, text)


def _words(value: Any) -> str:
    return ",".join(map(str, value)) if isinstance(value, list) else str(value)
