"""Natural names of things, written by a language model and checked with pictures.

The family's code gives each thing a correct phrase, such as "the larger of the two red mugs". A model may propose a
more natural phrase. The proposed phrase is used only if three conditions are satisfied:

- The phrase is well formed.
- The phrase differs from all other phrases of the recording.
- The model itself can identify the thing by the phrase. The model sees frames with numbered boxes, and must return the
  correct number in five attempts with different numbering. In a sixth attempt the thing is hidden, and the model must
  return no number.

Values, options and answers never change.
"""

import asyncio
from collections import defaultdict
from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from PIL import Image, ImageDraw, ImageFont
from pydantic import BaseModel, Field

from chronotope.ledger import Ledger, bytes_of_line
from chronotope.media import Encoded, decode_frames, encode_picture
from chronotope.models import Calls, ModelSpec, Stage, StructuredJob, do_all, reasons_of, unanswered
from chronotope.question import Question, item_generator
from chronotope.recording import Recording
from chronotope.scene import Rectangle, drop_shared, phrase_fault, rectangle, states_a_number, with_phrases

SHUFFLES = 5
ATTEMPTS = 2  # phrases that the model may propose for a thing
CALLS = (
    1 + SHUFFLES + 1
)  # for each phrase: it is written, and found again with other numbers, and with the thing hidden
FRAMES = 2
MOST_CANDIDATES = 12

WRITE = Stage(
    "write",
    "You name things in a video so that a person knows at once which one is meant. You get frames with one thing in a "
    "red frame, a phrase that fits it and nothing else there, and the other things' phrases. Say it as a person "
    "would: a noun phrase of 4 to 15 words that begins with 'the', with what can be seen of its colour and kind, and "
    "with what it stands on or beside where that is needed. No numbers, no left or right, nothing that is not seen.",
)
VALIDATE = Stage(
    "validate",
    "You get frames of a video in which things are framed and numbered; a number stands for the same thing in all of "
    "them. Give the numbers of all things that the phrase fits: none where it fits none.",
)


class Wording(BaseModel):
    """What a thing is called."""

    phrase: str = Field(description="the noun phrase, beginning with 'the'")


class Matches(BaseModel):
    """Which numbered things a phrase fits."""

    numbers: list[int] = Field(description="the numbers, ascending; empty where nothing fits")


@dataclass(frozen=True)
class Reworded:
    """The questions with the accepted phrases, and the numbers of accepted and tried phrases.

    ``unread`` counts the calls without a readable reply, with the reasons, in words. It is empty if there are none.
    """

    questions: tuple[Question, ...]
    accepted: int
    tried: int
    unread: str = ""


@dataclass(frozen=True, eq=False)
class _Shown:
    """RGB frames of a clip, and the box of each thing in each frame.

    A box is (x0, y0, x1, y1) in px.
    """

    pictures: list[np.ndarray]
    places: list[dict[str, Rectangle]]


def reword(
    questions: Sequence[Question],
    recordings: dict[str, tuple[Recording, Path | None]],
    writer: ModelSpec,
    calls: Calls,
    ledger: Path,
    advance: Callable[[int, int, str], None] | None = None,
) -> Reworded:
    """Let a model find natural phrases for the things in questions.

    ``recordings`` maps the id of each recording to the recording and the path of its clip. Things in a recording
    without a clip keep their phrases. Calls are stored in ``ledger``; a stored call is not repeated. ``advance`` is
    called with the number of finished things, the number of all things, and a message.

    Raises:
        OverBudgetError: If the next call could exceed the limit on the cost.
        UnansweredError: If no call has a reply.
        InputError: If the model's service refuses the calls.
    """
    wanted = _phrases_of(questions)
    todo = _things_of(wanted, {name for name, (_, clip) in recordings.items() if clip is not None})
    done = 0

    def tell(label: str) -> None:
        if advance is not None:
            advance(done, len(todo), label)

    def finished(count: int, place: int) -> None:
        nonlocal done
        done = count
        tell(": ".join(todo[place]))

    with Ledger.open(ledger) as opened:
        job = StructuredJob(writer, [WRITE, VALIDATE], opened, calls)
        works: list[Callable[[], Awaitable[str | None]]] = []
        for name, thing in todo:
            recording, clip = recordings[name]
            assert clip is not None
            works.append(_Thing(job, recording, clip, thing, wanted[name]).phrase)
        room = bytes_of_line(pictures=FRAMES) * calls.concurrency
        phrases = job.run(lambda: do_all(works, calls.concurrency, finished), room, look=tell)
        if not opened.replied:
            job.require_answers()
        unread = unanswered(ledger, job.unread)
    new = {key: phrase for key, phrase in zip(todo, phrases, strict=True) if phrase is not None}
    drop_shared(new, wanted)
    told = f"calls without a readable reply: {len(unread)} ({reasons_of(unread)})" if unread else ""
    return Reworded(tuple(with_phrases(one, new, writer.name) for one in questions), len(new), len(todo), told)


def count_things(questions: Sequence[Question], with_clip: Collection[str]) -> int:
    """Count the things for which `reword` would ask; ``with_clip`` are the recordings that have a clip."""
    return len(_things_of(_phrases_of(questions), with_clip))


def _phrases_of(questions: Sequence[Question]) -> dict[str, dict[str, str]]:
    """Return the phrases of things by recording."""
    wanted: dict[str, dict[str, str]] = defaultdict(dict)
    for question in questions:
        if phrases := question.phrases():
            wanted[question.recordings[0]].update(phrases)
    return wanted


