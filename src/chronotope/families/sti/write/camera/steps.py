"""Questions about a camera that moves in equal steps and turns, as a simulated agent does.

All answers are whole numbers of steps, so all options are whole numbers of steps, too. The windows begin and end at
samples with a printed time.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import degrees

import numpy as np

from chronotope.families import Profile
from chronotope.families.sti.measure import motion
from chronotope.families.sti.refusal import Code
from chronotope.families.sti.scale import SCALES, STEPPED
from chronotope.families.sti.write.camera.text import STEMS, turn_text
from chronotope.families.sti.write.scalar import quantity_text
from chronotope.question import Reason, Refused, angle_text
from chronotope.scene import TICK, Camera, Candidate, Item, Place, QuestionKind, Steps, draw_windows, steps_of

OFFERED = 5
MOST_APART = 4  # steps between neighbouring options
LARGEST_TURN = 160.0  # degrees
WINDOWS_EACH = 6  # number of windows to try for each requested window
_ON_TIME = 1e-6  # s


def step_variants(camera: Camera) -> list[QuestionKind[Camera]]:
    """Return the kinds of question about a camera that moves in steps."""
    steps = steps_of(camera.recording)
    assert steps is not None, "the camera moves in steps"
    return [StepWay("path-length", steps), StepWay("average-speed", steps), StepTurn(steps)]


def _windows(generator: np.random.Generator, camera: Camera, count: int) -> list[Place]:
    """Return windows whose ends are samples with a printed time."""
    times = camera.recording.times
    printed = times[np.abs(times / TICK - np.rint(times / TICK)) * TICK < _ON_TIME]
    found: list[Place] = []
    for place in draw_windows(generator, camera.end, WINDOWS_EACH * count, whole=False):
        start, end = (float(printed[np.argmin(np.abs(printed - time))]) for time in (place.start, place.end))
        if end > start:
            who = ("window", str(round(start / TICK)), str(round(end / TICK)))
            found.append(Place(round(start, 1), round(end, 1), None, (), frozenset({who})))
    return list(dict.fromkeys(found))[: 2 * count]


def _whole(value: float, step: float) -> int:
    """Return the number of steps in a value.

    Raises:
        Refused: If ``value`` is not a whole number of steps.
    """
    number = round(value / step)
    if abs(value - number * step) > step / 50:
        raise Refused(Code.PATH_UNSTABLE)
    return number


@dataclass(frozen=True)
class StepWay:
    """The length of the camera's path, or its average speed."""

    name: str
    steps: Steps

    @property
    def task(self) -> str:
        """Return the paper's task."""
        return "Displacement & Path Length" if self.name == "path-length" else "Speed & Acceleration"

    def places(self, generator: np.random.Generator, camera: Camera, count: int) -> list[Place]:
        """Return windows of whole steps."""
        return _windows(generator, camera, count)

    def measure(self, camera: Camera, place: Place, profile: Profile) -> int:
        """Return the number of steps, or raise Refused."""
        number = _whole(motion.path(camera.track, place.start, place.end), self.steps.length)
        if number < 1:
            raise Refused(Reason.STATIONARY)
        return number

    def alike(self, camera: Camera, first: int, second: int) -> bool:
        """Check whether two answers are the same number of steps."""
        return first == second

    def item(
        self, generator: np.random.Generator, camera: Camera, profile: Profile, candidates: Sequence[Candidate]
    ) -> Item:
        """Return the item of the first candidate that keeps its options.

        The five numbers of steps have equal distances. A reader knows how fast agents usually move. Therefore a set is
        kept with a probability that makes all five numbers equally likely for this reader.

        Raises:
            Refused: If no candidate keeps its options.
        """
        for candidate in candidates:
            apart, rank = int(generator.integers(1, MOST_APART + 1)), int(generator.integers(OFFERED))
            numbers = candidate.value + apart * (np.arange(OFFERED) - rank)
            if numbers.min() < 1:
                continue
            seconds = candidate.place.end - candidate.place.start
            speed = candidate.value * self.steps.length / seconds
            likely = STEPPED.likelihood(speed, numbers / candidate.value)
            if generator.random() < likely.min() / likely[rank]:
                return self._item(camera, candidate, numbers, rank, seconds)
        raise Refused(Reason.NO_DISTRACTORS)

    def _item(self, camera: Camera, candidate: Candidate, numbers: np.ndarray, rank: int, seconds: float) -> Item:
        unit, over = ("m", 1.0) if self.name == "path-length" else ("m/s", seconds)
        values = numbers * self.steps.length / over
        printed = SCALES[camera.kind].along_the_way(unit)
        printed = printed.fine_enough(float(values.min()), float(values.max() / values[-2]))
        texts = tuple(quantity_text(float(value), printed) for value in values)
        facts = {"value": float(values[rank]), "unit": unit, "step": self.steps.length}
        return Item(candidate.place, STEMS[self.name], texts, rank, facts)


@dataclass(frozen=True)
class StepTurn:
    """The change of the horizontal viewing direction in degrees, positive to the left."""

    steps: Steps
    name: str = "orientation-change"
    task: str = "Ego-Centric Orientation"

    def places(self, generator: np.random.Generator, camera: Camera, count: int) -> list[Place]:
        """Return windows of whole steps."""
        return _windows(generator, camera, 2 * count)

    def measure(self, camera: Camera, place: Place, profile: Profile) -> int:
        """Return the number of turns to the left.

        The number is negative for turns to the right. If a turn is unclear, Refused is raised.
        """
        number = _whole(motion.turn(camera.track, camera.up(), place.start, place.end), self.steps.turn)
        if number == 0:
            raise Refused(Code.SMALL_TURN)
        return number

    def alike(self, camera: Camera, first: int, second: int) -> bool:
        """Return False.

        A turn does not reveal the turn in another window.
        """
        return False

    def item(
        self, generator: np.random.Generator, camera: Camera, profile: Profile, candidates: Sequence[Candidate]
    ) -> Item:
        """Return the item of the first candidate with the drawn turn.

        The side, the five options and the correct one are drawn before the window. Every option must be the turn in
        some window.

        Raises:
            Refused: If an option is the turn in no window (ANSWER_NOT_FOUND), or if five options do not fit into half
                a turn.
        """
        most = int(LARGEST_TURN / degrees(self.steps.turn) + 1e-6)
        if most < OFFERED:
            raise Refused(Reason.NO_DISTRACTORS)
        side = 1 if generator.random() < 0.5 else -1
        numbers = side * (int(generator.integers(1, most - OFFERED + 2)) + np.arange(OFFERED))
        rank = int(generator.integers(OFFERED))
        fitting = [
            next((candidate for candidate in candidates if candidate.value == number), None)
            for number in numbers.tolist()
        ]
        chosen = fitting[rank]
        if chosen is None or None in fitting:
            raise Refused(Code.ANSWER_NOT_FOUND)
        angle = degrees(self.steps.turn)
        texts = tuple(turn_text(float(number * angle), SCALES[camera.kind]) for number in numbers)
        facts = {"value": float(numbers[rank] * angle), "unit": "°", "step": angle}
        tags = {"quantity": ("turns",), "spacing": (angle_text(round(angle, 2)),)}
        return Item(chosen.place, STEMS[self.name], texts, rank, facts, tags)
