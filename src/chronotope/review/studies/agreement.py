"""Figures of a study: retention, raw agreement, and kappas with their intervals."""

from collections import defaultdict
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from statistics import median
from typing import Any

import numpy as np

RESAMPLES = 2000  # of items, for the interval of Fleiss' kappa
_TAILS = (2.5, 97.5)  # percent


@dataclass(frozen=True)
class Judged:
    """The verdicts of all reviewers about one item, in the order of the ring; ``kept`` is the final decision.

    A verdict is true if the reviewer accepts the item. ``kept`` is None for a split that nobody has settled.
    """

    group: str
    verdicts: tuple[bool, ...]
    kept: bool | None

    @property
    def is_split(self) -> bool:
        """Check whether the reviewers do not agree."""
        return len(set(self.verdicts)) > 1


@dataclass(frozen=True)
class Kappa:
    """Chance-corrected agreement with its 95 % interval; None if it is undefined, as when nobody rejects anything."""

    value: float | None
    low: float | None = None
    high: float | None = None


@dataclass(frozen=True)
class Agreement:
    """The figures of some items.

    ``retention`` is the share of items that are kept, and ``raw`` the share about which all reviewers agree. Both are
    fractions of ``items``, as in VGenST-Bench. ``unsettled`` counts splits that nobody has settled.
    """

    items: int
    both_accept: int
    both_reject: int
    split: int
    split_kept: int
    unsettled: int
    cohen: Kappa
    fleiss: Kappa

    @property
    def retention(self) -> float | None:
        """Return the share of items that are kept."""
        return (self.both_accept + self.split_kept) / self.items if self.items else None

    @property
    def raw(self) -> float | None:
        """Return the share of items about which the reviewers agree."""
        return (self.both_accept + self.both_reject) / self.items if self.items else None


def agreement(judged: Sequence[Judged], seed: int = 0) -> Agreement:
    """Compute the figures of items that all their reviewers have decided."""
    alike = [one for one in judged if not one.is_split]
    split = [one for one in judged if one.is_split]
    return Agreement(
        items=len(judged),
        both_accept=sum(one.verdicts[0] for one in alike),
        both_reject=sum(not one.verdicts[0] for one in alike),
        split=len(split),
        split_kept=sum(one.kept is True for one in split),
        unsettled=sum(one.kept is None for one in split),
        cohen=cohen([one.verdicts[:2] for one in judged if len(one.verdicts) == 2]),
        fleiss=fleiss([one.verdicts for one in judged], seed),
    )


def by_group(judged: Sequence[Judged]) -> dict[str, Agreement]:
    """Compute the figures of each group, such as each task."""
    groups: dict[str, list[Judged]] = defaultdict(list)
    for one in judged:
        groups[one.group].append(one)
    return {name: agreement(of) for name, of in groups.items()}


def cohen(pairs: Sequence[tuple[Hashable, ...]]) -> Kappa:
    """Compute Cohen's kappa of two raters; the chance agreement is that of their marginals.

    ``pairs`` has the two ratings of each item. The interval is that of statsmodels (Fleiss, Cohen and Everitt 1969).
    """
    from statsmodels.stats.inter_rater import cohens_kappa  # loads pandas, which few commands need

    names = sorted({rating for pair in pairs for rating in pair}, key=str)
    if len(names) < 2:
        return Kappa(None)
    table = np.zeros((len(names), len(names)), int)
    for first, second in pairs:
        table[names.index(first), names.index(second)] += 1
    with np.errstate(invalid="ignore", divide="ignore"):  # of its test statistic, which is not used
        found: Any = cohens_kappa(table)  # its stubs lack the values
    # If a rater gives all items one rating, the standard error is zero, and says nothing.
    sure = found.kappa_low < found.kappa_upp
    return Kappa(float(found.kappa), *(map(float, (found.kappa_low, found.kappa_upp)) if sure else ()))


def fleiss(ratings: Sequence[Sequence[Hashable]], seed: int = 0) -> Kappa:
    """Compute Fleiss' kappa of any raters; its interval is the percentile bootstrap over items.

    ``ratings`` has the ratings of each item. Only items with as many ratings as most items count.
    """
    if not ratings:
        return Kappa(None)
    lengths = [len(of) for of in ratings]
    usual = max(set(lengths), key=lengths.count)
    names = sorted({rating for of in ratings for rating in of}, key=str)
    counts = np.array([[list(of).count(name) for name in names] for of in ratings if len(of) == usual])
    # Items with equal counts are alike, so the bootstrap draws the numbers of items of each kind.
    kinds, times = np.unique(counts, axis=0, return_counts=True)
    value = _fleiss(kinds, times[None])[0]
    if np.isnan(value):
        return Kappa(None)
    drawn = np.random.default_rng(seed).multinomial(times.sum(), times / times.sum(), size=RESAMPLES)
    low, high = np.nanpercentile(_fleiss(kinds, drawn), _TAILS)
    return Kappa(float(value), float(low), float(high))


def _fleiss(kinds: np.ndarray, times: np.ndarray) -> np.ndarray:
    """Return Fleiss' kappa of samples (S,); NaN if chance agreement is certain.

    ``kinds`` (K, C) has the counts of each category for each kind of item, and ``times`` (S, K) the number of items of
    each kind in each sample.
    """
    raters = kinds.sum(axis=1)[0]
    items = times.sum(axis=1)
    shares = times @ kinds / (items * raters)[:, None]
    expected = (shares**2).sum(axis=1)
    alike = ((kinds**2).sum(axis=1) - raters) / (raters * (raters - 1)) if raters > 1 else np.full(len(kinds), np.nan)
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.where(expected < 1, (times @ alike / items - expected) / (1 - expected), np.nan)


@dataclass(frozen=True)
class ReviewerFigures:
    """The work of a reviewer: decided and rejected items, median time (s), and agreement with the other reviewer.

    Of ``answered`` questions, the reviewer answered ``as_key`` like the key before it was shown.
    """

    name: str
    decided: int
    rejected: int
    seconds: float | None
    agreed: int
    compared: int
    as_key: int = 0
    answered: int = 0


def reviewer_figures(
    name: str,
    verdicts: Mapping[int, bool],
    others: Mapping[int, Sequence[bool]],
    seconds: Sequence[float],
    keyed: Sequence[bool] = (),
) -> ReviewerFigures:
    """Compute the figures of a reviewer.

    ``verdicts`` maps each item to the reviewer's verdict, and ``others`` to the verdicts of the other reviewers.
    ``keyed`` states of each answer whether it was the key.
    """
    compared = [own == other for item, own in verdicts.items() for other in others.get(item, ())]
    rejected = sum(not own for own in verdicts.values())
    return ReviewerFigures(
        name, len(verdicts), rejected, median(seconds) if seconds else None, sum(compared), len(compared),
        sum(keyed), len(keyed),
    )  # fmt: skip
