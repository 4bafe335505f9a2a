"""The job that makes graphs, scenarios, prompts and questions of items, with models or without.

Each stage of each item is finished on its own. Replies are in the ledger, finished works are files, so a job that was
stopped, or killed, continues where it stopped. A work that is not validated is kept, but no later stage uses it.
"""

from collections import Counter
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

from chronotope.errors import InputError
from chronotope.families.vgenst.agents import questions, scene_graphs, selector, storylines, translators
from chronotope.families.vgenst.agents.items import Item, custom_item
from chronotope.families.vgenst.agents.records import STAGE_NAMES, Draft, DraftFolder, Roles, StageName, by_code
from chronotope.families.vgenst.agents.verdicts import as_objections
from chronotope.families.vgenst.tasks import ACTIVE
from chronotope.ledger import Ledger, bytes_of_line
from chronotope.models import (
    Calls,
    JobCalls,
    ModelSpec,
    OverBudgetError,
    RunPrice,
    Say,
    StructuredJob,
    UnansweredError,
    do_all,
    require_structured,
)
from chronotope.world.kinds.stage.graph import TASKS, Profile, Scenario, SceneGraph, parse_graph, validate

WRITERS = (
    scene_graphs.WRITE, storylines.WRITE, translators.IMAGE, translators.VIDEO, questions.WRITE, selector.SELECT,
)  # fmt: skip
JUDGES = (scene_graphs.VALIDATE, storylines.VALIDATE, questions.VALIDATE)
_LONGEST = 14_000  # tokens of a reply


@dataclass(frozen=True)
class DraftingRequest:
    """The items to draft, the models that write and judge them, and the folder of the works.

    Without ``writer``, code makes graphs, scenarios and prompts, and no questions. Without ``validator``, the writer
    judges its own works. With ``is_drawn``, graphs have only words that renderers know. ``kinds`` are the types of
    questions that the writer writes, by default all that the task has. ``themes`` are further themes; the writer
    chooses their tasks. The limit of ``calls`` is for all calls. ``validator_price`` is the price of the validator's
    tokens, if it is not that of ``calls``.
    """

    out: Path
    items: Sequence[Item]
    stages: Sequence[StageName] = ("graph", "scenario", "prompts")
    seed: int = 0
    profile: Profile = "paper"
    is_drawn: bool = False
    writer: ModelSpec | None = None
    validator: ModelSpec | None = None
    kinds: Sequence[str] = ()
    themes: Sequence[str] = ()
    calls: Calls = field(default_factory=JobCalls)
    validator_price: RunPrice | None = None
    progress: Callable[[int, int], None] | None = None
    say: Say | None = None

    @property
    def validator_calls(self) -> Calls:
        """Return the settings of the validator's calls."""
        price = self.validator_price
        return self.calls if price is None else self.calls.model_copy(update={"price": price})


@dataclass(frozen=True)
class DraftingOutcome:
    """The outcome of a drafting job.

    ``works`` has all works of the requested items, finished now or earlier. ``held_back`` are the ids of items that a
    stage left out, because their earlier work is not validated, and ``unrouted`` are themes for which the writer named
    no task. ``asked`` counts the calls of this command. ``money`` is the known cost of all calls so far. ``stopped``
    says why the job is incomplete; the same command continues it.
    """

    works: Sequence[Draft]
    held_back: Mapping[StageName, tuple[str, ...]]
    asked: int = 0
    money: float | None = None
    stopped: str | None = None
    unrouted: tuple[str, ...] = ()

    @property
    def scenes(self) -> int:
        """Return the number of items with a work."""
        return len({work.item for work in self.works})

    @property
    def scene_cost(self) -> float | None:
        """Return the mean cost of a scene with all attempts and verdicts, or None."""
        return self.money / self.scenes if self.money is not None and self.scenes else None

    @property
    def unvalidated(self) -> tuple[str, ...]:
        """Return the stage and the item of each work that is not validated."""
        return tuple(f"{w.stage} of {w.item}{w.part and f' ({w.part})'}" for w in self.works if not w.validated)

    def first_passes(self) -> dict[str, tuple[int, int]]:
        """Return, for each stage with a model, the works accepted at the first attempt, and all works."""
        written = [work for work in self.works if work.is_model_written]
        return {
            stage: (sum(work.passed_first for work in of), len(of))
            for stage in STAGE_NAMES
            if (of := [work for work in written if work.stage == stage])
        }

    def violations(self) -> Counter[str]:
        """Count the attempts of models that broke each rule."""
        return Counter(rule for work in self.works for broken in work.tried for rule in broken)


