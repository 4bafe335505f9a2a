"""Let agents, or code, draft scene graphs, scenarios, prompts and questions of VGenST-Bench."""

from __future__ import annotations  # `help` shows short names of types

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, get_args

from pydantic import Field, StrictBool

from chronotope.api.checked_settings import as_path, checked
from chronotope.api.options import Names, check_names, check_writer, spec_of, with_calls
from chronotope.api.telling import Advance, advance_of, warner
from chronotope.errors import InputError
from chronotope.models import JobCalls, ModelSpec, Price, RunPrice, Say, Whole

if TYPE_CHECKING:
    from chronotope.families.vgenst.agents import DraftingForeseen, DraftingOutcome, DraftingRequest, Item

FAMILIES = ("vgenst",)  # families with agents
Stage = Literal["graph", "scenario", "prompts", "questions"]
USUAL: tuple[Stage, ...] = ("graph", "scenario", "prompts")


class DraftingGiven(JobCalls):
    """The options of `chronotope.draft` whose types can be checked.

    `draft` describes them.
    """

    per_task: Annotated[Whole, Field(ge=1, le=100)] | None = None
    tasks: Names = ()
    themes: Names = ()
    stages: Names = USUAL
    types: Names = ()
    drawn: StrictBool = False
    profile: Literal["paper", "extended"] = "paper"
    seed: Whole = 0
    judge_price: Price = None


@with_calls(JobCalls)
def draft(
    family: str,
    out: Path | str,
    *,
    per_task: int | None = None,
    tasks: str | Sequence[str] = (),
    themes: str | Sequence[str] = (),
    stages: str | Sequence[str] = USUAL,
    types: str | Sequence[str] = (),
    drawn: bool = False,
    profile: Literal["paper", "extended"] = "paper",
    seed: int = 0,
    writer: str | ModelSpec | None = None,
    judge: str | ModelSpec | None = None,
    judge_price: RunPrice | Sequence[float] | str | None = None,
    base_url: str | None = None,
    set: Mapping[str, Any] | None = None,
    progress: Advance | bool = False,
    say: Say | None = None,
    **calls: Any,
) -> DraftingOutcome:
    """Draft scenes: a graph, a scenario, prompts and perhaps questions for each theme, each checked by rules.

    ``family`` is ``vgenst``. ``per_task`` limits the themes of each task; ``tasks`` are short codes such as ``MC``.
    ``themes`` are themes of your own: with one task, they are for this task; otherwise, the lists of themes or the
    writer choose their tasks. ``stages`` are of ``graph``, ``scenario``, ``prompts`` and ``questions``; the questions
    are of the ``types``, by default of all that a task has. With ``drawn``, scenes have only what the renderer can
    draw. Without ``writer``, code drafts. ``judge`` is the model that judges, by default the writer. ``set`` has
    further fields of the writer's request body. The settings of the calls have the names of the flags of
    ``chronotope draft``.
    The same call continues; finished works are never made again. The result has the ``works``, and counts of them.

    Raises:
        InputError: If a setting or a model cannot be used, ``out`` has other drafts, or a service rejects every
            request.
    """
    from chronotope.families.vgenst.agents import draft as make

    given = {
        "per_task": per_task, "tasks": tasks, "themes": themes, "stages": stages, "types": types, "drawn": drawn,
        "profile": profile, "seed": seed, "judge_price": judge_price,
    }  # fmt: skip
    about = {"writer": writer, "judge": judge, "base_url": base_url, "set": set}
    request = _drafting(family, out, given, about, calls)
    return make(replace(request, progress=advance_of(progress, "drafting"), say=say or warner()))


def foresee_drafting(
    family: str, out: Path | str, *, writer: str | ModelSpec | None = None, judge: str | ModelSpec | None = None,
    base_url: str | None = None, set: Mapping[str, Any] | None = None, progress: Advance | bool = False,
    say: Say | None = None, **given: Any,
) -> DraftingForeseen:  # fmt: skip
    """Count the calls of `draft` at most; nothing is sent or written."""
    from chronotope.families.vgenst.agents import foresee_drafts

    about = {"writer": writer, "judge": judge, "base_url": base_url, "set": set}
    return foresee_drafts(_drafting(family, out, {}, about, given))


def _drafting(
    family: str, out: Path | str, given: Mapping[str, Any], about: Mapping[str, Any], calls: Mapping[str, Any]
) -> DraftingRequest:
    from chronotope.families.vgenst.agents import DraftingRequest

    require_agents(family)
    check_names(draft, calls)
    how: DraftingGiven = checked(DraftingGiven, {**given, **calls}, "", "draft")
    check_writer(about["writer"], how, about["base_url"])
    for stage in how.stages:
        if stage not in get_args(Stage):
            known = ", ".join(get_args(Stage))
            raise InputError(f"no stage {stage!r}", where="stages", expected=f"one or more of {known}")
    items, routed = _items(how, has_writer=about["writer"] is not None)
    writer, judge = about["writer"], about["judge"]
    return DraftingRequest(
        as_path(out, "out"), items, [stage for stage in get_args(Stage) if stage in how.stages], how.seed, how.profile,
        is_drawn=how.drawn, writer=None if writer is None else spec_of(writer, about["base_url"], about["set"]),
        validator=None if judge is None else spec_of(judge), kinds=how.types, themes=routed, calls=how.calls,
        validator_price=how.judge_price,
    )  # fmt: skip


def require_agents(family: str) -> None:
    """Check that a family has agents.

    Raises:
        InputError: If it has none.
    """
    if family not in FAMILIES:
        raise InputError(f"no agents draft scenes of family {family!r}", expected=f"one of {', '.join(FAMILIES)}")


def _items(how: DraftingGiven, *, has_writer: bool) -> tuple[list[Item], list[str]]:
    """Return the items that the options name, and the themes whose tasks the writer has to choose."""
    from chronotope.families.vgenst.agents import benchmark_items, custom_item, known_task

    if not how.themes:
        return benchmark_items(how.tasks, how.per_task, is_drawn=how.drawn), []
    if how.per_task is not None:
        raise InputError("counts the themes of the lists", where="per_task", fix="omit it, or name no themes")
    if how.tasks:
        return [custom_item(theme, task) for task in how.tasks for theme in how.themes], []
    items, routed = [], []
    for theme in how.themes:
        try:
            items.append(custom_item(theme, known_task(theme)))
        except InputError:
            if not has_writer:
                raise
            routed.append(theme)
    return items, routed
