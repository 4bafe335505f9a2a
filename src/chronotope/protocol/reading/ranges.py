"""Ranges and bounds in a reply, such as "35-40 cm" and "more than 35 cm".

A range or a bound does not choose an option by one of its numbers.
"""

import re
from collections.abc import Mapping
from fractions import Fraction
from functools import lru_cache

from chronotope.protocol.reading.cleaning import plain_text
from chronotope.protocol.reading.open_amounts import Unit, measured, read_unit

RANGE = "\ufffc"  # stands for a range that has the amount of an option, and is in no option's text
_NUMBER = r"[-+]?\d+(?:[.,]\d+)?(?![.,]?\d)"
_NAME = (
    r"(?:(?:square |cubic )?[a-z°%]{1,12}|(?<=\d)[a-z°%]{1,12})(?:\^?[23])?(?: ?(?:/| per ) ?[a-z]{1,12}(?:\^?[23])?)?"
)
# Two numbers with a sign or a word between them. The unit can follow each number, or only the second one. In
# "1. 35 cm - 2. 60 cm", the second number begins an item of a list, and "60 - 25 = 35 cm" is a calculation.
_RANGE = re.compile(
    rf"(?<![\w.,/])(?P<between>between |from )?(?P<low>{_NUMBER})(?: ?(?P<unit>{_NAME}))?"
    r"(?: ?(?P<sign>[-–—−~〜±×*…]|\.{3}) ?|(?P<slash>/)| (?P<word>to|through|until|up to|bis|or|oder|x|by) "
    r"|(?P<and> and ))"
    rf"(?P<high>{_NUMBER})(?![.)] )(?! ?=)(?: ?(?P<last>{_NAME})(?![\w/]))?(?! ?=)",
    re.IGNORECASE,
)
_APART = ("±", "×", "*", "x", "by", "or", "oder", "/")  # only the two numbers are meant, and none between them
_THAN = "more|less|fewer|greater|longer|shorter|larger|smaller|higher|lower|faster|slower"
_BOUND = re.compile(
    rf"(?:\b(?:at (?:least|most)|(?:{_THAN}) than|over|under|above|below|up to|exceeding|beyond|mindestens|höchstens)"
    rf"|(?<![\w\"'/=-])[<>≤≥]=?) *(?P<first>{_NUMBER})(?: ?(?P<unit>{_NAME})(?![\w/]))?"
    rf"|(?<![\w.,/])(?P<second>{_NUMBER})(?: ?(?P<last>{_NAME}))?"
    r"(?: at (?:least|most)\b| or (?:more|less)\b|\+(?! ?\d))",
    re.IGNORECASE,
)

_Amount = tuple[Fraction, tuple[tuple[str, int], ...]]  # in the first unit of its kind
_Span = tuple[_Amount, _Amount]


def without_ranges(options: Mapping[str, str], text: str) -> str:
    """Replace the ranges and bounds that have the amount of an option.

    The sign `RANGE` takes their place. Without this, "35-40 cm" would choose the option "40 cm". A range that is equal
    to an option, which is itself a range, becomes the text of this option. A range that has the same words as a part of
    an option, such as "2-3 chairs", stays as it is.
    """
    if not any(map(_has_digit, options.values())) or not _has_digit(text):
        return text
    plain = {option: plain_text(option).casefold() for option in options.values()}
    spans = {one: span for one, words in plain.items() if (span := _option_span(words)) is not None}
    amounts = [found for words in plain.values() if (found := _option_amount(words)) is not None]
    amounts += [end for span in spans.values() for end in span]

    def replaced(match: re.Match[str]) -> str:
        said = match[0].casefold()
        if match["and"] and not match["between"]:
            return match[0]  # two amounts
        span = _span(match)
        equal = [one for one, its in spans.items() if its == span and not _apart(match)]
        if len(equal) == 1:
            return equal[0]
        if any(said in words for words in plain.values()):
            return match[0]
        if span is None:
            ends = tuple(f"{match[name]} {match['last']}".casefold() for name in ("low", "high"))
            return RANGE if any(words.startswith(ends) for words in plain.values()) else match[0]
        return RANGE if any(_touches(match, span, amount) for amount in amounts) else match[0]

    def bounded(match: re.Match[str]) -> str:
        amount = _amount(match["first"] or match["second"], match["unit"] or match["last"])
        kept = amount not in amounts or any(match[0].casefold() in words for words in plain.values())
        return match[0] if kept else RANGE

    return _BOUND.sub(bounded, _RANGE.sub(replaced, text))


def _has_digit(text: str) -> bool:
    return any("0" <= sign <= "9" for sign in text)


def _apart(match: re.Match[str]) -> bool:
    return (match["sign"] or match["slash"] or match["word"] or "").lower() in _APART


def _touches(match: re.Match[str], span: _Span, amount: _Amount) -> bool:
    """Check whether a range, or a pair of amounts, has an amount."""
    if amount[1] != span[1][1]:
        return False
    if _apart(match):
        return amount in span
    low, high = sorted(end[0] for end in span)
    return low <= amount[0] <= high


@lru_cache(maxsize=4096)  # every reply to a question is read with the same options
def _option_span(text: str) -> _Span | None:
    match = _RANGE.fullmatch(text.rstrip(" ."))
    return None if match is None or _apart(match) else _span(match)


@lru_cache(maxsize=4096)
def _option_amount(text: str) -> _Amount | None:
    found = measured(text.rstrip(" ."))
    return None if found is None else (found[0].value * found[1][0], found[1][1])


def _span(match: re.Match[str]) -> _Span | None:
    """Return the two ends; None if a unit is unknown."""
    low = _amount(match["low"], match["unit"] or match["last"])
    high = _amount(match["high"], match["last"])
    return None if low is None or high is None or low[1] != high[1] else (low, high)


def _amount(number: str, unit: str | None) -> _Amount | None:
    factor: Unit | None = read_unit(" ".join((unit or "").casefold().split()))
    return None if factor is None else (Fraction(number.replace(",", ".")) * factor[0], factor[1])
