"""Rules for open answers that are clock hours or directions."""

import re
from collections.abc import Sequence
from fractions import Fraction

from chronotope.protocol.reading.open_text import NUMBER_WORDS, without_lead

_HOUR = rf"(?:\d{{1,2}}(?::\d\d|\.5)?|{'|'.join(list(NUMBER_WORDS)[1:13])})"
_OCLOCK = r"(?:[ -]?o[' ]?clock)"
_CLOCK = re.compile(
    rf"(?:(?:at|in|on|to|towards?|around|about|approximately|roughly|between|from)(?: the)? )*(?:the )?"
    rf"(?P<from>{_HOUR})(?P<told1>{_OCLOCK})?"
    rf"(?:(?: ?- ?| to | and | or |-to-)(?P<to>{_HOUR})(?P<told2>{_OCLOCK})?)?"
    r"(?: (?:position|direction|hour|range))?"
)


def _clock(text: str, *, bare: bool) -> tuple[Fraction, Fraction] | None:
    """Read an hour or a range of hours.

    Returns the first hour (0 to 12) and the length of the range in hours, or None if the text is neither an hour nor a
    range. If ``bare`` is true, the word "o'clock" is not required. A range is the shorter way
    around the clock between its two hours.
    """
    match = _CLOCK.fullmatch(text)
    if match is None or not (bare or match["told1"] or match["told2"]):
        return None
    # "4 and 5 o'clock" are two answers; "between 4 and 5 o'clock" is one.
    if (" and " in text) != ("between" in text) or " or " in text or ("from" in text and not match["to"]):
        return None
    hours = [_hour(match[name]) for name in ("from", "to") if match[name]]
    if any(hour is None for hour in hours):
        return None
    first, last = hours[0] or Fraction(0), hours[-1] or Fraction(0)
    span = (last - first) % 12
    if span == 6:
        return None
    return (last % 12, 12 - span) if span > 6 else (first % 12, span)


def is_clock(text: str) -> bool:
    """Check whether a text is an hour or a range with "o'clock"."""
    return _clock(text, bare=False) is not None


def _hour(text: str) -> Fraction | None:
    if text in NUMBER_WORDS:
        return Fraction(NUMBER_WORDS[text])
    hour, _, minutes = text.partition(":")
    value = Fraction(hour) + Fraction(int(minutes), 60) if minutes else Fraction(hour)
    return value if 1 <= value < 13 and (not minutes or int(minutes) < 60) else None


def _within(inner: tuple[Fraction, Fraction], outer: tuple[Fraction, Fraction]) -> bool:
    return (inner[0] - outer[0]) % 12 + inner[1] <= outer[1]


def settle_clock(said: str, right: str, others: Sequence[str]) -> bool | None:
    """Decide whether an hour, or a range of hours, is correct.

    The answer is correct if it is inside the range of the correct answer and outside the ranges of all other members.
    The answer is wrong if it is inside the range of another member and outside the range of the correct answer. In all
    other cases, the result is None.
    """
    expected, wrong = _clock(right, bare=False), [_clock(other, bare=False) for other in others]
    if expected is None:
        return None
    found = _clock(without_lead(said), bare=all(other is not None for other in wrong))
    if found is None:
        return None
    among = any(other is not None and _within(found, other) for other in wrong)
    return None if _within(found, expected) == among else not among


_TOWARDS = {
    word: part
    for part, words in {
        "left": "left leftward leftwards leftmost lefthand",
        "right": "right rightward rightwards rightmost righthand",
        "middle": "middle center centre central",
        "up": "up upward upwards upper top",
        "down": "down downward downwards lower bottom",
        "forward": "forward forwards straight ahead",
        "backward": "backward backwards",
        "front": "front",
        "back": "back behind rear",
        "clockwise": "clockwise cw",
        "counterclockwise": "counterclockwise anticlockwise ccw",
    }.items()
    for word in words.split()
}
_OPPOSITES = {
    part: other
    for one, two in (
        ("left", "right"), ("up", "down"), ("front", "back"), ("north", "south"), ("east", "west"),
        ("clockwise", "counterclockwise"), ("forward", "backward"),
    )
    for part, other in ((one, two), (two, one))
}  # fmt: skip
_COMPASS = re.compile(
    r"(?P<ns>north|south)?(?:[ -]?(?P<ew>east|west))?(?:-?(?:erly|ern|wards?|bound))?|(?P<n>n|s)?\.?(?P<e>e|w)?"
)
_LETTERS = {"n": "north", "s": "south", "e": "east", "w": "west"}
_EMPTY_WORDS = {
    *("the", "at", "in", "on", "to", "toward", "towards"),
    *("side", "third", "direction", "position", "part", "area", "region", "hand", "corner"),
    *("move", "moves", "moved", "moving", "turn", "turns", "turned", "turning", "go", "goes", "going", "went"),
}
_MOVER = re.compile(r"^(?:it|they|he|she) (?=moves? |moved |turns? |turned |goe?s? |went )")  # not "it left"
_IN_VIEW = re.compile(r" (?:of|in|on) (?:the )?(?:frame|screen|image|picture|video|view)$")
_HYPHENED = re.compile(r"(?<=left|ight|nter|anti)-(?=hand|clock)")  # the hyphen in left-hand


def _direction(text: str) -> frozenset[str] | None:
    """Return the parts of a direction; "upper left" is up and left.

    Returns None if any word has another meaning.
    """
    words = [word for word in _IN_VIEW.sub("", _MOVER.sub("", without_lead(text))).split() if word not in _EMPTY_WORDS]
    if words and (match := _COMPASS.fullmatch(" ".join(words))):
        points = (match["ns"] or _LETTERS.get(match["n"] or ""), match["ew"] or _LETTERS.get(match["e"] or ""))
        return frozenset(point for point in points if point) or None
    found = [_TOWARDS.get(part) for word in words for part in _HYPHENED.sub("", word).split("-")]
    parts = frozenset(part for part in found if part)
    clash = any(_OPPOSITES.get(part) in parts for part in parts)
    return None if None in found or clash or not 1 <= len(parts) <= 2 else parts


def settle_direction(said: str, right: str, others: Sequence[str]) -> bool | None:
    """Decide whether a direction is correct.

    Directions are sides, thirds of a picture, points of the compass, and rotations. The result is True for the correct
    direction, and False for another member or the opposite direction. The result is None if this rule cannot decide.
    """
    expected, found, wrong = _direction(right), _direction(said), [_direction(other) for other in others]
    if expected is None or found is None or expected in wrong:
        return None
    # Single letters may be labels instead of directions. "left" for "upper left" is incomplete, but not wrong.
    brief = found < expected and not (found in wrong and found <= set(_LETTERS.values()))
    if (len(right) < 3 and None in wrong) or brief:
        return None
    if any(_OPPOSITES.get(part) in expected for part in found):
        return False
    return _named(found, expected, wrong)


def _named(meaning: object, right: object, others: Sequence[object]) -> bool | None:
    """Compare a meaning with the correct answer and other members.

    Returns True if only the correct answer has this meaning, False if only another member has it, and otherwise None.
    """
    among = meaning in others
    if meaning == right:
        return None if among else True
    return False if among else None
