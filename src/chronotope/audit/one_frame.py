"""What one frame shows: which option it suggests, and whether the named things are in it."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from chronotope.audit.facts import FRAMES, by_frames, default_words, planned_frames
from chronotope.audit.findings import FALSE_ALARMS, Finding, Scope, holm, needed_for
from chronotope.audit.trials import FEWEST, Asked, guessed, scopes_of
from chronotope.audit.wording import finding, say, say_none, say_undecided, unmade
from chronotope.evaluate.score.statistics import FEWEST_CLUSTERS
from chronotope.protocol import MediaFacts
from chronotope.question import Benchmark, Question
from chronotope.recording import Entity, Recording
from chronotope.scene import picture_size, shown_of

ASKED = 0.95  # a rule that is right in this part of the questions about moments is what they ask
RULES = ("frame:largest", "frame:smallest", "frame:nearest")


@dataclass
class OneFrame:
    """What recordings tell about questions: what one frame shows of their options, and frames that show named things.

    The one frame is that of the moment asked about, or in the middle of the time; of several videos, that of each.
    ``pixels`` and ``away`` have, by the place of a question, what this frame shows of each option: its pixels, NaN if
    they are unknown, and its distance (m) from the camera, infinite if the option is not a thing. ``seen`` has, for 1,
    8, 16 and 32 frames, and for 0, which stands for the default number, by the id of a question, whether each thing
    that it names is in one of them. ``default`` has the numbers of frames that a run shows by default.
    """

    asked: Asked
    pixels: dict[int, np.ndarray] = field(default_factory=dict[int, np.ndarray])
    away: dict[int, np.ndarray] = field(default_factory=dict[int, np.ndarray])
    seen: dict[int, dict[str, dict[str, bool]]] = field(default_factory=dict[int, dict[str, dict[str, bool]]])
    default: set[int] = field(default_factory=set[int])

    def look(self, recording: Recording, places: Sequence[int], benchmark: Benchmark, facts: MediaFacts | None) -> None:
        """Look at the questions about one recording."""
        entities = {one.id: one for one in recording.entities}
        size = picture_size(recording)
        shown = {name: shown_of(one, recording, size) for name, one in entities.items()}
        for place in places:
            question = self.asked.questions[place]
            middle = _one_frame(question, recording)
            self._measure(place, [entities.get(name or "") for name in _offered(question)], recording, middle)
            named = _named(question)
            if not named & shown.keys():
                continue
            for count, frames in ((1, np.array([middle])), *_frames(benchmark, question, recording, facts)):
                if not count:
                    self.default.add(len(frames))
                seen = self.seen.setdefault(count, {}).setdefault(question.id, {})
                for name in named & shown.keys():
                    seen[name] = seen.get(name, False) or bool(shown[name][frames].any())

    def _measure(self, place: int, things: Sequence[Entity | None], recording: Recording, frame: int) -> None:
        """Measure the options of a question in a frame."""
        eye = recording.world_T_camera[frame, :3, 3]
        pixels, away = np.full(len(things), np.nan), np.full(len(things), np.inf)
        for number, thing in enumerate(things):
            if thing is not None and thing.visible_pixels is not None:
                pixels[number] = thing.visible_pixels[frame]
            pose = None if thing is None else thing.pose_at(frame)
            if pose is not None:
                away[number] = np.linalg.norm(pose[:3, 3] - eye)
        self.pixels[place] = np.fmax(self.pixels.get(place, pixels), pixels)
        self.away[place] = np.fmin(self.away.get(place, away), away)

    def _chosen(self, rule: str, place: int) -> Sequence[int] | None:
        """Choose the options that a rule prefers; None if too few options are things whose picture is known."""
        pixels = self.pixels.get(place)
        if pixels is None or np.isfinite(pixels).sum() < max(2, len(pixels) - 1):
            return None  # one option may say that no other is right
        values = {"frame:largest": -pixels, "frame:smallest": np.where(pixels > 0, pixels, np.inf)}.get(rule)
        values = self.away[place] if values is None else values
        best = np.nanmin(values)
        return np.flatnonzero(values == best).tolist() if np.isfinite(best) else None

    def findings(self, cluster: str) -> tuple[Finding, Finding]:
        """State what one frame tells, and which questions name things that the shown frames leave out.

        ``cluster`` is the word for a cluster.
        """
        return self._guessed(cluster), self._left_out()

    def _guessed(self, cluster: str) -> Finding:
        tests: list[list[Scope]] = []
        most = about = 0
        for rule in RULES:
            guess = guessed(self.asked, [self._chosen(rule, place) for place in range(len(self.asked.questions))])
            clusters = len(set(self.asked.cluster[guess.told].tolist()))
            most, about = max((most, about), (int(guess.told.sum()), clusters))
            tests.append(scopes_of(self.asked, guess))
        # In one scene, questions have the same things as options, so that only several scenes tell a cue from chance.
        enough = [[scope for scope in found if scope.clusters >= FEWEST_CLUSTERS] for found in tests]
        scopes = [(rule, one) for rule, found in zip(RULES, holm(enough), strict=True) for one in found]
        if not scopes:
            return unmade("frame", most, about, len(self.asked.questions), (FEWEST, FEWEST_CLUSTERS), cluster)
        told = tuple(replace(scope, name=f"{rule} / {scope.name}") for rule, scope in scopes)
        alarming = [scope for scope in told if scope.significant]
        if alarming:
            return self._found(told, alarming)
        clusters = len(set(self.asked.cluster.tolist()))
        needed = needed_for(told, len(self.asked.questions), clusters, len(told))
        if needed is None:
            return finding("frame", "pass", say_none(told), scopes=told, false_alarms=FALSE_ALARMS)
        found = finding("frame", "undecided", "", scopes=told, needed=needed, false_alarms=FALSE_ALARMS)
        return replace(found, said=say_undecided(found, clusters, cluster, len(told), len(self.asked.questions)))

    def _found(self, told: tuple[Scope, ...], alarming: Sequence[Scope]) -> Finding:
        """State the significant tests, which can be just what questions about a moment ask for."""
        follow = tuple(dict.fromkeys(self._right(alarming)))
        known = {one.id: one for one in self.asked.questions}
        moments = sum(_moment(known[name]) is not None for name in follow)
        said = say("frame", alarming)
        if moments == len(follow) and max(one.value for one in alarming) >= ASKED:
            said = f"One frame is enough, by design: these questions ask about one moment. {said}"
            return finding("frame", "pass", said, scopes=told, false_alarms=FALSE_ALARMS)
        items = tuple(dict.fromkeys(self._right([scope for scope in alarming if scope.excess > 0])))
        moments = sum(_moment(known[name]) is not None for name in items)
        if moments:
            said += f" {moments:,} of the {len(items):,} questions that it answers correctly ask about one moment."
        return finding("frame", "slight", said, scopes=told, items=items, false_alarms=FALSE_ALARMS)

    def _right(self, alarming: Sequence[Scope]) -> Iterator[str]:
        for scope in alarming:
            for place, one in enumerate(self.asked.questions):
                chosen = self._chosen(scope.rule, place)
                if chosen is None or scope.task not in ("all", one.task):
                    continue
                if (set(chosen) <= set(one.answer)) == (scope.excess > 0):
                    yield one.id

    def _left_out(self) -> Finding:
        if not self.seen:
            said = "No question names a thing of a recording, which would tell in which frames the thing is seen."
            return finding("seen", "not tested", said)
        left = {count: [name for name, of in seen.items() if not all(of.values())] for count, seen in self.seen.items()}
        asked = len(self.seen[1])
        named = f"{asked:,} question{' names' if asked == 1 else 's name'} things (those given for scale do not count)."
        middle = "only the middle frame"
        if 0 not in left:
            said = f"{named} {asked - len(left[1]):,} have them all in the middle frame; other frames are unknown."
            return finding("seen", "pass", said)
        missed = {default_words(self.default): left[0]}
        missed |= {f"{count} frames": left[count] for count in FRAMES if count in left and self.default != {count}}
        every, not_all = "each of these things is shown, for each question", "Not all of these things are shown for"
        return by_frames("seen", named, missed | {middle: left[1]}, (every, not_all, "those questions"))


def _moment(question: Question) -> float | None:
    """Return the moment (s) that a question asks about, if it asks about one."""
    at = question.provenance.get("at")
    return float(at) if isinstance(at, int | float) else None


def _one_frame(question: Question, recording: Recording) -> int:
    """Return the frame of the moment of a question, or else in the middle of its time."""
    times = recording.times
    window, at = question.window, _moment(question)
    if at is None:
        at = (times[0] + times[-1]) / 2 if window is None else (window.start + window.end) / 2
    return int(np.abs(times - at).argmin())


def _offered(question: Question) -> list[str | None]:
    """Return the thing that each option names; None if it names none."""
    things: Mapping[str | None, str] = {one.phrase: one.entity for one in question.mentions if one.role == "option"}
    return [things.get(option.text) for option in question.options]


def _named(question: Question) -> set[str]:
    """Return the things that a question is about: those of its stem, those asked about, and its answer."""
    offered = _offered(question)
    named = {one.entity for one in question.mentions if one.role in ("stem", "asked")}
    return named | {name for place in question.answer if (name := offered[place]) is not None}


def _frames(
    benchmark: Benchmark, question: Question, recording: Recording, facts: MediaFacts | None
) -> Iterator[tuple[int, np.ndarray]]:
    """Yield numbers of frames (0: the default), with the frames of the recording that the protocol then shows."""
    if facts is None or not question.media:
        return
    for count in (None, *FRAMES):
        for plan in planned_frames(benchmark.card.family, question, count, facts) or ():
            if recording.clip is not None and plan.clip == recording.clip.sha256 and len(plan.times):
                yield count or 0, np.abs(recording.times[:, None] - np.asarray(plan.times)).argmin(axis=0)
