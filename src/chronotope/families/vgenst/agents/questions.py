"""The writer and the validator of questions: for question types that templates do not cover.

The questions of the 98 combinations of task and type have answers by formula, and are written without a model. What a
model writes here has the same form (`Asked`), so that both are handled alike.
"""

import json
import re
from collections.abc import Iterator, Sequence
from functools import partial

from pydantic import BaseModel, Field

from chronotope.families.vgenst.agents.examples import question_examples
from chronotope.families.vgenst.agents.items import Item
from chronotope.families.vgenst.agents.prompts import about_task, filled, stage
from chronotope.families.vgenst.agents.verdicts import QuestionVerdict, objections_of
from chronotope.families.vgenst.tasks import TYPE_NAMES
from chronotope.models import Agreed, Asker, Generator, Objection, Unfit, Validator, agree
from chronotope.question import item_generator
from chronotope.world.kinds.stage.graph import TASKS, Scenario, SceneGraph, published

WRITE = stage("write_question", "write", 0.7, 3_000)
VALIDATE = stage("validate_question", "validate", 0.3, 6_000)
MOST_OPTION = 120  # characters
# Units, with a number before them, make a question one about metric estimates.
_METRIC = re.compile(r"\d\s*(?:cm|mm|m|km|metres?|meters?|seconds?|s|degrees?|°|km/h|m/s)\b", re.IGNORECASE)
_LETTERED = re.compile(r"(?:^|\s)\(?[A-D][.):]\s")
_DEFINITIONS = {
    "L1-OE": "Which entity does, or does not, appear in the clip.",
    "L1-OA": "An attribute of an entity, such as its colour or material.",
    "L1-FL": "Where in the frame an entity is, at a moment that the question names.",
    "L2-IT": "Whether and where the same entity is seen again, or what it holds.",
    "L2-AR": "What somebody or something does.",
    "L2-OC": "How many entities or events there are, where frames must be put together.",
    "L2-TO": "The order of events or of appearances.",
    "L2-CM": "How the camera moves.",
    "L2-SL": "How entities are arranged in space.",
    "L3-PT": "What is seen, or where something is, from the view of somebody else or from another place.",
    "L3-CR": "What would be, if one thing of the clip had been different.",
    "L3-PR": "What would come next, if everything went on as in the clip.",
}


class Asked(BaseModel):
    """A question with its options in any order, and the text of the correct option."""

    question: str = Field(min_length=1, max_length=400)
    options: list[str] = Field(min_length=2, max_length=6)
    answer: str


class Written(BaseModel):
    """Questions of one type about one clip."""

    qa_type: str
    task: str
    questions: list[Asked] = Field(min_length=1)


async def written_questions(
    item: Item,
    graph: SceneGraph,
    scenario: Scenario,
    kind: str,
    pool: Sequence[str],
    writer: Asker,
    validator: Asker | None,
    *,
    count: int = 1,
) -> Agreed[Written]:
    """Let a model write questions of one type; rules and a validator model judge them.

    ``pool`` has labels of other scenes of the task, for wrong options; labels that occur in this scene are left out.

    Raises:
        OverBudgetError: If the next call could exceed the limit on the cost.
        InputError: If the service refuses every call, or a call failed.
    """
    own = {entity.label.casefold() for entity in graph.objects}
    others = [label for label in pool if not any(label.casefold() in word or word in label.casefold() for word in own)]
    prompt = filled(
        "write_question",
        **about_task("write_question", item.task),
        type=kind,
        type_name=TYPE_NAMES[kind],
        type_definition=_DEFINITIONS[kind],
        count=count,
        pool=", ".join(others) or "nothing",
        examples=question_examples(kind, item.task, item.theme.name),
    )
    scene = _scene(graph, scenario)
    generator = Generator(writer, WRITE, [prompt, scene], Written, partial(_read, item=item, kind=kind))
    rules = partial(question_faults, pool=others, count=count)
    judge = None
    if validator is not None:
        parts = partial(_question, scene=scene, item=item, kind=kind)
        judge = Validator(validator, VALIDATE, parts, QuestionVerdict, objections_of)
    return await agree(f"{item.id}--{kind}", generator, rules, judge)


