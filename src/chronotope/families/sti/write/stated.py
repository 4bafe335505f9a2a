"""The stated scale: one true fact in a stem that fixes all lengths of a clip.

A clip alone does not show the size of anything. Therefore, with the profile ``strict``, some things of a clip are its
rulers. A metric question states the height of a ruler that is wholly visible in the question's window, and the time at
which the ruler is seen well. No question asks about the ruler itself. If the answer depends on the optics, the stem
also states the camera's field of view, even if no ruler is seen: without it, nobody can tell how far a camera turned.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from chronotope.families.sti.measure import boxes as measures
from chronotope.families.sti.refusal import Code
from chronotope.families.sti.scale import SCALES
from chronotope.families.sti.write.scalar import quantity_text
from chronotope.question import Refused
from chronotope.recording import Kind
from chronotope.scene import (
    TICK,
    Camera,
    Place,
    Remark,
    SceneView,
    Thing,
    field_of_view,
    longest_run,
    number,
    seconds,
    wholly_within,
)

RULERS = {4: 1, 8: 2, 12: 3, 16: 4}  # {minimum number of named things: number of things that are rulers}
RULER_DECIMALS = 3  # minimum number of printed decimals of a height in metres: a centimetre is up to 5 % of a ruler
WIDEST = 20.0  # seconds; a window is not widened beyond this length for the sake of a ruler
LEAST_SEEN = 0.5  # seconds; a ruler must be clearly visible for this time in a question's window
LEAST_HEIGHTS = 4  # minimum height of a ruler, as a multiple of the smallest gap between published options
ENOUGH = 0.9  # share of samples with a wholly visible ruler at which no further rulers are chosen
_EPSILON = 1e-6
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
_TURNS = ("orientation-change",)  # kinds whose answer is no length, but depends on the optics


@dataclass(frozen=True, eq=False)
class Ruler:
    """A thing of known height.

    ``times`` (T,) are in s. ``clear`` (T,) is true at times at which the thing is clearly visible. ``whole`` (T,) is
    true at times at which hardly any part of the thing is hidden and no part is outside the picture, so that its height
    can be measured.
    """

    entity: str
    phrase: str
    height: float
    times: np.ndarray
    clear: np.ndarray
    whole: np.ndarray

    def is_shown(self, place: Place) -> bool:
        """Check whether the ruler is visible long enough in a window, and wholly visible once."""
        inside = (self.times >= place.start) & (self.times <= place.end)
        run = longest_run(self.times, self.clear & inside)
        is_long = run is not None and run[1] - run[0] >= min(LEAST_SEEN, place.end - place.start)
        return is_long and not self.best_seen(place)[0]

    def is_in_view(self, place: Place) -> bool:
        """Check whether the ruler is visible when it is asked for.

        The ruler is wholly visible at the moment of the question, or throughout its window.
        """
        first, last = (place.start, place.end) if place.at is None else (place.at, place.at)
        inside = (self.times >= first - _EPSILON) & (self.times <= last + _EPSILON)
        inside[np.abs(self.times - first).argmin()] = True  # a moment can lie between two samples
        return bool(self.whole[inside].all())

    def best_seen(self, place: Place) -> tuple[bool, float, float]:
        """Find the time (s) at which the ruler is best measured.

        At this time the ruler is wholly visible, if it is wholly visible at any time in the window. The time is as near
        as possible to the moment of the question, or to the middle of the window. Returns three values: whether part of
        the ruler is hidden or outside the picture, the distance (s) of the time from that moment, and the printed time.
        The ruler with the least of these triples is the best.
        """
        ticks = np.round(np.arange(np.ceil(place.start / TICK - _EPSILON), place.end / TICK + _EPSILON) * TICK, 1)
        samples = np.abs(self.times - ticks[:, None]).argmin(axis=1)
        moment = (place.start + place.end) / 2 if place.at is None else place.at
        hidden, clear = ~self.whole[samples], self.clear[samples]
        away = np.where(clear, np.abs(ticks - moment).round(1), np.inf)
        best = int(np.lexsort((away, hidden | ~clear))[0])
        return bool(hidden[best]), float(away[best]), float(ticks[best])


def rulers_of(scene: SceneView) -> tuple[Ruler, ...]:
    """Choose the rulers of a clip.

    In rooms, every suitable piece of furniture is a ruler, because no question asks about furniture. If furniture is
    not visible often enough, and in other scenes, some things are rulers, too: each is wholly visible for the longest
    time during which no earlier ruler is visible. The rulers are in the order in which questions use them. A ruler must
    be at rest, have a name that states no moment, and be wholly visible at some time.
    """
    furniture = _longest(scene, scene.supports if scene.kind is Kind.INDOOR else ())
    if furniture and np.logical_or.reduce([ruler.whole for ruler in furniture]).mean() >= ENOUGH:
        return furniture
    most = max((rulers for things, rulers in RULERS.items() if _named(scene.things) >= things), default=0)
    rulers, others = list(furniture), list(_longest(scene, scene.things))
    for _ in range(min(most, len(others))):
        covered = np.logical_or.reduce([np.zeros(len(scene.recording.times), bool), *(ruler.whole for ruler in rulers)])
        best = max(others, key=lambda one: int((one.whole & ~covered).sum()))  # of equal ones, the first
        if len(rulers) > len(furniture) and not (best.whole & ~covered).any():
            break
        others.remove(best)
        rulers.append(best)
    return tuple(rulers)


def _named(things: Sequence[Thing]) -> int:
    return sum(thing.name is not None for thing in things)


def _longest(scene: SceneView, things: Sequence[Thing]) -> tuple[Ruler, ...]:
    """Return the rulers among things.

    Rulers that are wholly visible for the longest time come first.
    """
    found = [ruler for thing in things if (ruler := _ruler(scene, thing)) is not None]
    return tuple(sorted(found, key=lambda ruler: (-int(ruler.whole.sum()), ruler.entity)))


def _ruler(scene: SceneView, thing: Thing) -> Ruler | None:
    entity, name = thing.entity, thing.name
    whole = thing.sight.whole & wholly_within(entity, scene.recording, scene.picture)
    if name is None or name.at is not None or name.by == "size" or not whole.any():
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
    return Ruler(entity.id, name.text, height, scene.recording.times, thing.sight.clear, whole)


def with_ruler(start: float, end: float, rulers: Sequence[Ruler]) -> tuple[float, float]:
    """Widen a window (s) until it shows a ruler.

    The things in the window are at rest.

    The window stays as it is if it shows a ruler already, or if it would get longer than ``WIDEST``.
    """
    if not rulers or any(ruler.is_shown(Place(start, end)) for ruler in rulers):
        return start, end
    windows: list[tuple[float, float]] = []
    for ruler in rulers:
        seen = np.flatnonzero(ruler.whole)
        for run in np.split(seen, np.flatnonzero(np.diff(seen) > 1) + 1):
            times = ruler.times[run]
            if len(run) and times[-1] - times[0] >= LEAST_SEEN:
                # Rounding of sums must not leave out the ends of a run that lasts exactly this long.
                latest = times[times <= max(times[-1] - LEAST_SEEN, times[0])]
                earliest = times[times >= min(times[0] + LEAST_SEEN, times[-1])]
                windows.append((min(start, float(latest[-1])), max(end, float(earliest[0]))))
    first, last = min(windows, key=lambda window: (window[1] - window[0], window), default=(start, end))
    first, last = np.floor(first / TICK + _EPSILON) * TICK, np.ceil(last / TICK - _EPSILON) * TICK
    if last - first > WIDEST:
        return start, end
    return round(float(first), 1), round(min(float(last), float(rulers[0].times[-1])), 1)


def remark_of(
    kind: str, place: Place, camera: Camera, rulers: Sequence[Ruler], *, required: bool = False
) -> Remark | None:
    """Return the sentence that states the scale and the field of view.

    The sentence names the ruler that is best seen near the moment of the question. It also states the time at which the
    ruler is seen well, unless the ruler is wholly visible at that moment or throughout the window. For a question that
    depends on neither, the result is None. If the window shows no ruler, the sentence states at most the field of view,
    and the tag ``scale`` is ``none``.

    Raises:
        Refused: If a scale is ``required``, but the window shows no ruler (NO_SCALE).
    """
    kind = kind.removeprefix("thing-")
    if kind in _TURNS:
        return Remark(_view_told(place, camera))
    depends = _METRIC.get(kind)
    if depends is None:
        return None
    shown = [one for one in rulers if one.is_shown(place)]
    ruler = min(shown, key=lambda one: one.best_seen(place)[:2], default=None)  # of equal ones, the first
    if ruler is None and required:
        raise Refused(Code.NO_SCALE)
    view = _view_told(place, camera) if depends else ""
    if ruler is None:
        return Remark(view, tags={"scale": (UNSTATED,)})
    unit = SCALES[camera.kind].length
    unit = unit if unit.factor > 1 else replace(unit, decimals=max(unit.decimals, RULER_DECIMALS))
    text = f"For scale: {ruler.phrase} is {quantity_text(ruler.height * unit.factor, unit)} high"
    at = ruler.best_seen(place)[2]
    text += "." if ruler.is_in_view(place) else f" (seen well at t = {seconds(at)})."
    text = f"{text} {view}" if view else text
    begins = len("For scale: ")
    fact = {"kind": "size", "measure": "height", "entity": ruler.entity, "value": ruler.height, "at": at}
    return Remark(
        text,
        ruler.entity,
        ruler.phrase,
        begins,
        begins + len(ruler.phrase),
        tags={"scale": (STATED,)},
        facts={"scale": fact},
    )


def _view_told(place: Place, camera: Camera) -> str:
    """Return the sentence that states the field of view, or an empty one if it is not known."""
    view = field_of_view(camera.recording, place.start if place.at is None else place.at)
    return "" if view is None else f"The camera's horizontal field of view is {number(view[0], 1)}°."
