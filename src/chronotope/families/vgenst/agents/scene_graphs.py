"""The generator and the validator of scene graphs."""

import json
from collections.abc import Sequence
from functools import cache, partial
from typing import Any

from pydantic import BaseModel, RootModel, ValidationError

from chronotope.families.vgenst.agents.examples import FIXED, graph_examples, graph_verdict_examples
from chronotope.families.vgenst.agents.items import Item
from chronotope.families.vgenst.agents.prompts import about_task, filled, listed_rules, stage
from chronotope.families.vgenst.agents.verdicts import GraphVerdict, as_objections, objections_of
from chronotope.models import Agreed, Asker, Generator, Objection, Unfit, Validator, agree
from chronotope.question import item_generator
from chronotope.world.kinds.stage.graph import (
    TASKS,
    Profile,
    SceneGraph,
    draw_graph,
    parse_graph,
    published,
    schema_faults,
    schema_of,
    validate,
)

WRITE = stage("write_graph", "write", 0.7, 14_000)
VALIDATE = stage("validate_graph", "validate", 0.3, 14_000)
_DRAWN = (
    "Kinds, colours, materials and other marked words are those that the schema lists, so that the scene can be drawn."
)
_FREE = "Words are free, as long as anybody understands them in the same way."


class _Draft(RootModel[dict[str, Any]]):
    """The part of a scene graph that a model writes."""


@cache
def graph_form(task: str, is_drawn: bool) -> type[BaseModel]:
    """Return the form of the replies about graphs of a task.

    The form is any object, and its schema is that of the graph. A reply with another structure is thus not lost: its
    faults are objections, as those of the rules are.
    """
    schema = schema_of(task, is_drawn)
    schema["properties"] = {name: of for name, of in schema["properties"].items() if name not in FIXED}
    schema["required"] = list(schema["properties"])
    schema["$defs"] = _used(schema)

    class GraphDraft(_Draft):
        """The part of a scene graph that a model writes."""

        @classmethod
        def model_json_schema(cls, *_: Any, **__: Any) -> dict[str, Any]:
            """Return the schema of the graph, without the fields that code writes."""
            return schema

    return GraphDraft


def drawn_graph(item: Item, profile: Profile, seed: int) -> SceneGraph:
    """Draw the graph of an item by code."""
    generator = item_generator(seed, "vgenst", item.id, "graph")
    return draw_graph(generator, item.task, item.index, item.theme.name, profile, seed)


async def written_graph(
    item: Item, profile: Profile, writer: Asker, validator: Asker | None, *, is_drawn: bool
) -> Agreed[SceneGraph]:
    """Let a model write the graph of an item; rules and a validator model judge it.

    Raises:
        OverBudgetError: If the next call could exceed the limit on the cost.
        InputError: If the service refuses every call, or a call failed.
    """
    generator = Generator(
        writer, WRITE, _request(item, profile, is_drawn), graph_form(item.task, is_drawn),
        partial(_read, item=item, profile=profile),
    )  # fmt: skip
    judge = None
    if validator is not None:
        judge = Validator(validator, VALIDATE, partial(_question, item=item), GraphVerdict, objections_of)
    return await agree(f"{item.id}--graph", generator, partial(_violations, is_drawn=is_drawn), judge)


def _request(item: Item, profile: Profile, is_drawn: bool) -> list[str]:
    """Return the parts of the generator's prompt; the theme comes last."""
    of = TASKS[item.task]
    params = of.params(**of.cycles[profile].at(item.index)).model_dump(mode="json")
    prompt = filled(
        "write_graph",
        **about_task("write_graph", item.task),
        params="\n".join(f"- {name}: {json.dumps(value)}" for name, value in params.items()),
        rules=_rules(item.task),
        words=_DRAWN if is_drawn else _FREE,
        examples=graph_examples(item.task, item.theme.name),
    )
    return [prompt, f"Theme: {item.theme.name}"]


def _read(reply: BaseModel, item: Item, profile: Profile) -> SceneGraph | Unfit:
    """Complete a reply by what code writes, and return the graph, or the faults of its structure."""
    assert isinstance(reply, RootModel)
    of = TASKS[item.task]
    data = {name: value for name, value in reply.root.items() if name not in FIXED}
    fixed = {
        "profile": profile,
        "params": of.params(**of.cycles[profile].at(item.index)).model_dump(mode="json"),
        "scene_meta": of.meta(item.theme.name).model_dump(mode="json"),
        "provenance": {"index": item.index, "made": "written by a model"},
    }
    if faults := schema_faults(fixed | data, item.task):
        return Unfit(as_objections(faults))
    return parse_graph(fixed | data, item.id)


def _violations(graph: SceneGraph, *, is_drawn: bool) -> Sequence[Objection]:
    try:
        return as_objections(validate(graph, is_drawn))
    except (ValidationError, ValueError, LookupError, AttributeError) as error:
        # Rules may compute with values that no earlier rule admits, such as a position that is not a clock point.
        fault = f"{type(error).__name__}: {error}"[:200]
        return [Objection("VALUES", "", fault, "values as in the examples", "write values in the form of the examples")]


def _question(graph: SceneGraph, item: Item) -> list[str]:
    prompt = filled(
        "validate_graph",
        **about_task("validate_graph", item.task),
        rules=_rules(item.task),
        examples=graph_verdict_examples(item.task, item.theme.name),
    )
    return [prompt, f"Theme: {item.theme.name}\nScene graph:\n{json.dumps(published(graph), ensure_ascii=False)}"]


def _rules(task: str) -> str:
    from chronotope.world.kinds.stage.graph.common_rules import GRAPHS  # imports the catalogue of things

    return listed_rules([*TASKS[task].rules.rules, *GRAPHS.rules])


def _used(schema: dict[str, Any]) -> dict[str, Any]:
    """Return the definitions of a schema that its properties use."""
    defs: dict[str, Any] = schema.get("$defs", {})
    used: dict[str, Any] = {}
    waiting = [schema["properties"]]
    while waiting:
        text = json.dumps(waiting.pop())
        for name in defs:
            if name not in used and f'"#/$defs/{name}"' in text:
                used[name] = defs[name]
                waiting.append(defs[name])
    return used
