"""Reader of one released record: its options, answer and tags, or the code of its defect."""

import re
from dataclasses import dataclass
from string import ascii_uppercase
from typing import Any

from chronotope.families import UnusableError
from chronotope.families.m3.subtasks import STORED, SUBTASKS
from chronotope.families.m3.tasks import CAPABILITIES, INTER, INTRA, NONE, STATES, TASKS
from chronotope.families.released_cells import ReleasedRow, Trimmed, by_letter, text_of, word_of
from chronotope.families.released_table import NOT_JSON

# Descriptions of defects. Rows with a defect in LEFT_OUT cannot be asked; a defect in KEPT becomes a flag.
LEFT_OUT = {
    "not_json": "a line that is not JSON",
    "not_an_object": "not a JSON object",
    "no_question": "no text of a question",
    "unreadable": "a scene, category or option that is missing or cannot be read",
    "too_few_options": "fewer than two options",
    "no_answer": "no answer",
    "no_such_option": "an answer that is not one of the options",
    "missing_clip": "a scene without one or both of its videos",
}
KEPT = {
    "repeated_id": "the id of an earlier row (the number of the row was appended)",
    "no_id": "no id (replaced by the scene and the row number)",
    "single_with_several": "question_type single_choice, but several answers (asked with several answers)",
    "multiple_with_one": "question_type multiple_choice, but one answer (asked with a single answer)",
    "unknown_question_type": "a missing or unknown question_type (inferred from the number of answers)",
    "dropped_option": "options that are null or empty (they were dropped)",
    "odd_letters": "options whose letters are not A, B, C in this order (they get new letters)",
    "equal_options": "equal options",
    "more_than_seven_options": "more than seven options",
    "unknown_category": "a category that the paper does not have",
    "unknown_subtask": "a subtask that the paper does not have",
    "unknown_state_type": "a missing or unknown state_type (replaced by the category's state_type)",
    "state_type_differs": "a state_type that differs from the category's state_type (it was kept)",
    "unknown_capability": "a capability that the paper does not have (it was dropped)",
    "usual_capabilities": "no known capability (the usual capabilities of the subtask are used)",
    "no_capability": "no known capability and no known subtask",
    "unknown_hallucination": "no mark for hallucination questions",
    "hallucination_differs": f"a hallucination mark that contradicts the answer (“{NONE}” or another option)",
}
MOST_OPTIONS = 7

_LETTERED = re.compile(r"\(?([A-Za-z])[).:]\s*(.*)", re.DOTALL)
_STATE_TYPES = {"intra": INTRA, "inter": INTER}
_CAPABILITIES = {
    **{"s": "spatial", "su": "spatial", "t": "temporal", "tu": "temporal", "a": "attribute", "ar": "attribute"},
    **{"r": "reasoning", "rs": "reasoning"},
}
_HALLUCINATION = {"true": "yes", "yes": "yes", "1": "yes", "false": "no", "no": "no", "0": "no"}


@dataclass(frozen=True)
class Record:
    """A released record from which a question can be made.

    ``options`` are the texts of the options without letters. ``answer`` has the sorted indices of the correct options.
    ``id`` is None if the record has no id. ``told`` has further values of the record for the provenance.
    """

    id: str | None
    scene: str
    task: str
    stem: str
    options: tuple[str, ...]
    answer: tuple[int, ...]
    tags: dict[str, tuple[str, ...]]
    flags: tuple[str, ...]
    told: dict[str, str]


class _Cells(ReleasedRow):
    question: Trimmed = ""
    scene_id: Trimmed = ""
    question_id: Trimmed = ""


def task_of(values: Any) -> str:
    """Return the category that a record names, or ``unknown``."""
    return _category(values) or "unknown" if isinstance(values, dict) else "unknown"


def read_record(values: Any) -> Record:
    """Read one record, whose fields have the authors' names.

    Raises:
        UnusableError: If the record cannot be asked. The code of the error is a key of ``LEFT_OUT``.
    """
    if values is NOT_JSON:
        raise UnusableError("not_json")
    if not isinstance(values, dict):
        raise UnusableError("not_an_object")
    cells, task = _Cells.of(values), _category(values)
    if not cells.question:
        raise UnusableError("no_question")
    if not cells.scene_id or not task:
        raise UnusableError("unreadable")
    options, option_faults = _options(values.get("options"))
    answer = _answer(values.get("answer"), dict(options))
    texts = [text for _, text in options]
    tags, tag_faults = _tags(values, task)
    hallucination, hallucination_faults = _hallucination(values.get("hallucination"), texts, answer)
    faults = [
        *([] if cells.question_id else ["no_id"]),
        *_type_faults(values.get("question_type"), len(answer)),
        *option_faults,
        *(["equal_options"] if len(set(texts)) < len(texts) else []),
        *(["more_than_seven_options"] if len(texts) > MOST_OPTIONS else []),
        *tag_faults,
        *hallucination_faults,
    ]
    names = ("subcategory", "generator_name", "question_type", "state")
    return Record(
        id=cells.question_id or None,
        scene=cells.scene_id,
        task=task,
        stem=cells.question,
        options=tuple(texts),
        answer=answer,
        tags=tags | hallucination | {"answers": ("multiple" if len(answer) > 1 else "single",)},
        flags=tuple(faults),
        told={name: told for name in names if (told := word_of(values.get(name)))},
    )


