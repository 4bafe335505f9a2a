"""Names of things in the words of a language model, where a check by pictures shows that they fit one thing only.

A phrase that a family's writer made ("the larger of the two red mugs") is already right. A model may say it more
naturally (STI-Bench specification, 7): its phrase replaces ours where it is well formed, like no other phrase of the
recording, and the model itself, shown numbered boxes, finds the thing again in every one of five shuffles, and finds
nothing where the thing is hidden. Else ours stays. Values, options and answers are never touched.
"""

import asyncio
import re
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image, ImageDraw, ImageFont
from pydantic import BaseModel, Field

from chronotope.geometry import Box, corners, invert, project_points, transform_points
from chronotope.interrupts import run_async
from chronotope.ledger import Ledger, bytes_of_line
from chronotope.media import Encoded, decode_frames, encode_picture
from chronotope.models import Credentials, Structured, open_structured, watched
from chronotope.question import Question, item_generator
from chronotope.recording import Entity, Recording

__all__ = ["Reworded", "reword"]

SHUFFLES = 5
FRAMES = 2
MOST_CANDIDATES = 12
AT_ONCE = 8  # things in work at a time
WORDS = (2, 15)
_NUMBER = re.compile(r"\d")
_SIDE = re.compile(r"\b(left|right)\b", re.IGNORECASE)

WRITING = (
    "You name things in a video so that a person knows at once which one is meant. You get frames with one thing in a "
    "red frame, a phrase that fits it and nothing else there, and the other things' phrases. Say it as a person "
    "would: a noun phrase of 4 to 15 words that begins with 'the', with what can be seen of its colour and kind, and "
    "with what it stands on or beside where that is needed. No numbers, no left or right, nothing that is not seen."
)
CHECKING = (
    "You get frames of a video in which things are framed and numbered; a number stands for the same thing in all of "
    "them. Give the numbers of all things that the phrase fits: none where it fits none."
)


class Wording(BaseModel):
    """What a thing is called."""

    phrase: str = Field(description="the noun phrase, beginning with 'the'")


class Matches(BaseModel):
    """Which numbered things a phrase fits."""

    numbers: list[int] = Field(description="the numbers, ascending; empty where nothing fits")


@dataclass(frozen=True)
class Reworded:
    """The questions with the phrases that passed, and how many of how many things have one."""

    questions: tuple[Question, ...]
    accepted: int
    tried: int


@dataclass(frozen=True, eq=False)
class _Shown:
    """Frames (RGB) of a clip, and the place (x0, y0, x1, y1) px of each thing that is seen in each of them."""

    pictures: list[np.ndarray]
    places: list[dict[str, tuple[float, float, float, float]]]


def reword(
    questions: Sequence[Question],
    recordings: dict[str, tuple[Recording, Path | None]],
    writer: str,
    base_url: str | None,
    ledger: Path,
    advance: Callable[[int, int, str], None] | None = None,
    credentials: Credentials | None = None,
) -> Reworded:
    """Ask the model called ``writer`` about every thing that a question names, and put its phrases in where they pass.

    ``recordings`` holds each recording with its clip; things of one without a clip keep their phrases. Every call is
    kept in ``ledger``, and none that is there is made again. Raises InputError where the service refuses.
    """
    with Ledger.open(ledger) as opened:
        asked = open_structured(writer, base_url, opened, credentials=credentials)
        with opened.keeping(bytes_of_line(pictures=FRAMES) * AT_ONCE):
            return run_async(_reword(questions, recordings, asked, advance))


async def _reword(
    questions: Sequence[Question],
    recordings: dict[str, tuple[Recording, Path | None]],
    writer: Structured,
    advance: Callable[[int, int, str], None] | None,
) -> Reworded:
    wanted: dict[str, dict[str, str]] = defaultdict(dict)
    for question in questions:
        wanted[question.provenance["recording"]].update(question.provenance.get("phrases", {}))
    todo = [
        (name, thing)
        for name, phrases in sorted(wanted.items())
        if recordings[name][1] is not None
        for thing, phrase in sorted(phrases.items())
        if not _NUMBER.search(phrase)  # one that states a time cannot be said without it
    ]
    gate, done, new = asyncio.Semaphore(AT_ONCE), 0, dict[tuple[str, str], str]()

    async def one(name: str, thing: str) -> None:
        nonlocal done
        async with gate:
            recording, clip = recordings[name]
            assert clip is not None
            phrase = await _Thing(writer, recording, clip, thing, wanted[name]).phrase()
        done += 1
        if phrase is not None:
            new[name, thing] = phrase
        if advance is not None:
            advance(done, len(todo), f"{name}: {thing}")

    def look() -> None:
        if advance is not None and (found := writer.trouble()) is not None:
            advance(done, len(todo), found.sentence)

    async with writer.connected(), watched(writer.trouble, None, look):
        await asyncio.gather(*(one(name, thing) for name, thing in todo))
    _drop_like(new, wanted)
    return Reworded(tuple(with_phrases(one, new, writer.name) for one in questions), len(new), len(todo))


