"""The names in the STI-Bench paper: eight tasks, two groups, three kinds of scene, and direction words."""

_STATIC = ("Dimensional Measurement", "Spatial Relation", "3D Video Grounding")
_DYNAMIC = (
    "Displacement & Path Length",
    "Speed & Acceleration",
    "Ego-Centric Orientation",
    "Trajectory Description",
    "Pose Estimation",
)
TASKS = _STATIC + _DYNAMIC
GROUPS = {"Static": _STATIC, "Dynamic": _DYNAMIC}
SCENES = ("Outdoor", "Indoor", "Desktop")

# Flag of questions whose wrong options follow the published rule, which gives a hint about the answer.
PUBLISHED_RULE = "published-distractors"
DIRECTIONS = ("Left", "Right", "Up", "Down", "Front", "Back")


def opposite(word: str) -> str:
    """Return the opposite of a direction word, such as "Right" for "Left"."""
    return DIRECTIONS[DIRECTIONS.index(word) ^ 1]
