"""Ego-centric orientation: the change of the camera's azimuth."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import degrees

import numpy as np

from chronotope.families import Profile
from chronotope.families.sti.measure.motion import turn
from chronotope.families.sti.refusal import Code
from chronotope.families.sti.scale import NEARLY_THE_SAME, SCALES
from chronotope.families.sti.write.camera.text import STEMS, turn_text
from chronotope.families.sti.write.published import published_turns
from chronotope.families.sti.write.worlds import LEAST_TURN, Worlds, fits_ladder
from chronotope.question import Reason, Refused, angle_text
from chronotope.scene import Camera, Candidate, Item, Place, draw_windows, reveals

WINDOWS_EACH = 4  # number of windows to try for each requested window


@dataclass(frozen=True)
class OrientationVariant:
    """The change of the horizontal viewing direction in degrees, positive to the left."""

    worlds: Worlds | None = None
    name: str = "orientation-change"
    task: str = "Ego-Centric Orientation"

    def places(self, generator: np.random.Generator, camera: Camera, count: int) -> list[Place]:
        """Return windows, beginning with the whole clip.

        With the profile ``strict``, the number of windows with a turn of the true world's size does not depend on the
        rank of this size among the five options. Otherwise, large turns would be right more often: a clip has more
        windows with a turn near 80° than near 10°.
        """
        if self.worlds is None:
            return draw_windows(generator, camera.end, count, whole=True)
        # Many windows are needed, because few windows have a turn whose options fit the ladder of angles.
        windows = draw_windows(generator, camera.end, WINDOWS_EACH * count, whole=True)
        sizes, rank = self.worlds.sizes_of_turn()
        if len(sizes) == 0:
            return windows
        changes = [self._change(camera, window) for window in windows]
        fitting = [self._distinct(camera, windows, changes, sizes, which) for which in range(len(sizes))]
        measured = zip(windows, changes, strict=True)
        unfit = [window for window, change in measured if change is None or self.worlds.turned(change) is None]
        return [*fitting[rank][: min(map(len, fitting))], *unfit]

    def _change(self, camera: Camera, window: Place) -> float | None:
        """Return the change in degrees.

        The result is None if the change cannot be asked about.
        """
        try:
            return self.measure(camera, window, "strict")
        except Refused:
            return None

    def _distinct(
        self, camera: Camera, windows: Sequence[Place], changes: Sequence[float | None], sizes: np.ndarray, rank: int
    ) -> list[Place]:
        """Return the windows whose turn has the size of ``rank``.

        The turns in these windows are nearly as large as ``sizes[rank]`` (degrees), and no turn reveals another.
        """
        found: list[tuple[Place, float]] = []
        for window, change in zip(windows, changes, strict=True):
            if change is None or not fits_ladder(sizes * abs(change) / sizes[rank], sizes):
                continue
            told = frozenset().union(*(place.tells for place, _ in found))
            if not reveals(window.tells, told, NEARLY_THE_SAME) and not any(
                self.alike(camera, change, other) for _, other in found
            ):
                found.append((window, change))
        return [window for window, _ in found]

    def measure(self, camera: Camera, place: Place, profile: Profile) -> float:
        """Return the change in degrees, in (-180, 180], or raise Refused.

        Small turns are far more common than large turns, so the option closest to zero would be the best guess.
        Therefore, with the profile ``strict``, no question and no option has a turn below 10°.
        """
        camera.require_forward()
        change = degrees(turn(camera.track, camera.up(), place.start, place.end))
        if profile != "paper" and abs(change) < LEAST_TURN:
            raise Refused(Code.SMALL_TURN)
        return change

    def alike(self, camera: Camera, first: float, second: float) -> bool:
        """Check whether two answers are nearly the same.

        Two answers are nearly the same if their difference is below a tenth of the smallest turn in questions.
        """
        return abs((first - second + 180) % 360 - 180) < LEAST_TURN / 20

    def item(
        self, generator: np.random.Generator, camera: Camera, profile: Profile, candidates: Sequence[Candidate]
    ) -> Item:
        """Return the item of the first candidate with valid options.

        With the profile ``strict``, the options are the turn in the clip's five worlds.

        Raises:
            Refused: If no candidate has valid options.
        """
        if self.worlds is None:
            printed = round(candidates[0].value, SCALES[camera.kind].turn_decimals)
            return self._item(camera, candidates[0], published_turns(printed))
        for candidate in candidates:
            turned = self.worlds.turned(candidate.value)
            if turned is not None and self.worlds.angle is not None:
                tags = {"quantity": ("turns",), "spacing": (angle_text(self.worlds.angle),)}
                return replace(self._item(camera, candidate, turned), tags=tags)
        raise Refused(Reason.NO_DISTRACTORS)

    def _item(self, camera: Camera, candidate: Candidate, values: np.ndarray) -> Item:
        """Make an item from ``values`` (5,) in degrees; the first is correct."""
        texts = tuple(turn_text(float(value), SCALES[camera.kind]) for value in values)
        facts = {"value": candidate.value, "unit": "°"}
        return Item(candidate.place, STEMS[self.name], texts, 0, facts)