def _options(value: Any) -> tuple[list[tuple[str, str]], list[str]]:
    """Return the letters and texts of the options, and their defects.

    Options without a text are dropped. Options in a list keep their order; options in a mapping are sorted by letter.
    If every text begins with a different letter, these letters are used. Otherwise the letters follow the positions of
    the options.
    """
    if isinstance(value, dict):
        value = [f"{letter}. {text_of(text).strip()}" for letter, text in by_letter(value).items()]
    if not isinstance(value, list) or len(value) > len(ascii_uppercase):
        raise UnusableError("unreadable")
    places = list(zip(ascii_uppercase, (text_of(text).strip() for text in value), strict=False))
    there = [(place, text) for place, text in places if text]
    matches = [_LETTERED.fullmatch(text) for _, text in there]
    own = [match[1].upper() for match in matches if match is not None]
    faults: list[str] = []
    if own and len(set(own)) == len(own) == len(there):
        faults = ["odd_letters"] if any(a != b for a, (b, _) in zip(own, there, strict=True)) else []
        there = [(match[1].upper(), match[2]) for match in matches if match is not None]
    kept = [(letter, text) for letter, text in there if text]
    if len(kept) < 2:
        raise UnusableError("too_few_options")
    return kept, [*faults, *(["dropped_option"] if len(kept) < len(places) else [])]


def _answer(value: Any, options: dict[str, str]) -> tuple[int, ...]:
    """Return the sorted indices of the correct options.

    ``value`` names the correct options by letters, in a list or in one text. The text of an option may follow its
    letter.
    """
    said = value if isinstance(value, list) else [value]
    told = [text_of(one).strip() for one in said]
    if not any(told):
        raise UnusableError("no_answer")
    chosen: set[str] = set()
    for one in filter(None, told):
        match = _LETTERED.fullmatch(one)
        if match is not None and match[2] and options.get(match[1].upper()) == match[2]:
            chosen.add(match[1].upper())
            continue
        plain = re.sub(r"\band\b|[^A-Za-z0-9]", " ", one.strip()).split()
        if not plain or not all(part.isalpha() and (part.isupper() or len(part) == 1) for part in plain):
            raise UnusableError("no_such_option")
        chosen |= set("".join(plain).upper())
    if not chosen <= set(options):
        raise UnusableError("no_such_option")
    return tuple(place for place, letter in enumerate(options) if letter in chosen)


def _type_faults(value: Any, answers: int) -> list[str]:
    """Return the defect of a question type that contradicts the answers.

    In such a case, the number of answers decides the type that is used.
    """
    stated = _name(value)
    if stated.startswith("single"):
        return ["single_with_several"] if answers > 1 else []
    if stated.startswith("multi"):
        return ["multiple_with_one"] if answers == 1 else []
    return ["unknown_question_type"]


def _category(values: dict[Any, Any]) -> str:
    """Return the category of a record in the paper's spelling.

    A category that the paper does not have is returned unchanged.
    """
    told = word_of(values.get("category"))
    plain = _name(told)
    return next((task for task in TASKS if plain in (task, task.removesuffix("s"))), told)


def _tags(values: dict[Any, Any], task: str) -> tuple[dict[str, tuple[str, ...]], list[str]]:
    """Return the tags for subtask, state type and capabilities, and the defects."""
    faults = [] if task in TASKS else ["unknown_category"]
    tags: dict[str, tuple[str, ...]] = {}
    told = word_of(values.get("subcategory"))
    subtask = STORED.get(_name(told), _name(told))
    if subtask not in SUBTASKS:
        subtask = told
        faults.append("unknown_subtask")
    if subtask:
        tags["subtask"] = (subtask,)
    state, usual = _STATE_TYPES.get(_name(values.get("state_type"))[:5]), STATES.get(task)
    if state is None:
        faults.append("unknown_state_type")
    elif usual not in (None, state):
        faults.append("state_type_differs")
    if state or usual:
        tags["state_type"] = (state or usual or "",)
    found, unknown = _capabilities(values.get("capabilities"))
    if unknown:
        faults.append("unknown_capability")
    if not found:
        found = SUBTASKS[subtask].capabilities if subtask in SUBTASKS else ()
        faults.append("usual_capabilities" if found else "no_capability")
    if found:
        tags["capability"] = found
    return tags, faults


def _capabilities(value: Any) -> tuple[tuple[str, ...], bool]:
    """Return the known capabilities in order.

    The second value is true if ``value`` also names unknown capabilities.
    """
    named = value if isinstance(value, list) else re.split(r"[,;|/]", value) if isinstance(value, str) else [value]
    plain = [_name(one) for one in named if one is not None and one != ""]
    found = {
        _CAPABILITIES.get(one) or next((c for c in CAPABILITIES if one.startswith(c.removesuffix("ing"))), None)
        for one in plain
    }
    return tuple(one for one in CAPABILITIES if one in found), None in found


def _hallucination(
    value: Any, texts: list[str], answer: tuple[int, ...]
) -> tuple[dict[str, tuple[str, ...]], list[str]]:
    """Return the tag that marks hallucination questions, and its defects.

    In a hallucination question, the correct option states that no other option is correct.
    """
    told = _HALLUCINATION.get(_name(value))
    if told is None:
        return {}, ["unknown_hallucination"]
    none = [place for place, text in enumerate(texts) if text.casefold() == NONE.casefold()]
    says_none = set(answer) <= set(none)
    differs = bool(none) and says_none != (told == "yes")
    return {"hallucination": (told,)}, ["hallucination_differs"] if differs else []


def _name(value: Any) -> str:
    """Return a name in lower case, with underscores for blanks and dashes."""
    return re.sub(r"[\s-]+", "_", word_of(value).casefold())
