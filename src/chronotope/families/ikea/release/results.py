"""Writer of result files in the authors' format: one list of answers for each model and strategy."""

from collections.abc import Iterable
from typing import Any

from chronotope.families.ikea.tasks import CODES
from chronotope.protocol import Ask, Reading, option_letters
from chronotope.question import Question

_TYPES = {task: code for code, (task, _) in CODES.items()}
_SETTINGS = {"visual": "baseline", "visual_text": "text_grounding", "text_only": "text_only"}


def export_results(
    replied: Iterable[tuple[Ask, Question, Reading | None, str | None]],
) -> dict[str, list[dict[str, Any]]]:
    """Make the rows of the result file of each strategy.

    The result maps the authors' names of the strategies to rows. A row has the released id of its question.
    ``answer_pred`` is the letter that was read from the reply, or None. The authors' files have only one answer for
    each question. Asks without pictures or with changed media, asks with changed placements, routed asks, and variants
    are therefore left out.
    """
    files: dict[str, list[dict[str, Any]]] = {}
    for ask, question, reading, reply in replied:
        if (
            ask.strategy not in _SETTINGS
            or ask.input != "full"
            or question.variant != "base"
            or ask.placement != tuple(sorted(ask.placement))
        ):
            continue
        letters = option_letters(len(question.options))
        chosen = None if reading is None or reading.options is None else min(reading.options, default=None)
        files.setdefault(_SETTINGS[ask.strategy], []).append(
            {
                "id": question.provenance.get("released", {}).get("id", question.id),
                "type": _TYPES[question.task],
                "product": question.tags["product"][0],
                "answer_gt": letters[question.answer[0]],
                "answer_pred": None if chosen is None else letters[chosen],
                "correct": chosen == question.answer[0],
                "raw_response": reply,
            }
        )
    return files
