"""Scores: the replies of a run are read, judged and scored, with intervals."""

from chronotope.evaluate.score.check_outcome import ASKED, CheckOutcome
from chronotope.evaluate.score.compare import compare_runs
from chronotope.evaluate.score.results import Answered, OpenAnswers, RunResults, open_run
from chronotope.evaluate.score.scores import Scores, score_run
from chronotope.evaluate.score.statistics import (
    FEWEST_CLUSTERS,
    Difference,
    Estimate,
    difference,
    estimate,
    korn_graubard,
)
from chronotope.evaluate.score.usage import Usage, usage_of

__all__ = [
    "ASKED",
    "FEWEST_CLUSTERS",
    "Answered",
    "CheckOutcome",
    "Difference",
    "Estimate",
    "OpenAnswers",
    "RunResults",
    "Scores",
    "Usage",
    "compare_runs",
    "difference",
    "estimate",
    "korn_graubard",
    "open_run",
    "score_run",
    "usage_of",
]
