"""The records of stages after filming: what is seen of each entity, and the report of the verifier."""

import json
from pathlib import Path

import numpy as np

from chronotope.io import write_atomically
from chronotope.recording import Recording
from chronotope.world.verify import Verification

EPISODE = "episode.json"


def complete_episode(recording: Recording, folder: Path, verification: Verification) -> None:
    """Add the visible part of each entity and the report to the record of a stage.

    ``folder`` contains the recording. Nothing is done if the recording is not that of a stage.
    """
    path = folder / EPISODE
    if not path.is_file():
        return
    record = json.loads(path.read_text(encoding="utf-8"))
    entities = {entity.id: entity for entity in recording.entities}
    for told in record["entities"]:
        entity = entities[told["id"]]
        told["visible_pixels"] = [] if entity.visible_pixels is None else entity.visible_pixels.tolist()
        fractions = [] if entity.visible_fraction is None else np.round(entity.visible_fraction, 4).tolist()
        told["visible_fraction"] = fractions
    record["report"] = [
        {"check": check.name, "passed": bool(check.passed), "figure": check.figure} for check in verification.checks
    ]
    with write_atomically(path) as temporary:
        temporary.write_text(json.dumps(record, ensure_ascii=False) + "\n", encoding="utf-8")
