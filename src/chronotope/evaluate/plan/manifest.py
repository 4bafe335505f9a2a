"""The manifest of a run: ``run.yaml``, the run's identity, and its folder."""

import importlib.metadata
import os
import platform
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from chronotope import __version__
from chronotope.errors import InputError
from chronotope.evaluate.plan.asks import PlannedAsk, read_asks
from chronotope.evaluate.plan.plan import Plan
from chronotope.io import canonical_json, read_yaml, sha256_bytes, slug, write_yaml
from chronotope.media import FramePlan
from chronotope.models import Decoding, RunPrice, wire_of
from chronotope.protocol import AskSettings, Layout

__all__ = [
    "LEDGER",
    "RUN_SCHEMA",
    "ImportedFrom",
    "RunBenchmark",
    "RunJudge",
    "RunManifest",
    "RunPrice",
    "RunProtocol",
    "check_manifest",
    "default_run_folder",
    "differing",
    "home_of",
    "join_manifest",
    "keep_check",
    "keep_judge",
    "make_manifest",
    "read_manifest",
]

RUN_SCHEMA = 2  # since 2 a call is named by the hash of its prompt (`keyed_as`)
CARD = "run.yaml"
CHAT = "chat"  # the only form of requests that earlier versions knew
LEDGER = "ledger.jsonl"
LIBRARIES = ("av", "httpx", "numpy", "pillow", "pyarrow", "simplejpeg")


class RunBenchmark(BaseModel):
    """The benchmark of the run: its path and its content hash."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: str
    path: str
    relative_path: str = ""
    content_hash: str


class RunProtocol(BaseModel):
    """The protocol of the run; settings that only add asks are left out."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: str
    version: int
    settings: dict[str, Any]


class ImportedFrom(BaseModel):
    """The file that the replies were imported from."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    file: str
    sha256: str


class RunJudge(BaseModel):
    """The judge whose verdicts count, with the hash of its instructions.

    ``fields`` are further fields of the request body, if any were chosen.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    model: str
    prompt: str
    fields: dict[str, Any] = Field(default_factory=dict)


class RunManifest(BaseModel):
    """The content of ``run.yaml``.

    ``frames`` describes the frames that are shown of clips. ``versions`` gets a further entry if a run continues with
    other versions of code and libraries. ``check`` is the outcome of the check before the first question. ``elsewhere``
    is set if another tool made the replies. ``price`` is the last given price. ``judge`` is the last judge that gave a
    verdict; verdicts of earlier judges stay in the ledger. ``schema_version`` is the version with which the run began;
    the form of the calls' keys depends on it (`keyed_as`). ``wire`` is the form in which the service was asked
    (`chronotope.models.wire_of`); runs of versions that knew one form have none, and continue in that form.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    schema_version: int = RUN_SCHEMA
    benchmark: RunBenchmark
    family: str
    model: str
    wire: str = CHAT
    decoding: Decoding
    protocol: RunProtocol
    layout: Layout = "published"
    frames: list[str] = Field(default_factory=list)
    price: RunPrice | None = None
    check: dict[str, Any] | None = None
    elsewhere: ImportedFrom | None = None
    judge: RunJudge | None = None
    versions: list[dict[str, str]] = Field(default_factory=list)

    def identified(self) -> dict[str, Any]:
        """Return the values that answers depend on, by dotted name.

        Runs with equal values are the same run. The chat-completions form is left out, as it was when it was the only
        form, so that older runs keep their identity.
        """
        wire = {} if self.wire == CHAT else {"wire": self.wire}
        return wire | _flat(
            {
                "benchmark": self.benchmark.content_hash,
                "model": self.model,
                "decoding": self.decoding.model_dump(mode="json"),
                "protocol": self.protocol.model_dump(mode="json"),
                "layout": self.layout,
            }
        )

    @property
    def identity(self) -> str:
        """Hash the values that answers depend on (SHA-256 of their canonical JSON)."""
        return sha256_bytes(canonical_json(self.identified()).encode())


def make_manifest(plan: Plan, model: str, decoding: Decoding, price: RunPrice | None = None) -> RunManifest:
    """Make the manifest of a run of this plan and model."""
    benchmark, protocol = plan.benchmark, plan.family.protocol
    shown = {_shown(p, plan.settings) for ask in plan.asks for p in ask.plans if p is not None}
    return RunManifest(
        benchmark=RunBenchmark(
            name=benchmark.card.name, path=str(benchmark.folder.resolve()), content_hash=benchmark.card.content_hash
        ),
        family=plan.family.name,
        model=model,
        wire=wire_of(model),
        decoding=decoding,
        protocol=RunProtocol(
            name=protocol.name,
            version=protocol.version,
            settings=plan.settings.model_dump(mode="json", exclude=set(plan.settings.extending)),
        ),
        layout=plan.layout,
        frames=sorted(shown),
        price=price,
        versions=[_versions()],
    )


def _shown(plan: FramePlan, settings: AskSettings) -> str:
    """Describe in words which frames of a media item are shown."""
    if plan.of_files:
        return f"{len(plan.indices)} released pictures, {plan.sampler}"
    return "whole clips as video files" if settings.clips == "video" else f"{len(plan.indices)} frames, {plan.sampler}"


def default_run_folder(card: RunManifest) -> Path:
    """Name the default folder, ``runs/<benchmark>-<model>-<first 8 digits of its identity>``."""
    return Path("runs") / f"{slug(card.benchmark.name)}-{slug(card.model)}-{card.identity[:8]}"


def home_of(card: RunManifest, planned: Sequence[PlannedAsk]) -> Path:
    """Find the default folder of a run.

    If the same calls were made under an older protocol, or in the form of requests of earlier versions, it is the
    folder of that run.
    """
    home = default_run_folder(card)
    for version in range(card.protocol.version, 0, -1):
        protocol = card.protocol.model_copy(update={"version": version})
        for wire in dict.fromkeys((card.wire, CHAT)):
            earlier = default_run_folder(card.model_copy(update={"protocol": protocol, "wire": wire}))
            if not home.exists() and (earlier / CARD).is_file() and _same_calls(earlier, planned):
                return earlier
    return home


def join_manifest(folder: Path, card: RunManifest, planned: Sequence[PlannedAsk] = ()) -> RunManifest:
    """Start a run in a folder, or continue it; return its manifest.

    Raises:
        InputError: If the folder contains another run, or files that are not a run. Nothing is changed then.
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
                "versions": [*there.versions, *more_versions],
            }
        )
    if card != there:
        write_yaml(folder / CARD, card.model_dump(mode="json"))
    return card


