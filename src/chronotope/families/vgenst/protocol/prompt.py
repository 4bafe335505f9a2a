"""The prompt of VGenST-Bench: an instruction, the frames in order, and the question with its options on one line.

The paper prints no prompt. The instruction and the request for the answer are our own (``own``), or they are verbatim
from the authors' code (``code``, from eval.py of zinosii/VGenST-Bench). The stem and the options are joined as in the
released texts: ``stem A. x, B. y``. If the options have the published order, the text is exactly the released text. For
other orders, the prompt ``code`` has a colon after the stem, as in the authors' code.
"""

from dataclasses import dataclass

from chronotope.protocol import (
    Ask,
    MediaFacts,
    Option,
    Part,
    Text,
    option_letters,
    planned_images,
)
from chronotope.question import Question

CHOICE_SYSTEM = (
    "You are shown a video and asked a multiple-choice question about it. Reply with the letter of the right option "
    "and nothing else."
)
CHOICE_CUE = "\n\nThe letter of the right option:"
OPEN_SYSTEM = "You are shown a video and asked a question about it. Reply concisely, without explanation."
OPEN_CUE = "\n\nYour answer, in a few words:"


# From the authors' code: the system prompts, and the words around the question.
CODE_CHOICE_SYSTEM = (
    "You are answering a multiple-choice question about a video scene.\n"
    "Respond with ONLY the letter of the correct option (A, B, C, ...). No explanation, no extra text."
)
CODE_OPEN_SYSTEM = "You are answering an open-ended question about a video scene.\nRespond concisely. No explanation."
CODE_BEFORE, CODE_AFTER = "[QUESTION]\n", "\n\nAnswer:"


@dataclass(frozen=True)
class _Words:
    """The words of a prompt: the system message, and the texts before and after the question."""

    system: str
    before: str
    after: str


_OPEN = {"own": _Words(OPEN_SYSTEM, "", OPEN_CUE), "code": _Words(CODE_OPEN_SYSTEM, CODE_BEFORE, CODE_AFTER)}
_CHOICE = {"own": _Words(CHOICE_SYSTEM, "", CHOICE_CUE), "code": _Words(CODE_CHOICE_SYSTEM, CODE_BEFORE, CODE_AFTER)}


def prompt(ask: Ask, question: Question, facts: MediaFacts) -> list[Part]:
    """Make the prompt of an ask: instruction, planned pictures, question."""
    words = ask.worded("prompt")
    said = (_CHOICE if question.answer else _OPEN)[words]
    parts: list[Part] = [Text(said.system, "system")]
    for item, plan in zip(question.media, ask.plans, strict=True):
        if plan is not None:
            parts += planned_images(item.paths, plan, facts)
    if not question.answer:
        return [*parts, Text(said.before + question.stem + said.after)]
    moved = ask.placement != tuple(range(len(ask.placement)))
    stem = f"{question.stem.rstrip(': ').rstrip()}:" if moved and words == "code" else question.stem
    texts = [question.options[index].text or "" for index in ask.placement]
    pairs = list(zip(option_letters(len(texts)), texts, strict=True))
    parts.append(Text(f"{said.before}{stem} "))
    parts += [
        Option(letter, f"{letter}. {text}" + (", " if position < len(pairs) else ""), text)
        for position, (letter, text) in enumerate(pairs, 1)
    ]
    return [*parts, Text(said.after)]
