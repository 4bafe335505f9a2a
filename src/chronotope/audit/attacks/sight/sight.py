"""The answers of the baseline ``sight``, each from the text and the frames of one prompt."""

from collections import OrderedDict
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import cv2
import numpy as np

from chronotope.audit.attacks.poses import relative_poses
from chronotope.audit.attacks.sight.clip import Prompt, SeenClip, read_clip, read_prompt
from chronotope.audit.attacks.sight.motion import (
    Path,
    nearest_number,
    nearest_pose,
    path_of,
    pose_change,
    printed_axes,
    turned,
)
from chronotope.audit.attacks.sight.places import best_box, best_word, distance_of, nearest_thing
from chronotope.audit.attacks.sight.sizes import size_of, unit_of
from chronotope.audit.attacks.sight.structure import Structure
from chronotope.audit.attacks.sight.things import find_thing, find_things
from chronotope.audit.attacks.stems import SIZES, Quantity, facts_of, field_of_view, quantity_of, value_of
from chronotope.audit.attacks.studied import reply_text
from chronotope.geometry import invert
from chronotope.models.baselines import draw_letter
from chronotope.models.function import Asked

KEPT = 4  # clips
MOTIONS = ("displacement", "path-length", "average-speed", "speed", "average-acceleration", "acceleration")
DISTANCES = ("gap", "centre-distance", "camera-distance")


@dataclass(frozen=True, eq=False)
class _Look:
    """A question about a clip with known frames and times."""

    clip: SeenClip
    prompt: Prompt
    quantity: Quantity
    options: tuple[str, ...]
    times: np.ndarray
    view: float | None

    @property
    def structure(self) -> Structure | None:
        """Return the reconstruction for the stated field of view."""
        return self.clip.structure(self.view)

    @property
    def frame(self) -> int:
        """Return the frame nearest to the moment of the question."""
        return int(np.abs(self.times - (self.quantity.at or 0.0)).argmin())

    def path(self, structure: Structure) -> Path:
        """Return the camera's path through the reconstruction."""
        rate, count = self.prompt.rate, len(self.clip.frames)
        return path_of(structure, self.times, None if rate is None or self.clip.times is not None else count / rate)

    def unit(self, structure: Structure) -> float | None:
        """Return the unit's length in m, if a scale is stated."""
        return unit_of(self.clip, structure, self.path(structure), facts_of(self.prompt.stem))

    def values(self) -> np.ndarray:
        """Return the options' numbers; NaN for an option without a number."""
        return np.array([np.nan if (value := value_of(text)) is None else value for text in self.options])


class Sight:
    """Answers prompts of STI-Bench from their frames.

    Other prompts, and prompts for which a measurement fails, get a random answer. The reply states whether the answer
    is measured or random. A random answer is the letter of baseline/random.
    """

    def __init__(self) -> None:
        self._clips: OrderedDict[tuple[str, ...], SeenClip | None] = OrderedDict()
        cv2.setNumThreads(1)  # the last digits of sums would depend on the number of threads

    def answer(self, asked: Asked) -> str:
        """Return the reply to one prompt."""
        if not asked.options:
            return ""
        chosen = self._choose(asked)
        if chosen is None:
            return reply_text(draw_letter(asked.options, asked.ask), "drawn: the frames were not used.")
        return reply_text(asked.options[chosen].letter, "seen: measured in the frames.")

    def _choose(self, asked: Asked) -> int | None:
        prompt = read_prompt(asked.text)
        if prompt is None or asked.options[0].multiple or not asked.files:
            return None
        quantity = quantity_of(prompt.stem)
        if quantity is None or (look := _ANSWERS.get(quantity.kind)) is None:
            return None
        clip = self._clip(asked)
        times = None if clip is None else clip.times_of(prompt)
        if clip is None or times is None:
            return None
        options = tuple(option.text or "" for option in asked.options)
        return look(_Look(clip, prompt, quantity, options, times, field_of_view(prompt.stem)))

    def _clip(self, asked: Asked) -> SeenClip | None:
        key = tuple(file.sha256 for file in asked.files)
        if key not in self._clips:
            self._clips[key] = read_clip(asked.files)
        self._clips.move_to_end(key)
        while len(self._clips) > KEPT:
            self._clips.popitem(last=False)
        return self._clips[key]


