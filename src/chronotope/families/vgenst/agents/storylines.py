"""The generator and the validator of scenarios: prose by a model, phases and times by code."""

import json
from collections.abc import Iterator, Sequence
from functools import cache, partial
from typing import Any

from pydantic import BaseModel, ConfigDict, Field

from chronotope.families.vgenst.agents.examples import scenario_examples, scenario_verdict_examples
from chronotope.families.vgenst.agents.first_frame import seen_first, seen_later
from chronotope.families.vgenst.agents.items import Item
from chronotope.families.vgenst.agents.prompts import about_task, filled, listed_rules, phases_told, stage
from chronotope.families.vgenst.agents.verdicts import ScenarioVerdict, as_objections, objections_of
from chronotope.models import Agreed, Asker, Generator, Objection, Unfit, Validator, agree
from chronotope.world.kinds.stage.graph import Scenario, SceneGraph, published, scenario_of, validate_scenario
from chronotope.world.kinds.stage.graph.common_rules import SCENARIOS
from chronotope.world.kinds.stage.graph.rulebook import Fault, Rulebook

WRITE = stage("write_scenario", "write", 0.3, 6_000)
VALIDATE = stage("validate_scenario", "validate", 0.3, 14_000)
MOST_PROSE = 2000  # characters of a phase

TELLING = Rulebook("SCENARIO")
"""The rules of the prose of scenarios."""


class _Telling(BaseModel):
    """The part of a scenario that a model writes."""

    model_config = ConfigDict(extra="forbid")

    reasoning_goal: str = Field(min_length=1, max_length=MOST_PROSE)
    timeline: dict[str, str]


@TELLING.rule("S1", "the timeline names every entity of the graph by its label", "name it where it is seen")
def _named(graph: SceneGraph, scenario: Scenario) -> Iterator[Fault]:
    told = " ".join(scenario.timeline.values()).casefold()
    for index, entity in enumerate(graph.objects):
        if entity.role != "ego" and entity.label.casefold() not in told:
            yield f"objects.{index}.label", entity.label


@TELLING.rule("S2", "the goal does not give the answer away", "ask for it without saying it")
def _open(graph: SceneGraph, scenario: Scenario) -> Iterator[Fault]:
    goal = scenario.reasoning_goal.casefold()
    truth = graph.ground_truth.model_dump()
    for key in ("relative_direction_to_start", "destination", "visibility_transition", "L3_relative_to_L1"):
        answer = str(truth.get(key, "")).casefold()
        if answer and answer in goal.replace("north is up", ""):
            yield "reasoning_goal", truth[key]


@cache
def telling_form(phases: tuple[str, ...]) -> type[BaseModel]:
    """Return the form of the replies: a goal, and a text for each phase.

    The schema demands exactly these phases; other keys are read, so that the rules can object to them.
    """
    text = {"type": "string", "minLength": 1, "maxLength": MOST_PROSE}
    timeline = {"type": "object", "properties": dict.fromkeys(phases, text), "required": list(phases)}
    schema = {
        "title": "Scenario",
        "type": "object",
        "properties": {"reasoning_goal": text, "timeline": timeline | {"additionalProperties": False}},
        "required": ["reasoning_goal", "timeline"],
        "additionalProperties": False,
    }

    class Telling(_Telling):
        """The part of a scenario that a model writes."""

        @classmethod
        def model_json_schema(cls, *_: Any, **__: Any) -> dict[str, Any]:
            """Return the schema with the phases of the task."""
            return schema

    return Telling


def drawn_scenario(graph: SceneGraph) -> Scenario:
    """Make the scenario of a graph by code; every entity is named.

    Entities that the phases of the graph do not name are named where they are first seen.
    """
    scenario = scenario_of(graph)
    told = " ".join(scenario.timeline.values()).casefold()
    missing = [entity for entity in graph.objects if entity.role != "ego" and entity.label.casefold() not in told]
    first = [entity for entity in missing if entity in seen_first(graph)]
    timeline = dict(scenario.timeline)
    opening = next(iter(timeline))
    if first:
        timeline[opening] += f" In view: {', '.join(f'the {entity.label}' for entity in first)}."
    for entity in seen_later(graph):
        if entity in missing:
            phase = next((p for p in scenario.phases for e in p.events if entity.id in (e.agent, e.object)), None)
            name = scenario.phases[1].name if phase is None else phase.name
            timeline[name] += f" It is the {entity.label}."
    return scenario.model_copy(update={"timeline": timeline})


async def written_scenario(item: Item, graph: SceneGraph, writer: Asker, validator: Asker | None) -> Agreed[Scenario]:
    """Let a model write the prose of a scenario; rules and a validator model judge it.

    Raises:
        OverBudgetError: If the next call could exceed the limit on the cost.
        InputError: If the service refuses every call, or a call failed.
    """
    phases = tuple(name for name, *_ in phases_told(graph))
    generator = Generator(writer, WRITE, _request(item, graph), telling_form(phases), partial(_read, graph=graph))
    judge = None
    if validator is not None:
        parts = partial(_question, graph=graph, item=item)
        judge = Validator(validator, VALIDATE, parts, ScenarioVerdict, objections_of)
    return await agree(f"{item.id}--scenario", generator, partial(scenario_faults, graph), judge)


def scenario_faults(graph: SceneGraph, scenario: Scenario) -> Sequence[Objection]:
    """Return what the rules find in a scenario: those of phases and times, and those of its prose."""
    return as_objections([*validate_scenario(graph, scenario), *TELLING.violations(graph, scenario)])


def _request(item: Item, graph: SceneGraph) -> list[str]:
    prompt = filled(
        "write_scenario",
        **about_task("write_scenario", item.task),
        phases="\n".join(f"- {name}: {start:g} to {end:g} s" for name, start, end in phases_told(graph)),
        rules=_rules(),
        examples=scenario_examples(item.task, item.theme.name),
    )
    return [prompt, f"Scene graph:\n{json.dumps(published(graph), ensure_ascii=False)}"]


def _read(reply: BaseModel, graph: SceneGraph) -> Scenario | Unfit:
    assert isinstance(reply, _Telling)
    empty = [name for name, text in reply.timeline.items() if not 0 < len(text) <= MOST_PROSE]
    if empty:
        faults = [
            Objection("SCHEMA", f"timeline.{name}", f"{len(reply.timeline[name])} characters",
                      f"1 to {MOST_PROSE} characters", "write a few sentences")
            for name in empty
        ]  # fmt: skip
        return Unfit(tuple(faults))
    phases = scenario_of(graph).phases
    return Scenario(reasoning_goal=reply.reasoning_goal, timeline=reply.timeline, phases=phases)


def _question(scenario: Scenario, graph: SceneGraph, item: Item) -> list[str]:
    prompt = filled(
        "validate_scenario",
        **about_task("validate_scenario", item.task),
        rules=_rules(),
        examples=scenario_verdict_examples(item.task, item.theme.name),
    )
    told = {"reasoning_goal": scenario.reasoning_goal, "timeline": scenario.timeline}
    return [
        prompt,
        f"Scene graph:\n{json.dumps(published(graph), ensure_ascii=False)}",
        f"Scenario:\n{json.dumps(told, ensure_ascii=False)}",
    ]


def _rules() -> str:
    return listed_rules([*SCENARIOS.rules, *TELLING.rules])
