"""Studies with people: what is declared in a YAML file, who gets which items, and how much people agree."""

from chronotope.review.studies.assigning import Given, baseline_order, latin_square, ring
from chronotope.review.studies.declaration import read_study, template_text, templates
from chronotope.review.studies.study_kinds import (
    Calibration,
    CaseLabels,
    FilterRounds,
    HumanBaseline,
    QualityControl,
    Ranking,
    Stage,
    Study,
)

__all__ = [
    "Calibration",
    "CaseLabels",
    "FilterRounds",
    "Given",
    "HumanBaseline",
    "QualityControl",
    "Ranking",
    "Stage",
    "Study",
    "baseline_order",
    "latin_square",
    "read_study",
    "ring",
    "template_text",
    "templates",
]