def draft(request: DraftingRequest) -> DraftingOutcome:
    """Make the works of a request that are not there yet.

    Raises:
        InputError: If a setting or a model cannot be used, if the folder has drafts of another job, or if the service
            rejects every request.
    """
    check_drafting(request)
    folder = DraftFolder(request.out, drafting_settings(request))
    if request.writer is None:
        work = _Work(request, folder, None, None)
        work.all_by_code()
        return work.outcome()
    with Ledger.open(folder.ledger) as ledger:
        writer = StructuredJob(request.writer, WRITERS, ledger, request.calls)
        judge = StructuredJob(
            request.validator or request.writer, JUDGES, ledger, request.validator_calls, beside=writer.budget
        )  # fmt: skip
        work = _Work(request, folder, writer, judge)
        stopped = None
        try:
            room = bytes_of_line(_LONGEST) * request.calls.concurrency
            writer.run(work.with_models, room, request.say)
        except (OverBudgetError, UnansweredError) as error:
            stopped = str(error)
        money = writer.budget.spent if writer.budget.known or judge.budget.known else None
        return work.outcome(writer.asked + judge.asked, money, stopped)


def check_drafting(request: DraftingRequest, *, to_ask: bool = True) -> None:
    """Check the settings of a request before any work; no key is needed if ``to_ask`` is false.

    Raises:
        InputError: If a setting cannot be used.
    """
    if request.writer is None and (request.validator is not None or "questions" in request.stages):
        raise InputError("a validator, or questions by agents, need a model that writes: name one with --writer")
    for model in (request.writer, request.validator):
        if model is not None:
            require_structured(model.name, model.base_url, model.credentials, to_ask=to_ask)
    missing = [*(item.theme.name for item in request.items if not item.theme.is_drawn), *request.themes]
    if request.is_drawn and missing:
        raise InputError(f"theme {missing[0]!r} has no set, so it cannot be drawn: leave it out, or draw nothing")
    for kind in request.kinds:
        if not any(kind in kinds for kinds in ACTIVE.values()):
            raise InputError(f"there is no question type {kind!r}", expected="one such as L1-OE or L3-PT")
    if len({item.id for item in request.items}) < len(request.items):
        raise InputError("two items have the same task and theme: name each pair once")
    if request.writer is None and request.themes:
        raise InputError(f"theme {request.themes[0]!r}: only a model can choose its task: name a model with --writer")
    if not request.items and not request.themes:
        raise InputError("there is nothing to draft: name tasks, or themes")


def drafting_settings(request: DraftingRequest) -> dict[str, Any]:
    """Return the settings of a request on which works depend, besides the items."""
    names = {"writer": request.writer, "validator": request.validator}
    told = {role: None if model is None else model.name for role, model in names.items()}
    fields = {f"{role}_set": dict(model.settings) for role, model in names.items() if model and model.settings}
    return {"seed": request.seed, "profile": request.profile, "is_drawn": request.is_drawn, **told, **fields}


def stages_in_order(stages: Sequence[StageName]) -> list[StageName]:
    """Return the stages in the order in which they are made."""
    return [stage for stage in STAGE_NAMES if stage in stages]


