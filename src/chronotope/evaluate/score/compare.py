"""Two runs on the same questions: how far apart they are, and how sure that is."""

from chronotope.evaluate.score.scores import Scores
from chronotope.evaluate.score.statistics import Difference, difference

__all__ = ["compare_runs"]


def compare_runs(first: Scores, second: Scores) -> Difference | None:
    """Subtract the strict accuracy of two runs, paired by question.

    Only questions that both runs count (of the variant and the strategy that ``overall`` is about) and both can score
    enter. None if there is no such question, the runs count different variants, or one id names different questions:
    they belong to different benchmarks then.
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
