"""The paper's eight tasks, their two groups and the three kinds of scene (specification, sections 1 and 2)."""

__all__ = ["GROUPS", "SCENES", "TASKS"]

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
