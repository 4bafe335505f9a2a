"""Colours and shapes of foreign objects, described by a vision-language model from their best views."""

from chronotope.families.m3.attributes.describe import Described, Describing
from chronotope.families.m3.attributes.prompts import STAGES, Description
from chronotope.families.m3.attributes.view_pictures import show
from chronotope.families.m3.attributes.views import (
    KEYS,
    Place,
    Subject,
    View,
    find_subjects,
    is_simulated,
    missing_attributes,
    subject_of,
)

__all__ = [
    "KEYS",
    "STAGES",
    "Described",
    "Describing",
    "Description",
    "Place",
    "Subject",
    "View",
    "find_subjects",
    "is_simulated",
    "missing_attributes",
    "show",
    "subject_of",
]
