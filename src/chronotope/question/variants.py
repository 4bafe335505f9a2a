"""Variants of questions: with the option "None of these", or without options.

Our rule: "None of these" always has the same text and is always the last option, whether it is correct or wrong. Both
variants keep the number of options. The presence of "None of these" therefore reveals nothing. A placement can move
"None of these", because its text makes sense at any position.

The rule of VGenST-Bench's paper (C.6): "None of these" is an additional option if it is wrong, and replaces the correct
option if it is correct. With this rule, "None of these" is mostly wrong as the last option, and always correct at any
other position.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Literal

import numpy as np

from chronotope.errors import InputError
from chronotope.question.options import item_generator
from chronotope.question.question import Option, Question, Variant

NONE_OF_THESE = "None of these"
NEEDS_OPTIONS = "needs_options"
"""The flag of a question that the writer marks as unanswerable without its options."""
VariantRule = Literal["ours", "paper"]

_LONGEST_OPEN_ANSWER = 40  # characters
_MENTIONS_OPTIONS = re.compile(r"\b(which (one )?of|the following|options?|choices?|alternatives?|candidates?)\b", re.I)
_SPEAKS_OF_OTHERS = re.compile(
    r"\b(none|all|both|neither|either|any) of (the|these|them|those)\b|\bof the above\b"
    r"|\bno (\w+ )?(option|answer|choice)s?\b|\bneither\b.*\bnor\b|\b(cannot|can't|can not) be \w+\b"
    r"|^\W*(none|neither|either|both|all|other|unknown|unclear|nothing)\W*$",
    re.I,
)


def none_distractor(question: Question, generator: np.random.Generator, rule: VariantRule = "ours") -> Question | None:
    """Replace one wrong option by a wrong last option "None of these".

    The replaced option is chosen at random. With the rule ``paper``, "None of these" is added, and no option is
    replaced. Returns None if the question cannot have this variant. Only a base question with one correct option and at
    least three options can have this variant. All options must be plain texts, and must not refer to other options (as
    "all of the above" does).
    """
    if why_not(question, "none_distractor") is not None:
        return None
    answer = question.answer[0]
    if rule == "paper":
        return replace(_derived(question, "none_distractor"), options=(*question.options, Option(NONE_OF_THESE)))
    wrong = [index for index in range(len(question.options)) if index != answer]
    removed = wrong[int(generator.integers(len(wrong)))]
    return _with_none(question, "none_distractor", removed, answer - (removed < answer))


def none_answer(question: Question, generator: np.random.Generator, rule: VariantRule = "ours") -> Question | None:
    """Replace the correct option by a correct last option "None of these".

    With the rule ``paper``, "None of these" keeps the position of the correct option. Returns None if the question
    cannot have this variant; the conditions are the same as for ``none_distractor``. ``generator`` is not used. It is a
    parameter because both functions need the same signature.
    """
    if why_not(question, "none_answer") is not None:
        return None
    if rule == "paper":
        answer = question.answer[0]
        options = (*question.options[:answer], Option(NONE_OF_THESE), *question.options[answer + 1 :])
        return replace(_derived(question, "none_answer"), options=options)
    return _with_none(question, "none_answer", question.answer[0], len(question.options) - 1)


def open_ended(question: Question) -> Question | None:
    """Make the question open, so that no options are shown.

    ``expected`` is the text of the correct option. The options remain as the closed set of possible answers for a
    judge. Returns None if the question cannot have this variant. Only a base question with one correct option of at
    most 40 characters can have this variant. The options must be plain texts that differ in more than case and spaces.
    The stem must not refer to options ("which of").
    """
    if why_not(question, "open") is not None:
        return None
    expected = question.options[question.answer[0]].text
    return replace(_derived(question, "open"), answer=(), expected=expected)


def why_not(question: Question, variant: Variant) -> str | None:
    """Explain why a question cannot have a variant, or return None.

    The text is the end of a sentence that begins with the name of the question.
    """
    reason = next(_why_not_plain(question), None)
    if reason is None:
        reason = next(_why_not_open(question) if variant == "open" else _why_no_none(question), None)
    return reason


def make_variants(
    questions: Iterable[Question], names: Sequence[str], seed: int, rule: VariantRule = "ours"
) -> list[Question]:
    """Make the named variants of base questions.

    Base questions that cannot have a variant are skipped. The result contains only variants, in the order of the base
    questions. Random numbers depend on the seed, on the family and the id of the question, and on the variant, but not
    on any other question.

    Raises:
        InputError: If a name is not the name of a variant.
    """
    if unknown := [name for name in names if name not in _MAKERS]:
        raise InputError(f"unknown variant {unknown[0]!r}: expected one of {', '.join(_MAKERS)}")
    made: list[Question] = []
    for question in questions:
        for name in dict.fromkeys(names):
            variant = _MAKERS[name](question, item_generator(seed, question.family, question.id, name), rule)
            if variant is not None:
                made.append(variant)
    return made


def _open(question: Question, generator: np.random.Generator, rule: VariantRule) -> Question | None:
    return open_ended(question)


_MAKERS: dict[str, Callable[[Question, np.random.Generator, VariantRule], Question | None]] = {
    "none_distractor": none_distractor,
    "none_answer": none_answer,
    "open": _open,
}


def _why_not_plain(question: Question) -> Iterator[str]:
    """Yield the reasons why a question cannot have any variant.

    Only base questions with one correct option and with options of plain text can have variants.
    """
    if question.variant != "base":
        yield "is a variant itself"
    if question.multiple or len(question.answer) > 1:
        yield "may have several correct options"
    elif not question.answer:
        yield "offers no options"
    if any(option.image is not None for option in question.options):
        yield "has options that are pictures"
    elif not all((option.text or "").strip() for option in question.options):
        yield "has an empty option"


def _why_no_none(question: Question) -> Iterator[str]:
    if len(question.options) < 3:
        yield "has only two options, and one may be the negation of the other"
    if any(_SPEAKS_OF_OTHERS.search(option.text or "") for option in question.options):
        yield "has an option that mentions the others"


def _why_not_open(question: Question) -> Iterator[str]:
    if NEEDS_OPTIONS in question.flags:
        yield "can only be answered with its options"
    texts = [" ".join((option.text or "").casefold().split()) for option in question.options]
    expected = question.options[question.answer[0]].text or ""
    if _MENTIONS_OPTIONS.search(question.stem):
        yield "mentions its options in the question"
    if len(set(texts)) < len(texts):
        yield "has options with the same text"
    if len(expected) > _LONGEST_OPEN_ANSWER:
        yield f"has an answer of more than {_LONGEST_OPEN_ANSWER} characters"
    if _SPEAKS_OF_OTHERS.search(expected):
        yield "has an answer that mentions the other options"


def _with_none(question: Question, variant: Variant, removed: int, answer: int) -> Question:
    kept = tuple(option for index, option in enumerate(question.options) if index != removed)
    return replace(_derived(question, variant), options=(*kept, Option(NONE_OF_THESE)), answer=(answer,))


def _derived(question: Question, variant: Variant) -> Question:
    return replace(question, id=f"{question.id}-{variant.replace('_', '-')}", variant=variant, base=question.id)
