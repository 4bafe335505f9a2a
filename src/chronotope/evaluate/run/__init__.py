"""Runs: check a model, make its calls within a limit on their cost, take a person's answers, and judge open answers."""

from chronotope.evaluate.run.check.check import check_model
from chronotope.evaluate.run.dry_run import DryRun, dry_run, money_spent
from chronotope.evaluate.run.human_run import HumanRequest, HumanRun, begin_human_run, human_name
from chronotope.evaluate.run.import_replies import ImportedReplies, import_replies
from chronotope.evaluate.run.judge import JudgeOutcome, JudgeSettings, judge_run
from chronotope.evaluate.run.merging import MergedRuns, merge_runs
from chronotope.evaluate.run.method_request import MethodRequest
from chronotope.evaluate.run.money import amount
from chronotope.evaluate.run.run import (
    RunRequest,
    arun,
    foresee,
    plan_request,
    run,
    run_request,
)
from chronotope.evaluate.run.runner import CHECK_CALLS, Lead, Outcome, Progress
from chronotope.evaluate.run.self_evaluation import check_self_evaluation
from chronotope.evaluate.run.settings import Asking

__all__ = [
    "CHECK_CALLS",
    "Asking",
    "DryRun",
    "HumanRequest",
    "HumanRun",
    "ImportedReplies",
    "JudgeOutcome",
    "JudgeSettings",
    "Lead",
    "MergedRuns",
    "MethodRequest",
    "Outcome",
    "Progress",
    "RunRequest",
    "amount",
    "arun",
    "begin_human_run",
    "check_model",
    "check_self_evaluation",
    "dry_run",
    "foresee",
    "human_name",
    "import_replies",
    "judge_run",
    "merge_runs",
    "money_spent",
    "plan_request",
    "run",
    "run_request",
]
