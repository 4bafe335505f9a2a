"""Reader of one released row: the base question and three variants, or the codes of their defects."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from string import ascii_uppercase
from typing import Annotated, Any

from pydantic import BeforeValidator, Field

from chronotope.families import UnusableError
from chronotope.families.released_cells import (
    Count,
    ReleasedRow,
    Sentence,
    by_letter,
    parsed,
    sentence_of,
    text_of,
    word_of,
)
from chronotope.families.vgenst.release.text import split_text, without_cue
from chronotope.families.vgenst.tasks import TYPES
from chronotope.question import NONE_OF_THESE, Option, Variant

# Descriptions of defects. Items with a defect in LEFT_OUT cannot be asked; a defect in KEPT becomes a flag.
LEFT_OUT = {
    "unknown_task": "a table whose name is not one of the twelve tasks",
    "unknown_type": "a qa_type that is not one of the twelve",
    "unreadable": "an idx, theme, question, option or answer that is missing or cannot be read",
    "too_few_options": "fewer than two options with a text",
    "no_such_option": "an answer that is not one of the options",
    "several_answers": "more than one answer",
    "no_stem": "a text in which the beginning of the options is unclear",
    "empty_variant": "a null or empty variant with “None of these”",
    "no_base": "a base question that was left out",
    "missing_clip": "a clip without a video and without frames",
}
KEPT = {
    "repeated_id": "task, idx and qa_type, or the sample_id, of an earlier row (the number of the row was appended)",
    "text_differs": "options in the text that differ from the listed options (the listed options were kept)",
    "gap_in_options": "a null option before other options (it was dropped, so later options get earlier letters)",
    "equal_options": "equal options",
    "inactive_cell": "a qa_type that the paper does not have for this task",
    "answer_contradicts_base": "an answer that contradicts the answer of the base question",
    "not_none_of_these": "an answer that should be “None of these”, but is not",
    "options_contradict_base": "options that differ from the base question's options with “None of these” inserted",
    "stem_contradicts_base": "a stem that differs from the stem of the base question",
}
_ANSWER = re.compile(r"\(?([A-Za-z])[\s).:]*")
_SEVERAL = re.compile(r"[A-Z](?:\s*(?:[,;/&+]|and)\s*[A-Z])+", re.IGNORECASE)


def _kind(value: Any) -> str:
    kind = word_of(value).upper().replace("_", "-")
    if kind not in TYPES:
        raise UnusableError("unknown_type")
    return kind


class Key(ReleasedRow):
    """The fields that identify a row: clip number, released theme, question type, and released id.

    If the question type is unknown, `of` raises UnusableError with the code ``unknown_type``.
    """

    idx: Count
    theme: Sentence
    kind: Annotated[str, BeforeValidator(_kind)] = Field(alias="qa_type")
    sample_id: Annotated[str | None, BeforeValidator(lambda value: text_of(value) or None)] = None


@dataclass(frozen=True)
class Form:
    """The base question of a row, or one of its variants.

    ``answer`` is the index of the correct option. In the open variant, ``answer`` is None and ``expected`` is the
    correct text. ``nulls`` is the number of null options, which were dropped.
    """

    variant: Variant
    stem: str
    options: tuple[Option, ...]
    answer: int | None
    expected: str | None = None
    nulls: int = 0
    flags: tuple[str, ...] = ()


def is_absent(value: Any) -> bool:
    """Check whether a variant is null, or contains only nulls and blanks."""
    try:
        return _is_blank(parsed(value))
    except UnusableError:
        return False


def _is_blank(value: Any) -> bool:
    if isinstance(value, dict):
        return all(map(_is_blank, value.values()))
    return value is None or (isinstance(value, str) and not value.strip())


def read_form(value: Any, variant: Variant) -> Form:
    """Read a base question, or a variant that has options.

    ``value`` is {question, options {letter: text or null}, answer}.

    Raises:
        UnusableError: If ``value`` has another structure, fewer than two options, or no correct option.
    """
    form = parsed(value)
    if not isinstance(form, dict) or not isinstance(table := parsed(form.get("options")), dict):
        raise UnusableError("unreadable")
    texts = {letter: text_of(text).strip() for letter, text in by_letter(table).items()}
    options = {letter: text for letter, text in texts.items() if text}
    if len(options) < 2:
        raise UnusableError("too_few_options")
    answer = _answer(form.get("answer"), options)
    stem, agrees = split_text(sentence_of(form.get("question")), options)
    faults = {
        "text_differs": not agrees,
        "gap_in_options": "".join(options) != ascii_uppercase[: len(options)],
        "equal_options": len(set(options.values())) < len(options),
    }
    return Form(
        variant,
        stem,
        tuple(map(Option, options.values())),
        list(options).index(answer),
        nulls=len(texts) - len(options),
        flags=tuple(code for code, found in faults.items() if found),
    )


def read_open(value: Any) -> Form | None:
    """Read the open variant of a question.

    If the authors rejected the open variant, it is null, and the result is None.

    Raises:
        UnusableError: If ``value`` has another structure, or no text of a question.
    """
    form = parsed(value)
    if _is_blank(form):
        return None
    if not isinstance(form, dict):
        raise UnusableError("unreadable")
    if not (expected := word_of(form.get("expected_answer"))):
        return None  # section 8: rejected variants are null
    stem = word_of(form.get("question"))  # the stem still has the released instruction at its end
    if not without_cue(stem):
        raise UnusableError("unreadable")
    return Form("open", stem, (), None, expected)


def compared(form: Form, base: Form) -> tuple[str, ...]:
    """Return the flags of a variant.

    Each contradiction between the variant and its base question has a flag.
    """
    assert base.answer is not None
    right = base.options[base.answer].text or ""
    own = [option.text or "" for option in form.options]
    of_base = [option.text or "" for option in base.options]
    said = form.expected or "" if form.answer is None else own[form.answer]
    wanted = list(of_base)
    if form.variant == "none_distractor":
        wanted.append(NONE_OF_THESE)
    elif form.variant == "none_answer":
        wanted[base.answer] = NONE_OF_THESE
    should = NONE_OF_THESE if form.variant == "none_answer" else right
    placed = form.answer is None or form.answer == base.answer
    faults = {
        "not_none_of_these": form.variant == "none_answer" and not _same(said, NONE_OF_THESE),
        "answer_contradicts_base": not placed or (form.variant != "none_answer" and not _same(said, should)),
        "options_contradict_base": form.variant != "open"
        and not (len(own) == len(wanted) and all(map(_same, own, wanted))),
        "stem_contradicts_base": not _same(without_cue(form.stem) if form.variant == "open" else form.stem, base.stem),
    }
    return (*form.flags, *(code for code, found in faults.items() if found))


def _same(one: str, other: str) -> bool:
    return one == other or _plain(one) == _plain(other)


def _plain(text: str) -> str:
    return " ".join(text.casefold().split()).rstrip(" .:")


def _answer(value: Any, options: Mapping[str, str]) -> str:
    """Return the letter of the only correct option.

    ``value`` is the letter, the letter followed by the text of the option, or the text alone.
    """
    if isinstance(value, list):
        if len(value) > 1:
            raise UnusableError("several_answers")
        value = value[0] if value else None
    said = sentence_of(value)
    if _SEVERAL.fullmatch(said) and said not in options.values():
        raise UnusableError("several_answers")
    head = _ANSWER.match(said)
    letter = head[1].upper() if head else ""
    behind = said[head.end() :].strip() if head else ""
    if letter in options and behind in ("", options[letter]):
        return letter
    named = [letter for letter, text in options.items() if text == said]
    if len(named) != 1:
        raise UnusableError("no_such_option")
    return named[0]
