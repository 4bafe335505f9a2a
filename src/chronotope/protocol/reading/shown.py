"""The reading of one reply to options with letters, and its credit.

Exported tasks of other suites contain a copy of this module and of the modules that it imports.
"""

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace

from chronotope.protocol.reading.reader import Choice, read_choice

# A reply that is cut off after a letter. This letter may begin a word, or the list of letters may be incomplete.
_CUT_AT_LETTER = re.compile(r"(?:^|[^A-Za-z])(?:[A-Z]+|[a-z])[)\]*]*\s*(?:[,;&/+]|and|or)?\s*$")


def read_shown(
    reply: str | None,
    letters: Sequence[str],
    texts: Mapping[str, str],
    *,
    multiple: bool = False,
    truncated: bool = False,
) -> Choice:
    """Read the letters that a reply chooses, also from a reply that was cut short.

    ``letters`` are the letters of the options, and ``texts`` maps the letters of options with text to their texts. In a
    truncated reply, only a complete answer counts: a letter on the first line, or a marker. In a truncated reply, the
    following texts do not count, because more text could have followed:

    - a sentence such as "It is A",
    - the text of one option,
    - a marker or a list that is cut off directly after a letter.
    """
    choice = read_choice(reply, letters, options=texts, multiple=multiple)
    if choice.letters is None or not truncated:
        return choice
    cut = _CUT_AT_LETTER.search((reply or "")[-100:]) is not None and (multiple or choice.rule == "marker")
    if cut or choice.rule in ("statement", "option_text"):
        return replace(choice, letters=None, rule="truncated")
    return choice


def choice_credit(chosen: Collection[object], right: Collection[object], *, partial: bool = False) -> float:
    """Return the credit of a set of options: 1 for exactly the correct set, otherwise 0.

    With ``partial``, a subset of the correct set earns its share of the credit, and a set with a wrong option earns
    nothing.
    """
    of_chosen, of_right = set(chosen), set(right)
    if partial and of_chosen <= of_right:
        return len(of_chosen) / len(of_right)
    return float(of_chosen == of_right)
