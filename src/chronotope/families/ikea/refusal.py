"""The codes for refusals in IKEA-Bench, with their meanings.

``chronotope build --explain`` shows the number of refusals with each code.
"""

from chronotope.question import RefusalCode


class Code(RefusalCode):
    """The codes for refusals that the tasks of IKEA-Bench have."""

    ALONE = "ALONE", "the neighbouring step is missing, has no diagram of its own, or is never shown"
    BALANCE = "BALANCE", "there are more questions with this answer than with the other answer"
    BLANK_DIAGRAM = "BLANK_DIAGRAM", "the step's diagram is an empty picture"
    CAP = "CAP", "there are already enough questions with this answer"
    DUPLICATE_DIAGRAM = "DUPLICATE_DIAGRAM", "another step of the manual has the same diagram, or nearly the same"
    FEW_DIAGRAMS = "FEW_DIAGRAMS", "the manual has fewer than three diagrams that can be used"
    FEW_OPTIONS = "FEW_OPTIONS", "too few other steps can be options (see --allow-short-options)"
    FEW_STEPS = "FEW_STEPS", "the manual has too few steps"
    LAST_STEP = "LAST_STEP", "the video shows the last step"
    NOT_CONSECUTIVE = "NOT_CONSECUTIVE", "the steps do not follow one another"
    NOTHING_WRONG = "NOTHING_WRONG", "in the end, nothing is wrong that could be put right"
    NO_CLIP = "NO_CLIP", "the step's video is missing, or its segment has no length"
    NO_DIAGRAM = "NO_DIAGRAM", "the step has no diagram"
    NO_PARTNER = "NO_PARTNER", "no other video shows how the step is done without a mistake"
    SAME_RECORDING = "SAME_RECORDING", "both clips come from the same video"
