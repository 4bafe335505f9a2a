"""The calls that a drafting job makes at most, counted without a call.

Each agent is followed along its longest way: every work is rejected as often as it may be, and the later stages count
nevertheless. Works of code stand in for those of models, because they are about as long.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from pydantic import BaseModel

from chronotope.families.vgenst.agents import questions, scene_graphs, selector, storylines, translators
from chronotope.families.vgenst.agents.drafting import (
    JUDGES,
    WRITERS,
    DraftingRequest,
    check_drafting,
    drafting_settings,
    stages_in_order,
)
from chronotope.families.vgenst.agents.items import Item, custom_item
from chronotope.families.vgenst.agents.records import DraftFolder
from chronotope.families.vgenst.agents.verdicts import (
    GraphReasoning,
    GraphVerdict,
    QuestionReasoning,
    QuestionVerdict,
    ScenarioReasoning,
    ScenarioVerdict,
)
from chronotope.families.vgenst.tasks import ACTIVE
from chronotope.interrupts import run_async
from chronotope.ledger import LedgerLine, read_ledger
from chronotope.models import CountedJob
from chronotope.world.kinds.stage.graph import TASKS, Scenario, SceneGraph, parse_graph

_REASONS: dict[type[BaseModel], type[BaseModel]] = {
    GraphVerdict: GraphReasoning, ScenarioVerdict: ScenarioReasoning, QuestionVerdict: QuestionReasoning,
}  # fmt: skip
_FAULTS, _WORDS = 3, "." * 200  # faults of a verdict that stands in for others, and each of its texts
_UNFIT = "." * 1500  # a prompt that names nothing


@dataclass(frozen=True)
class DraftingForeseen:
    """The calls that a request makes at most, if each work is rejected as often as it may be.

    ``fewest`` counts the calls if each work is accepted at once. ``tokens`` and ``money`` are estimates for ``calls``,
    with replies of maximum length; ``money`` is None without a price. ``spent`` is the known cost so far.
    """

    items: int
    calls: int
    fewest: int
    tokens: int
    money: float | None
    spent: float


def foresee_drafts(request: DraftingRequest) -> DraftingForeseen:
    """Count the calls that `draft` would make at most; nothing is sent or written.

    Raises:
        InputError: In the same cases as `draft`, before its first call.
    """
    check_drafting(request, to_ask=False)
    folder = DraftFolder(request.out, drafting_settings(request), to_write=False)
    lines: Sequence[LedgerLine] = read_ledger(folder.ledger) if folder.ledger.exists() else ()
    count, spent = len(request.items) + len(request.themes), sum(line.money or 0.0 for line in lines)
    if request.writer is None:
        return DraftingForeseen(count, 0, 0, 0, None, spent)
    replied = {line.key: line for line in lines if line.state == "replied"}
    calls, tokens, money = _Foreseen(request, folder, rejects=True).counted(replied)
    fewest, *_ = _Foreseen(request, folder, rejects=False).counted(replied)
    return DraftingForeseen(count, calls, fewest, tokens, money, spent)


class _Foreseen:
    """The stages of all items, with works of code in place of those that are not there yet."""

    def __init__(self, request: DraftingRequest, folder: DraftFolder, *, rejects: bool) -> None:
        self._request, self._folder, self._rejects = request, folder, rejects
        self._work: Callable[[int], dict[str, Any]] = lambda attempt: {}  # stands in for the writer's replies
        # The task of a theme that the writer routes is not known yet, so the one with most question types counts.
        most = max(TASKS, key=lambda task: len(ACTIVE[TASKS[task].code]))
        self._items = [*request.items, *(custom_item(theme, most) for theme in request.themes)]

    def counted(self, replied: dict[str, LedgerLine]) -> tuple[int, int, float | None]:
        """Return the number of calls, their tokens, and their cost or None."""
        request = self._request
        assert request.writer is not None
        model = request.validator or request.writer
        writer = CountedJob(request.writer, WRITERS, request.calls, replied, self._stand_in)
        judge = CountedJob(model, JUDGES, request.validator_calls, replied, self._stand_in)
        run_async(self._follow(writer, judge))
        found = (writer.counted(), judge.counted())
        known = [one.money for one in found if one.money is not None]
        return sum(one.calls for one in found), sum(one.tokens for one in found), sum(known) if known else None

    def _stand_in(self, form: type[BaseModel], name: str, longest: int) -> BaseModel:
        if form not in _REASONS:  # each attempt has another work, so that each verdict is another call
            return form.model_validate(self._work(int(name.rpartition(" ")[2])))
        fault = dict.fromkeys(("rule_id", "path", "found", "expected", "hint"), _WORDS)
        return form.model_validate(
            {
                "is_valid": not self._rejects,
                "feedback_for_generator": [fault] * _FAULTS if self._rejects else [],
                "evaluation_reasoning": dict.fromkeys(_REASONS[form].model_fields, _WORDS),
            }
        )

    async def _follow(self, writer: CountedJob, judge: CountedJob) -> None:
        for theme in self._request.themes:
            self._work = lambda _: {"task": "" if self._rejects else next(iter(TASKS)), "reason": _WORDS}
            await selector.selected_task(theme, writer)
        for item in self._items:
            await self._item(item, writer, judge)

    async def _item(self, item: Item, writer: CountedJob, judge: CountedJob) -> None:
        request, stages = self._request, stages_in_order(self._request.stages)
        graph = self._graph(item)
        if "graph" in stages and self._folder.find("graph", item) is None:
            self._work = partial(self._drawn, item)
            await scene_graphs.written_graph(item, request.profile, writer, judge, is_drawn=request.is_drawn)
        scenario = self._scenario(item, graph)
        if "scenario" in stages and self._folder.find("scenario", item) is None:
            goal, timeline = scenario.reasoning_goal, scenario.timeline
            self._work = lambda attempt: {"reasoning_goal": goal + "." * attempt, "timeline": timeline}
            await storylines.written_scenario(item, graph, writer, judge)
        if "prompts" in stages:
            await self._prompts(item, graph, scenario, writer)
        if "questions" in stages:
            await self._questions(item, graph, scenario, writer, judge)

    def _drawn(self, item: Item, attempt: int) -> dict[str, Any]:
        request = self._request
        return scene_graphs.drawn_graph(item, request.profile, request.seed + attempt).model_dump(mode="json")

    def _graph(self, item: Item) -> SceneGraph:
        draft = self._folder.find("graph", item)
        if draft is not None and draft.validated:
            return parse_graph(draft.value, item.id)
        return scene_graphs.drawn_graph(item, self._request.profile, self._request.seed)

    def _scenario(self, item: Item, graph: SceneGraph) -> Scenario:
        draft = self._folder.find("scenario", item)
        if draft is not None and draft.validated:
            return Scenario.model_validate(draft.value)
        return storylines.drawn_scenario(graph)

    async def _prompts(self, item: Item, graph: SceneGraph, scenario: Scenario, writer: CountedJob) -> None:
        if translators.has_anchor(item.task) and self._folder.find("prompts", item, "image") is None:
            image = _UNFIT if self._rejects else translators.drawn_image_prompt(graph)
            self._work = lambda _: {"prompt": image}
            await translators.written_image_prompt(item, graph, scenario, writer)
        if self._folder.find("prompts", item, "video") is None:
            video = _UNFIT if self._rejects else translators.drawn_video_prompt(graph, scenario)
            self._work = lambda _: {"prompt": video}
            await translators.written_video_prompt(item, graph, scenario, writer)

    async def _questions(
        self, item: Item, graph: SceneGraph, scenario: Scenario, writer: CountedJob, judge: CountedJob
    ) -> None:
        task = TASKS[item.task].code
        for kind in ACTIVE[task]:
            if self._folder.find("questions", item, kind) is None and kind in (self._request.kinds or ACTIVE[task]):
                self._work = partial(_asked, item, kind)
                await questions.written_questions(item, graph, scenario, kind, (), writer, judge)


def _asked(item: Item, kind: str, attempt: int) -> dict[str, Any]:
    """Return a question that satisfies all rules."""
    asked = {"question": "How often?" + "?" * attempt, "options": ["once", "twice", "three times"], "answer": "once"}
    return {"qa_type": kind, "task": item.task, "questions": [asked]}
