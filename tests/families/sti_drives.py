"""Simulated drives that are laid out and not drawn: what is seen of each thing follows from boxes and houses.

What a rectangle fills in the picture counts as in `sti_streets`. Behind a house, nothing is seen.
"""

from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
from scipy.spatial import ConvexHull
from sti_streets import seen

from chronotope.recording import Clip, Recording, load_recording, save_recording
from chronotope.world import Quality, film, world_kinds

KINDS = ("straight", "curve", "crossing")
SMALL = Quality("fast", 640, 360, 10, (10.0, 10.0), 0, 0, 40)  # frames at the times and of the size of ``fast``
TALL = 2.5  # m; what is higher and of the set is a house
STEPS = np.linspace(0.02, 0.98, 60)  # along a line of sight
WITH_PIXELS = 2  # a seed for which `seen` states pixels and fractions


def without_looks():
    """Leave out what nobody looks at here, in this process: faces, and the shapes of vehicles in collisions."""
    from chronotope.world.people import random_person
    from chronotope.world.street import vehicles

    random_person.skin_picture = lambda *rest: np.zeros((2, 2, 3), np.uint8)
    vehicles._solids = lambda whole: ()


def drive(seed, number):
    """The recording of drive ``number`` of a set, read from its files."""
    [shot] = world_kinds()["street"].lay(np.random.default_rng([seed, number]), SMALL, number=number).states
    facts = film._recording(shot, shot.camera)
    entities = tuple(replace(film._entity(one), box2d=None) for one in shot.film_set.placements)
    recording = seen(
        replace(
            facts,
            id=f"street-{seed}-{number}",
            source="world:street",
            clip=Clip(Path("clip.mp4"), "0" * 64, 10.0, SMALL.width, SMALL.height),
            entities=entities,
            depth=None,
            identities=None,
            provenance=shot.provenance,
        ),
        WITH_PIXELS,
    )
    with TemporaryDirectory() as folder:
        save_recording(behind_houses(recording, shot.film_set.backdrop), Path(folder))
        return load_recording(Path(folder))


def behind_houses(recording: Recording, backdrop) -> Recording:
    """The recording in which nothing behind a house is seen."""
    walls = [ConvexHull(piece.vertices[:, :2]).equations for piece in backdrop if np.ptp(piece.vertices[:, 2]) > TALL]
    eye = recording.world_T_camera[:, :2, 3]
    entities = []
    for entity in recording.entities:
        place = np.broadcast_to(entity.poses[:, :2, 3], eye.shape)
        line = eye[:, None] + STEPS[:, None] * (place - eye)[:, None]
        hidden = np.zeros(len(eye), bool)
        for wall in walls:
            hidden |= (line @ wall[:, :2].T + wall[:, 2] < 0).all(-1).any(-1)
        shown = ~hidden
        entities.append(
            replace(
                entity,
                visible=entity.visible & shown,
                visible_pixels=entity.visible_pixels * shown,
                visible_fraction=entity.visible_fraction * shown,
            )
        )
    return replace(recording, entities=tuple(entities))
