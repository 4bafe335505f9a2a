"""Preparation of a procedure for writing questions: usable diagrams, and the video segments of each step."""

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from chronotope.families import WriteContext
from chronotope.families.ikea.options import BuildOptions
from chronotope.families.ikea.refusal import Code
from chronotope.families.ikea.write.ids import Draws, question_id
from chronotope.families.ikea.write.look import Look, alike, look
from chronotope.question import MediaItem
from chronotope.recording.procedure import Mistake, Procedure, Segment, Step, Take


@dataclass(frozen=True)
class Diagram:
    """The diagram of a step, and its defects.

    ``path`` is the path inside the benchmark. ``twins`` are the other steps of the manual with nearly the same drawing.
    ``foreign`` is true if a better copy of the manual has a different drawing for this step.
    """

    path: str
    blank: bool
    twins: frozenset[int]
    foreign: bool


@dataclass(frozen=True)
class Showing:
    """A segment of a video that shows a step.

    ``clip`` is the path of the video inside the benchmark. ``start`` and ``end`` are in s. ``name`` is the id of the
    take, with a number if the take shows the step several times.
    """

    step: int
    take: str
    name: str
    clip: str
    start: float
    end: float

    def media(self, role: str, label: str | None = None) -> MediaItem:
        """Return the media item that shows this segment."""
        return MediaItem(role, "video", (self.clip,), label, self.start, self.end)


@dataclass(frozen=True)
class Manual:
    """A procedure with everything that the writers of all tasks need.

    - ``key`` is the name of the product, by which questions are clustered.
    - ``diagrams`` maps steps to diagrams, in ascending order of the steps.
    - ``showings`` maps each step to its video segments, in the order of the source.
    - ``unseen`` is the number of segments that cannot be shown because they have no clip or no length.
    - ``slips`` are the takes with a mistake: the mistake, and the take's segments in the order of the video.
    """

    procedure: Procedure
    key: str
    draws: Draws
    options: BuildOptions
    diagrams: Mapping[int, Diagram]
    showings: Mapping[int, tuple[Showing, ...]]
    unseen: int
    slips: tuple[tuple[Mistake, tuple[Showing, ...]], ...] = ()

    @property
    def strict(self) -> bool:
        """Check whether the known defects are repaired: the profile is not ``paper``."""
        return self.draws.profile != "paper"

    @cached_property
    def numbers(self) -> tuple[int, ...]:
        """Return the numbers of all steps, in ascending order."""
        return tuple(step.number for step in self.procedure.steps)

    @cached_property
    def usable(self) -> tuple[int, ...]:
        """Return the steps whose diagrams can be used, in ascending order."""
        return tuple(number for number in self.diagrams if self.fault(number) is None)

    @cached_property
    def askable(self) -> tuple[int, ...]:
        """Return the steps that have a usable diagram and a video segment."""
        return tuple(number for number in self.usable if self.showings.get(number))

    @cached_property
    def stretches(self) -> tuple[Showing, ...]:
        """Return all video segments in the order of their steps.

        The segments of one step have the order of the source.
        """
        return tuple(showing for number in self.numbers for showing in self.showings.get(number, ()))

    def name(self, tag: str, *fields: str | int) -> str:
        """Return the id of a question about this manual (see ``question_id``)."""
        return question_id(tag, self.key, *fields, self.procedure.id)

    def fault(self, number: int) -> Code | None:
        """Return the reason why a step's diagram cannot be used, or None.

        With the profile ``paper``, every diagram can be used.
        """
        diagram = self.diagrams.get(number)
        if diagram is None:
            return Code.NO_DIAGRAM
        if self.strict and diagram.blank:
            return Code.BLANK_DIAGRAM
        return Code.DUPLICATE_DIAGRAM if self.strict and diagram.twins else None


def manual_of(procedure: Procedure, context: WriteContext) -> Manual:
    """Prepare a procedure: read its diagrams, and sort its video segments.

    Takes with a mistake are left out: only the tasks about mistakes use them.
    """
    strict = context.profile != "paper"
    showings: dict[int, list[Showing]] = {}
    unseen = 0
    for take in (one for one in procedure.takes if one.mistake is None):
        times = Counter[int]()  # number of segments of each step so far
        for segment in take.segments:
            if take.clip is None or segment.end <= segment.start:
                unseen += 1
            else:
                times[segment.step] += 1
                showing = showing_of(take, segment, context.media[take.clip], times[segment.step])
                showings.setdefault(segment.step, []).append(showing)
    return Manual(
        procedure,
        f"{procedure.category}/{procedure.product}" if strict else procedure.product,
        Draws(context.seed, context.profile),
        context.options,
        _diagrams(procedure, strict, context.media),
        {number: _in_order(procedure, number, of_step) for number, of_step in showings.items()},
        unseen,
        tuple(_slips(procedure, context.media)),
    )


def _slips(procedure: Procedure, media: Mapping[Path, str]) -> Iterator[tuple[Mistake, tuple[Showing, ...]]]:
    for take in procedure.takes:
        if take.mistake is not None and take.clip is not None:
            clip = media[take.clip]
            yield take.mistake, tuple(showing_of(take, segment, clip) for segment in take.segments)


def _in_order(procedure: Procedure, number: int, showings: list[Showing]) -> tuple[Showing, ...]:
    """Return a step's video segments in the order of the source."""
    listed = list(next((step.takes for step in procedure.steps if step.number == number), ()))
    ranked: list[tuple[int, Showing]] = []
    for one in showings:
        place = listed.index(one.take) if one.take in listed else len(listed)
        ranked.append((place, one))
        listed[place : place + 1] = [""]  # each entry of the list places only one segment of its take
    return tuple(one for _, one in sorted(ranked, key=lambda both: both[0]))


def showing_of(take: Take, segment: Segment, clip: str, time: int = 1) -> Showing:
    """Return how a take shows a step for the n-th ``time``; ``clip`` is its path inside the benchmark."""
    name = take.id if time == 1 else f"{take.id}#{time}"
    return Showing(segment.step, take.id, name, clip, segment.start, segment.end)


def _diagrams(procedure: Procedure, strict: bool, media: Mapping[Path, str]) -> dict[int, Diagram]:
    paths = {step.number: path for step in procedure.steps if (path := _picture(step, strict)) is not None}
    looks = {number: look(path) for number, path in paths.items()}
    return {
        number: Diagram(
            media[path],
            looks[number].blank,
            frozenset(n for n in looks if n != number and alike(looks[n], looks[number])),
            not strict and _is_foreign(procedure.step(number), looks[number]),
        )
        for number, path in sorted(paths.items())
    }


def _picture(step: Step, strict: bool) -> Path | None:
    return step.diagram if strict else step.published_diagram


def _is_foreign(step: Step, published: Look) -> bool:
    """Check whether the published diagram differs from the best copy."""
    if step.diagram is None or step.diagram == step.published_diagram or published.blank:
        return False
    return not alike(look(step.diagram), published)
