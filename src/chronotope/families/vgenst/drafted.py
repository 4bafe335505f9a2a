"""Scenes with all that was drafted about them, read from drafts or from recordings of stages."""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from chronotope.errors import InputError
from chronotope.families.vgenst.agents import Draft, read_drafts
from chronotope.families.vgenst.write.by_models import QUESTIONS
from chronotope.io import read_json
from chronotope.world.kinds.stage.graph import Scenario, SceneGraph, parse_graph

GRAPH, SCENARIO, PROMPTS = "graph.json", "scenario.json", "prompts.json"


@dataclass(frozen=True)
class DraftedScene:
    """All works about an item: the graph, and the validated scenario and prompts if they are there.

    ``models`` are the models that wrote, by role, and ``judges`` are those that judged. ``questions`` are the works of
    the writer of questions, one for each type. ``recording`` is the folder of the recording, if the scene is already
    drawn.
    """

    item: str
    graph: SceneGraph
    validated: bool
    scenario: Any = None
    prompts: Mapping[str, str] = field(default_factory=dict[str, str])
    models: Mapping[str, str] = field(default_factory=dict[str, str])
    judges: Mapping[str, str] = field(default_factory=dict[str, str])
    questions: Sequence[Draft] = ()
    recording: Path | None = None

    @property
    def files(self) -> dict[str, str]:
        """Return the texts that stand beside a recording of the scene, by the names of their files."""
        asked = [draft.model_dump(mode="json") for draft in self.questions]
        told = {SCENARIO: self.scenario, PROMPTS: dict(self.prompts) or None, QUESTIONS: asked or None}
        return {name: as_text(value) for name, value in told.items() if value is not None}

    def told_graph(self, **more: Any) -> str:
        """Return the graph as text; its provenance names who wrote and judged, and has ``more``."""
        told = {"models": dict(self.models), "judges": dict(self.judges), "validated": self.validated, **more}
        known = {name: value for name, value in told.items() if value not in ({}, None)}
        graph = self.graph.model_copy(update={"provenance": self.graph.provenance | known})
        return as_text(graph.model_dump(mode="json"))


def drafted_scenes(folder: Path, *, unvalidated: bool = False) -> list[DraftedScene]:
    """Read the scenes of a folder of drafts; those without a validated graph only if ``unvalidated`` is true.

    Raises:
        InputError: If the folder has no drafts, or a file cannot be read.
    """
    scenarios = {draft.item: draft for draft in read_drafts(folder, "scenario")}
    prompts = _by_item(read_drafts(folder, "prompts"))
    questions = _by_item(read_drafts(folder, "questions", unvalidated=unvalidated))
    return [
        _drafted(draft, scenarios.get(draft.item), prompts.get(draft.item, ()), questions.get(draft.item, ()))
        for draft in read_drafts(folder, "graph", unvalidated=unvalidated)
    ]


def _by_item(drafts: Iterable[Draft]) -> dict[str, list[Draft]]:
    found: dict[str, list[Draft]] = {}
    for draft in drafts:
        found.setdefault(draft.item, []).append(draft)
    return found


def _drafted(
    graph: Draft, scenario: Draft | None, prompts: Sequence[Draft], questions: Sequence[Draft]
) -> DraftedScene:
    works = [graph, *([] if scenario is None else [scenario]), *prompts]
    return DraftedScene(
        graph.item, parse_graph(graph.value, graph.item), graph.validated,
        None if scenario is None else scenario.value, {draft.part: draft.value for draft in prompts},
        {role: model for work in works for role, model in work.models.items()},
        {role: model for work in works for role, model in work.judges.items()}, questions,
    )  # fmt: skip


def drawn_scenes(source: Path) -> list[DraftedScene]:
    """Read the scenes of a benchmark of drawn stages, or of a folder of their recordings.

    Prompts that are missing are made by code.

    Raises:
        InputError: If there is no recording with a scene graph.
    """
    inside = source / "recordings"
    folder = inside if inside.is_dir() else source
    places = [folder] if (folder / GRAPH).exists() else sorted(path.parent for path in folder.glob(f"*/{GRAPH}"))
    if not places:
        raise InputError(
            f"{source}: has neither drafts nor recordings of stages: name a folder of chronotope draft, or a benchmark "
            "of chronotope build vgenst"
        )
    return [_drawn(place) for place in places]


def _drawn(place: Path) -> DraftedScene:
    from chronotope.families.vgenst.agents import translators

    graph = parse_graph(read_json(place / GRAPH), str(place / GRAPH))
    scenario = Scenario.model_validate(read_json(place / SCENARIO))
    made = {"video": translators.drawn_video_prompt(graph, scenario)}
    if translators.has_anchor(graph.task):
        made["image"] = translators.drawn_image_prompt(graph)
    known = read_json(place / PROMPTS) if (place / PROMPTS).exists() else {}
    told = graph.provenance
    return DraftedScene(
        f"{graph.task}--{place.name}", graph, told.get("validated", True), scenario.model_dump(mode="json"),
        made | known, told.get("models", {}), told.get("judges", {}), recording=place,
    )  # fmt: skip


def as_text(data: Any) -> str:
    """Return JSON data as the text of a file."""
    return json.dumps(data, ensure_ascii=False, indent=1) + "\n"
