"""The twins of IKEA-Bench's questions: only the order of three diagrams can be asked about backwards.

Pages of manuals show printed counts and screws with a thread, and nothing says what is printed in a video of a take.
"""

from dataclasses import replace
from typing import Any

from chronotope.families import NoTwin, TwinContext
from chronotope.question import Question

ARROW = " -> "
STEM = (
    "The furniture is taken apart again, so its steps are undone in the opposite order. In which order are the steps "
    "of these three instruction diagrams undone?"
)
REFUSED = {
    "mirrored": "shows diagrams with printed counts, which would be mirrored",
    "reversed": "shows people at work, who would move backwards",
    "half_speed": "shows a video without ground truth, so nothing says whether a thing falls in it",
    "double_size": "asks for no length, so its twin is the same question about the same pictures",
}
_BOTH_VIDEOS = "shows two videos without ground truth, so nothing says whether letters would be mirrored"
_NO_VIDEO = "shows no video, so its twin is the same question about the same pictures"


def twin(question: Question, context: TwinContext) -> Question:
    """Return the question about the furniture that is taken apart.

    The id and the media are still those of the original. The options stay if the opposite order is among them.

    Raises:
        NoTwin: For all alterations and tasks but the order of diagrams (D2), asked backwards.
    """
    if context.alteration != "reversed" or question.task != "D2":
        raise NoTwin(_reason(question, context))
    texts = [option.text or "" for option in question.options]
    [right] = question.answer
    backwards = [ARROW.join(text.split(ARROW)[::-1]) for text in texts]
    told: dict[str, Any] = {**question.provenance, "alteration": context.alteration}
    if backwards[right] in texts:
        answer = (texts.index(backwards[right]),)
        return replace(question, stem=STEM, answer=answer, provenance=told)
    options = tuple(replace(option, text=text) for option, text in zip(question.options, backwards, strict=True))
    return replace(question, stem=STEM, options=options, provenance=told)


def _reason(question: Question, context: TwinContext) -> str:
    if context.alteration == "mirrored" and question.task == "D1":
        return _BOTH_VIDEOS
    if context.alteration == "half_speed" and question.task == "D2":
        return _NO_VIDEO
    return REFUSED[context.alteration]
