"""Why a model failed: a sample of its wrong answers, explanations of them, and labels of a judge model or people."""

from chronotope.review.errors.error_job import (
    ErrorsForeseen,
    ErrorsOutcome,
    ErrorsRequest,
    foresee_errors,
    label_errors,
)
from chronotope.review.errors.judged_pairs import judged_pairs
from chronotope.review.errors.sampling import sample_evenly, wrong_answers

__all__ = [
    "ErrorsForeseen",
    "ErrorsOutcome",
    "ErrorsRequest",
    "foresee_errors",
    "judged_pairs",
    "label_errors",
    "sample_evenly",
    "wrong_answers",
]
