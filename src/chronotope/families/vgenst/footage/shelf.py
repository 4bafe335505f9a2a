"""The folder of generated clips: the scenes, the candidates with their checks, and what a person picked."""

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from chronotope.errors import InputError
from chronotope.families.vgenst.agents import Draft
from chronotope.families.vgenst.drafted import DraftedScene
from chronotope.io import read_json, read_yaml, write_json, write_yaml
from chronotope.io.fields import first_fault
from chronotope.world.kinds.stage.graph import parse_graph

SETTINGS, SCENES, CANDIDATES, PICKED = "generation.yaml", "scenes", "candidates.json", "picked.yaml"
CLIPS, PICTURES, CONTROL, SHEETS, PAGE = "clips", "pictures", "control", "sheets", "index.html"


class Checked(BaseModel):
    """The result of a check of a candidate, in words."""

    model_config = ConfigDict(frozen=True)

    name: str
    passed: bool
    told: str


class Candidate(BaseModel):
    """A candidate clip of a scene.

    ``file`` is its path inside the folder, or None if the service made none. ``seen`` are faults that a judge saw; None
    if no judge was asked. ``truth_kept`` says whether a restyled clip still shows what is known; None for other clips.
    """

    model_config = ConfigDict(frozen=True)

    scene: str
    name: str
    state: str
    told: str | None = None
    file: str | None = None
    sha256: str | None = None
    seed: int | None = None
    money: float | None = None
    job: str | None = None
    checks: list[Checked] = Field(default_factory=list[Checked])
    seen: list[str] | None = None
    judge: str | None = None
    truth_kept: bool | None = None
    same_frames: bool = False

    @property
    def faults(self) -> list[str]:
        """Return all that speaks against the candidate."""
        made = [] if self.state == "made" else [self.told or self.state]
        return [
            *made,
            *(f"{check.name}: {check.told}" for check in self.checks if not check.passed),
            *(self.seen or ()),
        ]

    @property
    def may_be_chosen(self) -> bool:
        """Check whether nothing speaks against the candidate."""
        return self.file is not None and not self.faults


class Shelf:
    """A folder of generated clips, opened for a job with some settings; nothing is written if ``to_write`` is false.

    Raises:
        InputError: If the folder has clips of a job with other settings.
    """

    def __init__(self, folder: Path, settings: Mapping[str, Any], *, to_write: bool = True) -> None:
        self.folder = folder
        path = folder / SETTINGS
        if path.exists():
            known: Any = read_yaml(path)
            differ = [name for name in settings if not isinstance(known, dict) or known.get(name) != settings[name]]
            if differ:
                raise InputError(f"{folder}: has clips of a job with another {', '.join(differ)}: choose another --out")
        elif folder.exists() and any(folder.iterdir()):
            raise InputError(f"{folder}: exists already and has no {SETTINGS}: choose another --out")
        elif to_write:
            write_yaml(path, dict(settings))

    def keep_scene(self, scene: DraftedScene) -> None:
        """Write a scene, so that the folder needs no other."""
        recording = None if scene.recording is None else os.path.relpath(scene.recording, self.folder)
        told = {
            "item": scene.item, "graph": scene.graph.model_dump(mode="json"), "validated": scene.validated,
            "scenario": scene.scenario, "prompts": dict(scene.prompts), "models": dict(scene.models),
            "judges": dict(scene.judges), "recording": recording,
            "questions": [draft.model_dump(mode="json") for draft in scene.questions],
        }  # fmt: skip
        write_json(self.folder / SCENES / f"{scene.item}.json", told)

    def keep_candidates(self, candidates: Sequence[Candidate]) -> None:
        """Write all candidates."""
        write_json(self.folder / CANDIDATES, [candidate.model_dump(mode="json") for candidate in candidates])


def kept_scenes(folder: Path) -> list[DraftedScene]:
    """Read the scenes of a folder of generated clips."""
    found = []
    for path in sorted((folder / SCENES).glob("*.json")):
        told = read_json(path)
        place = told["recording"]
        found.append(
            DraftedScene(
                told["item"], parse_graph(told["graph"], str(path)), told["validated"], told["scenario"],
                told["prompts"], told["models"], told["judges"],
                [Draft.model_validate(draft) for draft in told.get("questions", ())],
                None if place is None else Path(os.path.normpath(folder / place)),
            )
        )  # fmt: skip
    return found


def kept_candidates(folder: Path) -> list[Candidate]:
    """Read the candidates of a folder of generated clips.

    Raises:
        InputError: If the file cannot be read.
    """
    path = folder / CANDIDATES
    if not path.exists():
        return []
    try:
        return [Candidate.model_validate(told) for told in read_json(path)]
    except (ValidationError, TypeError) as error:
        fault = first_fault(error) if isinstance(error, ValidationError) else "is not a list"
        raise InputError(f"{path}: {fault}: run chronotope generate again") from None


def picks_of(folder: Path, candidates: Sequence[Candidate]) -> dict[str, Candidate | None]:
    """Return the candidate of each scene that a person picked; None leaves a scene out.

    ``picked.yaml`` maps scenes to the name or the number of a candidate, or to false.

    Raises:
        InputError: If it names another scene, or a candidate without a clip.
    """
    path = folder / PICKED
    if not path.exists():
        return {}
    told: Any = read_yaml(path)
    if not isinstance(told, dict):
        raise InputError(f"{path}: expected scenes, each with the name of a candidate")
    scenes = {candidate.scene for candidate in candidates}
    picks: dict[str, Candidate | None] = {}
    for scene, choice in told.items():
        if scene not in scenes:
            raise InputError(
                f"{path}: there is no scene {scene!r}", expected=f"one such as {min(scenes, default='none')}"
            )
        if choice is None or choice is False:
            picks[scene] = None
            continue
        wanted = f"{scene}--{choice}" if isinstance(choice, int) else choice
        found = next((one for one in candidates if one.scene == scene and one.name == wanted), None)
        if found is None or found.file is None:
            able = ", ".join(one.name for one in candidates if one.scene == scene and one.file)
            raise InputError(
                f"{path}: scene {scene} has no clip {choice!r}", expected=f"one of {able or 'none'}, or false"
            )
        picks[scene] = found
    return picks