def _motion(look: _Look) -> int | None:
    """Answer a question about camera motion, if a scale is stated."""
    structure = look.structure
    if look.quantity.who != "the camera" or structure is None or (unit := look.unit(structure)) is None:
        return None
    measured = unit * look.path(structure).measured(
        look.quantity.kind, look.prompt.start, look.prompt.end, look.quantity.at
    )
    return _nearest(look.values(), measured)


def _turn(look: _Look) -> int | None:
    structure = look.structure
    if structure is None:
        return None
    return _nearest(look.values(), turned(structure, look.path(structure), look.prompt.start, look.prompt.end))


def _nearest(values: np.ndarray, measured: float) -> int | None:
    known = np.flatnonzero(np.isfinite(values))
    if not len(known):
        return None
    return int(known[nearest_number(values[known], measured, ratios=bool((values[known] > 0).all()))])


def _pose(look: _Look) -> int | None:
    structure, axes = look.structure, printed_axes(look.prompt.stem)
    given = relative_poses(look.prompt.stem, look.options)
    if structure is None or axes is None or given is None or look.prompt.start != 0:
        return None
    places, poses = given
    moved = pose_change(look.path(structure), look.quantity.at or look.prompt.end)
    return places[nearest_pose(axes @ poses @ invert(axes), moved, look.unit(structure))]


def _relation(look: _Look) -> int | None:
    structure = look.structure
    if structure is None or look.quantity.other is None:
        return None
    things = find_things(look.clip, structure, [look.quantity.who, look.quantity.other])
    return None if things is None else best_word(structure, look.frame, things[0], things[1], look.options)


def _nearest_of_five(look: _Look) -> int | None:
    structure = look.structure
    return None if structure is None else nearest_thing(look.clip, structure, look.frame, look.options)


def _box(look: _Look) -> int | None:
    if look.view is None:
        return None
    moment = float(np.interp(look.quantity.at or 0.0, look.times, np.arange(len(look.times))))
    before = min(int(moment), len(look.times) - 2) if len(look.times) > 1 else 0
    after = moment - before
    frames = [(look.clip.frames[before], 1 - after)] if after < 1 else []
    frames += [(look.clip.frames[before + 1], after)] if after > 0 else []
    return best_box(frames, look.quantity.who, look.view, look.options, look.prompt.stem)


def _size(look: _Look) -> int | None:
    structure = look.structure
    if structure is None or (unit := look.unit(structure)) is None:
        return None
    thing = find_thing(look.clip, structure, look.quantity.who)
    measured = None if thing is None else size_of(structure, thing, look.quantity.kind)
    return None if measured is None else _nearest(look.values(), unit * measured)


def _distance(look: _Look) -> int | None:
    structure = look.structure
    if structure is None or (unit := look.unit(structure)) is None:
        return None
    phrases: Sequence[str] = [one for one in (look.quantity.who, look.quantity.other) if one]
    things = find_things(look.clip, structure, phrases)
    if things is None:
        return None
    sizes = [size_of(structure, thing, "diameter") for thing in things]
    measured = distance_of(look.clip, structure, look.frame, look.quantity.kind, phrases, sizes)
    return None if measured is None else _nearest(look.values(), unit * measured)


_ANSWERS: dict[str, Callable[[_Look], int | None]] = {
    **dict.fromkeys(MOTIONS, _motion),
    **dict.fromkeys(SIZES, _size),
    **dict.fromkeys(DISTANCES, _distance),
    "turn": _turn,
    "pose": _pose,
    "relation": _relation,
    "nearest": _nearest_of_five,
    "box": _box,
}
