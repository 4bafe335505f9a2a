"""Compare the scores of two runs on the same questions."""

from chronotope.evaluate.score.scores import Scores
from chronotope.evaluate.score.statistics import Difference, difference

__all__ = ["compare_runs"]


def compare_runs(first: Scores, second: Scores) -> Difference | None:
    """Subtract the strict accuracy of two runs, paired by question.

    The function uses only questions of the variant and the strategy of ``overall``, and only questions that both runs
    can score.

    Returns None in these cases:

    - The runs have no such question in common.
    - The runs count different variants.
    - The same id belongs to different questions, because the benchmarks differ.
    """
    if first.counted != second.counted:
        return None
    here, there = first.counted_questions, second.counted_questions
    shared = [name for name in here if name in there]
    if any(here[name].question != there[name].question for name in shared):
        return None
    pairs = [
        (one, other, name)
        for name in shared
        if (one := here[name].metrics.get("strict")) is not None
        and (other := there[name].metrics.get("strict")) is not None
    ]
    clusters = [here[name].question.cluster for _, _, name in pairs]
    return difference([one for one, _, _ in pairs], [other for _, other, _ in pairs], clusters)
