"""The gates of stages: what a viewer must be able to see and infer, measured from the files of a recording alone.

A gate shares no code with the kinds of worlds: graphs, scenarios and episodes are read as JSON.
"""

from chronotope.world.verify.stage.gates import Stage, TaskGates, is_stage

__all__ = ["Stage", "TaskGates", "is_stage"]
