"""Reader of one released row: the base question and three variants, or the codes of their defects."""

import json
import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from string import ascii_uppercase
from typing import Any

from chronotope.families import UnusableError
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


@dataclass(frozen=True)
class Key:
    """The fields that identify a row: clip number, released theme, question type, and released id."""

    idx: int
    theme: str
    kind: str
    sample_id: str | None


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


def read_key(values: Mapping[str, Any]) -> Key:
    """Read the fields that identify a row.

    Raises:
        UnusableError: If a field is missing or cannot be read, or if the question type is unknown.
    """
    idx, theme, kind, name = (values.get(column) for column in ("idx", "theme", "qa_type", "sample_id"))
    if isinstance(idx, float) and not idx.is_integer():
        raise UnusableError("unreadable")
    try:
        number = int(idx)  # type: ignore[arg-type]
    except (TypeError, ValueError):
        raise UnusableError("unreadable") from None
    if number < 0 or not _text(theme):
        raise UnusableError("unreadable")
    kind = _text(kind).upper().replace("_", "-")
    if kind not in TYPES:
        raise UnusableError("unknown_type")
    return Key(number, _text(theme), kind, None if name is None else str(name))


def is_absent(value: Any) -> bool:
    """Check whether a variant is null, or contains only nulls and blanks."""
    try:
        return _is_blank(_struct(value))
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
    form = _struct(value)
    if not isinstance(form, dict) or not isinstance(table := _struct(form.get("options")), dict):
        raise UnusableError("unreadable")
    texts = {str(letter).strip().upper(): _option(table[letter]) for letter in sorted(table, key=str)}
    if any(letter not in ascii_uppercase or len(letter) != 1 for letter in texts):
        raise UnusableError("unreadable")
    options = {letter: text for letter, text in texts.items() if text}
    if len(options) < 2:
        raise UnusableError("too_few_options")
    answer = _answer(form.get("answer"), options)
    if not (text := _text(form.get("question"))):
        raise UnusableError("unreadable")
    stem, agrees = split_text(text, options)
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
    form = _struct(value)
    if _is_blank(form):
        return None
    if not isinstance(form, dict):
        raise UnusableError("unreadable")
    expected = form.get("expected_answer")
    if expected is None or not _text(expected):
        return None  # section 8: rejected variants are null
    stem = _text(form.get("question"))  # the stem still has the released instruction at its end
    if not without_cue(stem):
        raise UnusableError("unreadable")
    return Form("open", stem, (), None, _text(expected))


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


def _struct(value: Any) -> Any:
    """Convert a released mapping to a dictionary.

    The mapping is released as a struct, as a list of pairs, or as JSON text.
    """
    if isinstance(value, str) and value.lstrip().startswith("{"):
        try:
            return json.loads(value)
        except (ValueError, RecursionError):
            raise UnusableError("unreadable") from None
    if isinstance(value, list) and value and all(isinstance(pair, tuple) and len(pair) == 2 for pair in value):
        return dict(value)
    return value


def _text(value: Any) -> str:
    return value.strip() if isinstance(value, str) else ""


def _option(value: Any) -> str:
    """Return the text of an option; the text of null is empty."""
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return ""
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        raise UnusableError("unreadable")
    return f"{value:g}" if isinstance(value, float) else str(value).strip()


def _answer(value: Any, options: Mapping[str, str]) -> str:
    """Return the letter of the only correct option.

    ``value`` is the letter, the letter followed by the text of the option, or the text alone.
    """
    if isinstance(value, list):
        if len(value) > 1:
            raise UnusableError("several_answers")
        value = value[0] if value else None
    said = _text(value)
    if not said:
        raise UnusableError("unreadable")
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
