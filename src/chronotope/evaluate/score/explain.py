"""Explain why the scores of two runs differ: unlike settings, questions, readers, judges, variants and answers."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from chronotope.errors import InputError
from chronotope.evaluate.plan import CODE, RunManifest
from chronotope.evaluate.score.counterfactual import in_variant, judged_by
from chronotope.evaluate.score.results import RunResults
from chronotope.evaluate.score.scores import Scores, score_run
from chronotope.evaluate.score.statistics import clusters_needed, interval_of
from chronotope.families import family
from chronotope.ledger import answers
from chronotope.protocol import Scored
from chronotope.question import Question

# Parts of the difference, in the order in which they are told; their sum is the whole.
READER, QUESTIONS, UNREAD = "another reader", "other questions", "replies without an answer"
VARIANT, JUDGE, ANSWERS = "another variant", "another judge", "different answers"
PICTURES = "pictures sent"


@dataclass(frozen=True)
class Unlike:
    """A setting on which answers depend, with its values in both runs; None means that a run does not have it."""

    name: str
    first: Any
    second: Any


@dataclass(frozen=True)
class Share:
    """A part of a difference of accuracies, as a fraction.

    ``low`` and ``high`` are the ends of its 95 % interval by cluster, as in `difference`. They are None if there are
    too few clusters. ``needed`` is the number of clusters with which a difference of this size would be told from
    chance in 80 of 100 cases; it is None if there are too few clusters to know, or there is no difference.
    ``measured`` is the number of questions on which the part could be measured, for another variant and another judge.
    """

    name: str
    value: float
    low: float | None
    high: float | None
    needed: int | None = None
    measured: int | None = None


@dataclass(frozen=True)
class Explanation:
    """Why the accuracies of two runs differ.

    ``first`` and ``second`` are the strict accuracies of the runs on their own questions, of which they have
    ``counts``. All these questions are in ``clusters`` clusters, and ``cluster`` is the word for one, such as "clip".
    ``common`` is the number of questions that both have, and ``read`` is the number of those with an answer in both.
    ``unlike`` are the settings that differ, without those that follow from others: a run without pictures has no
    settings of frames, and another model has other code. ``shared`` is the difference on the common questions. The sum
    of the ``parts`` is ``whole``, the difference of the two accuracies:

    - "another reader" (only if a suite has scored a run): the suite's scores less ours of the same replies, of the
      first run less those of the second. The accuracies are then those that the suite states.
    - "other questions": the first run's questions are easier for it than the common ones, and the second run's for it.
    - "replies without an answer": how much the replies without an answer cost the first run, less what they cost the
      second.
    - "another variant" (only if the runs count other variants): the difference between the variants, for the runs that
      have both. A question is common if its base question is.
    - "another judge" (only if two judges have judged open answers): the difference between the verdicts of both judges
      on the same replies, as far as the two ledgers have both verdicts.
    - "different answers": the rest of the difference on the questions that both runs have answered.
    """

    first: float
    second: float
    counts: tuple[int, int]
    clusters: int
    cluster: str
    common: int
    read: int
    unlike: tuple[Unlike, ...]
    whole: Share
    shared: Share
    parts: tuple[Share, ...]


def explain_runs(
    first: RunResults, second: RunResults, stated: tuple[Mapping[str, float], Mapping[str, float]] = ({}, {})
) -> Explanation:
    """Explain why two runs of one family differ.

    ``stated`` are the scores that other suites gave to the replies of the runs, by the id of the question.

    Raises:
        InputError: If the runs have different families, no question in common, or different questions with one id.
    """
    here, there = score_run(first), score_run(second)
    if first.card.family != second.card.family:
        raise InputError(
            f"the runs have the families {first.card.family} and {second.card.family}: expected one family"
        )
    _refuse_other_questions(first, second)
    table = _table(here, there, stated, _causes(first, second, here, there))
    whole, shared, *parts = _shares(table)
    pictures = tuple(_unlike_pictures(first, second))
    return Explanation(
        first=float(np.nanmean(table.stated[0])),
        second=float(np.nanmean(table.stated[1])),
        counts=(int(np.isfinite(table.strict[0]).sum()), int(np.isfinite(table.strict[1]).sum())),
        clusters=len(set(table.clusters.tolist())),
        cluster=family(first.card.family).cluster,
        common=int(table.common.sum()),
        read=int(table.read.sum()),
        unlike=(
            *pictures,
            *_unlike_scores(here, there, table),
            *_unlike_settings(first.card, second.card, seen=not pictures),
        ),
        whole=whole,
        shared=shared,
        parts=tuple(parts),
    )


def _refuse_other_questions(first: RunResults, second: RunResults) -> None:
    """Refuse runs that have different questions with one id."""
    of, there = ({one.id: one for one in run.benchmark.questions} for run in (first, second))
    asked = {one.question.base or one.question.id for run in (first, second) for one in run.answered}
    asked |= {one.question.id for run in (first, second) for one in run.answered}
    for name in sorted(asked & of.keys() & there.keys()):
        if of[name] != there[name]:
            raise InputError(f"{name}: is another question in the second run: the benchmarks differ")


Two = tuple[Mapping[str, Scored], Mapping[str, Scored]]  # scores by question, of the first and of the second run


def _causes(first: RunResults, second: RunResults, here: Scores, there: Scores) -> dict[str, Two]:
    """Score each run as the other one was scored: on its variant, and with its judge."""
    found: dict[str, Two] = {}
    if here.counted != there.counted:
        found[VARIANT] = in_variant(here, there.counted), in_variant(there, here.counted)
    judges = first.card.judge, second.card.judge
    if judges[0] != judges[1] and all(judges):
        best = answers((*first.lines, *second.lines))
        one, other = judged_by(first, judges[1], best), judged_by(second, judges[0], best)
        found[JUDGE] = _by_base(one), _by_base(other)
    return found


def _by_base(scored: Mapping[str, Scored]) -> dict[str, Scored]:
    return {_base(one.question): one for one in scored.values()}


def _base(question: Question) -> str:
    return question.base or question.id


def _unlike_pictures(first: RunResults, second: RunResults) -> Iterator[Unlike]:
    """Yield the numbers of pictures that were sent, if one run got none and the other some."""
    if first.card.elsewhere is None and second.card.elsewhere is None:
        sent = [_sent(run) for run in (first, second)]
        if sent[0] != sent[1] and "none" in sent:
            yield Unlike(PICTURES, *sent)


def _sent(run: RunResults) -> str:
    """Return the number of pictures with each question, as words."""
    counts = {len(one.line.pictures) for one in run.answered if one.line is not None}
    low, high = min(counts, default=0), max(counts, default=0)
    return "none" if not high else f"{low} with each question" if low == high else f"{low} to {high} with each question"


def _unlike_scores(first: Scores, second: Scores, table: "_Table") -> list[Unlike]:
    """Return the differences of the scored questions: other variants, other questions, answers read."""
    found: list[Unlike] = []
    if first.counted != second.counted:
        found.append(Unlike("variant", first.counted, second.counted))
    asked = np.isfinite(table.strict)
    if not table.common.all():
        words = [f"{own.sum()}, {(own & ~table.common).sum()} of them only here" for own in asked]
        found.append(Unlike("questions", *words))
    rates = [float(np.isfinite(table.covered[place][own]).mean()) for place, own in enumerate(asked)]
    if rates[0] != rates[1]:
        found.append(Unlike("replies with an answer", *(f"{100 * rate:.1f} %" for rate in rates)))
    return found


def _unlike_settings(first: RunManifest, second: RunManifest, *, seen: bool) -> Iterator[Unlike]:
    """Yield the settings that differ between two runs, and the versions of Chronotope and its libraries.

    ``seen`` is false if one of the runs got no pictures: then no setting of frames can be a cause.
    """
    here, there = (_settings(one) for one in (first, second))
    follow = {f"about_model.{CODE}"} if first.model != second.model else set[str]()
    if not seen:
        choosing = family(first.family).RunSettings.choosing | {"frames_as", "clips"}
        follow |= {"frames", *(f"protocol.settings.{name}" for name in choosing)}
    for name in sorted({*here, *there}, key=lambda name: (name not in here or name not in there, name)):
        if here.get(name) != there.get(name) and name not in follow:
            yield Unlike(name, here.get(name), there.get(name))


def _settings(card: RunManifest) -> dict[str, Any]:
    found: dict[str, Any] = dict(card.identified())
    found["frames"] = ", ".join(card.frames) or None
    judge = None if card.judge is None else card.judge
    found["judge"] = None if judge is None else judge.model
    found["instructions of the judge"] = None if judge is None else judge.prompt[:12]
    found |= {f"judge.{name}": value for name, value in (judge.fields if judge is not None else {}).items()}
    found["replies from another tool"] = None if card.elsewhere is None else card.elsewhere.file
    versions = card.versions[-1] if card.versions else {}
    return found | {f"version of {name}": value for name, value in versions.items()}


@dataclass(frozen=True, eq=False)
class _Table:
    """The scores of questions, NaN where a run has none: ``stated``, ``strict`` and ``covered`` are (2, N), by run.

    ``stated`` is the score that another suite gave, and elsewhere ``strict``; ``elsewhere`` says whether any suite gave
    a score. ``clusters`` (N,) are the numbers of the questions' clusters. ``causes`` has, for another variant and
    another judge, how much it changes the score of each question (N,); NaN where no run tells.
    """

    elsewhere: bool
    stated: np.ndarray
    strict: np.ndarray
    covered: np.ndarray
    clusters: np.ndarray
    causes: Mapping[str, np.ndarray]

    @property
    def common(self) -> np.ndarray:
        """Return which questions (N,) both runs have."""
        return np.asarray(np.isfinite(self.strict).all(axis=0))

    @property
    def read(self) -> np.ndarray:
        """Return which questions (N,) both runs have answered."""
        return np.asarray(self.common & np.isfinite(self.covered).all(axis=0))


def _table(
    first: Scores,
    second: Scores,
    stated: tuple[Mapping[str, float], Mapping[str, float]],
    causes: Mapping[str, Two],
) -> _Table:
    here, there = (_by_base(run.counted_questions) for run in (first, second))
    if not here.keys() & there.keys():
        raise InputError("the runs have no question in common")
    names = [*here, *(name for name in there if name not in here)]
    of = {name: (here.get(name) or there[name]).question.cluster for name in names}
    numbers = {cluster: number for number, cluster in enumerate(dict.fromkeys(of.values()))}
    values = [np.array([_metrics(run, names, metric) for run in (here, there)]) for metric in ("strict", "covered")]
    told = [
        [given.get(run[name].question.id, np.nan) if name in run else np.nan for name in names]
        for run, given in zip((here, there), stated, strict=True)
    ]
    told = np.where(np.isfinite(told) & np.isfinite(values[0]), told, values[0])
    return _Table(
        elsewhere=bool(stated[0] or stated[1]),
        stated=told,
        strict=values[0],
        covered=values[1],
        clusters=np.array([numbers[of[name]] for name in names]),
        causes={cause: _changed(values[1], names, as_other) for cause, as_other in causes.items()},
    )


def _changed(own: np.ndarray, names: Sequence[str], as_other: Two) -> np.ndarray:
    """Return how much a cause changes the score of each question (N,).

    Each run is compared with itself, scored as the other one was; of two runs that tell, the mean counts.
    """
    ones, others = (np.array(_metrics(run, names, "covered")) for run in as_other)
    told = np.array([own[0] - ones, others - own[1]])
    known = np.isfinite(told)
    with np.errstate(invalid="ignore"):
        return np.where(known, told, 0.0).sum(axis=0) / known.sum(axis=0)


def _metrics(run: Mapping[str, Scored], names: Sequence[str], metric: str) -> list[float]:
    return [_metric(run, name, metric) for name in names]


def _metric(run: Mapping[str, Scored], name: str, metric: str) -> float:
    value = run[name].metrics.get(metric) if name in run else None
    return np.nan if value is None else value


def _shares(table: _Table) -> list[Share]:
    """Compute the whole difference, that on common questions, and the parts, with their intervals.

    All are sums of means over some questions, with signs. So the influence of each question on them is known, and the
    interval follows from the sums of influences by cluster, as in `contrast`.
    """
    means, influences = _rows(table)
    names, weights = _named(table)
    measured = {name: int((table.read & np.isfinite(changes)).sum()) for name, changes in table.causes.items()}
    within = {"shared": table.common, ANSWERS: table.read}  # of the others, any question can be a part
    shares = []
    for name, value, influence in zip(names, weights @ means, weights @ influences, strict=True):
        some = within.get(name, np.ones(influence.size, bool))
        clusters = table.clusters[some].tolist()
        sampled = name in ("whole", "shared", ANSWERS)
        low, high, error = interval_of(float(value), influence[some], clusters, sampled=sampled)
        needed = None if low is None else clusters_needed(float(value), error, len(set(clusters)))
        shares.append(Share(name, float(value), low, high, needed, measured.get(name)))
    return [one for one in shares if one.name != READER or table.elsewhere]


def _rows(table: _Table) -> tuple[np.ndarray, np.ndarray]:
    """Return differences of the runs' means (R,), and the influence (R, N) of each question on them.

    The rows are the differences of scores over all questions of each run, over common ones, over those that both have
    answered, and of the scores that other suites gave. Then follow the means of what each cause changes, over the
    questions that both have answered. A mean over no question is 0.
    """
    first, second = np.isfinite(table.strict)
    pairs = [
        ((table.strict[0], first), (table.strict[1], second)),
        ((table.strict[0], table.common), (table.strict[1], table.common)),
        ((table.covered[0], table.read), (table.covered[1], table.read)),
        ((table.stated[0], first), (table.stated[1], second)),
    ]
    differences = [_mean(*one) - _mean(*other) for one, other in pairs]
    causes = [_mean(np.nan_to_num(changes), table.read) for changes in table.causes.values()]
    rows = np.array([*differences, *causes])  # (R, 1 + N)
    return rows[:, 0], rows[:, 1:]


def _mean(values: np.ndarray, chosen: np.ndarray) -> np.ndarray:
    """Return the mean (1 + N,) of chosen values, followed by the influence of each value on it."""
    mean = float(values[chosen].mean()) if chosen.any() else 0.0
    return np.append(mean, np.where(chosen, np.nan_to_num(values) - mean, 0.0) / max(int(chosen.sum()), 1))


def _named(table: _Table) -> tuple[list[str], np.ndarray]:
    """Return names, and the weights (names, R) with which each is a sum of the rows of `_rows`."""
    every, common, read, stated, *causes = np.eye(4 + len(table.causes))
    found = {
        "whole": stated,
        "shared": common,
        READER: stated - every,
        QUESTIONS: every - common,
        UNREAD: common - read,
        **dict(zip(table.causes, causes, strict=True)),
        ANSWERS: read - sum(causes, np.zeros(4 + len(table.causes))),
    }
    return list(found), np.array(list(found.values()))
