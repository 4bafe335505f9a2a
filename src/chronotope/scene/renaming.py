"""Replace the names of things in questions by other names, for example names from a model.

The module decides which names can be used, and where in a question they are inserted.
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, MutableMapping, Sequence
from dataclasses import replace
from typing import Any

from chronotope.question import Mention, Question

WORDS = (2, 15)  # least and largest number of words in a phrase
_NUMBER = re.compile(r"\d")
_SIDE = re.compile(r"\b(left|right)\b", re.IGNORECASE)


def phrase_fault(phrase: str, others: Iterable[str]) -> str | None:
    """Explain why a phrase cannot name a thing, or return None.

    ``others`` are the names of the other things.
    """
    if not phrase.lower().startswith("the ") or not WORDS[0] <= len(phrase.split()) <= WORDS[1]:
        return f"it is not a phrase of {WORDS[0]} to {WORDS[1]} words that begins with 'the'"
    if states_a_number(phrase) or _SIDE.search(phrase):
        return "it contains a number, or left or right"
    if any(same_words(phrase, other) for other in others):
        return "another thing has this name"
    return None


def states_a_number(phrase: str) -> bool:
    """Check whether a phrase contains a digit."""
    return _NUMBER.search(phrase) is not None


def same_words(first: str, second: str) -> bool:
    """Check whether two phrases have the same words in the same order.

    Differences in case and punctuation are ignored.
    """
    return _normal(first) == _normal(second)


def _normal(phrase: str) -> str:
    return " ".join(re.findall(r"\w+", phrase.lower()))


def drop_shared(new: MutableMapping[tuple[str, str], str], said: Mapping[str, Mapping[str, str]]) -> None:
    """Remove from ``new`` every phrase that two things share.

    Both things lose the shared phrase, because the order of things is arbitrary. ``new`` maps (recording, thing) to
    the new phrase. ``said`` has the present phrases as {recording: {thing: phrase}}.
    """
    users: dict[tuple[str, str], list[tuple[str, str]]] = defaultdict(list)
    for (recording, thing), phrase in new.items():
        users[recording, _normal(phrase)].append((recording, thing))
    for recording, phrases in said.items():
        for thing, phrase in phrases.items():
            if (recording, thing) not in new:
                users[recording, _normal(phrase)].append((recording, thing))
    for sharing in users.values():
        if len(sharing) > 1:
            for user in sharing:
                new.pop(user, None)


def with_phrases(question: Question, new: Mapping[tuple[str, str], str], writer: str) -> Question:
    """Replace the names of things in a question; return the new question.

    ``new`` maps (recording, thing) to the new name. In the stem, a name is replaced only at its recorded position,
    because the same words can have another meaning elsewhere. An option is replaced if its text is only a name.
    ``writer`` is added to the provenance as the author of the words.
    """
    [recording] = question.recordings or ("",)
    phrases = question.phrases()
    changed = {thing: new[recording, thing] for thing in phrases if (recording, thing) in new}
    if not changed:
        return question
    stem, mentions = _renamed(question.stem, question.mentions, phrases | changed)
    by_phrase = {phrases[thing]: phrase for thing, phrase in changed.items()}
    options = tuple(
        replace(option, text=by_phrase[option.text]) if option.text in by_phrase else option
        for option in question.options
    )
    provenance: dict[str, Any] = question.provenance | {"writer": writer}
    return replace(question, stem=stem, options=options, mentions=mentions, provenance=provenance)


def _renamed(stem: str, mentions: Sequence[Mention], said: Mapping[str, str]) -> tuple[str, tuple[Mention, ...]]:
    """Replace the names at their recorded positions in a stem.

    The function returns the new stem, and the mentions with their new names and positions.
    """
    text, upto = "", 0
    moved: dict[int, tuple[int, int]] = {}
    placed = [(one.start, one.end, number) for number, one in enumerate(mentions) if one.start is not None]
    for start, end, number in sorted(placed):
        phrase = said[mentions[number].entity]
        text += stem[upto:start]
        moved[number] = len(text), len(text) + len(phrase)
        text, upto = text + phrase, end or start
    renamed: list[Mention] = []
    for number, one in enumerate(mentions):
        start, end = moved.get(number, (None, None))
        renamed.append(replace(one, phrase=said.get(one.entity, one.phrase), start=start, end=end))
    return text + stem[upto:], tuple(renamed)
