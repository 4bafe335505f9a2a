"""The pass that rewrites questions in natural language, with two checks of the meaning.

The prompt for rewriting is that of the M3-Verse paper (Figure 17 in its appendix A.4). A proposed text first has to
pass rules (`rewriting_fault`); then the model compares both texts, with a prompt of our own. The order of the options
and the answer never change.
"""

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from unicodedata import category

from chronotope.io import canonical_json
from chronotope.ledger import CallKind
from chronotope.models import Decoding
from chronotope.protocol import Ask, Part, Text, option_letters, refers_to_others, without_thinking
from chronotope.question import Question
from chronotope.review.filters.item import (
    ATTEMPTS,
    Found,
    Replied,
    Rules,
    clear_reply,
    filled,
    text_ask,
    wanted_attempts,
)

REWRITE, MEANING = "rewrite", "meaning"
SAME, DIFFERENT = VERDICTS = ("same", "different")

_REWRITE = (
    "You are a helpful assistant. Here you are provided with a question and its options generated with templates, "
    "which may contain unnatural phrasing. Your task is to rewrite the given question and options to make them sound "
    "more like natural language without changing their semantic meaning. Do not change the order of the options. Pay "
    'special attention to rewriting expressions like "state_0" and "state_1" to be more natural and closer to real '
    'language. Provide the rewritten question and options in JSON format with keys "rewritten_question" and '
    '"rewritten_options".\nQuestion: {question}\nOptions: {options}\n'
    'Example Output: { "rewritten_question": "What is the capital of France?", "rewritten_options": ["Paris", '
    '"London", "Berlin"] }'
)
# Our own words.
_MEANING = (
    "Two versions of one multiple-choice question follow. Decide whether they ask for exactly the same thing, and "
    "whether each option of the second version means the same as the option of the first version at the same place. "
    "Different words are fine; other things, places, numbers, units, times, orders or videos are not.\n"
    "First version: {first}\nSecond version: {second}\n"
    'Respond with "Same" or "Different", with no additional text or explanation.'
)
_NUMBER = re.compile(r"(?<![\w.])[-−+]?\d+(?:[.,]\d+)?(?!\d|st\b|nd\b|rd\b|th\b)")
_UNIT = re.compile(
    r"\s*(m/s²|m/s|km/h|m²|m2|cm²|mm|cm|km|m|s|ms|min|h|°|%|seconds?|minutes?|degrees?|metres?|meters?|"
    r"square met(?:re|er)s?)(?![\w²])"
)


@dataclass(frozen=True)
class Words:
    """The words of a question: its stem and the texts of its options."""

    stem: str
    options: tuple[str, ...]

    @property
    def text(self) -> str:
        """Return the words as canonical JSON."""
        return canonical_json({"question": self.stem, "options": list(self.options)})


@dataclass(frozen=True)
class Rewriting:
    """The pass that rewrites questions.

    If no proposal is accepted after three attempts, or the model finds another meaning, the question keeps its words.
    """

    name: str = "rewrite"
    version: int = 1
    looks: bool = False
    kind: CallKind = "write"
    calls: int = 2 * ATTEMPTS

    @property
    def decoding(self) -> Decoding:
        """Return the settings in the authors' code."""
        return Decoding(temperature=0.95, top_p=0.9, max_tokens=1024)

    def why_not(self, question: Question) -> str | None:
        """Explain why a question cannot be rewritten, or return None."""
        pictures = any(option.image is not None or not option.text for option in question.options)
        return "has options that are pictures" if pictures else None

    def asks(self, question: Question, replies: Sequence[Replied], rules: Rules) -> list[Ask]:
        """Return the asks for proposals, then those about the meaning."""
        proposals, verdicts = _split(replies)
        accepted = proposals and not isinstance(_proposed(question, proposals[-1].text), str)
        wanted = len(proposals) if accepted else min(len(proposals) + 1, ATTEMPTS)
        asks = [text_ask(question, REWRITE, attempt) for attempt in range(wanted)]
        if accepted and not isinstance(words := _proposed(question, proposals[-1].text), str):
            wording, count = (("rewritten", words.text),), wanted_attempts(verdicts, VERDICTS)
            asks += [text_ask(question, MEANING, attempt, wording) for attempt in range(count)]
        return asks

    def parts(self, ask: Ask, question: Question, rules: Rules) -> list[Part]:
        """Make the published prompt, or the prompt about the meaning."""
        first = _words(question)
        if ask.strategy == MEANING:
            return [Text(filled(_MEANING, first=first.text, second=ask.worded("rewritten")))]
        options = json.dumps(list(first.options), ensure_ascii=False)
        return [Text(filled(_REWRITE, question=first.stem, options=options))]

    def decide(self, question: Question, replies: Sequence[Replied], rules: Rules) -> Found:
        """Accept the last proposal if its meaning is the same."""
        proposals, verdicts = _split(replies)
        words = _proposed(question, proposals[-1].text)
        if isinstance(words, str):
            return Found("unchanged", f"the proposed text {words}")
        if (verdict := clear_reply(verdicts, VERDICTS)) != SAME:
            reason = "has another meaning" if verdict == DIFFERENT else "could not be compared with the question"
            return Found("unchanged", f"the proposed text {reason}", {"proposed": json.loads(words.text)})
        if words == _words(question):
            return Found("unchanged", "the proposed text is the same")
        return Found("rewritten", "", {"stem": words.stem, "options": list(words.options)})


