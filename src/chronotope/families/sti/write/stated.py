"""The stated scale: one true fact in a stem that fixes all lengths of a clip.

A clip alone does not show the size of anything. Therefore, with the profile ``strict``, one thing of a clip is its
ruler. Metric questions state the ruler's height, and no question asks about the ruler itself. If the answer depends on
the optics, the stem also states the camera's field of view.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from chronotope.families.sti.measure import boxes as measures
from chronotope.families.sti.scale import SCALES
from chronotope.families.sti.write.scalar import quantity_text
from chronotope.question import Refused
from chronotope.scene import Camera, Place, Remark, SceneView, Thing, field_of_view, longest_run, number

__all__ = ["STATED", "UNSTATED", "Ruler", "remark_of", "rulers_of"]

RULERS = {4: 1, 8: 2}  # {minimum number of named things: number of rulers}
LEAST_SEEN = 0.5  # seconds; a ruler must be clearly visible for this time in a question's window
LEAST_HEIGHTS = 4  # minimum height of a ruler, as a multiple of the smallest gap between published options
STATED, UNSTATED = "stated", "none"  # values of the tag ``scale``

# Kinds of question whose answer is or contains a length. The value is true if the answer depends on the camera's
# optics.
_METRIC = {
    "box": False,  # the stem of a box question always states the field of view
    "size": False,
    "gap": True,
    "centre-distance": True,
    "camera-distance": True,
    "displacement": True,
    "path-length": True,
    "average-speed": True,
    "speed": True,
    "average-acceleration": True,
    "acceleration": True,
    "pose": True,
    "trajectory": True,
}


@dataclass(frozen=True, eq=False)
class Ruler:
    """A thing of known height. ``clear`` (T,) states if the thing is clearly visible at each of ``times`` (T,) s."""

    entity: str
    phrase: str
    height: float
    times: np.ndarray
    clear: np.ndarray

    def is_shown(self, place: Place) -> bool:
        """Check whether the ruler is visible long enough in a window."""
        inside = (self.times >= place.start) & (self.times <= place.end)
        run = longest_run(self.times, self.clear & inside)
        return run is not None and run[1] - run[0] >= min(LEAST_SEEN, place.end - place.start)


def rulers_of(scene: SceneView) -> tuple[Ruler, ...]:
    """Choose the rulers of a clip.

    The rulers are the things that are clearly visible for the longest time. A second ruler is used at times at which
    the first ruler is not visible. A ruler must be at rest, have a name that states no moment, and be wholly visible at
    some time.
    """
    named = [thing for thing in scene.things if thing.name is not None]
    found = [ruler for thing in named if (ruler := _ruler(scene, thing)) is not None]
    most = max((rulers for things, rulers in RULERS.items() if len(named) >= things), default=0)
    return tuple(sorted(found, key=lambda ruler: (-int(ruler.clear.sum()), ruler.entity))[:most])


def _ruler(scene: SceneView, thing: Thing) -> Ruler | None:
    entity, name = thing.entity, thing.name
    if name is None or name.at is not None or name.by == "size" or not thing.sight.whole.any():
        return None
    try:
        scene.require_rest([entity.id])
        scene.require_window([entity.id], 2 * LEAST_SEEN)
        nearest = SCALES[scene.kind].nearest[0]
        height = measures.sides(scene.box(entity.id, scene.first_seen(entity.id)), scene.up(), nearest / 2)[2]
    except Refused:
        return None
    if height < LEAST_HEIGHTS * nearest:
        return None
    return Ruler(entity.id, name.text, height, scene.recording.times, thing.sight.clear)


def remark_of(kind: str, place: Place, camera: Camera, rulers: Sequence[Ruler]) -> Remark | None:
    """Return the sentence that states the scale and the field of view.

    For a question that is not metric, the result is None. If the window shows no ruler, the sentence is empty, and the
    tag ``scale`` is ``none``.
    """
    depends = _METRIC.get(kind.removeprefix("thing-"))
    if depends is None:
        return None
    ruler = next((one for one in rulers if one.is_shown(place)), None)
    if ruler is None:
        return Remark("", tags={"scale": (UNSTATED,)})
    unit = SCALES[camera.kind].length
    text = f"For scale: {ruler.phrase} is {quantity_text(ruler.height * unit.factor, unit)} high."
    view = field_of_view(camera.recording, place.start if place.at is None else place.at) if depends else None
    if view is not None:
        text += f" The camera's horizontal field of view is {number(view[0], 1)}°."
    begins = len("For scale: ")
    fact = {"kind": "size", "measure": "height", "entity": ruler.entity, "value": ruler.height}
    return Remark(
        text,
        ruler.entity,
        ruler.phrase,
        begins,
        begins + len(ruler.phrase),
        tags={"scale": (STATED,)},
        facts={"scale": fact},
    )
