"""The passes, in the order of the M3-Verse paper: each drops, rewrites or tags questions.

The prompts of the first two passes are those of the paper (Figures 15 and 16 in its appendix A.4), with one line for
each field. The pass for capabilities, which only the authors' code has, comes last.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from chronotope.errors import InputError
from chronotope.ledger import CallKind
from chronotope.models import Decoding
from chronotope.protocol import Ask, Part, Text
from chronotope.question import Question
from chronotope.review.filters.capabilities import Capabilities
from chronotope.review.filters.decisions import PassRecord
from chronotope.review.filters.item import (
    ATTEMPTS,
    OF_CHECKS,
    Found,
    Pass,
    Replied,
    Rules,
    clear_reply,
    filled,
    printed,
    text_ask,
    wanted_attempts,
)
from chronotope.review.filters.rewriting import Rewriting
from chronotope.review.filters.trials import Trials

KEEP = "keep"
VERDICTS = (KEEP, "filter out")

_ONLY = 'Your response must be either "Filter out" or "Keep", with no additional text or explanation.'
_VISION_FREE = (
    "Your task is to determine whether a question requires visual information to answer.\n{item}\n"
    'If the question can be answered correctly without visual information, respond with "Filter out". Otherwise, '
    f'respond with "Keep".\n{_ONLY}'
)
_AMBIGUOUS = (
    "You are a QA quality control assistant. Your task is to filter out QAs where the options are ambiguous. Your "
    "evaluation should solely focus on identifying if the options are unclear or ambiguous based on the provided text "
    "and options. Do not consider visual aspects, question wording, or correctness of the answer at this stage.\n"
    "Evaluate the following question, options, and correct answer.\n{item}\n"
    'If you identify any issues (e.g., ambiguous options), respond with "Filter out". Otherwise, respond with '
    f'"Keep".\n{_ONLY}'
)


@dataclass(frozen=True)
class Check:
    """A pass whose replies are "Keep" or "Filter out".

    Any other reply is asked for again, at most twice. If no reply is clear, the question is undecided.
    """

    name: str
    prompt: str
    dropped: str
    version: int = 1
    looks: bool = False
    kind: CallKind = "validate"
    calls: int = ATTEMPTS

    @property
    def decoding(self) -> Decoding:
        """Return the settings in the authors' code."""
        return OF_CHECKS

    def why_not(self, question: Question) -> str | None:
        """Explain why the pass does not concern a question, or return None."""
        return None

    def asks(self, question: Question, replies: Sequence[Replied], rules: Rules) -> list[Ask]:
        """Return one ask, and a further one for each unclear reply."""
        return [text_ask(question, self.name, attempt) for attempt in range(wanted_attempts(replies, VERDICTS))]

    def parts(self, ask: Ask, question: Question, rules: Rules) -> list[Part]:
        """Make the published prompt."""
        return [Text(filled(self.prompt, item=printed(question)))]

    def decide(self, question: Question, replies: Sequence[Replied], rules: Rules) -> Found:
        """Keep or drop the question as the last reply says."""
        verdict = clear_reply(replies, VERDICTS)
        if verdict is None:
            return Found("undecided", f"{len(replies)} replies were neither “Keep” nor “Filter out”")
        return Found("keep") if verdict == KEEP else Found("drop", self.dropped)


TEXT_ONLY = Check("text-only", _VISION_FREE, "can be answered without pictures")
AMBIGUITY = Check("ambiguity", _AMBIGUOUS, "has ambiguous options")


PASSES: dict[str, Pass] = {one.name: one for one in (TEXT_ONLY, AMBIGUITY, Rewriting(), Trials(), Capabilities())}

# The decisions of people, by stage: reviewers decide first, and an adjudicator settles what they do not agree about.
PEOPLE = {"clip-review": "clip-adjudication", "question-review": "question-adjudication"}
_ORDER = (*PASSES, *(name for pair in PEOPLE.items() for name in pair))


def find_pass(name: str) -> Pass:
    """Return the pass with this name.

    Raises:
        InputError: If there is no such pass. The message lists all passes.
    """
    if name not in PASSES:
        raise InputError(f"there is no pass {name!r}", expected=f"one of {', '.join(PASSES)}")
    return PASSES[name]


def order_of(name: str) -> int:
    """Return the position of a pass in the order of all passes; people decide last."""
    return _ORDER.index(name)


def is_known(name: str) -> bool:
    """Check whether there is such a pass, of models or of people."""
    return name in _ORDER


@dataclass(frozen=True)
class PassShare:
    """The numbers of one run of a pass.

    ``dropped`` includes the ``undecided`` questions. ``unanswered`` questions stay, because a call about them failed or
    was not made yet. ``unchanged`` counts questions that were asked about and stay as they are.
    """

    name: str
    model: str
    questions: int
    dropped: int
    undecided: int
    changed: int
    unchanged: int
    skipped: int
    unanswered: int

    @property
    def decided(self) -> int:
        """Count the questions with a decision of the model."""
        return self.questions - self.skipped - self.unanswered

    @property
    def share(self) -> float | None:
        """Return the share of decided questions that were dropped or changed."""
        return (self.dropped + self.changed) / self.decided if self.decided else None


def pass_shares(records: Sequence[PassRecord]) -> list[PassShare]:
    """Count the decisions of each run, in the order of the passes."""
    return [
        PassShare(
            record.name, record.model, len(record.decisions), record.count("drop", "undecided"),
            record.count("undecided"), record.count("rewritten", "tagged"), record.count("keep", "unchanged"),
            record.count("skipped"), record.count("unanswered"),
        )
        for record in sorted((one for one in records if is_known(one.name)), key=lambda one: order_of(one.name))
    ]  # fmt: skip
