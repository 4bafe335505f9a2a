"""The plan of a run, and the manifest that identifies a run."""

from chronotope.evaluate.plan.asks import PlannedAsk, plan_calls, read_asks
from chronotope.evaluate.plan.manifest import (
    CODE,
    HUMAN,
    RUNS,
    ImportedFrom,
    RunBenchmark,
    RunJudge,
    RunManifest,
    RunMethod,
    RunProtocol,
    default_run_folder,
    make_manifest,
    read_manifest,
)
from chronotope.evaluate.plan.plan import Plan, Prompt, Selection, make_plan
from chronotope.evaluate.plan.shards import Shard, read_shard
from chronotope.evaluate.plan.shown import Shown, planned_shown
from chronotope.evaluate.plan.staged import Staged, StageModel
from chronotope.models import RunPrice

__all__ = [
    "CODE",
    "HUMAN",
    "RUNS",
    "ImportedFrom",
    "Plan",
    "PlannedAsk",
    "Prompt",
    "RunBenchmark",
    "RunJudge",
    "RunManifest",
    "RunMethod",
    "RunPrice",
    "RunProtocol",
    "Selection",
    "Shard",
    "Shown",
    "StageModel",
    "Staged",
    "default_run_folder",
    "make_manifest",
    "make_plan",
    "plan_calls",
    "planned_shown",
    "read_asks",
    "read_manifest",
    "read_shard",
]
