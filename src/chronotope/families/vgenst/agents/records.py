"""The folder of a drafting job: one file for each finished stage of each item, and the settings of the job.

An item is known by its task and the id of its theme, never by its place in a list. A file appears when its stage is
finished, and is not made again.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from chronotope.errors import InputError
from chronotope.families.vgenst.agents import examples, prompts
from chronotope.families.vgenst.agents.items import Item
from chronotope.io import read_json, read_yaml, write_json, write_yaml
from chronotope.io.fields import first_fault
from chronotope.models import Agreed, Objection

SCHEMA = 1
SETTINGS, LEDGER = "drafting.yaml", "ledger.jsonl"
StageName = Literal["graph", "scenario", "prompts", "questions"]
STAGE_NAMES: tuple[StageName, ...] = ("graph", "scenario", "prompts", "questions")
FOLDERS: Mapping[StageName, str] = {
    "graph": "graphs", "scenario": "scenarios", "prompts": "prompts", "questions": "questions",
}  # fmt: skip


class Draft(BaseModel):
    """The work of one stage about one item.

    ``value`` is None if no reply was a candidate. ``validated`` is true if all rules are satisfied and the validator
    model, if any, accepted. ``objections`` are what was found in ``value``; ``tried`` has the broken rules of each
    attempt. ``models`` are the models that wrote, by role, and ``judges`` are those that judged. ``part`` distinguishes
    several works of one stage, such as the types of questions.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    schema_version: Literal[1] = SCHEMA
    stage: StageName
    item: str
    task: str
    theme: str
    theme_id: str
    part: str = ""
    validated: bool
    value: Any = None
    objections: list[dict[str, str]] = Field(default_factory=list[dict[str, str]])
    tried: list[list[str]] = Field(default_factory=list[list[str]])
    models: dict[str, str] = Field(default_factory=dict[str, str])
    judges: dict[str, str] = Field(default_factory=dict[str, str])

    @property
    def is_model_written(self) -> bool:
        """Check whether a model wrote it."""
        return bool(self.tried)

    @property
    def passed_first(self) -> bool:
        """Check whether the first candidate of a model was accepted."""
        return self.validated and len(self.tried) == 1


@dataclass(frozen=True)
class Roles:
    """The models of a stage: those that write and those that judge, by role."""

    models: Mapping[str, str] = field(default_factory=dict[str, str])
    judges: Mapping[str, str] = field(default_factory=dict[str, str])


class DraftFolder:
    """A folder of drafts, opened for a job with some settings; nothing is written if ``to_write`` is false.

    Raises:
        InputError: If the folder has drafts of a job with other settings.
    """

    def __init__(self, folder: Path, settings: Mapping[str, Any], *, to_write: bool = True) -> None:
        self.folder = folder
        told = {
            "schema": SCHEMA, "prompts": prompts.VERSION, "examples": examples.VERSION, **settings,
        }  # fmt: skip
        path = folder / SETTINGS
        if not path.exists():
            if folder.exists() and any(folder.iterdir()):
                raise InputError(f"{folder}: exists already and has no {SETTINGS}, so it has no drafts: choose another")
            if to_write:
                write_yaml(path, told)
            return
        known: Any = read_yaml(path)
        known = known if isinstance(known, dict) else {}
        differ = sorted(name for name in told.keys() | known.keys() if told.get(name) != known.get(name))
        if differ:
            pairs = ", ".join(f"{name} {known.get(name)!r} instead of {told.get(name)!r}" for name in differ)
            raise InputError(f"{folder}: has drafts of a job with {pairs}: choose another folder, or the same settings")

    @property
    def ledger(self) -> Path:
        """Return the path of the ledger of all calls."""
        return self.folder / LEDGER

    def find(self, stage: StageName, item: Item, part: str = "") -> Draft | None:
        """Return the finished work of a stage, or None."""
        path = self._path(stage, item, part)
        return read_draft(path) if path.exists() else None

    def keep(
        self, stage: StageName, item: Item, value: Any, agreed: Agreed[Any], roles: Roles, part: str = ""
    ) -> Draft:
        """Write the work of a stage; ``value`` is the JSON form of the candidate."""
        draft = Draft(
            stage=stage, item=item.id, task=item.task, theme=item.theme.name, theme_id=item.theme.id, part=part,
            validated=agreed.validated, value=value,
            objections=[objection.told() for objection in agreed.objections],
            tried=[sorted({objection.rule for objection in found}) for found in agreed.tried],
            models=dict(roles.models), judges=dict(roles.judges) if agreed.judged else {},
        )  # fmt: skip
        write_json(self._path(stage, item, part), draft.model_dump(mode="json"))
        return draft

    def _path(self, stage: StageName, item: Item, part: str) -> Path:
        name = f"{item.id}--{part}" if part else item.id
        return self.folder / FOLDERS[stage] / f"{name}.json"


def read_draft(path: Path) -> Draft:
    """Read the work of a stage.

    Raises:
        InputError: If the file is not such a work.
    """
    try:
        return Draft.model_validate(read_json(path))
    except ValidationError as error:
        raise InputError(
            f"{path}: {first_fault(error)}: delete the file, and the same command makes it again"
        ) from None


def read_drafts(folder: Path, stage: StageName, *, unvalidated: bool = False) -> Iterator[Draft]:
    """Read the works of a stage in the order of their names.

    Works that are not validated are left out, unless ``unvalidated`` is true.

    Raises:
        InputError: If the folder has no drafts, or a file cannot be read.
    """
    if not (folder / SETTINGS).exists():
        raise InputError(f"{folder}: has no {SETTINGS}: name a folder with drafts")
    for path in sorted((folder / FOLDERS[stage]).glob("*.json")):
        draft = read_draft(path)
        if draft.value is not None and (draft.validated or unvalidated):
            yield draft


def by_code(objections: Sequence[Objection]) -> Agreed[Any]:
    """Return the agreement about what code made: no attempt of a model, and what the rules find."""
    return Agreed(None, not objections, tuple(objections))
