"""The margin of a reply: how clearly the model prefers the correct letter to all other letters."""

from collections.abc import Sequence

from chronotope.evaluate.score.results import Answered, RunResults
from chronotope.evaluate.score.statistics import Difference, change
from chronotope.protocol import option_letters


def margin_of(answered: Answered) -> float | None:
    """Return the margin of a reply in nats.

    Returns None if the margin is unknown.

    The margin is the log-probability of the correct letter minus the largest log-probability of another letter. The
    margin is above 0 if the correct letter is the likeliest. The margin is unknown if several options are correct, or
    if the service gave no log-probability of the correct letter or of any other letter.
    """
    question, known = answered.question, answered.line and answered.line.letter_log_probabilities
    if not known or len(question.answer) != 1:
        return None
    letters = option_letters(len(answered.ask.placement))
    right = letters[answered.ask.placement.index(question.answer[0])]
    others = [known[letter] for letter in letters if letter in known and letter != right]
    return known[right] - max(others) if right in known and others else None


def compare_margins(first: RunResults, second: RunResults) -> Difference | None:
    """Compute the mean difference in margin of two runs, in nats.

    Only asks of both runs with the same question, strategy and order of options are compared. Returns None if there is
    no such ask with a known margin in both runs.
    """
    here, there = _margins(first), _margins(second)
    shared = [key for key in here if key in there]
    apart = [here[key][0] - there[key][0] for key in shared]
    return change(apart, [here[key][1] for key in shared])


def _margins(run: RunResults) -> dict[tuple[str, str, Sequence[int]], tuple[float, str]]:
    """Return the known margins, each with the cluster of its question."""
    return {
        (one.question.id, one.ask.strategy, one.ask.placement): (margin, one.question.cluster)
        for one in run.answered
        if (margin := margin_of(one)) is not None
    }
