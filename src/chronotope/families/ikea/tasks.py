"""The names in the IKEA-Bench paper: six tasks, three strategies, and eight dimensions of a diagram's description.

Three tasks about mistakes are our own. The paper names them as its next levels.
"""

from typing import Literal

TITLES = {
    "T1": "Step Recognition",
    "T2": "Action Verification",
    "T3": "Progress Tracking",
    "T4": "Next-Step Prediction",
    "D1": "Cross-View Matching",
    "D2": "Sequence Ordering",
}
TASKS = tuple(TITLES)
BINARY = ("T2", "D1")

# Only the profile ``extended`` has these tasks.
MISTAKE_TITLES = {"E1": "Step Check", "E2": "Mistake Recognition", "E3": "Undoing"}
MISTAKE_TASKS = tuple(MISTAKE_TITLES)
ALL_TASKS = (*TASKS, *MISTAKE_TASKS)

# The authors' code for each task, and the task's name in their records.
CODES = {
    "1a": ("T1", "step_recognition"),
    "1b": ("T2", "action_verification"),
    "2a": ("T3", "progress_tracking"),
    "2b": ("T4", "next_step_prediction"),
    "1c": ("D1", "cross_view_matching"),
    "2c": ("D2", "sequence_ordering"),
}

Strategy = Literal["visual", "visual_text", "text_only"]
STRATEGIES: tuple[Strategy, ...] = ("visual", "visual_text", "text_only")

DIMENSIONS = ("parts", "action", "tools", "spatial", "result", "warnings", "fasteners", "arrow_directions")
