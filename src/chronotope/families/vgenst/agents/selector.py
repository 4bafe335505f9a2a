"""The selector: which task fits a theme."""

from pydantic import BaseModel, Field

from chronotope.errors import InputError
from chronotope.families.vgenst.agents.items import tasks_with_theme
from chronotope.families.vgenst.agents.prompts import catalogue, filled, stage
from chronotope.models import Agreed, Asker, Generator, Objection, Unfit, agree
from chronotope.world.kinds.stage.graph import PUBLISHED

SELECT = stage("select_task", "label", 0.1, 2_000)


class Selection(BaseModel):
    """The chosen task."""

    task: str = Field(description="one of the codes, such as MC")
    reason: str = Field(min_length=1, description="why the theme fits this task, in a sentence")


def known_task(theme: str) -> str:
    """Return the task of a theme without a model: the first one whose themes have it.

    Raises:
        InputError: If no task has the theme.
    """
    found = next(tasks_with_theme(theme), None)
    if found is None:
        raise InputError(
            f"theme {theme!r} is in no list of themes, so only a model can choose its task: name the task, or a model "
            "with --writer"
        )
    return found


async def selected_task(theme: str, selector: Asker) -> Agreed[Selection]:
    """Let a model choose the task of a theme; exactly one known code is accepted.

    Raises:
        OverBudgetError: If the next call could exceed the limit on the cost.
        InputError: If the service refuses every call, or a call failed.
    """
    parts = [filled("select_task", catalogue=catalogue()), f"Theme: {theme}"]
    generator = Generator(selector, SELECT, parts, Selection, _read)
    return await agree(f"{theme}--task", generator, _faults)


def _read(reply: BaseModel) -> Selection | Unfit:
    assert isinstance(reply, Selection)
    return reply.model_copy(update={"task": reply.task.strip().upper().partition("_")[0]})


def _faults(selection: Selection) -> list[Objection]:
    if selection.task in PUBLISHED:
        return []
    codes = ", ".join(PUBLISHED)
    return [Objection("SELECT.T1", "task", selection.task, f"one of {codes}", "choose one of these codes")]
