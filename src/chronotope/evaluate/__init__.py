"""One engine for all families: what will be asked, the run folder that keeps every answer, and what it scores."""

from chronotope.evaluate.asks import PlannedAsk, read_asks
from chronotope.evaluate.card import (
    RunBenchmark,
    RunCard,
    RunElsewhere,
    RunJudge,
    RunPrice,
    RunProtocol,
    default_run_folder,
    make_run_card,
    read_run_card,
)
from chronotope.evaluate.check import check_model
from chronotope.evaluate.check_outcome import ASKED, CheckOutcome
from chronotope.evaluate.check_shown import Shown, planned_shown
from chronotope.evaluate.compare import compare_runs
from chronotope.evaluate.conduct import MOST_IN_FLIGHT, TIMEOUT, run
from chronotope.evaluate.elsewhere import Elsewhere, score_elsewhere
from chronotope.evaluate.engine import Lead, Outcome, Progress
from chronotope.evaluate.foresee import Foreseen, foresee
from chronotope.evaluate.guard import check_guard
from chronotope.evaluate.judge import JUDGED_AT_ONCE, JudgeOutcome, JudgeSettings, judge_run
from chronotope.evaluate.money import amount
from chronotope.evaluate.plan import Plan, Prompt, Selection, make_plan
from chronotope.evaluate.results import Answered, OpenAnswers, RunResults, open_run
from chronotope.evaluate.scores import Scores, score_run
from chronotope.evaluate.spent import Spent, spent
from chronotope.evaluate.statistics import FEWEST_CLUSTERS, Difference, Estimate, difference, estimate, korn_graubard

__all__ = [
    "ASKED",
    "FEWEST_CLUSTERS",
    "JUDGED_AT_ONCE",
    "MOST_IN_FLIGHT",
    "TIMEOUT",
    "Answered",
    "CheckOutcome",
    "Difference",
    "Elsewhere",
    "Estimate",
    "Foreseen",
    "JudgeOutcome",
    "JudgeSettings",
    "Lead",
    "OpenAnswers",
    "Outcome",
    "Plan",
    "PlannedAsk",
    "Progress",
    "Prompt",
    "RunBenchmark",
    "RunCard",
    "RunElsewhere",
    "RunJudge",
    "RunPrice",
    "RunProtocol",
    "RunResults",
    "Scores",
    "Selection",
    "Shown",
    "Spent",
    "amount",
    "check_guard",
    "check_model",
    "compare_runs",
    "default_run_folder",
    "difference",
    "estimate",
    "foresee",
    "judge_run",
    "korn_graubard",
    "make_plan",
    "make_run_card",
    "open_run",
    "planned_shown",
    "read_asks",
    "read_run_card",
    "run",
    "score_elsewhere",
    "score_run",
    "spent",
]
