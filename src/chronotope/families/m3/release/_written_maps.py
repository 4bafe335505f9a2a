"""Depth maps and identity maps of a recording, as files of a state in the layout of the authors' pipeline."""

from pathlib import Path

import numpy as np

from chronotope.families.m3.release._truth_maps import DEPTH_SCALE
from chronotope.io import write_json
from chronotope.recording import Recording, read_depth, read_identities, write_depth, write_identities


def write_maps(recording: Recording, inside: Path, place: Path) -> None:
    """Write ``depth`` (mm) and ``segmentation`` of a state into the folder ``place``.

    ``inside`` is the recording's folder. Identity maps keep their numbers; ``segmentation/objects.json`` lists them.
    """
    if recording.depth is not None and all(recording.depth):
        (place / "depth").mkdir()
        for number, file in enumerate(recording.depth):
            metres = read_depth(inside / str(file), recording.depth_scale or DEPTH_SCALE)
            write_depth(place / "depth" / f"frame_{number}.png", metres, DEPTH_SCALE)
    if recording.identities is not None and all(recording.identities):
        (place / "segmentation").mkdir()
        for number, file in enumerate(recording.identities):
            wide = read_identities(inside / str(file)).astype(np.uint16)
            write_identities(place / "segmentation" / f"frame_{number}.png", wide)
        numbers = {entity.id: number for number, entity in enumerate(recording.entities, 1)}
        write_json(place / "segmentation" / "objects.json", numbers)
