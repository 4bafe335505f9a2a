"""The prompt: the system's instruction, the frames in order, then the question with its options in line.

The paper prints no prompt and section 9.1 of the specification says what it must ask, so the words of the instruction
and of the cue for the answer are our own. Stem and options are the released ones, joined as the released texts are
(``stem A. x, B. y``): in the published order they read as released, to the letter.
"""

from fractions import Fraction

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


def prompt(ask: Ask, question: Question, facts: MediaFacts, count: int) -> list[Part]:
    """The parts of an ask; of a clip that is there as frames, ``count`` of them at most."""
    is_open = not question.answer
    parts: list[Part] = [Text(OPEN_SYSTEM if is_open else CHOICE_SYSTEM, "system")]
    for item, plan in zip(question.media, ask.plans, strict=True):
        if plan is not None:
            parts += frames_of(item.paths[0], plan)
        elif ask.input == "full":
            parts += [Image(PictureFile(path, _sha256(path, facts))) for path in shown_frames(item, count)]
    if is_open:
        return [*parts, Text(question.stem + OPEN_CUE)]
    texts = [question.options[index].text or "" for index in ask.placement]
    pairs = list(zip(option_letters(len(texts)), texts, strict=True))
    parts.append(Text(f"{question.stem} "))
    parts += [
        Option(letter, f"{letter}. {text}" + (", " if position < len(pairs) else ""), text)
        for position, (letter, text) in enumerate(pairs, 1)
    ]
    return [*parts, Text(CHOICE_CUE)]


def shown_frames(item: MediaItem, count: int) -> list[str]:
    """Which of the extracted frames are shown: all, or ``count`` spread evenly, the first and the last among them."""
    total = len(item.paths)
    if total <= count:
        return list(item.paths)
    if count == 1:
        return [item.paths[0]]
    return [item.paths[round(Fraction(i * (total - 1), count - 1))] for i in range(count)]


def _sha256(path: str, facts: MediaFacts) -> str:
    picture = facts[path]
    assert isinstance(picture, PictureFacts), f"{path} is a clip, where a frame belongs"
    return picture.sha256
