"""Compare two runs on the same questions: their accuracies and their thresholds."""

from collections.abc import Sequence
from dataclasses import dataclass

from chronotope.evaluate.score.precision import PrecisionSubject, subject_of, trials_of
from chronotope.evaluate.score.psychometric import ThresholdRatio, threshold_ratio
from chronotope.evaluate.score.scores import Scores
from chronotope.evaluate.score.statistics import Difference, difference
from chronotope.protocol import Scored

__all__ = ["PrecisionRatio", "compare_precision", "compare_runs"]


@dataclass(frozen=True)
class PrecisionRatio:
    """The ratio of two runs' thresholds for one quantity."""

    subject: PrecisionSubject
    ratio: ThresholdRatio


def compare_runs(first: Scores, second: Scores) -> Difference | None:
    """Compute the difference in strict accuracy of two runs, by question.

    The function uses only questions of the variant and the strategy of ``overall``, and only questions that both runs
    can score.

    Returns None in these cases:

    - The runs have no such question in common.
    - The runs count different variants.
    - The same id belongs to different questions, because the benchmarks differ.
    """
    pairs = _pairs(first, second)
    clusters = [one.question.cluster for one, _ in pairs]
    here, there = ([one.metrics["strict"] for one in side] for side in (list(zip(*pairs, strict=True)) or ((), ())))
    return difference(here, there, clusters)


def compare_precision(first: Scores, second: Scores) -> tuple[PrecisionRatio, ...]:
    """Divide the thresholds of two runs by each other, paired by question.

    The function uses the same questions as `compare_runs`. Quantities that only one run has are left out.
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
