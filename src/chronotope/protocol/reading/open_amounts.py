"""Rules for open answers that are numbers, counts, or quantities with units."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache

from chronotope.protocol.reading.open_text import NUMBER_WORDS, without_lead

_APPROXIMATELY = re.compile(r"(?:about|around|approximately|approx\.?|roughly|circa|ca\.?|~|≈) *")
_FIGURES = re.compile(r"[-+]?(?:\d{1,3}(?:,\d{3})+(?!\d)(?:\.\d+)?|\d+(?:\.\d+)?|\.\d+)(?!\d|[.,]\d)")
_TIMES = {"once": 1, "twice": 2, "thrice": 3}
_HOW_MANY = re.compile(
    r"\b(?:how many|number of) ((?:[\w-]+ ){0,2}?[\w-]+) "
    r"(?:(?P<verb>is|are|was|were|do|does|did|has|have|had|can|could|will|would)|in|on|at|inside|there)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class Amount:
    """A number in an answer, with the words after it.

    ``other`` is the other possible value of an ambiguous number, such as 3,500. ``decimals`` is the number of decimals
    in the text, or None for a number in words. ``about`` is true after a word such as "approximately".
    """

    value: Fraction
    other: Fraction | None
    decimals: int | None
    about: bool
    rest: str


def _amount(text: str) -> Amount | None:
    text = without_lead(text).removeprefix("the ")
    about = _APPROXIMATELY.match(text)
    text = text[about.end() :] if about else text
    if match := _FIGURES.match(text):
        printed = match[0]
        value = Fraction(printed.replace(",", ""))
        decimals = len(printed.partition(".")[2])
        swapped: Fraction | None = None
        # "3,500" and "3.500" can both mean three and a half, or three thousand five hundred.
        if re.fullmatch(r"[-+]?\d{1,3}[.,]\d{3}", printed):
            swapped = value * 1000 if "." in printed else value / 1000
        return Amount(value, swapped, decimals, about is not None, text[match.end() :].strip())
    word, _, rest = text.partition(" ")
    first, _, second = word.partition("-")
    if word in _TIMES:
        return Amount(Fraction(_TIMES[word]), None, None, about is not None, f"times {rest}".strip())
    number = NUMBER_WORDS.get(first)
    if number is None:
        return None
    if second:
        one = NUMBER_WORDS.get(second, 0)
        if number < 20 or not 1 <= one <= 9:
            return None
        number += one
    elif number >= 20 and rest.partition(" ")[0] in NUMBER_WORDS:
        return None
    return Amount(Fraction(number), None, None, about is not None, rest)


def settle_number(said: str, right: str, others: Sequence[str], stem: str) -> bool | None:
    """Decide whether a whole number in an answer is correct.

    Returns None if this rule cannot decide. The answer may also name the counted things. If ``right`` and all
    ``others`` are counts of the same things, every number except the correct number is wrong.
    """
    expected, wrong = _amount(right), [_amount(other) for other in others]
    if expected is None or not _is_count(expected) or read_unit(expected.rest) not in (None, _PURE):
        return None
    counted = {_singular(expected.rest)}
    counts = bool(wrong) and all(one is not None and _is_count(one) and _singular(one.rest) in counted for one in wrong)
    found = _amount(said)
    if found is None and counts and said in ("none", "nothing") and not any("none" in other for other in others):
        found = Amount(Fraction(0), None, None, False, "")
    if found is None or _singular(found.rest) not in counted | {""} | _counted_in(stem):
        return None
    if expected.rest and not found.rest and not counts:
        return None
    readings = {found.value, *([] if found.other is None else [found.other])}
    if found.value == expected.value:
        hits = {one.value for one in wrong if one is not None} & readings
        return None if hits - {expected.value} else True
    if not counts or not _is_count(found) or expected.value in readings:
        return None
    # The words after the correct number may be a unit, such as feet. Another number may be correct in another unit.
    return None if expected.rest and found.value not in {one.value for one in wrong if one is not None} else False


def _is_count(amount: Amount) -> bool:
    return amount.value.denominator == 1 and amount.value >= 0 and not amount.about and not amount.decimals


def _singular(words: str) -> str:
    return words[:-1] if len(words) > 3 and words.endswith("s") and not words.endswith("ss") else words


def _counted_in(stem: str) -> set[str]:
    """Return the names of the things that a question counts.

    The names are in the singular. For example, "How many red apples are there?" counts "red apple" and "apple". If the
    phrase is longer, or if no verb follows, only the whole phrase is a name, because its last word can be another thing
    ("plates that hold apples").
    """
    found: set[str] = set()
    for match in _HOW_MANY.finditer(stem):
        counted = match[1].casefold()
        found.add(_singular(counted))
        if match["verb"] and counted.count(" ") == 1:
            found.add(_singular(counted.split()[1]))
    return found


# For each unit: the factor to the first unit of its kind, and the kind. Radians and degrees are separate kinds, because
# the factor between them is irrational.
_UNITS: dict[str, tuple[Fraction, str]] = {
    name: (Fraction(factor), kind)
    for names, factor, kind in (
        ("m meter meters metre metres", "1", "length"),
        ("cm cms centimeter centimeters centimetre centimetres", "0.01", "length"),
        ("mm millimeter millimeters millimetre millimetres", "0.001", "length"),
        ("km kms kilometer kilometers kilometre kilometres", "1000", "length"),
        ("s sec secs second seconds", "1", "time"),
        ("ms millisecond milliseconds", "0.001", "time"),
        ("min mins minute minutes", "60", "time"),
        ("h hr hrs hour hours", "3600", "time"),
        ("° deg degs degree degrees", "1", "degrees"),
        ("rad rads radian radians", "1", "radians"),
        ("% percent", "1", "percent"),
    )
    for name in names.split()
}
_UNIT = re.compile(r"(?:(square|cubic) )?([a-z°%]+) ?(?:\^?([23])|(squared|cubed))?")
Unit = tuple[Fraction, tuple[tuple[str, int], ...]]  # the factor, and the exponent of each kind
_PURE: Unit = (Fraction(1), ())


def read_unit(text: str) -> Unit | None:
    """Parse a unit such as "m/s2" or "metres per second".

    Returns None if the text is not a unit.
    """
    if not text:
        return _PURE
    factor, powers = Fraction(1), dict[str, int]()
    for place, piece in enumerate(re.split(r" ?(?:/| per ) ?", text)):
        match = _UNIT.fullmatch(piece)
        if match is None or match[2] not in _UNITS:
            return None
        power = {"square": 2, "squared": 2, "cubic": 3, "cubed": 3}.get(match[1] or match[4] or "", int(match[3] or 1))
        of, kind = _UNITS[match[2]]
        sign = -1 if place else 1
        factor *= of ** (sign * power)
        powers[kind] = powers.get(kind, 0) + sign * power
    return factor, tuple(sorted((kind, power) for kind, power in powers.items() if power))


def measured(text: str) -> tuple[Amount, Unit] | None:
    """Read an amount with its unit.

    Returns None if the text is not an amount, or its unit is unknown. A number without a unit is an amount.
    """
    amount = _amount(text)
    unit = None if amount is None else read_unit(amount.rest)
    return None if amount is None or unit is None else (amount, unit)


def settle_quantity(said: str, right: str, others: Sequence[str]) -> bool | None:
    """Decide whether a quantity is correct, after conversion of units.

    Returns None if this rule cannot decide. Only an equal value is correct. If a value is only close to the correct
    value, or rounds to it, a judge must decide.
    """
    expected, found = measured(right), measured(said)
    wrong = [measured(other) for other in others]
    if expected is None or found is None:
        return None
    (target, (target_factor, kinds)), (amount, (factor, found_kinds)) = expected, found
    units = {one[1] for one in wrong if one is not None} | {expected[1]}
    values = {one[0].value * one[1][0] for one in wrong if one is not None and one[1][1] == kinds}
    goal = target.value * target_factor
    if found_kinds != kinds:
        # A number without a unit is decided only if all members have the same unit, and if no other unit of this kind
        # would make the number equal to a member.
        if found_kinds or len(units) > 1 or any(one is None for one in wrong):
            return None
        near = {amount.value * other for other in _factors(kinds)} - {amount.value * target_factor}
        if near & (values | {goal}):
            return None
        factor = target_factor
    values -= {goal}
    readings = {reading * factor for reading in (amount.value, amount.other) if reading is not None}
    if amount.value * factor == goal:
        return None if readings & values else True
    rounded = round(goal / factor, amount.decimals or 0)
    if amount.about or goal in readings or rounded == amount.value:
        return None
    return False if amount.value * factor in values and amount.other is None else None


_DIGIT = re.compile("[0-9]")
# An amount in a reply: a number, whose decimals can follow a comma, and perhaps a unit.
_SAID = re.compile(
    r"(?<![\w.,/])(?P<number>[-+]?\d+(?:[.,]\d+)?)(?![\d.,]*\d)"
    r"(?: ?(?P<unit>[a-z°%]+ ?(?:\^?[23]|squared|cubed)?(?: ?(?:/| per ) ?[a-z]+ ?(?:\^?[23]|squared)?)?)(?![\w/]))?",
    re.IGNORECASE,
)

# A number beside such words is a part of a range, a product or a tolerance, not an amount: "30-35 cm", "3 x 35 cm".
_JOINED_BEFORE = re.compile(r"\d ?[a-z°%]{0,12}\.? ?(?:[-–—−~±×*]|\b(?:x|to|and|by|out of))\s*$", re.IGNORECASE)
_JOINED_AFTER = re.compile(r"\s*(?:[-–—−~±×*]|(?:x|to|by)\b)\s*[-+]?\d", re.IGNORECASE)
_REACH = 24  # characters before an amount in which such a word is looked for


@lru_cache(maxsize=4096)  # every reply to a question is read with the same options
def _option_amount(text: str) -> tuple[Amount, Unit] | None:
    return measured(text.casefold().rstrip(" ."))


def with_amounts_of(options: Mapping[str, str], text: str) -> str:
    """Replace amounts in a text that equal an option.

    The text of this option takes their place.

    An amount in another unit ("35 cm" for "0.35 m") is replaced if all options are amounts with units of the same
    physical quantity, and exactly one of them has the same value. A decimal comma ("0,35 m") is read if the number
    with a point is the number of an option. Parts of ranges ("30-35 cm") and all other texts stay as they are.
    """
    if _DIGIT.search(text) is None:
        return text
    amounts = {option: found for option in options.values() if (found := _option_amount(option)) is not None}
    if not amounts:
        return text
    kinds = {unit[1] for _, unit in amounts.values()}
    converts = len(amounts) == len(set(options.values())) and len(kinds) == 1 and kinds != {()}
    numbers = {amount.value for amount, _ in amounts.values()}

    def said(match: re.Match[str]) -> str:
        before = text[max(0, match.start() - _REACH) : match.start()]
        if _JOINED_BEFORE.search(before) or _JOINED_AFTER.match(text, match.end()):
            return match[0]
        number = match["number"]
        whole, comma, decimals = number.partition(",")
        if comma and (len(decimals) != 3 or whole.lstrip("+-") == "0"):
            with_point = f"{whole}.{decimals}"
            if Fraction(with_point) in numbers:
                return with_point + match[0][len(number) :]
            number = with_point
        elif comma:
            return match[0]
        unit = read_unit(" ".join((match["unit"] or "").casefold().split()))
        if not converts or unit is None or unit[1] not in kinds:
            return match[0]
        value = Fraction(number) * unit[0]
        equal = [one for one, (amount, (factor, _)) in amounts.items() if amount.value * factor == value]
        if len(equal) != 1 or amounts[equal[0]][1][0] == unit[0]:
            return match[0]
        return equal[0]

    return _SAID.sub(said, text)


def _factors(kinds: tuple[tuple[str, int], ...]) -> set[Fraction]:
    """Return all factors between the units of these physical quantities."""
    factors = {Fraction(1)}
    for kind, power in kinds:
        factors = {factor * of**power for factor in factors for of, its in _UNITS.values() if its == kind}
    return factors