class _Work:
    """The works of a request: those that are there, and those that are made now."""

    def __init__(
        self, request: DraftingRequest, folder: DraftFolder, writer: StructuredJob | None, judge: StructuredJob | None
    ) -> None:
        self._request, self._folder, self._writer, self._judge = request, folder, writer, judge
        self._items, self._unrouted = list(request.items), list[str]()
        self._held: dict[StageName, dict[str, None]] = {}

    async def with_models(self) -> None:
        """Make all stages with models, one stage after the other, several items at once."""
        assert self._judge is not None
        at_once = self._request.calls.concurrency
        async with AsyncExitStack() as stack:
            await stack.enter_async_context(self._judge.connected())
            await do_all([partial(self._route, theme) for theme in self._request.themes], at_once)
            advance = self._advance()
            for stage in stages_in_order(self._request.stages):
                works: list[Callable[[], Awaitable[None]]] = [partial(self._make, stage, item) for item in self._items]
                await do_all(works, at_once, lambda _count, _place: advance())

    def all_by_code(self) -> None:
        """Make all stages by code."""
        advance = self._advance()
        for stage in stages_in_order(self._request.stages):
            for item in self._items:
                self.by_code(stage, item)
                advance()

    def _advance(self) -> Callable[[], None]:
        """Return a function that is called when a stage of an item is finished."""
        done, total = 0, len(self._request.stages) * len(self._items)

        def advance() -> None:
            nonlocal done
            done += 1
            if self._request.progress is not None:
                self._request.progress(done, total)

        return advance

    async def _route(self, theme: str) -> None:
        """Let the writer choose the task of a theme."""
        assert self._writer is not None
        agreed = await selector.selected_task(theme, self._writer)
        if agreed.candidate is None or not agreed.validated:
            self._unrouted.append(theme)
            return
        item = custom_item(theme, agreed.candidate.task)
        if item not in self._items:
            self._items.append(item)

    async def _make(self, stage: StageName, item: Item) -> None:
        if stage == "graph":
            await self._graph(item)
        elif stage == "scenario":
            await self._scenario(item)
        elif stage == "prompts":
            await self._prompts(item)
        else:
            await self._questions(item)

    async def _graph(self, item: Item) -> None:
        if self._folder.find("graph", item) is not None:
            return
        assert self._writer is not None
        request = self._request
        agreed = await scene_graphs.written_graph(
            item, request.profile, self._writer, self._judge, is_drawn=request.is_drawn
        )
        roles = self._roles("scene_graph_generator", "scene_graph_validator")
        self._folder.keep("graph", item, _json(agreed.candidate), agreed, roles)

    async def _scenario(self, item: Item) -> None:
        graph = self._validated_graph("scenario", item)
        if graph is None or self._folder.find("scenario", item) is not None:
            return
        assert self._writer is not None
        agreed = await storylines.written_scenario(item, graph, self._writer, self._judge)
        roles = self._roles("scenario_generator", "scenario_validator")
        self._folder.keep("scenario", item, _json(agreed.candidate), agreed, roles)

    async def _prompts(self, item: Item) -> None:
        scene = self._validated_scene("prompts", item)
        if scene is None:
            return
        assert self._writer is not None
        if translators.has_anchor(item.task) and self._folder.find("prompts", item, "image") is None:
            agreed = await translators.written_image_prompt(item, *scene, self._writer)
            self._folder.keep(
                "prompts", item, agreed.candidate, agreed, self._roles("image_prompt_translator"), "image"
            )
        if self._folder.find("prompts", item, "video") is None:
            agreed = await translators.written_video_prompt(item, *scene, self._writer)
            self._folder.keep(
                "prompts", item, agreed.candidate, agreed, self._roles("video_prompt_translator"), "video"
            )

    async def _questions(self, item: Item) -> None:
        scene = self._validated_scene("questions", item)
        if scene is None:
            return
        assert self._writer is not None
        for kind in ACTIVE[TASKS[item.task].code]:
            if self._request.kinds and kind not in self._request.kinds:
                continue
            if self._folder.find("questions", item, kind) is None:
                agreed = await questions.written_questions(
                    item, *scene, kind, self._pool(item), self._writer, self._judge
                )
                roles = self._roles("qa_generator", "qa_validator")
                self._folder.keep("questions", item, _json(agreed.candidate), agreed, roles, kind)

    def by_code(self, stage: StageName, item: Item) -> None:
        """Make a stage of an item by code; the same rules judge it."""
        request, folder = self._request, self._folder
        if stage == "graph":
            if folder.find(stage, item) is None:
                graph = scene_graphs.drawn_graph(item, request.profile, request.seed)
                found = as_objections(validate(graph, request.is_drawn))
                folder.keep(stage, item, _json(graph), by_code(found), Roles())
            return
        graph = self._validated_graph(stage, item)
        if graph is None:
            return
        if stage == "scenario":
            if folder.find(stage, item) is None:
                scenario = storylines.drawn_scenario(graph)
                found = storylines.scenario_faults(graph, scenario)
                folder.keep(stage, item, _json(scenario), by_code(found), Roles())
            return
        scene = self._validated_scene(stage, item)
        if scene is not None:
            self._prompts_by_code(item, *scene)

    def _prompts_by_code(self, item: Item, graph: SceneGraph, scenario: Scenario) -> None:
        made = {
            "image": (translators.IMAGES, translators.drawn_image_prompt(graph)),
            "video": (translators.VIDEOS, translators.drawn_video_prompt(graph, scenario)),
        }
        for part, (rules, prompt) in made.items():
            if (part == "video" or translators.has_anchor(item.task)) and self._folder.find(
                "prompts", item, part
            ) is None:
                found = translators.prompt_faults(rules, graph, prompt)
                self._folder.keep("prompts", item, prompt, by_code(found), Roles(), part)

    def outcome(self, asked: int = 0, money: float | None = None, stopped: str | None = None) -> DraftingOutcome:
        """Return all works of the requested items."""
        held: dict[StageName, tuple[str, ...]] = {stage: tuple(names) for stage, names in self._held.items()}
        return DraftingOutcome(list(self._works()), held, asked, money, stopped, tuple(self._unrouted))

    def _works(self) -> Sequence[Draft]:
        found = list[Draft]()
        for stage in stages_in_order(self._request.stages):
            for item in self._items:
                parts = {"prompts": ("image", "video"), "questions": ACTIVE[TASKS[item.task].code]}.get(stage, ("",))
                found += [draft for part in parts if (draft := self._folder.find(stage, item, part)) is not None]
        return found

    def _validated_graph(self, stage: StageName, item: Item) -> SceneGraph | None:
        """Return the graph of an item; without a validated one, the item is held back."""
        draft = self._folder.find("graph", item)
        if draft is None or not draft.validated:
            self._hold(stage, item)
            return None
        return parse_graph(draft.value, item.id)

    def _validated_scene(self, stage: StageName, item: Item) -> tuple[SceneGraph, Scenario] | None:
        """Return the graph and the scenario of an item; without validated ones, the item is held back."""
        graph = self._validated_graph(stage, item)
        draft = self._folder.find("scenario", item)
        if graph is None or draft is None or not draft.validated:
            self._hold(stage, item)
            return None
        return graph, Scenario.model_validate(draft.value)

    def _hold(self, stage: StageName, item: Item) -> None:
        self._held.setdefault(stage, {})[item.id] = None

    def _pool(self, item: Item) -> list[str]:
        """Return the labels of the other scenes of an item's task, for wrong options."""
        labels = dict[str, None]()
        for other in self._items:
            draft = self._folder.find("graph", other) if other.task == item.task and other != item else None
            if draft is not None and draft.validated:
                labels |= dict.fromkeys(entity["label"] for entity in draft.value["objects"])
        return list(labels)

    def _roles(self, writer: str, judge: str | None = None) -> Roles:
        assert self._request.writer is not None
        model = self._request.validator or self._request.writer
        return Roles({writer: self._request.writer.name}, {judge: model.name} if judge is not None else {})


def _json(value: Any) -> Any:
    return None if value is None else value.model_dump(mode="json")
