"""Search and replacement of words in a description that reveal the position of a step in its manual.

There are two groups of rules. The rules of the profile ``paper`` find "step" followed by digits, and make the two
published replacements. The rules of all other profiles also find numbers in words, ordinals, words such as "first" or
"previous" next to "step", and numbers in circles. They replace such words by "another step", because the published
replacement "a previous step" would reveal that the described step is not the first. Stages and phases are steps;
figures, diagrams and pages are found by digits and ordinals ("Figure 5", "the last page"). Words that cannot be
replaced reliably, such as a printed number, are kept and reported.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace

from chronotope.question import Description, Profile

_UNITS = "one|two|three|four|five|six|seven|eight|nine"
_TEENS = "ten|eleven|twelve|thirteen|fourteen|fifteen|sixteen|seventeen|eighteen|nineteen"
_TENS = "twenty|thirty|forty|fifty"
_UNITS_TH = "first|second|third|fourth|fifth|sixth|seventh|eighth|ninth"
_TEENS_TH = (
    "tenth|eleventh|twelfth|thirteenth|fourteenth|fifteenth|sixteenth|seventeenth|eighteenth|nineteenth|"
    "twentieth|thirtieth|fortieth|fiftieth"
)
# Single characters that show a number in a circle, in brackets or with a full stop, and keycap digits.
_CIRCLED = (
    "(?:[\u2460-\u249b\u24ea-\u24ff\u2776-\u2793\u3251-\u325f\u32b1-\u32bf\U0001f100-\U0001f10c]|[0-9]\ufe0f?\u20e3)"
)
_DIGITS = r"\d++(?:\.\d++)*+(?:st|nd|rd|th|[a-wyz])?(?!\w)"
_WORD = rf"\b(?:(?:{_TENS})(?:[-\s](?:{_UNITS}))?|{_TEENS}|{_UNITS})\b"
_ROMAN = r"(?-i:\b[IVX]{2,}\b)"
_NUMBER = rf"(?:{_CIRCLED}|{_DIGITS}|{_WORD}|{_ROMAN})"
_ORDINAL = (
    rf"(?:\d++(?:st|nd|rd|th)|(?:(?:{_TENS})[-\s])?(?:{_UNITS_TH})|{_TEENS_TH}|second[-\s]to[-\s]last|"
    "last|final|next|previous|preceding|prior|earlier|later|following|subsequent|initial|penultimate)"
)
_BETWEEN = (  # words allowed between an ordinal and "step"
    rf"(?:(?:assembly|assembling|building|construction|installation|manual|instruction|few|couple|of|{_UNITS}|\d+)\s+)"
)
_STEP = r"(?:step|stage|phase)"
_PICTURE = r"(?:diagram|figure|picture|image|drawing|illustration|page)"
_BEFORE = rf"\b{_ORDINAL}(?:\s*(?:,|/|&|-|\band\b|\bor\b|\bto\b)\s*(?:the\s+)?{_ORDINAL})*\s+{_BETWEEN}{{0,3}}"
_ORDINALS = rf"{_BEFORE}{_STEP}s?\b"
_BEFORE_NUMBER = r"(?:\s*(?:\b(?:no|nos|nr|num)\b\.?|\bnumbers?\b)\s*[#\u2116]?\s*|\s*[#\u2116]\s*|[-\u2013_]|\s*)"
_NUMBERED = rf"(?:{_BEFORE_NUMBER}{_NUMBER}|\s*\(\s*{_NUMBER}\s*\)|\s*\[\s*{_NUMBER}\s*\])"
_MORE = rf"(?:\s*(?:,\s*and\b|,|/|&|-|\u2013|\u2014|\band\b|\bor\b|\bto\b|\bthrough\b)\s*#?{_NUMBER})*"
_RANGE = rf"(?:\s*[-\u2013\u2014/]\s*#?{_NUMBER})?"
_OF_ALL = rf"(?:\s*(?:\bout\s+of\b|\bof\b|/)\s*{_NUMBER})?"
# A second number must not follow the number of a step: the second number could be another step, or a count of screws.
_CLEAR = rf"(?!\s*(?:,?\s*(?:\band\b|\bor\b|\bto\b|\bthrough\b|&))?\s*#?{_NUMBER})"
_ARTICLE = r"(?:\b(?:the|a|an|another|that|those|each|every|any|some)\s+)?(?:\bvery\s+)?"

_PAPER_LEAK = r"\bsteps?\s*#?\d+"
# "In the diagram 4 screws": behind an article, the number counts something else.
_FIGURE = (
    rf"(?:(?<!\bthe\s)(?<!\bthis\s)(?<!\bthat\s)(?<!\ba\s)(?<!\ban\s)(?<!\beach\s)(?<!\bthese\s)(?<!\bthose\s)"
    rf"\b(?:(?P<picture>{_PICTURE})(?P<pictures>s)?|(?P<fig>fig)s?\.?)"
    rf"(?:{_BEFORE_NUMBER}|\s*[(\[]\s*)(?:{_CIRCLED}|{_DIGITS}|{_ROMAN})[)\]]?)"
)
_NTH_PICTURE = rf"{_BEFORE}(?P<nth>{_PICTURE})s?\b"
_SMALL = r"\d{1,2}(?![\w.\u00d7]|\s*[x\u00d7]\b)"
_PRINTED = (  # a number that is drawn: that of the step, or that of a part, which only a person can tell
    rf"['\"\u2018\u201c]{_SMALL}['\"\u2019\u201d]|\b(?:numerals?|digits?|numbers?|numbered)\s*[:#]?\s*(?:{_SMALL}|{_WORD})"
    rf"|\b(?:large|big|bold|printed)\s+{_SMALL}(?=\s+(?:appears|is|in|at|on|next|beside|above|near)\b)"
)
# The long patterns are compiled when they are first used, because every command imports this module.
_STRICT_LEAK = (
    rf"{_PAPER_LEAK}|\b{_STEP}s?{_NUMBERED}|{_ORDINALS}|{_CIRCLED}|\bcircled\s+(?:number\s+|digit\s+)?{_NUMBER}"
    rf"|{_FIGURE}|{_NTH_PICTURE}|{_PRINTED}"
)

_END = r"(?!\w|\s*(?:[-\u2013\u2014/&,]|\band\b|\bor\b|\bto\b|\bthrough\b)\s*#?\d)"
_PAPER_STEP = rf"steps?\s*#?\d++{_END}"
_SAME = re.compile(
    rf"\b(?P<article>the\s+)?same\b(?P<what>(?:(?!\bsteps?\b)[^.!?;\n])*?)\s+as\s+(?:in\s+)?{_PAPER_STEP}",
    re.IGNORECASE,
)
_FROM = re.compile(rf"\b(?P<word>from|in|of)\s+{_PAPER_STEP}", re.IGNORECASE)
# "in this step 4 screws": the number counts something else.
_STEPS = (
    rf"(?P<many>{_ARTICLE}(?:{_ORDINALS}(?<=s)(?:{_NUMBERED}{_MORE})?"
    rf"|(?<!\bthese\s)\b{_STEP}s{_NUMBERED}{_MORE}{_OF_ALL}))"
    rf"|{_ARTICLE}(?:{_ORDINALS}(?:{_NUMBERED}{_RANGE}{_OF_ALL}{_CLEAR})?"
    rf"|(?<!\bthis\s)\b{_STEP}{_NUMBERED}{_RANGE}{_OF_ALL}{_CLEAR})"
)
_PICTURES = rf"{_FIGURE}{_MORE}{_OF_ALL}{_CLEAR}|{_ARTICLE}{_NTH_PICTURE}"
_POINTED_AT = re.compile(
    rf"\b(?P<word>from|in|of|see|to)\s+{_CIRCLED}(?!\s*(?:{_CIRCLED}|[-\u2013,&/]))", re.IGNORECASE
)


@dataclass(frozen=True)
class Leak:
    """Words that reveal the position of a step and cannot be replaced by a rule. A person must edit these words."""

    image: str
    dimension: str
    words: str


@dataclass(frozen=True)
class Cleaned:
    """The descriptions after the replacement of words that reveal the position of a step.

    ``rewritten`` is the number of changed texts. ``left`` lists the words that a person must edit.
    """

    descriptions: tuple[Description, ...]
    rewritten: int
    left: tuple[Leak, ...]


def find_leaks(text: str, profile: Profile = "strict") -> tuple[str, ...]:
    """Find the words of a text that reveal a step's position.

    The words are in the order of the text.
    """
    pattern = _PAPER_LEAK if profile == "paper" else _STRICT_LEAK
    return tuple(found[0] for found in re.finditer(pattern, text, re.IGNORECASE))


def clean_text(text: str, profile: Profile = "strict") -> str:
    """Replace the words of a text that reveal a step's position.

    Words that no rule can replace are kept. A text that reveals no position is unchanged.
    """
    while find_leaks(text, profile):
        changed = _once_as_published(text) if profile == "paper" else _once(text)
        if changed == text:
            break
        text = changed  # the loop ends, because each round only removes numbers or ordinals
    return text


def clean_descriptions(descriptions: Iterable[Description], profile: Profile = "strict") -> Cleaned:
    """Replace the words that reveal the positions of steps in all texts.

    ``Description.original`` keeps the first version of a changed text.
    """
    cleaned: list[Description] = []
    rewritten, left = 0, list[Leak]()
    for one in descriptions:
        text = clean_text(one.text, profile)
        left += [Leak(one.image, one.dimension, words) for words in find_leaks(text, profile)]
        if text != one.text:
            rewritten += 1
            one = replace(one, text=text, original=one.text if one.original is None else one.original)
        cleaned.append(one)
    return Cleaned(tuple(cleaned), rewritten, tuple(left))


def _once_as_published(text: str) -> str:
    text = _SAME.sub(_similar, text)
    return _FROM.sub(lambda found: f"{found['word']} a previous step", text)


def _similar(found: re.Match[str]) -> str:
    what = found["what"].strip()
    words = f"{found['article'] or ''}{what} similar to another step" if what else "similar to another step"
    return _cased(words, found)


def _once(text: str) -> str:
    text = re.sub(
        _STEPS,
        lambda found: _cased("other steps" if found["many"] else "another step", found),
        text,
        flags=re.IGNORECASE,
    )
    text = re.sub(_PICTURES, _another_picture, text, flags=re.IGNORECASE)
    return _POINTED_AT.sub(lambda found: f"{found['word']} another step", text)


def _another_picture(found: re.Match[str]) -> str:
    name = (found["picture"] or found["nth"] or "figure").lower()
    several = found["pictures"] or (found["nth"] and found[0].endswith("s"))
    return _cased(f"other {name}s" if several else f"another {name}", found)


def _cased(words: str, found: re.Match[str]) -> str:
    """Return the words with a capital if they begin a sentence."""
    before = found.string[: found.start()].rstrip(" \t")
    begins = not before or before[-1] in ".!?\n"
    return words[0].upper() + words[1:] if begins and found[0][0].isupper() else words