def keep_check(folder: Path, outcome: dict[str, Any]) -> None:
    """Store the outcome of the model's check in the manifest."""
    card = read_manifest(folder)
    write_yaml(folder / CARD, card.model_copy(update={"check": outcome}).model_dump(mode="json"))


def keep_judge(folder: Path, judge: RunJudge) -> None:
    """Store in the manifest the judge whose verdicts count from now on."""
    card = read_manifest(folder)
    if card.judge != judge:
        write_yaml(folder / CARD, card.model_copy(update={"judge": judge}).model_dump(mode="json"))


def check_manifest(folder: Path, card: RunManifest, planned: Sequence[PlannedAsk] = ()) -> RunManifest | None:
    """Return the manifest of the run that ``card`` continues, or None.

    None means that the folder holds no run yet. A run with an earlier version of the protocol continues if all its
    ``planned`` asks have the same prompts as now, because its answers are still valid. A run that began in the
    chat-completions form continues in it (see ``wire`` of its manifest).

    Raises:
        InputError: If the folder contains another run, or files that are not a run.
    """
    if not (folder / CARD).exists():
        if folder.exists() and (not folder.is_dir() or any(_is_foreign(item.name) for item in folder.iterdir())):
            raise InputError(f"{folder}: contains files that are not a run: name a new folder with --out")
        return None
    there = read_manifest(folder)
    if there.wire == CHAT:
        card = card.model_copy(update={"wire": CHAT})
    other = differing(there, card, "there", "here")
    later = len(other) == 1 and there.protocol.version < card.protocol.version and _same_calls(folder, planned)
    if other and not later:
        raise InputError(
            f"{folder}: holds another run ({'; '.join(other)}): use the earlier settings, or name a new folder with "
            f"--out; --reuse {folder} then copies answers to identical calls"
        )
    return there


def _same_calls(folder: Path, planned: Sequence[PlannedAsk]) -> bool:
    """Check whether a run folder's planned asks have the same prompts.

    It must contain some of them. Prompts are compared, not keys: keys differ between schema versions, and the manifest
    already has model and decoding.
    """
    try:
        prompts = {one.ask.id: one.prompt for one in read_asks(folder)}
    except InputError:
        return False
    both = [one for one in planned if one.ask.id in prompts]
    return bool(both) and all(prompts[one.ask.id] == one.prompt for one in both)


def differing(first: RunManifest, second: RunManifest, at_first: str, at_second: str) -> list[str]:
    """Describe how the identities of two runs differ."""
    one, other = first.identified(), second.identified()
    return [
        f"{name} is {_words(one, name)} {at_first} and {_words(other, name)} {at_second}"
        for name in sorted({*one, *other})
        if _words(one, name) != _words(other, name)
    ]


def _is_foreign(name: str) -> bool:
    """Check whether a file belongs to no run.

    A run folder may contain a ledger before it has a manifest, because the ledger is opened and locked first.
    """
    return not name.startswith((".", LEDGER))


def read_manifest(folder: Path) -> RunManifest:
    """Read ``run.yaml``.

    Raises:
        InputError: If the folder is not a run, or is a run of a newer version.
    """
    path = folder / CARD
    if not path.is_file():
        raise InputError(f"{folder}: is not a run ({CARD} is missing): name a folder made by `chronotope run`")
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


def _versions() -> dict[str, str]:
    libraries = {name: importlib.metadata.version(name) for name in LIBRARIES}
    return {"chronotope": __version__, "python": platform.python_version()} | libraries
