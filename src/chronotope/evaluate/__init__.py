"""One engine for all families: what will be asked, the run folder that keeps every answer, and what it scores."""

from chronotope.evaluate.asks import PlannedAsk, read_asks
from chronotope.evaluate.engine import Outcome, Progress, run
from chronotope.evaluate.plan import Plan, Prompt, Selection, Totals, make_plan
from chronotope.evaluate.results import Answered, RunResults, open_run
from chronotope.evaluate.run import (
    RunBenchmark,
    RunCard,
    RunElsewhere,
    RunPrice,
    RunProtocol,
    default_run_folder,
    make_run_card,
    read_run_card,
)
from chronotope.evaluate.scores import Scores, score_run
from chronotope.evaluate.statistics import FEWEST_CLUSTERS, Estimate, estimate, korn_graubard

__all__ = [
    "FEWEST_CLUSTERS",
    "Answered",
    "Estimate",
    "Outcome",
    "Plan",
    "PlannedAsk",
    "Progress",
    "Prompt",
    "RunBenchmark",
    "RunCard",
    "RunElsewhere",
    "RunPrice",
    "RunProtocol",
    "RunResults",
    "Scores",
    "Selection",
    "Totals",
    "default_run_folder",
    "estimate",
    "korn_graubard",
    "make_plan",
    "make_run_card",
    "open_run",
    "read_asks",
    "read_run_card",
    "run",
    "score_run",
]
