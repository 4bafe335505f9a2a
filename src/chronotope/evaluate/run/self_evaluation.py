"""The check of models that must not answer some questions.

A family of questions can forbid models, for example the models that wrote its questions.
"""

from collections.abc import Iterable

from chronotope.errors import InputError
from chronotope.families import Family
from chronotope.io.packed import PackedList
from chronotope.protocol import AskSettings
from chronotope.question import Question


def check_self_evaluation(
    family: Family, model: str, judge: str | None, settings: AskSettings, questions: Iterable[Question]
) -> None:
    """Check that the family permits this model and this judge.

    Raises:
        InputError: If the family forbids the model to answer these questions, or forbids the judge to judge the
            answers.
    """
    reason = None if family.guard is None else family.guard(model, judge, settings, PackedList(questions))
    if reason is not None:
        raise InputError(reason)
