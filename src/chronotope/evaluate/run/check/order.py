"""Check whether a service keeps the positions of texts among pictures.

Two requests differ only in the position of a text. Some services move all pictures of a message before all its text
(vLLM does this for templates that expect a string). In this case, the text "Set K:" labels no picture, and both
requests become the same prompt. The model then gives the same answer to both requests, although they ask for different
numbers. No question can test whether the service moves a text that precedes the first picture. If text between pictures
stays, the check assumes that text before the first picture stays, too.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from chronotope.evaluate.plan.shown import MOST_BETWEEN, Shown
from chronotope.evaluate.run.check.calls import Calls
from chronotope.evaluate.run.check.check_pictures import CheckAnswer, read_answer
from chronotope.evaluate.score.check_outcome import CheckOutcome
from chronotope.evaluate.score.results import CUT_SHORT
from chronotope.models import RawReply
from chronotope.protocol import Image, Part, Text, Video

NAMES = ("set-one", "set-two")
REMEDY = "configure the service to keep the order of text and pictures (vLLM: --interleave-mm-strings)"
INTRODUCTION = "Here are pictures, with words between them."
QUESTION = (
    'Which number does the first picture after the words "{label}" show? If it is a video, which number does it show '
    "first? Reply with that number only."
)


@dataclass(frozen=True)
class Twin:
    """One of two requests: its parts, and the correct number."""

    parts: tuple[Part, ...]
    number: int


async def check_order(
    calls: Calls,
    shown: Shown,
    things: Sequence[tuple[Image | Video, int]],
    outcome: CheckOutcome,
    generator: np.random.Generator,
    *,
    allowed: bool,
) -> CheckOutcome:
    """Ask about ``things`` twice, with a text at two different positions.

    ``outcome`` contains the findings so far. If the service moves text, and the run's prompts label pictures by text
    between the pictures, the outcome gets a problem. If ``allowed`` is true, the outcome gets a warning instead. The
    outcome also gets a warning if the answers can be explained by a weak model.
    """
    things = things[:MOST_BETWEEN]
    twins = draw_twins(things, shown, generator)
    numbers = [number for _, number in things]
    async with calls.open(()) as session:
        replies = {
            name: calls.settled(await calls.call(session, (), twin.parts, f"check-{name}", numbers))
            for name, twin in zip(NAMES, twins, strict=True)
        }
    if refused := [reply for reply in replies.values() if reply.state == "refused"]:
        words = refused[0].error or "no reason was given"
        told = f"{calls.name} refuses {len(things)} pictures or videos with words between them ({words})"
        return outcome.model_copy(
            update={"accepted": False, "problem": f"{told}: send fewer, or send frames, not videos (--clips frames)"}
        )
    answers: dict[str, CheckAnswer | None] = {name: read_answer(name, reply.text) for name, reply in replies.items()}
    right = {
        name: None if answers[name] is None else answers[name] == twin.number
        for name, twin in zip(NAMES, twins, strict=True)
    }
    kept = stays(right, replies, answers, outcome.right)
    found = outcome.with_answers(right, replies).model_copy(update={"order_kept": kept})
    if kept:
        return found
    told = " and ".join(f"“{found.replies[name]}”" for name in NAMES)
    asked = f"the correct answers were {twins[0].number} and {twins[1].number}, the model answered {told}"
    if kept is None and "between" not in shown.words:
        return found
    if kept is None:
        return found.warned(
            f"{calls.name}: the check could not decide whether text stays between the pictures ({asked}); if it does "
            f"not, {REMEDY}"
        )
    lost = f"{calls.name}: text does not stay between the pictures, or the model ignores it ({asked})"
    if "between" not in shown.words:
        return found.warned(
            f"{lost}, so text before the pictures will move behind them, which is not the published order: {REMEDY}"
        )
    lost += ", and here such text labels the pictures"
    if allowed:
        return found.warned(f"{lost}: the run continues because of --allow-lost-order")
    return found.model_copy(update={"problem": f"{lost}: {REMEDY}, or continue with --allow-lost-order"})


def draw_twins(
    things: Sequence[tuple[Image | Video, int]], shown: Shown, generator: np.random.Generator
) -> tuple[Twin, Twin]:
    """Make two requests that differ only in their labels' positions.

    Text before the pictures, and the question, have the same positions as in the run. Each label names a set of
    pictures. The sizes of these sets are random, so that the model cannot guess the answer from the number of labels.
    """
    letters = [str(letter) for letter in generator.permutation(list("GHKMPRTWX"))[:2]]
    first_places = 1 if len(things) > 2 else 0  # 1 if another set precedes the set in the question
    places = generator.permutation(np.arange(first_places, len(things)))[:2]
    return _twin(things, shown, letters, int(places[0])), _twin(things, shown, letters, int(places[1]))


def _twin(things: Sequence[tuple[Image | Video, int]], shown: Shown, letters: Sequence[str], place: int) -> Twin:
    question = Text(QUESTION.format(label=f"Set {letters[1]}:"))
    parts: list[Part] = []
    if "after" not in shown.words:
        parts.append(Text(f"{INTRODUCTION} {question.text}\n"))
    elif "before" in shown.words:
        parts.append(Text(f"{INTRODUCTION}\n"))
    for number, (thing, _) in enumerate(things):
        if number == 0 and len(things) > 2:
            parts.append(Text(f"Set {letters[0]}:\n", label=True))
        if number == place:
            parts.append(Text(f"Set {letters[1]}:\n", label=True))
        parts.append(thing)
    if "after" in shown.words:
        parts.append(question)
    return Twin(tuple(parts), things[place][1])


def stays(
    right: Mapping[str, bool | None],
    replies: Mapping[str, RawReply],
    answers: Mapping[str, CheckAnswer | None],
    seen: Mapping[str, bool | None],
) -> bool | None:
    """Decide whether texts keep their positions; None if unclear.

    - Returns True if both answers are correct.
    - Returns False if the model names the first and the last picture correctly and gives the same answer to both
      requests.
    - Returns False if the model answers all other questions of the check correctly (``seen``), but both of these
      questions incorrectly.
    """
    if all(right.values()):
        return True
    ends = [value for name, value in seen.items() if name.endswith(("first", "last"))]
    if not all(ends) or any(reply.finish == CUT_SHORT for reply in replies.values()):
        return None
    one, other = (replies[name] for name in NAMES)
    told = answers[NAMES[0]]
    same = told is not None and told == answers[NAMES[1]]
    same |= " ".join((one.text or "").split()) == " ".join((other.text or "").split())
    return False if same or (all(seen.values()) and not any(right.values())) else None