def rewriting_fault(question: Question, stem: str, options: Sequence[str]) -> str | None:
    """Explain why words cannot replace the words of a question.

    The text is the end of a sentence. Returns None if the words pass all rules: as many options, all different; the
    numbers and units of the stem, and of each option in order; and an unchanged last option, if this option refers to
    the other options.
    """
    old = _words(question)
    if len(options) != len(old.options):
        return f"has {len(options)} options, not {len(old.options)}"
    if not stem.strip() or not all(option.strip() for option in options):
        return "has an empty question or option"
    if any(category(sign) in ("Cc", "Cs") for text in (stem, *options) for sign in text):
        return "has control characters, or parts of characters"
    if len({_plain(option) for option in options}) < len(options):
        return "has equal options"
    if sorted(_amounts(old.stem)) != sorted(_amounts(stem)):
        return "has other numbers in the question"
    for letter, before, after in zip(option_letters(len(options)), old.options, options, strict=True):
        if _amounts(before) != _amounts(after):
            return f"has another number or unit in option {letter}"
        if refers_to_others(before) and before != after:
            return f"changes option {letter}, which refers to the other options"
    return None


def _words(question: Question) -> Words:
    return Words(question.stem, tuple(option.text or "" for option in question.options))


def _split(replies: Sequence[Replied]) -> tuple[list[Replied], list[Replied]]:
    meaning = [reply for reply in replies if reply.ask.strategy == MEANING]
    return [reply for reply in replies if reply.ask.strategy != MEANING], meaning


def _proposed(question: Question, reply: str) -> Words | str:
    """Read the proposed words from a reply, or explain its fault."""
    text = without_thinking(reply) or reply
    try:
        found = json.loads(text[text.find("{") : text.rfind("}") + 1])
        stem, options = found["rewritten_question"], found["rewritten_options"]
    except (ValueError, KeyError, TypeError, RecursionError):  # also of a reply with endless brackets
        return "was not JSON with the two keys"
    if (
        not isinstance(stem, str)
        or not isinstance(options, list)
        or not all(isinstance(option, str) for option in options)
    ):
        return "was not JSON with the two keys"
    words = Words(" ".join(stem.split()), tuple(" ".join(letter.split()) for letter in _without_letters(options)))
    return rewriting_fault(question, words.stem, words.options) or words


def _without_letters(options: Sequence[str]) -> list[str]:
    """Remove the letters if the model has put one before each option."""
    letters = option_letters(min(len(options), 26))
    if len(letters) == len(options) and all(
        re.match(rf"{letter}[.)] ", one) for letter, one in zip(letters, options, strict=True)
    ):
        return [option[3:] for option in options]
    return list(options)


def _plain(text: str) -> str:
    return " ".join(text.casefold().split())


def _amounts(text: str) -> list[tuple[str, str]]:
    """List the numbers of a text with their units, in order.

    Ordinals such as 2nd are left out, because they can be written as words.
    """
    found = []
    for number in _NUMBER.finditer(text):
        unit = _UNIT.match(text, number.end())
        found.append((number[0].replace("−", "-").lstrip("+"), unit[1] if unit else ""))
    return found
