"""The record of a stage: its parameters, entities, poses, states and events, frame by frame."""

import json
from typing import Any

import numpy as np

from chronotope.world.kinds.stage.graph import SceneGraph
from chronotope.world.kinds.stage.staged import Staged
from chronotope.world.rig import Rig

DIGITS = 6
PARTS = 4  # joints of a thing whose poses are in the record


def episode_of(graph: SceneGraph, staged: Staged, times: np.ndarray) -> str:
    """Return the record as JSON text.

    Poses are world_T_entity (4, 4), one for each frame, or one for a thing that does not move. Joints of things with a
    few parts have the poses world_T_joint of the parts; those of people are in the file of bodies. Which pixels show an
    entity is known after filming, so the visible parts are added then.
    """
    entities = []
    for placement in staged.film_set.placements:
        thing = placement.thing
        entities.append({
            "id": placement.id,
            "object": staged.parts.get(placement.id),
            "label": thing.label,
            "asset": thing.category,
            "colour": thing.colour,
            "size": _rounded(thing.size),
            "poses": _rounded(placement.poses),
            "joints": _joints(placement.rig),
            "states": [{"frame": c.frame, "key": c.key, "value": c.value} for c in placement.changes],
        })  # fmt: skip
    record = {
        "schema_version": 1,
        "task": graph.task,
        "profile": graph.profile,
        "theme": graph.scene_meta.theme,
        "params": graph.params.model_dump(mode="json"),
        "times": _rounded(times),
        "camera": _rounded(staged.camera),
        "ego": None if staged.ego is None else _rounded(staged.ego.pose),
        "entities": entities,
        "events": [
            {"kind": e.kind, "agent": e.agent, "object": e.object, "start": e.start, "end": e.end} | e.parameters
            for e in staged.events
        ],
        "facts": dict(staged.facts),
    }
    return json.dumps(record, ensure_ascii=False) + "\n"


def _joints(rig: Rig | None) -> dict[str, Any]:
    if rig is None or len(rig.joints) > PARTS:
        return {}
    return {name: _rounded(rig.path[:, number]) for number, name in enumerate(rig.joints) if number}


def _rounded(values: Any) -> Any:
    return np.round(np.asarray(values, float), DIGITS).tolist()
