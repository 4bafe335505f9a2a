"""Scores: the replies of a run are read, judged and scored, with intervals."""

from chronotope.evaluate.score.calibration import Calibration, ReliabilityBin, calibrate
from chronotope.evaluate.score.check_outcome import ASKED, CheckOutcome
from chronotope.evaluate.score.compare import (
    Pair,
    PrecisionRatio,
    compare_groups,
    compare_precision,
    pair_runs,
)
from chronotope.evaluate.score.likelihood import Trials
from chronotope.evaluate.score.margin import compare_margins, margin_of
from chronotope.evaluate.score.precision import Precision, PrecisionSubject, SpacingPoint
from chronotope.evaluate.score.psychometric import (
    ThresholdFit,
    ThresholdRatio,
    accuracy_at,
    fit_threshold,
    threshold_ratio,
)
from chronotope.evaluate.score.results import Answered, OpenAnswers, RunResults, open_run
from chronotope.evaluate.score.scores import Scores, metric_mean, score_run
from chronotope.evaluate.score.statistics import (
    FEWEST_CLUSTERS,
    Difference,
    Estimate,
    change,
    contrast,
    difference,
    estimate,
    korn_graubard,
)
from chronotope.evaluate.score.usage import Usage, usage_of

__all__ = [
    "ASKED",
    "FEWEST_CLUSTERS",
    "Answered",
    "Calibration",
    "CheckOutcome",
    "Difference",
    "Estimate",
    "OpenAnswers",
    "Pair",
    "Precision",
    "PrecisionRatio",
    "PrecisionSubject",
    "ReliabilityBin",
    "RunResults",
    "Scores",
    "SpacingPoint",
    "ThresholdFit",
    "ThresholdRatio",
    "Trials",
    "Usage",
    "accuracy_at",
    "calibrate",
    "change",
    "compare_groups",
    "compare_margins",
    "compare_precision",
    "contrast",
    "difference",
    "estimate",
    "fit_threshold",
    "korn_graubard",
    "margin_of",
    "metric_mean",
    "open_run",
    "pair_runs",
    "score_run",
    "threshold_ratio",
    "usage_of",
]