def _things_of(wanted: Mapping[str, Mapping[str, str]], with_clip: Collection[str]) -> list[tuple[str, str]]:
    """Return the recording and the id of each thing that can have another phrase."""
    return [
        (name, thing)
        for name, phrases in sorted(wanted.items())
        if name in with_clip
        for thing, phrase in sorted(phrases.items())
        if not states_a_number(phrase)
    ]


@dataclass
class _Thing:
    """One thing in a recording for which the model finds a phrase."""

    job: StructuredJob
    recording: Recording
    clip: Path
    thing: str
    phrases: dict[str, str]

    async def phrase(self) -> str | None:
        """Return the model's phrase, or None if the present phrase stays."""
        shown = await asyncio.to_thread(_show, self.recording, self.clip, self.thing)
        if shown is None:
            return None
        reason = ""
        for attempt in range(ATTEMPTS):
            said = await self.job.ask(WRITE, self._name("write", attempt), self._request(shown, reason), Wording)
            if said is None:
                return None
            phrase = " ".join(said.phrase.split()).rstrip(".")
            fault = self._fault(phrase) or await self._not_found_again(phrase, shown, attempt)
            if fault is None:
                return phrase
            reason = f"'{phrase}' will not do: {fault}. Find another."
        return None

    def _name(self, *parts: object) -> str:
        return "--".join(map(str, (self.recording.id, self.thing, *parts)))

    def _request(self, shown: _Shown, reason: str) -> list[str | Encoded]:
        frames = [
            encode_picture(_framed(picture, {"": places[self.thing]}))
            for picture, places in zip(shown.pictures, shown.places, strict=True)
        ]
        others = "; ".join(phrase for thing, phrase in sorted(self.phrases.items()) if thing != self.thing)
        told = f"The thing in the red frame is {self.phrases[self.thing]}. Other things: {others or 'none'}. {reason}"
        return [*frames, told.strip()]

    def _fault(self, phrase: str) -> str | None:
        return phrase_fault(phrase, (other for thing, other in self.phrases.items() if thing != self.thing))

    async def _not_found_again(self, phrase: str, shown: _Shown, attempt: int) -> str | None:
        """Explain why the model does not identify the thing, or return None.

        The model sees numbered boxes in five attempts, with other numbers in each attempt. In the sixth attempt the
        thing is hidden, and the correct reply has no number.
        """
        seen = sorted({thing for places in shown.places for thing in places})
        for turn in range(SHUFFLES + 1):
            hidden = turn == SHUFFLES
            generator = item_generator(turn, "wording", self._name(phrase))
            order = [seen[int(index)] for index in generator.permutation(len(seen))]
            others = [thing for thing in order if thing != self.thing][: MOST_CANDIDATES - 1]
            listed = others if hidden else [thing for thing in order if thing in {*others, self.thing}]
            numbers = {thing: number for number, thing in enumerate(listed, 1)}
            parts: list[str | Encoded] = []
            for picture, places in zip(shown.pictures, shown.places, strict=True):
                boxes = {str(numbers[thing]): place for thing, place in places.items() if thing in numbers}
                parts.append(encode_picture(_framed(picture, boxes, places[self.thing] if hidden else None)))
            name = self._name("validate", attempt, turn)
            told = await self.job.ask(VALIDATE, name, [*parts, f"The phrase: {phrase}"], Matches)
            expected = [] if hidden else [numbers[self.thing]]
            if told is None or sorted(set(told.numbers)) != expected:
                return "with numbered things in view, it did not identify exactly this one"
        return None


def _show(recording: Recording, clip: Path, thing: str) -> _Shown | None:
    """Return the frames in which the thing is largest.

    The frames are at least one second apart. If the thing is never visible, the result is None.
    """
    entity = next(one for one in recording.entities if one.id == thing)
    if entity.visible is None or not entity.visible.any():
        return None
    seen = np.flatnonzero(entity.visible)
    size = np.ones(len(seen)) if entity.visible_pixels is None else entity.visible_pixels[seen]
    chosen: list[int] = []
    for index in seen[np.argsort(-size, kind="stable")]:
        if all(abs(recording.times[index] - recording.times[other]) >= 1 for other in chosen):
            chosen.append(int(index))
        if len(chosen) == FRAMES:
            break
    chosen.sort()
    pictures = [picture for _, picture in decode_frames(clip, chosen)]
    places = [
        {
            one.id: place
            for one in recording.entities
            if one.visible is not None
            and one.visible[index]
            and (place := rectangle(recording, one, index)) is not None
        }
        for index in chosen
    ]
    return _Shown(pictures, places) if all(thing in one for one in places) else None


def _framed(
    picture: np.ndarray,
    places: dict[str, Rectangle],
    covered: Rectangle | None = None,
) -> np.ndarray:
    """Draw a red rectangle with its label around each box in ``places``.

    ``places`` maps labels to boxes. If ``covered`` is given, this box is filled with grey to hide a thing.
    """
    image = Image.fromarray(picture)
    draw = ImageDraw.Draw(image)
    if covered is not None:
        draw.rectangle(covered, fill="grey")
    font = ImageFont.load_default(max(12, image.height // 24))
    for label, place in places.items():
        draw.rectangle(place, outline="red", width=max(2, image.height // 180))
        if label:
            corner = (max(place[0], 0.0) + 3, max(place[1], 0.0) + 2)
            draw.rectangle(draw.textbbox(corner, label, font=font), fill="white")
            draw.text(corner, label, fill="red", font=font)
    return np.asarray(image)
