"""Models that must not be asked some questions.

The family names them, for example the models that wrote the questions.
"""

from collections.abc import Sequence

from chronotope.errors import InputError
from chronotope.families import Family
from chronotope.protocol import AskSettings
from chronotope.question import Question

__all__ = ["check_self_evaluation"]


def check_self_evaluation(
    family: Family, model: str, judge: str | None, settings: AskSettings, questions: Sequence[Question]
) -> None:
    """Check that this model may be asked, and this judge may judge.

    Raises:
        InputError: If the family forbids it.
    """
    reason = None if family.guard is None else family.guard(model, judge, settings, questions)
    if reason is not None:
        raise InputError(reason)
