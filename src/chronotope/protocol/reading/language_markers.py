"""Markers of an answer in other languages than English: "Antwort: X", "答案是X", "正解はXです", "Jawaban: X".

Each language has a row in `languages.LANGUAGES`.
"""

import re
from collections.abc import Iterator

from chronotope.protocol.reading.declarations import WINDOW, is_conditional
from chronotope.protocol.reading.languages import LANGUAGES, MarkerWords
from chronotope.protocol.reading.letters import Found, LetterParser

# Cyrillic letters that look like the letters of options. They are not read in a reply with Б, Г or Д, because such a
# reply names the options by Russian letters. No word may follow such a letter, because "В доме" begins with a
# preposition.
_CYRILLIC = re.compile(
    r"[(\[\"']?[АВСЕ][)\]\"']?(?:\s*,\s*[(\[\"']?[A-ZАВСЕ][)\]\"']?)*(?=[.:]?\s*(?:$|\n)|[.:)]\s|\s*\(|\s\d)"
)
_CYRILLIC_ORDER = re.compile(r"(?<!\w)[БГД](?!\w)")
_LATIN = str.maketrans("АВСЕ", "ABCE")
_WINDOW = 120  # maximum number of characters in which a supposition or denial is looked for
_CLAUSE = re.compile(r"[.,;:!?\n]")
# Words that turn a statement into a supposition or a denial, if they are in the clause before the statement.
_SUPPOSED = re.compile(
    r"(?<!\w)(?:wenn|falls|ob|nicht|keine?|si|no|pas|ne|если|не|se|não|nao|non|jika|kalau|bukan|tidak|nếu|không|eğer|değil"
    r"|إذا|لو|ليس|ليست|لا|अगर|यदि|नहीं|warum|pourquoi|por\s*qu[eé]|perch[eé]|почему|mengapa|tại\s+sao|neden|لماذا|क्यों)(?!\w)"
    r"|如果|假如|假设|假設|要是|若|不|没|沒|非|别|別|未必|是否|为什么|為什麼|为何|為何|可能|也许|也許|或许|或許|难道|難道"
    r"|もし|なぜ|만약|왜",
    re.IGNORECASE,
)

_ASKED = re.compile(r"[^.,!?\n]*\?")  # the clause after a letter is a question: "उत्तर A है या B?"
_NEVER = re.compile(r"(?!)")


def _patterns(words: MarkerWords) -> tuple[re.Pattern[str], re.Pattern[str]]:
    """Compile the expressions of a language.

    The expressions match what stands before a letter, and a letter with its suffix.
    """
    after = rf"([(\[\"']?[A-Z][)\]\"']?)(?:{words.after})(?=\s*(?:[.,;!)]|$|\n|\s))"
    return (
        re.compile(rf"(?:{words.before})(?:{words.noun})", re.IGNORECASE),
        re.compile(after) if words.after else _NEVER,
    )


_PATTERNS = {
    name: (
        language.marker.stems.split(),
        re.compile(language.declaration.conditions, re.IGNORECASE),
        *_patterns(language.marker),
    )
    for name, language in LANGUAGES.items()
}


def find_elsewhere(text: str, parser: LetterParser) -> Iterator[tuple[int, Found]]:
    """Find markers in other languages, with their positions."""
    low = text.lower()
    counted = _CYRILLIC_ORDER.search(text) is not None
    for name, (stems, conditions, before, suffixed) in _PATTERNS.items():
        if not any(stem in low for stem in stems):
            continue
        for match in before.finditer(text):
            if is_supposed(text[max(0, match.start() - _WINDOW) : match.start()]):
                continue
            if is_conditional(text[max(0, match.start() - WINDOW) : match.start()], conditions):
                continue
            cyrillic = _CYRILLIC.match(text, match.end()) if name == "Russian" and not counted else None
            found = _read(text, match.end(), suffixed, cyrillic, parser)
            if found:
                yield match.start(), found


def _read(
    text: str, at: int, suffixed: re.Pattern[str], cyrillic: re.Match[str] | None, parser: LetterParser
) -> Found | None:
    """Read the letters after a marker that ends at ``at``."""
    if cyrillic:
        beside = text[cyrillic.end() : cyrillic.end() + parser.texts.reach]
        return parser.payload(cyrillic[0].translate(_LATIN) + beside, 0)
    if match := suffixed.match(text, at):
        return None if _ASKED.match(text, match.end()) else parser.value(match[1])
    return parser.payload(text, at)


def is_supposed(before: str) -> bool:
    """Check whether a marker is only supposed, denied or asked.

    The word for this begins before the marker, in its clause.
    """
    return _SUPPOSED.search(_CLAUSE.split(before[-_WINDOW:])[-1]) is not None
