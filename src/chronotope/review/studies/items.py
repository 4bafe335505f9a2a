"""The items of studies: what a question shows, and the rows of the storage for what people get."""

from typing import Any

from chronotope.errors import InputError
from chronotope.question import Benchmark, Question
from chronotope.review.filters import words_of
from chronotope.review.store import Item, StudyRow

CLIP, QUESTION, SET, CASE = "clip", "question", "set", "case"  # the kinds of items
BETWEEN = "\n"  # between the paths of clips that one question shows
Clips = tuple[str, ...]


def clips_of(question: Question) -> Clips:
    """Return the paths of the clips of a question, in the order shown."""
    return tuple(path for item in question.media if item.kind == "video" for path in item.paths)


def base_questions(benchmark: Benchmark) -> list[Question]:
    """Return the questions that people review: variants follow their base questions.

    Raises:
        InputError: If there are none.
    """
    found = [question for question in benchmark.questions if question.variant == "base"]
    if not found:
        raise InputError("has no base questions to review", where=str(benchmark.folder))
    return found


def shown_by(question: Question) -> str:
    """Return what a question shows: its clips or, without any, its cluster."""
    return BETWEEN.join(clips_of(question)) or question.cluster


def scene_of(question: Question) -> str:
    """Return the kind of scene of a question, or an empty text."""
    return ", ".join(question.tags.get("scene", ()))


def new_item(
    row: StudyRow, stage: str, kind: str, target: str, question: Question, after: Item | None = None, /, **facts: Any
) -> Item:
    """Make an item of a study about a question, or about its clips."""
    words = words_of(question) if kind == QUESTION else ""
    about = {"kind": kind, "target": target, "task": question.task, "words": words, "facts": facts}
    return Item(study_id=row.id, stage=stage, after=after, state="open", **about)
