"""Precision of a run: the threshold of each quantity, fitted to questions with certain tags.

Families need no code for this. A question counts if it has two tags: ``quantity`` with a noun such as "sizes", and
``spacing`` with the distance between neighbouring options, which is a ratio such as ``1.4`` or an angle such as
``10°``. If the tag ``scale`` of a question is ``none``, this question does not state the scale of the scene. Such
questions have a separate threshold.
"""

import math
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from statistics import mean  # without rounding errors: the mean of equal chances is exactly this chance
from typing import Literal

from chronotope.evaluate.score.likelihood import Trials
from chronotope.evaluate.score.psychometric import ThresholdFit, fit_threshold, rises_with_spacing
from chronotope.evaluate.score.statistics import Estimate, estimate
from chronotope.io.packed import PackedList
from chronotope.protocol import Scored
from chronotope.question import Question

SpacingUnit = Literal["ratio", "degrees"]

QUANTITY, SPACING, SCALE = "quantity", "spacing", "scale"  # keys of tags
NO_SCALE = "none"
ALL = "all"
MOST_SPACINGS = 40
_RATIO = re.compile(r"\d+(\.\d+)?")
_DEGREES = re.compile(r"(\d+(?:\.\d+)?) ?°")


@dataclass(frozen=True, order=True)
class PrecisionSubject:
    """A quantity with the unit of its spacings, and whether a scale was stated.

    Each subject has its own threshold. ``no_scale`` is true for questions that do not state the scale.
    """

    quantity: str
    unit: SpacingUnit
    no_scale: bool = False

    @property
    def name(self) -> str:
        """Return the quantity, with a remark if no scale was stated."""
        return f"{self.quantity} without a stated scale" if self.no_scale else self.quantity


@dataclass(frozen=True)
class SpacingPoint:
    """The accuracy at one spacing.

    ``spacing`` is the natural logarithm of a ratio, or an angle in degrees.
    """

    spacing: float
    accuracy: Estimate


@dataclass(frozen=True)
class Precision:
    """A run's accuracy by spacing for one quantity, and the fitted threshold.

    ``points`` are in the order of their spacings. Thresholds are in the unit of spacings: natural logarithms of ratios,
    or degrees. ``chance`` is the mean chance of the questions. ``rises`` says whether accuracy rises significantly with
    the spacing (`rises_with_spacing`); otherwise, a fitted threshold says little.
    """

    subject: PrecisionSubject
    points: tuple[SpacingPoint, ...]
    fit: ThresholdFit
    chance: float
    rises: bool = True

    @property
    def finest(self) -> float:
        """Return the smallest spacing among the questions."""
        return self.points[0].spacing

    @property
    def widest(self) -> float:
        """Return the largest spacing among the questions."""
        return self.points[-1].spacing


def precision_of(scored: Iterable[Scored]) -> tuple[Precision, ...]:
    """Fit the threshold of each quantity, from the strict scores.

    Questions that lack a tag, a chance or a score are left out. Quantities with more than ``MOST_SPACINGS`` different
    spacings are also left out, because such a large number of values does not come from a ladder of spacings. The
    result is sorted by quantity.
    """
    members: dict[PrecisionSubject, PackedList[Scored]] = {}
    for one in scored:
        subject = subject_of(one)
        if subject is not None:
            members.setdefault(subject, PackedList[Scored]()).append(one)
    return tuple(_precision(subject, members[subject]) for subject in sorted(members) if _is_ladder(members[subject]))


def subject_of(one: Scored) -> PrecisionSubject | None:
    """Return the quantity and unit of a question, or None."""
    spacing = _spacing(one.question)
    quantities = one.question.tags.get(QUANTITY, ())
    if spacing is None or len(quantities) != 1 or one.metrics.get("strict") is None:
        return None
    if one.chance is None or one.chance >= 1:
        return None
    return PrecisionSubject(quantities[0], spacing[0], one.question.tags.get(SCALE) == (NO_SCALE,))


def trials_of(scored: Sequence[Scored]) -> Trials:
    """Return the strict scores, spacings, chances and clusters of questions."""
    return Trials(
        [one.metrics["strict"] or 0.0 for one in scored],
        [_spacing_value(one.question) for one in scored],
        [one.chance or 0.0 for one in scored],
        [one.question.cluster for one in scored],
    )


def scale_accuracies(scored: Iterable[Scored]) -> dict[str, dict[str, Estimate]]:
    """Estimate the accuracy of each quantity with and without a stated scale.

    A quantity is left out if all its questions state a scale, or if none of them does. The outer keys are the
    quantities and, if there are several quantities, "all". The inner keys are the values of the tag ``scale``.
    """
    tagged = PackedList(one for one in scored if one.question.tags.get(SCALE) and one.metrics.get("strict") is not None)
    by_quantity = _grouped(tagged, lambda question: question.tags.get(QUANTITY, ()))
    found: dict[str, dict[str, Estimate]] = {}
    groups = ({ALL: tagged} if len(by_quantity) > 1 else {}) | dict(sorted(by_quantity.items()))
    for name, members in groups.items():
        by_scale = _grouped(members, lambda question: question.tags[SCALE])
        if NO_SCALE in by_scale and len(by_scale) > 1:
            names = sorted(by_scale, key=lambda scale: (scale == NO_SCALE, scale))
            found[name] = {scale: _estimate(by_scale[scale]) for scale in names}
    return found


def _precision(subject: PrecisionSubject, members: Sequence[Scored]) -> Precision:
    at: dict[float, PackedList[Scored]] = {}
    for one in members:
        at.setdefault(_spacing_value(one.question), PackedList[Scored]()).append(one)
    trials = trials_of(members)
    return Precision(
        subject=subject,
        points=tuple(SpacingPoint(spacing, _estimate(at[spacing])) for spacing in sorted(at)),
        fit=fit_threshold(trials),
        chance=mean(member.chance or 0.0 for member in members),
        rises=rises_with_spacing(trials),
    )


def _is_ladder(members: Sequence[Scored]) -> bool:
    return len({_spacing_value(member.question) for member in members}) <= MOST_SPACINGS


def _grouped(scored: Iterable[Scored], names_of: Callable[[Question], Iterable[str]]) -> dict[str, PackedList[Scored]]:
    found: dict[str, PackedList[Scored]] = {}
    for one in scored:
        for name in names_of(one.question):
            found.setdefault(name, PackedList[Scored]()).append(one)
    return found


def _estimate(scored: Sequence[Scored]) -> Estimate:
    values = [one.metrics["strict"] or 0.0 for one in scored]
    found = estimate(values, [one.question.cluster for one in scored], [one.chance for one in scored])
    assert found is not None
    return found


def _spacing(question: Question) -> tuple[SpacingUnit, float] | None:
    """Return the unit and the value of a question's spacing.

    The value is the natural logarithm of a ratio, or an angle in degrees. Returns None if there is no readable spacing.
    """
    texts = question.tags.get(SPACING, ())
    if len(texts) != 1:
        return None
    return _read_spacing(texts[0].strip())


@lru_cache(maxsize=1024)
def _read_spacing(text: str) -> tuple[SpacingUnit, float] | None:
    if (angle := _DEGREES.fullmatch(text)) is not None:
        degrees = float(angle[1])
        return ("degrees", degrees) if 0 < degrees < math.inf else None
    if _RATIO.fullmatch(text) is None or not 1 < float(text) < math.inf:
        return None
    return "ratio", math.log(float(text))


def _spacing_value(question: Question) -> float:
    found = _spacing(question)
    assert found is not None
    return found[1]
