"""Names for things that only a stated time identifies: the nearest of their kind."""

from dataclasses import replace

import numpy as np

from chronotope.scene.camera import Camera
from chronotope.scene.names import Name, noun_of, rivals_of, says_too_little
from chronotope.scene.printed import seconds
from chronotope.scene.things import SceneView, scene_of

__all__ = ["names_at_moments", "view_of"]

VEHICLES = ("car",)  # words of the stem that say enough once the nearest in the picture is meant
CLEARLY_NEARER = 1.25  # ratio of the distances of two things, of which one is called the nearer


def view_of(observer: Camera) -> SceneView:
    """View the things that may be asked about, with their names.

    An ambiguous thing has no name.
    """
    scene = scene_of(observer)
    names = names_at_moments(scene)
    return replace(scene, things=tuple(replace(one, name=names.get(one.entity.id, one.name)) for one in scene.things))


def names_at_moments(scene: SceneView) -> dict[str, Name]:
    """Name each nameless thing that is the nearest at some time.

    At that time it is clearly nearer than all things that it could be confused with. Only things in the picture at that
    time count.
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
        best = int(np.argmax(np.minimum(ratio, 10.0)))  # the first of equally good ones: infinite where it is alone
        if ratio[best] >= CLEARLY_NEARER:
            at = float(ticks[best])
            text = f"the {noun_of(thing.entity)} nearest to the camera among those {seen} at t = {seconds(at)}"
            names[thing.entity.id] = Name(text, "moment", at)
    return names


def _where_seen(scene: SceneView) -> str:
    """Return words for the things among which one is the nearest.

    A drive without pictures has no picture to refer to, and perhaps no view.
    """
    if scene.recording.clip is not None:
        return "in the picture"
    return "in front of it" if scene.picture is None else "in view"
