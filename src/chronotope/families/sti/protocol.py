"""The published STI-Bench protocol: frames, prompt and scores.

The words of the prompts are published and used verbatim. The prompt ``api`` is from the authors' script for services,
and its text comes before the frames. The prompt ``local`` is from the authors' script for local models, and its text
comes after the frames.
"""

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar, Literal

from pydantic import Field

from chronotope.families.sti.published_reader import read_as_published
from chronotope.families.sti.tasks import DIRECTIONS, GROUPS, PUBLISHED_RULE, SCENES, TASKS, opposite
from chronotope.media import FramePlan, plan_frames
from chronotope.protocol import (
    Ask,
    AskSettings,
    ChoiceProtocol,
    MediaFacts,
    Option,
    Part,
    Reading,
    Scored,
    Table,
    Text,
    choice_asks,
    frames_of,
    mean,
    option_letters,
    percent,
    strict,
)
from chronotope.question import Question

FRAMES = 30
_BY_TASK = "Accuracy by task (%); Static: the first three tasks, Dynamic: the other five"
_MACRO = "Macro average (%): the mean of the accuracies of tasks, of settings (scenes), or of both"


class RunSettings(AskSettings):
    """The settings for asking the questions of STI-Bench."""

    choosing: ClassVar[frozenset[str]] = AskSettings.choosing | {"sampling"}

    sampling: Literal["uniform", "stride"] = Field(
        "uniform",
        description="uniform: 30 frames from the first to the last; stride: every k-th frame, as in the authors' "
        "script for services",
    )
    prompt: Literal["api", "local"] = Field(
        "api", description="api: the published prompt for services; local: the published prompt for local models"
    )

    @property
    def max_tokens(self) -> int:
        """Return the token limit in the authors' script that has this prompt."""
        return 512 if self.prompt == "local" else 100


@dataclass(frozen=True)
class STIProtocol(ChoiceProtocol):
    """The protocol of STI-Bench: frames, the question with its time window in words, and one letter as the reply."""

    name: str = "sti"
    version: int = 2

    def asks(self, question: Question, settings: RunSettings, facts: MediaFacts) -> list[Ask]:
        """Make the asks of a question, each with its frame plan."""
        plans = tuple(self._plan(item.paths[0], settings, facts) for item in question.media)
        rate = _stated_fps(question, plans, settings, facts)
        return choice_asks(question, settings, plans, wording=(("prompt", settings.prompt), ("rate", f"{rate:.2f}")))

    @staticmethod
    def _plan(path: str, settings: RunSettings, facts: MediaFacts) -> FramePlan:
        sampler = "endpoints" if settings.sampling == "uniform" else "stride"
        return plan_frames(facts.clip(path), sampler, count=settings.frames or FRAMES)

    def parts(self, ask: Ask, question: Question, facts: MediaFacts) -> list[Part]:
        """Make the prompt of an ask."""
        window = question.window
        start, end = (window.start, window.end) if window else (0.0, 0.0)
        letters = option_letters(len(ask.placement))
        options = [question.options[index].text or "" for index in ask.placement]
        pairs = list(zip(letters, options, strict=True))
        shown = [
            frame
            for item, plan in zip(question.media, ask.plans, strict=True)
            if plan is not None
            for frame in frames_of(item.paths[0], plan)
        ]
        if ask.worded("prompt") == "local":
            return [
                *shown,
                Text(f"From {start:.1f} s to {end:.1f} s. {question.stem}\n"),
                *(Option(letter, f"({letter}) {text}\n", text) for letter, text in pairs),
                Text(_open_closing(question) if question.expected else "Please output only the option letter!"),
            ]
        return [
            Text(
                "Answer the question below based on the frames provided, which are sampled at about "
                f"{ask.worded('rate')} FPS.\n"
                f"Question: From {start:.1f} seconds to {end:.1f} seconds. {question.stem}\n"
            ),
            *(Option(letter, f"{letter} {text}\n", text) for letter, text in pairs),
            Text(_open_closing(question) if question.expected else "Please output only the option you choose!"),
            *shown,
        ]

    def read_as_published(self, ask: Ask, question: Question, reply: str) -> Reading:
        """Read a reply by the authors' rules for local models.

        The result is only used for a comparison with `read`.
        """
        return read_as_published(ask, question, reply)

    def score(self, question: Question, readings: Sequence[tuple[Ask, Reading | None]]) -> Scored:
        """Score one question, with the chance of a guess.

        The published rule for direction words always offers the opposite of the correct word. With this rule, chance is
        1 divided by the number of options whose opposite is also an option.
        """
        scored = super().score(question, readings)
        texts = {option.text for option in question.options}
        if PUBLISHED_RULE not in question.flags or not texts <= set(DIRECTIONS):
            return scored
        paired = sum(opposite(word) in texts for word in DIRECTIONS if word in texts)
        return replace(scored, chance=1 / paired) if paired else scored

    def tables(self, scored: Sequence[Scored]) -> list[Table]:
        """Make the paper's Tables 2 and 3, and four further tables.

        The further tables show accuracies by task and scene, macro averages, and numbers of questions. Accuracies are
        averages over questions. The macro averages are means of accuracies over the tasks, over the kinds of scene, and
        over their combinations (if these have questions). The paper has no macro averages.
        """
        columns, told = (*TASKS, "Overall", "Static", "Dynamic"), _kinds(scored)
        by_task: dict[str, _Rule] = {task: _has_task(task) for task in TASKS}
        by_task |= {"Overall": lambda _: True}
        by_task |= {group: lambda kind, tasks=tasks: kind.task in tasks for group, tasks in GROUPS.items()}
        by_scene: dict[str, _Rule] = {scene: _has_scene(scene) for scene in SCENES}
        by_scene["Overall"] = lambda _: True
        counts = tuple(
            (task, *(_count(told, by_task[task], by_scene[scene]) for scene in (*SCENES, "Overall")))
            for task in (*TASKS, "Overall")
        )
        shares = {
            task: tuple(_accuracy(told, by_task[task], scene) for scene in by_scene.values())
            for task in (*TASKS, "Overall")
        }
        cells = tuple((task, *row) for task, row in shares.items())
        by_scene_of_task = [shares[task][:-1] for task in TASKS]
        macro = (
            mean(shares[task][-1] for task in TASKS),
            mean(shares["Overall"][:-1]),
            mean(cell for row in by_scene_of_task for cell in row),
        )
        return [
            Table("by-task", _BY_TASK, columns, (tuple(_accuracy(told, by_task[c]) for c in columns),)),
            Table(
                "by-scene",
                "Accuracy by scene (%)",
                (*SCENES, "Overall"),
                (tuple(_accuracy(told, scene) for scene in by_scene.values()),),
            ),
            Table("by-task-and-scene", "Accuracy by task and scene (%)", ("Task", *SCENES, "Overall"), cells),
            Table("macro", _MACRO, ("Over tasks", "Over scenes", "Over tasks and scenes"), (macro,)),
            Table("questions", "Questions", ("Task", *SCENES, "all"), counts),
        ]


