"""Names for things that only their place at a stated time singles out: the nearest of its kind (specification, 7)."""

from dataclasses import replace

import numpy as np

from chronotope.families.sti.write.camera import Camera
from chronotope.families.sti.write.objects.refer import Name, noun_of, rivals_of, says_too_little
from chronotope.families.sti.write.objects.scene import Scene, scene_of
from chronotope.families.sti.write.text import seconds

__all__ = ["names_at_moments", "things_of"]

VEHICLES = ("car",)  # words of the stem that say enough once the nearest in the picture is meant
CLEARLY_NEARER = 1.25  # ratio of the distances of two things, of which one is called the nearer


def things_of(observer: Camera) -> Scene:
    """The things of a recording that may be asked about, each with a name where anything singles it out."""
    scene = scene_of(observer)
    names = names_at_moments(scene)
    return replace(scene, things=tuple(replace(one, name=names.get(one.entity.id, one.name)) for one in scene.things))


def names_at_moments(scene: Scene) -> dict[str, Name]:
    """The phrase for each nameless thing that is once clearly nearer than all in the picture it may be taken for."""
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


def _where_seen(scene: Scene) -> str:
    """What the things are among which one is the nearest: a bare drive shows no picture, and may not have a view."""
    if scene.recording.clip is not None:
        return "in the picture"
    return "in front of it" if scene.picture is None else "in view"
