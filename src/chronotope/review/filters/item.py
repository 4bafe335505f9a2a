"""The interface of a pass, and the parts that several passes share."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol

from chronotope.families import Family
from chronotope.ledger import CallKind
from chronotope.models import Decoding
from chronotope.protocol import Ask, AskSettings, MediaFacts, Part, option_letters, without_thinking
from chronotope.question import Question

OF_CHECKS = Decoding(temperature=0.5, top_p=0.9, max_tokens=512)  # of checks, in the authors' code
ATTEMPTS = 3  # maximum number of calls until a reply has the requested form

# keep, drop: the question stays, or is left out. undecided: no reply had the requested form; the question is left out.
# rewritten, tagged: the question stays with other words or tags. unchanged: it stays as it is.
# skipped: the pass does not concern the question. unanswered: a call has no reply; the next command repeats it.
Outcome = Literal["keep", "drop", "undecided", "rewritten", "tagged", "unchanged", "skipped", "unanswered"]


@dataclass(frozen=True)
class Replied:
    """An ask with the text of its reply; ``truncated`` is true if the reply was cut off."""

    ask: Ask
    text: str
    truncated: bool = False


@dataclass(frozen=True)
class Found:
    """The decision of a pass about one question.

    ``reason`` is a short text. ``detail`` has the values that the decision needs, such as the new words.
    """

    outcome: Outcome
    reason: str = ""
    detail: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Rules:
    """The family whose benchmark is filtered, its settings, and the facts about its media."""

    family: Family
    settings: AskSettings
    facts: MediaFacts


class Pass(Protocol):
    """A pass of a model over the questions of a benchmark.

    If the pass shows pictures (``looks``), its prompts are the prompts of the family.
    """

    @property
    def name(self) -> str:
        """Return the name of the pass."""
        ...

    @property
    def version(self) -> int:
        """Return the version of the prompts."""
        ...

    @property
    def looks(self) -> bool:
        """Return whether the pass shows pictures."""
        ...

    @property
    def kind(self) -> CallKind:
        """Return the kind of the calls in the ledger."""
        ...

    @property
    def calls(self) -> int:
        """Return the largest number of calls for a question."""
        ...

    @property
    def decoding(self) -> Decoding:
        """Return the default settings of the replies."""
        ...

    def why_not(self, question: Question) -> str | None:
        """Explain why the pass does not concern a question, or return None."""
        ...

    def asks(self, question: Question, replies: Sequence[Replied], rules: Rules) -> list[Ask]:
        """Return all asks of a question that its replies so far require.

        The first asks are always the same. Each reply can add asks, and never removes any.
        """
        ...

    def parts(self, ask: Ask, question: Question, rules: Rules) -> list[Part]:
        """Make the prompt of an ask."""
        ...

    def decide(self, question: Question, replies: Sequence[Replied], rules: Rules) -> Found:
        """Decide about a question, all of whose asks have replies."""
        ...


def text_ask(question: Question, name: str, attempt: int = 0, wording: tuple[tuple[str, str], ...] = ()) -> Ask:
    """Make an ask without pictures.

    ``attempt`` counts the earlier asks with the same prompt.
    """
    suffix = f"-{attempt + 1}" if attempt else ""
    return Ask(
        f"{question.id}#{name}{suffix}",
        question.id,
        tuple(range(len(question.options))),
        (None,) * len(question.media),
        name,
        "blind",
        (*wording, ("repeat", str(attempt))) if attempt else wording,
    )


def bare(reply: str) -> str:
    """Return a reply without thinking, quotes, and its final full stop."""
    text = without_thinking(reply)
    text = (reply if text is None else text).strip()
    while text and (text[0] in "\"'“”‘’`* " or text[-1] in "\"'“”‘’`*. "):
        text = text.strip("\"'“”‘’`* ").removesuffix(".").strip()
    return text


def clear_reply(replies: Sequence[Replied], words: Sequence[str]) -> str | None:
    """Return the last reply if it is one of the words."""
    said = bare(replies[-1].text).casefold() if replies else ""
    return said if said in words else None


def wanted_attempts(replies: Sequence[Replied], words: Sequence[str]) -> int:
    """Count the prompts that are sent until a reply is clear."""
    unclear = len(replies) if clear_reply(replies, words) is None else len(replies) - 1
    return min(unclear + 1, ATTEMPTS)


def filled(template: str, **fields: str) -> str:
    """Replace ``{name}`` by the value of each field; other braces stay."""
    return re.sub(rf"\{{({'|'.join(fields)})\}}", lambda found: fields[found[1]], template)


def printed(question: Question) -> str:
    """Print a question, its options with letters, and its answer."""
    letters = option_letters(len(question.options))
    shown = (option.text or "(a picture)" for option in question.options)
    options = "\n".join(f"{letter}. {text}" for letter, text in zip(letters, shown, strict=True))
    answer = ", ".join(letters[index] for index in sorted(question.answer)) or question.expected
    return f"Question: {question.stem}\nOptions: {options or '(none)'}\nAnswer: {answer or '(none)'}"
