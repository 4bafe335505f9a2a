"""The manifest of a run (``run.yaml``), the identity of a run, and the folder of a run."""

import importlib.metadata
import os
import platform
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from chronotope import __version__
from chronotope.errors import InputError
from chronotope.evaluate.plan.asks import PlannedAsk, read_asks
from chronotope.evaluate.plan.plan import Plan
from chronotope.evaluate.plan.staged import Staged, StageModel
from chronotope.io import canonical_json, read_yaml, refuse_links, sha256_bytes, slug, write_yaml
from chronotope.io.packed import PackedDict
from chronotope.media import FramePlan
from chronotope.methods import StepKind, find_method
from chronotope.models import Decoding, RunPrice, is_local, wire_of
from chronotope.protocol import AskSettings, Layout

RUN_SCHEMA = 2  # since version 2, the key of a call depends on the hash of its prompt (`keyed_as`)
CARD = "run.yaml"
CHAT = "chat"  # the only form of requests in earlier versions
CODE = "code"  # the name of the field of ``about_model`` with the code of a function
HUMAN = "human"  # the first part of the model's name in the run of a person
LEDGER = "ledger.jsonl"
RUNS = Path("runs")
LIBRARIES = ("av", "httpx", "numpy", "pillow", "pyarrow", "simplejpeg")
LOCAL_LIBRARIES = ("torch", "transformers")  # of models in this process


class RunBenchmark(BaseModel):
    """The benchmark of a run: its name, its path and its content hash."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: str
    path: str
    relative_path: str = ""
    content_hash: str


class RunProtocol(BaseModel):
    """The protocol of a run, without settings that only add asks."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: str
    version: int
    settings: dict[str, Any]


class RunStage(BaseModel):
    """The model of a stage of a method."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    model: str
    decoding: Decoding
    wire: str = CHAT
    about_model: dict[str, Any] = Field(default_factory=dict)


class RunMethod(BaseModel):
    """The method of a run, with the models of its stages."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: str
    version: int
    settings: dict[str, Any]
    models: dict[StepKind, RunStage]

    def staged(self) -> Staged:
        """Return the method as planned.

        Raises:
            InputError: If the method is not installed, or has other settings now.
        """
        of = find_method(self.name)
        try:
            settings = of.Settings.model_validate(self.settings)
        except ValidationError as error:
            told = error.errors()[0]["msg"]
            raise InputError(f"method {self.name}: its settings in {CARD} cannot be read ({told})") from None
        return Staged(of, settings, {kind: StageModel(one.model, one.decoding) for kind, one in self.models.items()})


class ImportedFrom(BaseModel):
    """The file from which the replies of a run were imported.

    ``subset_of`` is the number of selected questions if the run has only the selected questions that are in the file;
    otherwise ``subset_of`` is None.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    file: str
    sha256: str
    subset_of: int | None = None


class RunJudge(BaseModel):
    """The judge whose verdicts count in a run.

    ``prompt`` is the hash of the instructions to the judge. ``fields`` are further fields of the request body, chosen
    by the user.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    model: str
    prompt: str
    fields: dict[str, Any] = Field(default_factory=dict)


