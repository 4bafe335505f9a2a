"""Explain why the scores of two runs differ: unlike settings, other questions, unread replies, other answers."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from chronotope.errors import InputError
from chronotope.evaluate.plan import RunManifest
from chronotope.evaluate.score.results import RunResults
from chronotope.evaluate.score.scores import Scores, score_run
from chronotope.evaluate.score.statistics import FEWEST_CLUSTERS, clusters_needed
from chronotope.protocol import Scored

RESAMPLES, SEED = 2000, 0
ENDS = (2.5, 97.5)  # percentiles of an interval
# Parts of the difference, in the order in which they are told; their sum is the whole.
READER, QUESTIONS, UNREAD, ANSWERS = "another reader", "other questions", "replies without an answer", "other answers"


@dataclass(frozen=True)
class Unlike:
    """A setting on which answers depend, with its values in both runs; None means that a run does not have it."""

    name: str
    first: Any
    second: Any


@dataclass(frozen=True)
class Share:
    """A part of a difference of accuracies, as a fraction.

    ``low`` and ``high`` are the ends of its 95 % interval, by resampling clusters. They are None if there are too few
    clusters. ``needed`` is the number of clusters with which a difference of this size would be told from chance in 80
    of 100 cases; it is None if there are too few clusters to know, or there is no difference.
    """

    name: str
    value: float
    low: float | None
    high: float | None
    needed: int | None = None


@dataclass(frozen=True)
class Explanation:
    """Why the accuracies of two runs differ.

    ``first`` and ``second`` are the strict accuracies of the runs on their own questions, of which they have
    ``counts``. All these questions are in ``clusters`` clusters, such as clips. ``common`` is the number of
    questions that both have, and ``read`` is the number of those with an answer in both. ``unlike`` are the
    settings that differ. The sum of the ``parts`` is ``whole``, the difference of the two accuracies:

    - "another reader" (only if a suite has scored a run): the suite's scores less ours of the same replies, of the
      first run less those of the second. The accuracies are then those that the suite states.
    - "other questions": the first run's questions are easier for it than the common ones, and the second run's for it.
    - "replies without an answer": how much the replies without an answer cost the first run, less what they cost the
      second.
    - "other answers": the difference on the questions that both runs have answered.
    """

    first: float
    second: float
    counts: tuple[int, int]
    clusters: int
    common: int
    read: int
    unlike: tuple[Unlike, ...]
    whole: Share
    parts: tuple[Share, ...]


def explain_runs(
    first: RunResults, second: RunResults, stated: tuple[Mapping[str, float], Mapping[str, float]] = ({}, {})
) -> Explanation:
    """Explain why two runs of one family differ.

    ``stated`` are the scores that other suites gave to the replies of the runs, by the id of the question.

    Raises:
        InputError: If the runs have different families or variants, no question in common, or different questions with
            one id.
    """
    here, there = score_run(first), score_run(second)
    if first.card.family != second.card.family:
        raise InputError(
            f"the runs have the families {first.card.family} and {second.card.family}: expected one family"
        )
    if here.counted != there.counted:
        raise InputError(
            f"the scores of the runs are of the variants {here.counted} and {there.counted}: expected one variant"
        )
    table = _table(here, there, stated)
    whole, parts = _shares(table)
    strict, covered = table.strict, table.covered
    common = np.isfinite(strict).all(axis=0)
    read = common & np.isfinite(covered).all(axis=0)
    return Explanation(
        first=float(np.nanmean(table.stated[0])),
        second=float(np.nanmean(table.stated[1])),
        counts=(int(np.isfinite(strict[0]).sum()), int(np.isfinite(strict[1]).sum())),
        clusters=len(set(table.clusters.tolist())),
        common=int(common.sum()),
        read=int(read.sum()),
        unlike=unlike_settings(first.card, second.card),
        whole=whole,
        parts=parts,
    )


def unlike_settings(first: RunManifest, second: RunManifest) -> tuple[Unlike, ...]:
    """Return the settings that differ between two runs, and the versions of Chronotope and its libraries."""
    here, there = (_settings(one) for one in (first, second))
    names = sorted({*here, *there}, key=lambda name: (name not in here or name not in there, name))
    return tuple(Unlike(name, here.get(name), there.get(name)) for name in names if here.get(name) != there.get(name))


def _settings(card: RunManifest) -> dict[str, Any]:
    found: dict[str, Any] = dict(card.identified())
    found["frames"] = ", ".join(card.frames) or None
    found["judge"] = None if card.judge is None else card.judge.model
    found["replies from another tool"] = None if card.elsewhere is None else card.elsewhere.file
    versions = card.versions[-1] if card.versions else {}
    return found | {f"version of {name}": value for name, value in versions.items()}


@dataclass(frozen=True, eq=False)
class _Table:
    """The scores of questions, NaN where a run has none: ``stated``, ``strict`` and ``covered`` are (2, N), by run.

    ``stated`` is the score that another suite gave, and elsewhere ``strict``; ``elsewhere`` says whether any suite gave
    a score. ``clusters`` (N,) are the numbers of the questions' clusters.
    """

    elsewhere: bool
    stated: np.ndarray
    strict: np.ndarray
    covered: np.ndarray
    clusters: np.ndarray


def _table(first: Scores, second: Scores, stated: tuple[Mapping[str, float], Mapping[str, float]]) -> _Table:
    here, there = first.counted_questions, second.counted_questions
    both = [name for name in here if name in there]
    for name in both:
        if here[name].question != there[name].question:
            raise InputError(f"{name}: is another question in the second run: the benchmarks differ")
    if not both:
        raise InputError("the runs have no question in common")
    names = [*here, *(name for name in there if name not in here)]
    of = {name: (here.get(name) or there[name]).question.cluster for name in names}
    numbers = {cluster: number for number, cluster in enumerate(dict.fromkeys(of.values()))}
    values = [np.array([[_metric(run, name, metric) for name in names] for run in (here, there)]) for metric in
              ("strict", "covered")]  # fmt: skip
    told = np.array([[run.get(name, np.nan) for name in names] for run in stated], dtype=float)
    told = np.where(np.isfinite(told) & np.isfinite(values[0]), told, values[0])
    return _Table(
        elsewhere=bool(stated[0] or stated[1]),
        stated=told,
        strict=values[0],
        covered=values[1],
        clusters=np.array([numbers[of[name]] for name in names]),
    )


def _metric(run: Mapping[str, Scored], name: str, metric: str) -> float:
    value = run[name].metrics.get(metric) if name in run else None
    return np.nan if value is None else value


def _shares(table: _Table) -> tuple[Share, tuple[Share, ...]]:
    """Compute the whole difference and its parts, with their intervals."""
    count = int(table.clusters.max()) + 1
    sums, known = _by_cluster(table, count)
    values = _parts(sums.sum(axis=1), known.sum(axis=1))
    values = (sum(values), *values)
    ends: list[tuple[float | None, float | None, int | None]] = [(None, None, None)] * len(values)
    if count >= FEWEST_CLUSTERS:
        drawn = np.random.default_rng(SEED).multinomial(count, np.full(count, 1 / count), size=RESAMPLES)
        with np.errstate(invalid="ignore", divide="ignore"):
            resampled = np.array([_parts(sums @ weights, known @ weights) for weights in drawn])
        resampled = np.column_stack([resampled.sum(axis=1), resampled])
        bounds = np.nanpercentile(resampled, ENDS, axis=0)
        errors = np.nanstd(resampled, axis=0)
        needed = [clusters_needed(value, error, count) for value, error in zip(values, errors, strict=True)]
        ends = [(float(low), float(high), more) for (low, high), more in zip(bounds.T, needed, strict=True)]
    names = ("whole", READER, QUESTIONS, UNREAD, ANSWERS)
    whole, *parts = (Share(name, float(value), *of) for name, value, of in zip(names, values, ends, strict=True))
    return whole, tuple(parts if table.elsewhere else parts[1:])


def _by_cluster(table: _Table, count: int) -> tuple[np.ndarray, np.ndarray]:
    """Return sums and numbers (8, G) of scores by cluster.

    The rows are those of both runs over all questions, over common ones, and over those that both have answered, and
    the scores that other suites gave over all questions.
    """
    common = np.isfinite(table.strict).all(axis=0)
    read = common & np.isfinite(table.covered).all(axis=0)
    rows = [
        (values, chosen)
        for values, chosen in (
            (table.strict[0], np.isfinite(table.strict[0])),
            (table.strict[1], np.isfinite(table.strict[1])),
            (table.strict[0], common),
            (table.strict[1], common),
            (table.covered[0], read),
            (table.covered[1], read),
            (table.stated[0], np.isfinite(table.strict[0])),
            (table.stated[1], np.isfinite(table.strict[1])),
        )
    ]
    sums = [np.bincount(table.clusters[chosen], values[chosen], minlength=count) for values, chosen in rows]
    known = [np.bincount(table.clusters[chosen], minlength=count) for _, chosen in rows]
    return np.array(sums), np.array(known, float)


def _parts(sums: np.ndarray, known: np.ndarray) -> tuple[float, float, float, float]:
    """Return the parts of a difference from the sums (8,) of scores and the numbers (8,) of questions."""
    means = np.where(known > 0, sums / np.maximum(known, 1), np.nan)
    every, common, read = means[0] - means[1], means[2] - means[3], means[4] - means[5]
    read = 0.0 if known[4] == 0 else read  # no question has an answer in both runs
    reader = means[6] - means[7] - every
    return float(reader), float(every - common), float(common - read), float(read)
