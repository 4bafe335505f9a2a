"""Options that are numbers: ranges around a value, and counts.

With the profile ``paper``, the ranges are equal parts of an interval as wide as the value, and counts are near the
correct count. Both reveal the correct option. Otherwise, neighbouring ranges have a constant ratio, counts follow each
other, and the rank of the correct option is drawn first. If the drawn options do not fit, the question is refused: new
options could make some ranks more frequent than others.
"""

from itertools import pairwise

import numpy as np

from chronotope.families.m3.tasks import NONE
from chronotope.families.m3.write.drafting import Choice, Listed, Pen
from chronotope.families.m3.write.listing import list_one, shuffled_list
from chronotope.question import Reason

THINNEST = 0.05  # smallest width of a printed range
PRINTED = 0.01  # last printed digit: no value is so close to a bound
METRE = 0.5  # m; shorter lengths are in centimetres
FEWER, MORE = 3, 5  # counts so much below and above the correct count


def list_ranges(pen: Pen, value: float, unit: str, *, hallucination: bool | None = None) -> Listed | None:
    """List ranges of which one contains a value, in ascending order.

    ``unit`` is "m2" or "m". Lengths are printed in metres or centimetres. ``hallucination`` says whether no range
    contains the value; by default this is random.
    """
    hallucination = pen.draws_hallucination() if hallucination is None else hallucination
    count = pen.draw_count() - pen.row.lists_none
    edges, place = _published(pen, value, count) if pen.paper else _even(pen, value, count, hallucination)
    scale = 1.0
    if unit == "m" and np.sqrt(edges[0] * edges[-1]) < METRE:
        scale, unit = 100.0, "cm"
    edges = np.round(edges * scale, 2)
    if np.diff(edges).min() < THINNEST or np.abs(edges - value * scale).min() < PRINTED:
        return pen.refuse(Reason.NO_DISTRACTORS)
    words = {"m2": "square meters"}.get(unit, unit)
    texts = [Choice(f"{low:.2f} {words} - {high - 0.01:.2f} {words}") for low, high in pairwise(edges)]
    if pen.paper and hallucination:
        texts.pop(place)
    elif pen.paper and pen.row.lists_none:
        dropped = int(pen.generator.choice([each for each in range(len(texts)) if each != place]))
        texts.pop(dropped)
        place -= dropped < place
    last = [Choice(NONE)] if pen.row.lists_none else []
    answer = len(texts) if hallucination else place
    return Listed((*texts, *last), (answer,), hallucination, is_sorted=True)


def _published(pen: Pen, value: float, count: int) -> tuple[np.ndarray, int]:
    """Return the bounds of the published ranges.

    The second result is the index of the range with the value.
    """
    parts = count + pen.row.lists_none
    start = float(pen.generator.uniform(0.02, 0.98))
    edges = np.linspace(start * value, (1 + start) * value, parts + 1)
    return edges, int(np.clip(np.searchsorted(edges, value, side="right") - 1, 0, parts - 1))


def _even(pen: Pen, value: float, count: int, hallucination: bool) -> tuple[np.ndarray, int]:
    """Return the bounds of ranges with a constant ratio.

    The second result is the index of the range with the value. For a hallucination, the value lies just below or above
    all ranges.
    """
    ratio = float(pen.generator.choice(pen.margins.ratios))
    share = float(pen.generator.uniform(pen.margins.within, 1 - pen.margins.within))
    lowest = value / (1 + share * (ratio - 1))  # of the range that contains the value
    place = int(pen.generator.integers(count))
    outside = (-1, count)[int(pen.generator.integers(2))]
    chosen = outside if hallucination else place
    return lowest * ratio ** (np.arange(count + 1.0) - chosen), place


def list_counts(pen: Pen, count: int, least: int = 1, *, spread: bool = False) -> Listed | None:
    """List counts of which one is correct.

    No count is less than ``least``. With ``spread``, the published wrong counts are normally distributed.
    """
    if pen.paper:
        return list_one(pen, Choice(str(count)), [Choice(str(each)) for each in _near(pen, count, spread)])
    hallucination = pen.draws_hallucination()
    size = pen.draw_count() - pen.row.lists_none
    rank = int(pen.generator.integers(size))
    outside = (-1, size)[int(pen.generator.integers(2))]
    lowest = count - (outside if hallucination else rank)
    if lowest < least:
        return pen.refuse(Reason.NO_DISTRACTORS)
    listed = [Choice(str(lowest + each)) for each in range(size)]
    right = [one for one in listed if one.text == str(count)]
    return shuffled_list(pen, right, [one for one in listed if one not in right])


def _near(pen: Pen, count: int, spread: bool) -> list[int]:
    """Return the published wrong counts."""
    if spread:
        drawn = np.rint(pen.generator.normal(count, max(1, count // 2), 60)).astype(int)
        return [each for each in dict.fromkeys(drawn.tolist()) if each >= 1 and each != count]
    return pen.shuffled([each for each in range(max(0, count - FEWER), count + MORE + 1) if each != count])