def question_faults(written: Written, pool: Sequence[str], count: int) -> Sequence[Objection]:
    """Return what the rules find in questions."""
    found = list[Objection]()
    if len(written.questions) != count:
        found.append(_fault("Q0", "questions", str(len(written.questions)), f"{count} question(s)", "write as many"))
    for index, asked in enumerate(written.questions):
        found += _faults(asked, f"questions.{index}")
    return found


def _faults(asked: Asked, path: str) -> Iterator[Objection]:
    texts = [_plain(option) for option in asked.options]
    if not 3 <= len(texts) <= 4:
        yield _fault("Q1", f"{path}.options", f"{len(texts)} options", "3 or 4 options", "add or leave out options")
    if len(set(texts)) < len(texts):
        yield _fault("Q2", f"{path}.options", ", ".join(asked.options), "different options", "replace equal options")
    if texts.count(_plain(asked.answer)) != 1:
        yield _fault("Q3", f"{path}.answer", asked.answer, "the text of exactly one option", "repeat the option's text")
    for place, option in enumerate(asked.options):
        if not 0 < len(option.strip()) <= MOST_OPTION:
            yield _fault("Q4", f"{path}.options.{place}", f"{len(option)} characters",
                         f"1 to {MOST_OPTION} characters", "be brief")  # fmt: skip
        if _LETTERED.match(option):
            yield _fault("Q5", f"{path}.options.{place}", option, "options without letters", "leave the letter out")
    lengths = [len(text.split()) for text in texts]
    if max(lengths) > 3 * min(lengths) + 4:
        yield _fault("Q6", f"{path}.options", f"{min(lengths)} to {max(lengths)} words", "similar lengths",
                     "write options of equal form")  # fmt: skip
    if _METRIC.search(" ".join([asked.question, *asked.options])):
        yield _fault("Q7", path, "a number with a unit", "a qualitative question", "ask without units")
    if _LETTERED.search(asked.question):
        yield _fault("Q8", f"{path}.question", asked.question[:80], "a question without its options",
                     "leave the options out of the question")  # fmt: skip
    answer = _plain(asked.answer)
    if len(answer.split()) > 1 and answer in _plain(asked.question):
        yield _fault("Q9", f"{path}.question", asked.answer, "a question that does not contain its answer",
                     "ask without naming it")  # fmt: skip


def placed(asked: Asked, seed: int, name: str) -> tuple[tuple[str, ...], int]:
    """Return the options in an order that code draws, and the index of the correct one."""
    generator = item_generator(seed, "vgenst", name, "shuffle")
    order = generator.permutation(len(asked.options))
    options = tuple(asked.options[place].strip() for place in order)
    answer = _plain(asked.answer)
    return options, next(place for place, option in enumerate(options) if _plain(option) == answer)


def _read(reply: BaseModel, item: Item, kind: str) -> Written | Unfit:
    assert isinstance(reply, Written)
    known = {"qa_type": kind, "task": TASKS[item.task].code}
    wrong = [
        _fault("Q10", key, str(getattr(reply, key)), value, "copy it")
        for key, value in known.items()
        if getattr(reply, key) not in (value, item.task)
    ]
    return Unfit(tuple(wrong)) if wrong else reply


def _question(written: Written, scene: str, item: Item, kind: str) -> list[str]:
    prompt = filled(
        "validate_question",
        **about_task("validate_question", item.task),
        type_name=TYPE_NAMES[kind],
        examples=question_examples(kind, item.task, item.theme.name),
    )
    return [prompt, scene, f"Questions:\n{written.model_dump_json()}"]


def _scene(graph: SceneGraph, scenario: Scenario) -> str:
    told = {
        "scene_graph": published(graph),
        "scenario": {"reasoning_goal": scenario.reasoning_goal, "timeline": scenario.timeline},
    }
    return json.dumps(told, ensure_ascii=False)


def _plain(text: str) -> str:
    return " ".join(re.findall(r"\w+", text.casefold()))


def _fault(rule: str, path: str, found: str, expected: str, hint: str) -> Objection:
    return Objection(f"QUESTION.{rule}", path, found, expected, hint)