def _open_closing(question: Question) -> str:
    """Return the instruction at the end of an open question.

    If the correct answer is a value with a unit, the instruction states the number of decimals and the unit.
    """
    printed = re.fullmatch(r"-?\d+(?:\.(\d+))?(\D*)", question.expected or "")
    if printed is None:
        return "Please output only the answer!"
    decimals = len(printed[1] or "")
    precision = f"with {decimals} decimals" if decimals else "as a whole number"
    return f"Please output only the value, {precision}, followed by its unit {printed[2]}!"


def _stated_fps(question: Question, plans: Sequence[FramePlan], settings: RunSettings, facts: MediaFacts) -> float:
    """Compute the frame rate (frames per second) that the prompt states.

    With uniform sampling, the rate is the number of frames shown divided by the length of the clip. With a stride, the
    rate is the clip's frame rate divided by the stride. For whole videos, the stated rate is the clip's frame rate.
    """
    if not question.media:
        return 0.0
    clip, indices = facts.clip(question.media[0].paths[0]), plans[0].indices
    if settings.clips == "video":
        return clip.frames / clip.duration_s
    if settings.sampling == "uniform" or len(indices) < 2:
        return len(indices) / clip.duration_s
    return clip.frames / clip.duration_s / (indices[1] - indices[0])


@dataclass(frozen=True)
class _Kind:
    """What the tables need to know about a question."""

    task: str
    scenes: tuple[str, ...]


_Rule = Callable[[_Kind], bool]


def _kinds(scored: Iterable[Scored]) -> list[tuple[_Kind, float | None]]:
    """Return the kind and the strict score of each question; equal kinds are one object."""
    known: dict[tuple[str, tuple[str, ...]], _Kind] = {}
    found: list[tuple[_Kind, float | None]] = []
    for one in scored:
        about = one.question.task, one.question.tags.get("scene", ())
        found.append((known.get(about) or known.setdefault(about, _Kind(*about)), strict(one)))
    return found


def _has_task(task: str) -> _Rule:
    return lambda kind: kind.task == task


def _has_scene(scene: str) -> _Rule:
    return lambda kind: scene in kind.scenes


def _accuracy(scored: Sequence[tuple[_Kind, float | None]], *rules: _Rule) -> float | None:
    """Return the accuracy (%) over the questions that satisfy all rules."""
    return percent(value for kind, value in scored if all(rule(kind) for rule in rules))


def _count(scored: Sequence[tuple[_Kind, float | None]], task: _Rule, scene: _Rule) -> int:
    return sum(task(kind) and scene(kind) for kind, _ in scored)
