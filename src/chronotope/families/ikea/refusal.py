"""The codes for refusals in IKEA-Bench, with their meanings.

``chronotope build --explain`` shows the number of refusals with each code.
"""

from enum import StrEnum


class Code(StrEnum):
    """The codes for refusals that the tasks of IKEA-Bench have."""

    ALONE = "ALONE"
    BALANCE = "BALANCE"
    BLANK_DIAGRAM = "BLANK_DIAGRAM"
    CAP = "CAP"
    DUPLICATE_DIAGRAM = "DUPLICATE_DIAGRAM"
    FEW_DIAGRAMS = "FEW_DIAGRAMS"
    FEW_OPTIONS = "FEW_OPTIONS"
    FEW_STEPS = "FEW_STEPS"
    LAST_STEP = "LAST_STEP"
    NOT_CONSECUTIVE = "NOT_CONSECUTIVE"
    NO_CLIP = "NO_CLIP"
    NO_DIAGRAM = "NO_DIAGRAM"
    SAME_RECORDING = "SAME_RECORDING"


MEANINGS = {
    Code.ALONE: "the neighbouring step is missing, has no diagram of its own, or is never shown",
    Code.BALANCE: "there are more questions with this answer than with the other answer",
    Code.BLANK_DIAGRAM: "the step's diagram is an empty picture",
    Code.CAP: "there are already enough questions with this answer",
    Code.DUPLICATE_DIAGRAM: "another step of the manual has the same diagram, or nearly the same",
    Code.FEW_DIAGRAMS: "the manual has fewer than three diagrams that can be used",
    Code.FEW_OPTIONS: "too few other steps can be options (see --allow-short-options)",
    Code.FEW_STEPS: "the manual has too few steps",
    Code.LAST_STEP: "the video shows the last step",
    Code.NOT_CONSECUTIVE: "the steps do not follow one another",
    Code.NO_CLIP: "the step's video is missing, or its segment has no length",
    Code.NO_DIAGRAM: "the step has no diagram",
    Code.SAME_RECORDING: "both clips come from the same video",
}
