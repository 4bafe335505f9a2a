"""Names such as "the nearest chair", which identify a thing only at a given time."""

from dataclasses import replace

import numpy as np

from chronotope.scene.camera import Camera
from chronotope.scene.names import Name, noun_of, rivals_of, says_too_little
from chronotope.scene.printed import seconds
from chronotope.scene.things import SceneView, scene_of

VEHICLES = ("car",)  # words that stems use, but that can also name a thing ("the car nearest to the camera")
CLEARLY_NEARER = 1.25  # a thing is called nearer if the other distance is larger by at least this factor


def view_of(observer: Camera) -> SceneView:
    """Return the things that questions can ask about, with names.

    A thing without a unique name has the name None.
    """
    scene = scene_of(observer)
    names = names_at_moments(scene)
    return replace(
        scene, things=tuple(replace(thing, name=names.get(thing.entity.id, thing.name)) for thing in scene.things)
    )


def names_at_moments(scene: SceneView) -> dict[str, Name]:
    """Name each nameless thing that is the nearest thing at some time.

    At that time, the thing must be clearly nearer to the camera than all things with which it could be confused.
    Only things in the picture at that time count.
    """
    nameless = [thing for thing in scene.things if thing.name is None]
    if not nameless:
        return {}
    ticks, distances, clear = scene.distances()
    rows = {thing.entity.id: row for row, thing in enumerate(scene.things)}
    rivals = rivals_of([thing.entity for thing in scene.things if thing.sight.ever])
    names: dict[str, Name] = {}
    seen = _where_seen(scene)
    for thing in nameless:
        if not thing.sight.ever or (says_too_little(thing.entity) and noun_of(thing.entity) not in VEHICLES):
            continue
        others = [rows[rival.id] for rival in rivals[thing.entity.id]]
        row = rows[thing.entity.id]
        if not others or not clear[row].any():
            continue
        ratio = np.zeros(len(ticks))
        np.divide(distances[others].min(axis=0), distances[row], out=ratio, where=clear[row])
        best = int(np.argmax(np.minimum(ratio, 10.0)))  # the first of the best moments; ratios above 10 count as equal
        if ratio[best] >= CLEARLY_NEARER:
            at = float(ticks[best])
            noun = noun_of(thing.entity)
            text = f"the {noun} that is nearest to the camera at t = {seconds(at)}, of those {seen} at that time"
            names[thing.entity.id] = Name(text, "moment", at)
    return names


def _where_seen(scene: SceneView) -> str:
    """Return words for the area in which a thing is the nearest.

    If a drive has no pictures, the words do not mention a picture. If the camera's view is unknown too, the words
    do not mention a view.
    """
    if scene.recording.clip is not None:
        return "in the picture"
    return "in front of it" if scene.picture is None else "in view"
