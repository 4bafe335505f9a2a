"""Compare two runs on the same questions: their accuracies and their thresholds."""

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean

from chronotope.evaluate.score.precision import PrecisionSubject, subject_of, trials_of
from chronotope.evaluate.score.psychometric import ThresholdRatio, threshold_ratio
from chronotope.evaluate.score.scores import Scores
from chronotope.evaluate.score.statistics import Difference, difference
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
    members: dict[PrecisionSubject, list[tuple[Scored, Scored]]] = {}
    for one, other in _pairs(first, second):
        subject = subject_of(one)
        if subject in known and subject_of(other) == subject:
            members.setdefault(subject, []).append((one, other))
    return tuple(PrecisionRatio(subject, _ratio(members[subject])) for subject in sorted(members))


def _ratio(pairs: Sequence[tuple[Scored, Scored]]) -> ThresholdRatio:
    return threshold_ratio(trials_of([one for one, _ in pairs]), trials_of([other for _, other in pairs]))


def compare_groups(first: Scores, second: Scores) -> dict[tuple[str, str], Pair]:
    """Compare two runs overall, by task and by tag, paired by question.

    The keys of the result are pairs of a group and a name in this group, such as ``task`` and the name of a task. The
    result is empty if `pair_runs` returns None.
    """
    groups: dict[tuple[str, str], list[tuple[Scored, Scored]]] = {}
    pairs = _pairs(first, second)
    keys = sorted({key for one, _ in pairs for key in one.question.tags})
    for pair in pairs:
        groups.setdefault(("overall", "accuracy"), []).append(pair)
    for pair in pairs:
        groups.setdefault(("task", pair[0].question.task), []).append(pair)
    for key in keys:
        for pair in pairs:
            for value in pair[0].question.tags.get(key, ()):
                groups.setdefault((f"tag {key}", value), []).append(pair)
    compared = {group: _pair(pairs) for group, pairs in groups.items()}
    return {group: pair for group, pair in compared.items() if pair is not None}


def _pair(pairs: Sequence[tuple[Scored, Scored]]) -> Pair | None:
    clusters = [one.question.cluster for one, _ in pairs]
    here, there = ([pair[side].metrics["strict"] or 0.0 for pair in pairs] for side in (0, 1))
    found = difference(here, there, clusters)
    return None if found is None else Pair(fmean(here), fmean(there), found)


def _pairs(first: Scores, second: Scores) -> list[tuple[Scored, Scored]]:
    """Return the questions that both runs can score, from each run."""
    if first.counted != second.counted:
        return []
    here, there = first.counted_questions, second.counted_questions
    shared = [name for name in here if name in there]
    if any(here[name].question != there[name].question for name in shared):
        return []
    pairs = [(here[name], there[name]) for name in shared]
    return [pair for pair in pairs if all(one.metrics.get("strict") is not None for one in pair)]