class RunManifest(BaseModel):
    """The content of ``run.yaml``.

    - ``frames`` describes the frames that the run shows.
    - ``versions`` lists the versions of Python, Chronotope and its libraries. If a run continues with other versions,
      ``versions`` gets a further entry.
    - ``check`` is the outcome of the check of the model before the first question.
    - ``elsewhere`` describes the file of replies, if the replies were imported from another tool.
    - ``price`` is the price of tokens that the user stated last.
    - ``judge`` is the last judge that gave a verdict. The verdicts of earlier judges stay in the ledger.
    - ``shard`` is the part of a run that the folder has, such as ``2/8``; None means all.
    - ``schema_version`` is the schema version with which the run began. The keys of the calls depend on this version
      (see `keyed_as`).
    - ``wire`` is the form of the requests to the service (see `chronotope.models.wire_of`). Runs of versions that had
      only one form have no ``wire``, and continue in that form.
    - ``method`` is the method of a run whose answers do not come from asking alone, such as HCTR.
    - ``about_model`` contains all values besides the model's name on which the answers depend, such as the device, or
      the hash of a function's code. It is empty for a model behind a service.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    schema_version: int = RUN_SCHEMA
    benchmark: RunBenchmark
    family: str
    model: str
    wire: str = CHAT
    about_model: dict[str, Any] = Field(default_factory=dict)
    decoding: Decoding
    protocol: RunProtocol
    layout: Layout = "published"
    method: RunMethod | None = None
    frames: list[str] = Field(default_factory=list)
    price: RunPrice | None = None
    check: dict[str, Any] | None = None
    elsewhere: ImportedFrom | None = None
    judge: RunJudge | None = None
    shard: str | None = None
    versions: list[dict[str, str]] = Field(default_factory=list)

    def identified(self) -> dict[str, Any]:
        """Return the values on which the answers of a run depend.

        Returns a mapping from dotted names, such as ``decoding.temperature``, to values. Two manifests with equal
        values describe the same run. The form of requests is left out if it is chat completions, and ``about_model`` is
        left out if it is empty, because earlier versions did not store these values and the identity of their runs must
        not change. ``method`` is also left out if the run has no method.
        """
        wire = {} if self.wire == CHAT else {"wire": self.wire}
        return (
            wire
            | _flat({"about_model": self.about_model} if self.about_model else {})
            | _flat({"method": self.method.model_dump(mode="json")} if self.method is not None else {})
            | _flat(
                {
                    "benchmark": self.benchmark.content_hash,
                    "model": self.model,
                    "decoding": self.decoding.model_dump(mode="json"),
                    "protocol": self.protocol.model_dump(mode="json"),
                    "layout": self.layout,
                }
            )
        )

    @property
    def by_person(self) -> bool:
        """Check whether a person gave the answers."""
        return self.model.startswith(f"{HUMAN}/")

    @property
    def identity(self) -> str:
        """Hash the values on which the answers depend.

        Returns the SHA-256 hash of the canonical JSON of these values.
        """
        return sha256_bytes(canonical_json(self.identified()).encode())


def make_manifest(
    plan: Plan,
    model: str,
    decoding: Decoding,
    price: RunPrice | None = None,
    about_model: Mapping[str, Any] | None = None,
) -> RunManifest:
    """Make the manifest of a run from its plan and model."""
    benchmark, protocol = plan.benchmark, plan.family.protocol
    shown = {_shown(p, plan.settings) for ask in plan.asks for p in ask.plans if p is not None}
    method = None
    if (staged := plan.staged) is not None:
        shown = {staged.method.words(staged.settings)}
        method = _method(staged)
    return RunManifest(
        benchmark=RunBenchmark(
            name=benchmark.card.name, path=str(benchmark.folder.resolve()), content_hash=benchmark.card.content_hash
        ),
        family=plan.family.name,
        model=model,
        wire=wire_of(model),
        about_model=dict(about_model or {}),
        decoding=decoding,
        protocol=RunProtocol(
            name=protocol.name,
            version=protocol.version,
            settings=plan.settings.identified(),
        ),
        layout=plan.layout,
        method=method,
        frames=sorted(shown),
        price=price,
        shard=None if plan.shard is None else str(plan.shard),
        versions=[_versions(model)],
    )


def _method(staged: Staged) -> RunMethod:
    models: dict[StepKind, RunStage] = {
        kind: RunStage(model=of.name, decoding=of.decoding, wire=of.wire, about_model=dict(of.about))
        for kind, of in staged.models.items()
    }
    return RunMethod(
        name=staged.method.name,
        version=staged.method.version,
        settings=staged.settings.model_dump(mode="json"),
        models=models,
    )


def _shown(plan: FramePlan, settings: AskSettings) -> str:
    if plan.of_files:
        return f"{len(plan.indices)} released pictures, {plan.sampler}"
    if settings.clips == "video":
        return "whole clips as video files"
    how = {None: "", "video": ", as one video", "images": ", numbered, with their times"}[settings.frames_as]
    return f"{len(plan.indices)} frames, {plan.sampler}{how}"


def default_run_folder(card: RunManifest, runs: Path = RUNS) -> Path:
    """Return the default folder of a run, inside the folder ``runs``.

    The folder is ``runs/<benchmark>-<model>-<first 8 digits of the identity>``. A shard has a folder of its own,
    because other machines may ask the other shards at the same time.
    """
    part = "" if card.shard is None else f"-shard-{card.shard.replace('/', '-of-')}"
    return runs / f"{slug(card.benchmark.name)}-{slug(card.model)}-{card.identity[:8]}{part}"


def home_of(card: RunManifest, planned: Sequence[PlannedAsk], runs: Path = RUNS) -> Path:
    """Find the default folder of a run, inside the folder ``runs``.

    If an earlier run made the same calls, under an older version of the protocol or in the chat-completions form, the
    folder of that run is returned.
    """
    home = default_run_folder(card, runs)
    for version in range(card.protocol.version, 0, -1):
        protocol = card.protocol.model_copy(update={"version": version})
        for wire in dict.fromkeys((card.wire, CHAT)):
            earlier = default_run_folder(card.model_copy(update={"protocol": protocol, "wire": wire}), runs)
            if not home.exists() and (earlier / CARD).is_file() and _same_calls(earlier, planned):
                return earlier
    return home


def join_manifest(folder: Path, card: RunManifest, planned: Sequence[PlannedAsk] = ()) -> RunManifest:
    """Start or continue a run in a folder; return its manifest.

    Raises:
        InputError: If the folder contains another run, or files that do not belong to a run. If an error is raised, no
            file is changed.
    """
    relative = os.path.relpath(card.benchmark.path, folder.resolve())
    card = card.model_copy(update={"benchmark": card.benchmark.model_copy(update={"relative_path": relative})})
    there = check_manifest(folder, card, planned)
    if there is not None:
        more_versions = [version for version in card.versions if version not in there.versions]
        more_frames = [words for words in card.frames if words not in there.frames]
        card = there.model_copy(
            update={
                "benchmark": card.benchmark,
                "price": card.price or there.price,
                "frames": sorted([*there.frames, *more_frames]),
                "shard": card.shard and there.shard,
                "versions": [*there.versions, *more_versions],
            }
        )
    if card != there:
        _write(folder, card)
    return card


def _write(folder: Path, card: RunManifest) -> None:
    refuse_links(folder / CARD)
    write_yaml(folder / CARD, card.model_dump(mode="json"))


def keep_check(folder: Path, outcome: dict[str, Any]) -> None:
    """Store the outcome of the check of a model in the manifest."""
    _write(folder, read_manifest(folder).model_copy(update={"check": outcome}))


def keep_judge(folder: Path, judge: RunJudge) -> None:
    """Store the judge in the manifest.

    From now on, only the verdicts of this judge count.
    """
    card = read_manifest(folder)
    if card.judge != judge:
        _write(folder, card.model_copy(update={"judge": judge}))


def check_manifest(folder: Path, card: RunManifest, planned: Sequence[PlannedAsk] = ()) -> RunManifest | None:
    """Return the manifest of the run that ``card`` continues, or None.

    Returns None if the folder contains no run yet. A run with an earlier version of the protocol is continued only if
    the prompts of all its ``planned`` asks are unchanged. Otherwise, the earlier answers would no longer be valid. A
    run that began in the chat-completions form continues in this form (see ``wire`` of its manifest).

    Raises:
        InputError: If the folder contains another run, or files that do not belong to a run.
    """
    if not (folder / CARD).exists():
        if folder.exists() and (not folder.is_dir() or any(_is_foreign(item.name) for item in folder.iterdir())):
            raise InputError(
                "contains files that do not belong to a run", where=str(folder), fix="name a new folder with --out"
            )
        return None
    there = read_manifest(folder)
    if there.wire == CHAT:
        card = card.model_copy(update={"wire": CHAT})
    if CODE not in there.about_model:  # an earlier version did not record the code
        about = {name: value for name, value in card.about_model.items() if name != CODE}
        card = card.model_copy(update={"about_model": about})
    if there.shard is not None and card.shard not in (None, there.shard):
        raise InputError(
            f"contains shard {there.shard} of this run, not shard {card.shard}",
            where=str(folder),
            fix="name another folder with --out; `chronotope merge` joins the shards",
        )
    other = differing(there, card, "there", "here")
    if len(other) == 1 and other[0].startswith(f"about_model.{CODE}"):
        raise InputError(
            f"the code of {card.model} has changed since the run began",
            where=str(folder),
            fix="restore the function, name a new folder with --out, or state the version with which the run began",
        )
    later = len(other) == 1 and there.protocol.version < card.protocol.version and _same_calls(folder, planned)
    if other and not later:
        raise InputError(
            f"contains another run ({'; '.join(other)})",
            where=str(folder),
            fix=f"use the earlier settings, or name a new folder with --out; with --reuse {folder}, the new run copies "
            "the answers to identical calls",
        )
    return there


def _same_calls(folder: Path, planned: Sequence[PlannedAsk]) -> bool:
    """Check whether the asks in a run folder have the planned prompts.

    At least one planned ask must be in the folder. Prompts are compared instead of keys, because keys differ between
    schema versions, and because the manifest already contains the model and the decoding.
    """
    try:
        prompts = PackedDict((ask.ask.id, ask.prompt) for ask in read_asks(folder))
    except InputError:
        return False
    found = False
    for one in planned:
        prompt = prompts.get(one.ask.id)
        if prompt is not None and prompt != one.prompt:
            return False
        found |= prompt is not None
    return found


def differing(first: RunManifest, second: RunManifest, at_first: str, at_second: str) -> list[str]:
    """Describe the differences between the identities of two runs."""
    one, other = first.identified(), second.identified()
    return [
        f"{name} is {_words(one, name)} {at_first} and {_words(other, name)} {at_second}"
        for name in sorted({*one, *other})
        if _words(one, name) != _words(other, name)
    ]


def _is_foreign(name: str) -> bool:
    """Check whether a file name cannot belong to a run.

    A run folder may contain a ledger before it has a manifest, because the ledger is opened and locked before the
    manifest is written.
    """
    return not name.startswith((".", LEDGER))


def read_manifest(folder: Path) -> RunManifest:
    """Read the manifest ``run.yaml`` of a run folder.

    Raises:
        InputError: If the folder is not a run folder, its manifest has a newer version, or a field of the manifest is
            invalid.
    """
    path = folder / CARD
    if not path.is_file():
        raise InputError(
            f"is not a run ({CARD} is missing)", where=str(folder), fix="name a folder made by `chronotope run`"
        )
    values = read_yaml(path)
    version = values.get("schema_version")
    if isinstance(version, int) and version > RUN_SCHEMA:
        raise InputError(
            f"{path}: schema version {version}, but this version reads up to {RUN_SCHEMA}: update chronotope"
        )
    try:
        return RunManifest.model_validate(values)
    except ValidationError as error:
        first = error.errors()[0]
        field = ".".join(str(piece) for piece in first["loc"])
        raise InputError(f"{path}: field {field}: {first['msg']}") from error


def _flat(values: dict[str, Any], prefix: str = "") -> dict[str, Any]:
    flat: dict[str, Any] = {}
    for name, value in values.items():
        if isinstance(value, dict) and value and not prefix.endswith("extra."):
            flat |= _flat(value, f"{prefix}{name}.")
        else:
            flat[f"{prefix}{name}"] = value
    return flat


def _words(values: dict[str, Any], name: str) -> str:
    return canonical_json(values[name]) if name in values else "not set"


def _versions(model: str) -> dict[str, str]:
    """Return the versions of the software that a run uses.

    A run uses Python, Chronotope, and libraries that depend on the model.
    """
    names = (*LIBRARIES, *(LOCAL_LIBRARIES if is_local(model) else ()))
    libraries = {name: importlib.metadata.version(name) for name in names}
    return {"chronotope": __version__, "python": platform.python_version()} | libraries
