"""Rules that choose an option only by its text: nearest to the median, longest, or roundest.

The rules see only the texts of the options. Each rule returns the positions of the options that are equally good, and
the caller chooses one of these positions at random. Numbers keep their printed digits, and units are ignored.
"""

import re
from collections import Counter
from collections.abc import Callable, Sequence

import numpy as np

from chronotope.models.baselines import draw
from chronotope.protocol import Option

# A printed number. Digits inside a name (the 11 of r11) do not count. The hyphen between two numbers (0.5-1.2) is not a
# minus sign.
NUMBER = re.compile(r"((?:(?<![\w.])[-+−])?)(?<![A-Za-z_\d.])(\d+(?:\.\d+)?|\.\d+)(?:[eE]([-+]?\d+))?")


def comparable_numbers(texts: Sequence[str]) -> dict[int, list[re.Match[str]]]:
    """Return the numbers of the options that can be compared.

    Returns a mapping from positions of options to their numbers. Options can be compared if their texts contain equally
    many numbers, and if these options are more than half of all options. A single other option, such as "none of
    these", does not prevent the comparison of the other options.
    """
    found = [list(NUMBER.finditer(text)) for text in texts]
    count, times = max(Counter(map(len, found)).items(), key=lambda item: (item[1], item[0]), default=(0, 0))
    if count == 0 or 2 * times <= len(texts) or times < 2:
        return {}
    return {position: numbers for position, numbers in enumerate(found) if len(numbers) == count}


def number_value(number: re.Match[str]) -> float:
    """Return the value of a printed number."""
    sign, digits, exponent = number.groups()
    return (-1 if sign in ("-", "−") else 1) * float(f"{digits}e{exponent or 0}")


def nearest_to_median(texts: Sequence[str]) -> list[int]:
    """Return the positions of the options nearest to the median.

    Options are compared number by number. Each number is scaled by its mean absolute deviation from the median over the
    options, so that metres and degrees have equal weight. If the numbers cannot be compared, the rule is the same as in
    ``longest``.
    """
    numeric = comparable_numbers(texts)
    if not numeric:
        return longest(texts)
    values = np.array(
        [[number_value(number) for number in numbers] for numbers in numeric.values()]
    )  # (options, numbers)
    with np.errstate(over="ignore", invalid="ignore"):
        apart = np.abs(values - np.median(values, axis=0))
        spread = apart.mean(axis=0)
        varying = np.isfinite(spread) & (spread > 0)
        distance = np.linalg.norm(apart[:, varying] / spread[varying], axis=1)
    nearest = distance <= distance.min() + 1e-9
    return [position for position, near in zip(numeric, nearest, strict=True) if near]


def longest(texts: Sequence[str]) -> list[int]:
    """Return the positions of the options with the most characters."""
    lengths = [len(text.strip()) for text in texts]
    return [position for position, length in enumerate(lengths) if length == max(lengths)]


def roundest(texts: Sequence[str]) -> list[int]:
    """Return the positions of the options with the roundest numbers.

    The roundest numbers have the fewest significant digits and, if these are equal, the most trailing zeros. Zeros at
    either end of a number are not significant: 100 has one significant digit and two trailing zeros, and 0.50 has one
    significant digit and one trailing zero. If the numbers cannot be compared, the rule is the same as in ``longest``.
    """
    numeric = comparable_numbers(texts)
    if not numeric:
        return longest(texts)
    keys: dict[int, tuple[int, int]] = {}
    for position, numbers in numeric.items():
        digits = [number.group(2).replace(".", "").lstrip("0") for number in numbers]
        significant = sum(len(text.rstrip("0")) for text in digits)
        keys[position] = (significant, significant - sum(map(len, digits)))
    return [position for position, key in keys.items() if key == min(keys.values())]


RULES: dict[str, Callable[[Sequence[str]], list[int]]] = {
    "median": nearest_to_median,
    "longest": longest,
    "roundest": roundest,
}


def by_rule(rule: str, options: Sequence[Option], seed: str) -> str:
    """Return the letter chosen by a rule; ties are broken randomly."""
    tied = RULES[rule]([option.text or "" for option in options])
    return draw([options[position].letter for position in tied], "option-shape", seed)


def by_majority(options: Sequence[Option], seed: str) -> str:
    """Return the letter that most rules choose.

    If all rules disagree, the letter of the rule ``median`` is returned.
    """
    named = {rule: by_rule(rule, options, seed) for rule in RULES}
    letter, votes = Counter(named.values()).most_common(1)[0]
    return letter if votes > 1 else named["median"]
