"""The pass that finds questions that are too easy: a multimodal model answers each question several times.

A question is dropped if every answer is correct. The options are shuffled anew for each trial. After a wrong answer,
the question is not asked again, because it stays in any case.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from chronotope.ledger import CallKind
from chronotope.models import Decoding
from chronotope.protocol import Ask, Part, movable_options
from chronotope.question import Question, item_generator
from chronotope.review.filters.item import Found, Replied, Rules

TRIALS = 5
FRAMES = 32  # of each video


@dataclass(frozen=True)
class Trials:
    """The pass that drops questions which are answered correctly in every trial.

    The prompts are the family's own, with the full videos.
    """

    name: str = "too-easy"
    version: int = 1
    looks: bool = True
    kind: CallKind = "answer"
    calls: int = TRIALS

    @property
    def decoding(self) -> Decoding:
        """Return our default settings; the paper states none."""
        return Decoding(temperature=0.7, top_p=1.0, max_tokens=512)

    def why_not(self, question: Question) -> str | None:
        """Explain why the pass does not concern a question, or return None."""
        return None if question.answer else "is open, so a judge would be needed"

    def asks(self, question: Question, replies: Sequence[Replied], rules: Rules) -> list[Ask]:
        """Return one trial, and a further one after each correct answer."""
        first = rules.family.protocol.asks(question, rules.settings, rules.facts)[0]
        right = [_is_right(question, reply, rules) for reply in replies]
        count = len(right) if not all(right) else min(len(right) + 1, TRIALS)
        return [_trial(first, question, number) for number in range(count)]

    def parts(self, ask: Ask, question: Question, rules: Rules) -> list[Part]:
        """Make the family's prompt."""
        return list(rules.family.protocol.parts(ask, question, rules.facts))

    def decide(self, question: Question, replies: Sequence[Replied], rules: Rules) -> Found:
        """Drop the question if all trials were correct."""
        right = sum(_is_right(question, reply, rules) for reply in replies)
        detail = {"right": right, "trials": len(replies)}
        if right == len(replies):
            return Found("drop", f"was answered correctly in all {right} trials", detail)
        return Found("keep", f"was answered wrongly in trial {len(replies)}", detail)


def _trial(first: Ask, question: Question, number: int) -> Ask:
    movable = movable_options(question)
    drawn = item_generator(0, question.family, question.id, f"too-easy-{number}").permutation(movable)
    order = (*(int(place) for place in drawn), *range(movable, len(question.options)))
    wording = (*first.wording, ("repeat", str(number))) if number else first.wording
    return replace(first, id=f"{question.id}#trial-{number + 1}", placement=order, wording=wording)


def _is_right(question: Question, replied: Replied, rules: Rules) -> bool:
    protocol = rules.family.protocol
    reading = protocol.read(replied.ask, question, replied.text, replied.truncated)
    return protocol.score(question, [(replied.ask, reading)]).metrics.get("strict") == 1.0
