"""The prompt: the system's instruction, the frames in order, then the question with its options in line.

The paper prints no prompt. The words of the instruction and of the cue for the answer are our own (``own``), or those
of the authors' code (``code``: eval.py of zinosii/VGenST-Bench, kept to the letter). Stem and options are the released
ones, joined as the released texts are (``stem A. x, B. y``): in the published order they read as released, to the
letter. In other orders the code puts a colon behind the stem.
"""

from dataclasses import dataclass
from fractions import Fraction
from typing import Literal

from chronotope.protocol import (
    Ask,
    Image,
    MediaFacts,
    Option,
    Part,
    PictureFacts,
    PictureFile,
    Text,
    frames_of,
    option_letters,
)
from chronotope.question import MediaItem, Question

__all__ = ["prompt", "shown_frames"]

CHOICE_SYSTEM = (
    "You are shown a video and asked a multiple-choice question about it. Reply with the letter of the right option "
    "and nothing else."
)
CHOICE_CUE = "\n\nThe letter of the right option:"
OPEN_SYSTEM = "You are shown a video and asked a question about it. Reply concisely, without explanation."
OPEN_CUE = "\n\nYour answer, in a few words:"


# The authors' code: what the system says, and what stands around the question.
CODE_CHOICE_SYSTEM = (
    "You are answering a multiple-choice question about a video scene.\n"
    "Respond with ONLY the letter of the correct option (A, B, C, ...). No explanation, no extra text."
)
CODE_OPEN_SYSTEM = "You are answering an open-ended question about a video scene.\nRespond concisely. No explanation."
CODE_BEFORE, CODE_AFTER = "[QUESTION]\n", "\n\nAnswer:"


@dataclass(frozen=True)
class _Words:
    """What the system says, and what stands before and behind the question."""

    system: str
    before: str
    after: str


_OPEN = {"own": _Words(OPEN_SYSTEM, "", OPEN_CUE), "code": _Words(CODE_OPEN_SYSTEM, CODE_BEFORE, CODE_AFTER)}
_CHOICE = {"own": _Words(CHOICE_SYSTEM, "", CHOICE_CUE), "code": _Words(CODE_CHOICE_SYSTEM, CODE_BEFORE, CODE_AFTER)}


def prompt(
    ask: Ask, question: Question, facts: MediaFacts, words: Literal["own", "code"], count: int | None
) -> list[Part]:
    """The parts of an ask; of a clip that is shown by released frames, ``count`` of them at most, None for all."""
    said = (_CHOICE if question.answer else _OPEN)[words]
    parts: list[Part] = [Text(said.system, "system")]
    of_video = any(plan is not None for plan in ask.plans)
    for item, plan in zip(question.media, ask.plans, strict=True):
        if plan is not None:
            parts += frames_of(item.paths[0], plan)
        elif ask.input == "full" and item.kind == "frames" and not of_video:
            parts += [Image(PictureFile(path, _sha256(path, facts))) for path in shown_frames(item, count)]
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


def shown_frames(item: MediaItem, count: int | None) -> list[str]:
    """Which of the extracted frames are shown: all, or ``count`` spread evenly, the first and the last among them."""
    total = len(item.paths)
    if count is None or total <= count:
        return list(item.paths)
    if count == 1:
        return [item.paths[0]]
    return [item.paths[round(Fraction(i * (total - 1), count - 1))] for i in range(count)]


def _sha256(path: str, facts: MediaFacts) -> str:
    picture = facts[path]
    assert isinstance(picture, PictureFacts), f"{path} is a clip, where a frame belongs"
    return picture.sha256
