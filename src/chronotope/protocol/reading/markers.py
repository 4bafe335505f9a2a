"""Explicit markers of an answer, such as boxes, tags, JSON, "the answer is X" and "X is correct"."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from chronotope.protocol.reading.declarations import find_declared, is_conditional, is_joined, is_questioned
from chronotope.protocol.reading.language_markers import find_elsewhere, is_supposed
from chronotope.protocol.reading.letters import Found, LetterParser

_BOXED = re.compile(r"f?box(?:ed)?\s*\{([^{}]*)\}")
_TAG = re.compile(r"<\s*(?:final[_ ]?)?(?:answer|conclusion|choice|option)\s*>([^<]*)", re.IGNORECASE)
_BRACKETED = re.compile(r"\[\s*(?:final[_ ]?)?answer\s*\]\s*:?([^\[\n]*)\[\s*/", re.IGNORECASE)
_BETWEEN_BOXES = re.compile(r"[\s,;&+]*(?:and\s+)?\\?$")
_JSON = re.compile(
    r"[\"'](?:(?:final|correct|selected|best|your|my)[_ ]?)?"
    r"(?:answer|choice|option|letter|prediction|result|response)s?[\"']\s*:\s*"
    r"(?:\[(?P<list>[^\[\]]*)\]|\"(?P<text>[^\"\n]*)\"|'(?P<single>[^'\n]*)'|(?P<letter>[A-Za-z])\b)",
    re.IGNORECASE,
)
_NOUN = re.compile(
    r"(?:\b(?P<noun>answer|ans|option|choice|selection|pick|solution|conclusion|letter|match|(?<=correct )one"
    r"|(?<=right )one)(?P<plural>s?)\b|答案)",
    re.IGNORECASE,
)
_LINK = re.compile(
    r"\s+(?:is|are|was|would be|should be|must be|will be)\b"
    r"(?:\s+(?:therefore|thus|hence|clearly|likely|most likely|probably|definitely|indeed|simply|then|still))*\s*:?"
    r"|\s*[:=](?!=)|\s*(?:是|为)|\s*(?:->|=>|→|⇒)|\s+[-–—](?=\s)|(?P<line>\s*\n)"
)
_MIDDLE = re.compile(r"(?:\s+\(?[a-z][a-z'-]*\)?){0,8}$")
_WINDOW = 120  # maximum number of characters between the noun and its verb or colon
_QUALIFIED = re.compile(
    r"\b(?:correct|right|best|final|chosen|selected|my|our|closest|nearest|proper|appropriate|accurate|suitable)\s+$",
    re.IGNORECASE,
)
_OTHER = re.compile(
    r"\b(?:incorrect|wrong|worst|possible|potential|candidate|alternative|other|another|next|first|second|third|fourth"
    r"|fifth|last|one|each|every|any|no|which|what|whose|remaining|example|sample|tempting|previous|earlier|initial|opposite\s+of\s+the|(?:least|less)\s+\w+|unlikely)\s+$",
    re.IGNORECASE,
)
# Words that turn a statement into a supposition or a denial, if they are in the clause before the statement.
_SUPPOSED = re.compile(
    r"\b(?:if|whether|unless|suppose|supposing|assume|assuming|why|not|never|neither|nor|cannot|might|maybe|perhaps"
    r"|possibly|could|false|untrue|doubt|doubts|doubtful|unlikely|wrong\s+(?:that|to)|\w+n't"
    r"|(?:some|others|many|people|they|someone|somebody)\s+(?:\w+\s+)?(?:says?|said|thinks?|claims?|argues?))\b",
    re.IGNORECASE,
)
_CLAUSE = re.compile(r"[.,;:!?\n]|\b(?:but|so|therefore|thus|hence|then|and|because|while|whereas)\b", re.IGNORECASE)
# Words that make a whole sentence a supposition. A view ("if we compare the frames") and modesty ("if I had to guess")
# are not suppositions.
_CONDITIONS = re.compile(
    r"\b(?:(?:if|when|whenever)(?!\s+(?:\w+ing\b|(?:we|you|I|one)\s+(?:look|compare|count|measure|watch|examine|check"
    r"|consider|zoom|had|have|must)\b|(?:forced|asked|necessary|viewed|seen|compared|measured)\b))"
    r"|provided|unless|suppose|supposing|assuming)\b",
    re.IGNORECASE,
)
_CHOOSE = re.compile(
    r"\b(?:I|we)(?:\s+(?:would|will|shall|must|therefore|thus|then|finally|hereby)|'d|'ll){0,2}\s+"
    r"(?:choose|chose|pick|picked|select|selected|go\s+with|opt\s+for|answer)\s*(?::|with\b)?\s+",
    re.IGNORECASE,
)
_CORRECT = re.compile(
    r"(?<![\w'-])(?P<letters>[(\[\"']?[A-Z][)\]\"']?(?:\s*(?:,\s*(?:and\s+)?|and\s+|&\s*)[(\[\"']?[A-Z][)\]\"']?){0,25})"
    r"(?:\s*[:.]?\s+(?:is|are)\s+)(?:(?:clearly|therefore|thus|definitely|most\s+likely|indeed|both|all)\s+)?"
    r"(?:correct|(?:the|my)\s+(?:final\s+)?(?:(?:only|most|single)\s+)?"
    r"(?:(?:correct|right|best|closest|accurate|appropriate|plausible|suitable|final)\s+)?(?:answer|option|choice|match|description)s?"
    r"|the\s+(?:correct|right)\s+one)"
    r"(?=\s*(?:[.,;!)]|$|\n|because|since|as\b|for\s+this|here|to\s+the\s+question))"
)
_RIGHT = re.compile(
    r"(?:\A|\b(?:[Oo]ption|[Aa]nswer|[Cc]hoice|[Ll]etter)\s+)(?P<letters>[(\[\"']?[A-Z][)\]\"']?)\s+is\s+right"
    r"(?=\s*(?:[.,;!]|\Z|\n|because|since))"
)
# The letter after such a word is the name of something in the question, not of an option.
_NAMED = re.compile(
    r"\b(?:person|clip|video|frame|object|car|camera|room|point|place|position|side|view|scene|robot|agent|player)\s+$",
    re.IGNORECASE,
)
_LAST_LINE = re.compile(r"(?:^|\n)(?P<line>[(\[]?[A-Z][)\]]?\.?)$")


@dataclass(frozen=True)
class Marker:
    """A marker that begins at position ``start``, and the letters that it names."""

    start: int
    found: Found


def find_markers(text: str, parser: LetterParser) -> list[Marker]:
    """Find all explicit markers in a text, in order.

    Markers that name no answer are omitted.
    """
    markers = [
        Marker(start, found)
        for kind in (_enclosed, _phrases, find_elsewhere, find_declared, _chosen, _declared, _last_line)
        for start, found in kind(text, parser)
    ]
    return sorted(markers, key=lambda marker: marker.start)


def _enclosed(text: str, parser: LetterParser) -> Iterator[tuple[int, Found]]:
    for pattern in (_BOXED, _TAG, _BRACKETED):
        end, last = 0, None
        for match in pattern.finditer(text):
            if found := parser.value(match[1]):
                # If several options can be correct, boxes beside each other are one answer: \\boxed{A}, \\boxed{C}.
                if last and parser.multiple and _BETWEEN_BOXES.match(text, end, match.start()):
                    found = Found(last.chosen | found.chosen, last.invalid | found.invalid, whole=True)
                yield match.start(), found
                end, last = match.end(), found
    for match in _JSON.finditer(text):
        listed = match["list"]
        content = listed.replace('"', "").replace("'", "") if listed is not None else match[match.lastindex or 0]
        if found := parser.value(content):
            yield match.start(), found


def _phrases(text: str, parser: LetterParser) -> Iterator[tuple[int, Found]]:
    """Find phrases such as "the answer is X" or "final answer: X".

    A heading "Answer" and phrases such as "the option closest to it is X" are also found.
    """
    for noun in _NOUN.finditer(text):
        before = text[max(0, noun.start() - _WINDOW) : noun.start()]
        if _OTHER.search(before) or _is_unreal(before) or (noun["noun"] is None and is_supposed(before)):
            continue
        window = text[noun.end() : noun.end() + _WINDOW]
        sentence = re.search(r"[.!?](?:\s|$)", window)
        for link in _LINK.finditer(window, 0, sentence.start() if sentence else len(window)):
            if _links(noun, link, window, before) and (found := parser.payload(text, noun.end() + link.end())):
                yield noun.start(), found
                break


def _links(noun: re.Match[str], link: re.Match[str], window: str, before: str) -> bool:
    middle = window[: link.start()]
    if _MIDDLE.match(middle) is None or re.search(r"\b(?:not|never|n't|without|if)\b", middle):
        return False
    qualified = _QUALIFIED.search(before) is not None
    heads_line = before.rstrip(" ").endswith("\n") or not before.strip()
    if link["line"] is not None:
        return not middle and (qualified or heads_line) and not noun["plural"]
    if (noun["noun"] or "answer").lower() in ("answer", "ans", "solution", "conclusion"):
        return True
    if noun["plural"] or (noun["noun"] or "").lower() in ("letter", "match"):
        return qualified
    return link[0].strip()[:2] in ("is", "wa", "wo", "sh", "mu", "wi") or qualified or heads_line


def _is_unreal(before: str) -> bool:
    """Check whether a statement after this text is denied or supposed.

    A denial stands in its clause, and a condition can begin its sentence.
    """
    return _SUPPOSED.search(_CLAUSE.split(before)[-1]) is not None or is_conditional(before, _CONDITIONS)


def _chosen(text: str, parser: LetterParser) -> Iterator[tuple[int, Found]]:
    """Find phrases such as "I choose X"."""
    for match in _CHOOSE.finditer(text):
        if not _is_unreal(text[max(0, match.start() - _WINDOW) : match.start()]):
            found = parser.payload(text, match.end())
            if found:
                yield match.start(), found


def _declared(text: str, parser: LetterParser) -> Iterator[tuple[int, Found]]:
    """Find phrases such as "X is correct"."""
    for match in (match for pattern in (_CORRECT, _RIGHT) for match in pattern.finditer(text)):
        before = text[max(0, match.start() - _WINDOW) : match.start()]
        if is_joined(before) or is_questioned(text, match.end()) or _is_unreal(before) or _NAMED.search(before):
            continue
        if found := parser.value(match["letters"]):
            yield match.start(), found


def _last_line(text: str, parser: LetterParser) -> Iterator[tuple[int, Found]]:
    """Find a last line that consists only of one capital letter."""
    match = _LAST_LINE.search(text)
    found = parser.bare(match["line"]) if match else None
    if match and found and found.sound:
        before = parser.listed(text[: match.start()].rpartition("\n")[2])
        # Otherwise, these lines list the options, unless they already list every option with its text.
        if all(item.chosen == found.chosen for item in before) or _lists_all(text[: match.start()], parser):
            yield match.start("line"), found


def _lists_all(text: str, parser: LetterParser) -> bool:
    """Check whether a text ends with a list of all options.

    Each option has its own text.
    """
    items = parser.listed("\n".join(text.split("\n")[-len(parser.letters) :]))
    named = frozenset(letter for item in items if item.own_text for letter in item.chosen)
    return bool(named) and named == parser.letters