def _drop_like(new: dict[tuple[str, str], str], wanted: dict[str, dict[str, str]]) -> None:
    """Take out phrases that two things of a recording share; which of them came first is chance."""
    said: dict[tuple[str, str], list[tuple[str, str]]] = defaultdict(list)
    for (name, thing), phrase in new.items():
        said[name, _normal(phrase)].append((name, thing))
    for name, phrases in wanted.items():
        for thing, phrase in phrases.items():
            if (name, thing) not in new:
                said[name, _normal(phrase)].append((name, thing))
    for users in said.values():
        if len(users) > 1:
            for user in users:
                new.pop(user, None)


def with_phrases(question: Question, new: Mapping[tuple[str, str], str], writer: str) -> Question:
    """The question with those of our phrases replaced that are in ``new``, by recording and thing.

    In the stem they are replaced where its writer put them (``named`` of the provenance: first and last character, and
    the thing), among the options where one is nothing but a phrase: the same words elsewhere mean something else.
    """
    recording, phrases = question.provenance["recording"], question.provenance.get("phrases", {})
    changed = {thing: new[recording, thing] for thing in phrases if (recording, thing) in new}
    if not changed:
        return question
    stem, named = _renamed(question.stem, question.provenance.get("named", []), phrases | changed)
    by_phrase = {phrases[thing]: phrase for thing, phrase in changed.items()}
    options = tuple(
        replace(one, text=by_phrase[one.text]) if one.text in by_phrase else one for one in question.options
    )
    provenance: dict[str, Any] = question.provenance | {"phrases": phrases | changed, "writer": writer}
    return replace(question, stem=stem, options=options, provenance=provenance | ({"named": named} if named else {}))


def _renamed(stem: str, named: Sequence[Sequence[Any]], said: dict[str, str]) -> tuple[str, list[list[Any]]]:
    """A stem with other names in their places, and these places."""
    text, upto = "", 0
    places: list[list[Any]] = []
    for start, end, thing in sorted(named, key=lambda place: place[0]):
        text += stem[upto:start]
        places.append([len(text), len(text) + len(said[thing]), thing])
        text, upto = text + said[thing], end
    return text + stem[upto:], places


def _normal(phrase: str) -> str:
    return " ".join(re.findall(r"\w+", phrase.lower()))


@dataclass
class _Thing:
    """One thing that is to be named."""

    writer: Structured
    recording: Recording
    clip: Path
    thing: str
    phrases: dict[str, str]

    async def phrase(self) -> str | None:
        """What the model calls it; None where ours stays. One second try after a phrase that does not pass."""
        shown = await asyncio.to_thread(_show, self.recording, self.clip, self.thing)
        if shown is None:
            return None
        reason = ""
        for attempt in range(2):
            said = await self.writer.ask(
                "write", self._name("write", attempt), WRITING, self._request(shown, reason), Wording
            )
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
        """Why a phrase cannot be used, whatever it fits."""
        if not phrase.lower().startswith("the ") or not WORDS[0] <= len(phrase.split()) <= WORDS[1]:
            return f"it is no phrase of {WORDS[0]} to {WORDS[1]} words that begins with 'the'"
        if _NUMBER.search(phrase) or _SIDE.search(phrase):
            return "it holds a number, or left or right"
        if any(_normal(phrase) == _normal(other) for thing, other in self.phrases.items() if thing != self.thing):
            return "another thing is called so"
        return None

    async def _not_found_again(self, phrase: str, shown: _Shown, attempt: int) -> str | None:
        """Why the phrase does not single the thing out: five shuffles of the numbers, and once with it hidden."""
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
            told = await self.writer.ask("validate", name, CHECKING, [*parts, f"The phrase: {phrase}"], Matches)
            expected = [] if hidden else [numbers[self.thing]]
            if told is None or sorted(set(told.numbers)) != expected:
                return "shown numbered things, nobody could tell that it means this one and no other"
        return None


def _show(recording: Recording, clip: Path, thing: str) -> _Shown | None:
    """The frames in which the thing is largest, at least a second apart; None where it is never seen."""
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
            if one.visible is not None and one.visible[index] and (place := _place(recording, one, index)) is not None
        }
        for index in chosen
    ]
    return _Shown(pictures, places) if all(thing in one for one in places) else None


def _place(recording: Recording, entity: Entity, index: int) -> tuple[float, float, float, float] | None:
    """Where a thing is in a frame (px): as the source says, else where the corners of its box are."""
    if entity.box2d is not None:
        box = entity.box2d[index]
        return None if np.isnan(box).any() else (float(box[0]), float(box[1]), float(box[2]), float(box[3]))
    if recording.intrinsics is None:
        return None
    pose = entity.poses[index if len(entity.poses) > 1 else 0]
    points = corners(Box(pose[:3, 3], np.array(entity.size), pose[:3, :3]))
    intrinsics = recording.intrinsics if recording.intrinsics.ndim == 2 else recording.intrinsics[index]
    pixels = project_points(transform_points(invert(recording.world_T_camera[index]), points), intrinsics)
    if np.isnan(pixels).any():
        return None
    (x0, y0), (x1, y1) = pixels.min(axis=0), pixels.max(axis=0)
    return float(x0), float(y0), float(x1), float(y1)


def _framed(
    picture: np.ndarray,
    places: dict[str, tuple[float, float, float, float]],
    covered: tuple[float, float, float, float] | None = None,
) -> np.ndarray:
    """The picture with a red frame about each place, its number in it; what is ``covered`` is grey."""
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
