"""Compare two runs on the same questions: their accuracies and their thresholds."""

from array import array
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean
from sys import intern

from chronotope.evaluate.score.precision import PrecisionSubject, subject_of, trials_of
from chronotope.evaluate.score.psychometric import ThresholdRatio, threshold_ratio
from chronotope.evaluate.score.scores import Scores
from chronotope.evaluate.score.statistics import Difference, difference
from chronotope.io.packed import PackedList, group, select
from chronotope.protocol import Scored


@dataclass(frozen=True)
class Pair:
    """The comparison of two runs on their common questions.

    ``first`` and ``second`` are the accuracies of the runs on these questions, as fractions.
    """

    first: float
    second: float
    difference: Difference


@dataclass(frozen=True)
class PrecisionRatio:
    """The ratio of two runs' thresholds for one quantity."""

    subject: PrecisionSubject
    ratio: ThresholdRatio


def pair_runs(first: Scores, second: Scores) -> Pair | None:
    """Compare the strict accuracy of two runs, paired by question.

    The function uses only questions of the variant and the strategy of ``overall``, and only questions that both runs
    can score.

    Returns None in these cases:

    - The runs have no such question in common.
    - The main scores of the runs belong to different variants.
    - The same id belongs to different questions, because the benchmarks differ.
    """
    return _pair(_pairs(first, second))


def compare_precision(first: Scores, second: Scores) -> tuple[PrecisionRatio, ...]:
    """Divide the thresholds of two runs by each other, paired by question.

    The function uses the same questions as `pair_runs`. Quantities that only one run has are left out.
    """
    known = {one.subject for one in first.precision} & {one.subject for one in second.precision}
    if not known:
        return ()
    members = group(_pairs(first, second), _subject)
    return tuple(PrecisionRatio(subject, _ratio(members[subject])) for subject in sorted(known & {*members}))


def _subject(pair: tuple[Scored, Scored]) -> PrecisionSubject | None:
    """Return the quantity of a question if it is the same in both runs."""
    subject = subject_of(pair[0])
    return subject if subject_of(pair[1]) == subject else None


def _ratio(pairs: Sequence[tuple[Scored, Scored]]) -> ThresholdRatio:
    return threshold_ratio(
        trials_of(PackedList(one for one, _ in pairs)), trials_of(PackedList(other for _, other in pairs))
    )


def compare_groups(first: Scores, second: Scores) -> dict[tuple[str, str], Pair]:
    """Compare two runs overall, by task and by tag, paired by question.

    The keys of the result are pairs of a group and a name in this group, such as ``task`` and the name of a task. The
    result is empty if `pair_runs` returns None.
    """
    pairs = _pairs(first, second)
    keys = sorted({key for one, _ in pairs for key in one.question.tags})
    groups = {("overall", "accuracy"): pairs}
    groups |= {("task", task): of for task, of in group(pairs, lambda pair: pair[0].question.task).items()}
    for key in keys:
        for value in dict.fromkeys(value for one, _ in pairs for value in one.question.tags.get(key, ())):
            groups[f"tag {key}", value] = select(
                pairs, lambda pair, key=key, value=value: value in pair[0].question.tags.get(key, ())
            )
    compared = {name: _pair(of) for name, of in groups.items()}
    return {name: pair for name, pair in compared.items() if pair is not None}


def _pair(pairs: Sequence[tuple[Scored, Scored]]) -> Pair | None:
    here, there, clusters = array("d"), array("d"), list[str]()
    for one, other in pairs:
        here.append(one.metrics["strict"] or 0.0)
        there.append(other.metrics["strict"] or 0.0)
        clusters.append(intern(one.question.cluster))
    found = difference(here, there, clusters)
    return None if found is None else Pair(fmean(here), fmean(there), found)


def _pairs(first: Scores, second: Scores) -> Sequence[tuple[Scored, Scored]]:
    """Return the questions that both runs can score, from each run."""
    pairs = PackedList[tuple[Scored, Scored]]()
    if first.counted != second.counted:
        return pairs
    there = second.counted_questions
    for name, one in first.counted_questions.items():
        if (other := there.get(name)) is None:
            continue
        if one.question != other.question:
            return ()
        if one.metrics.get("strict") is not None and other.metrics.get("strict") is not None:
            pairs.append((one, other))
    return pairs
