"""Twins of questions: the same question about an altered clip, with the exact new words, options and answer.

A family states how each of its quantities changes (``Family.twin``). The parts that all families share are here: times,
the phrases of things, and the reasons why there is no twin.
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from decimal import Decimal
from functools import cache
from typing import TYPE_CHECKING

import numpy as np

from chronotope.question import Mention, Question, Window

if TYPE_CHECKING:  # commands that only ask questions load no recordings
    from chronotope.recording import Alteration, Entity, Recording

_TIME = re.compile(r"(?<=\bt = )\d+(?:\.\d+)?(?=\s?s\b)")
_HEIGHT = re.compile(r"(?<= is )\d+(?:\.\d+)?(?=c?m high\b)")
_LAST_DECIMAL = 3  # times in a reversed clip of an odd rate need up to three decimals
_NEAR = 1e-6


class NoTwin(Exception):  # noqa: N818 - an outcome, not an error
    """The exception for a question without a twin; its text ends a sentence that begins with the question."""


@dataclass(frozen=True)
class TwinContext:
    """The alteration of a question's clip, and its recordings by id, as they were before."""

    alteration: "Alteration"
    recordings: "Mapping[str, Recording]"

    @property
    def end(self) -> float:
        """Return the time (s) of the original that is the start of the reversed clip."""
        return min(last_time(recording) for recording in self.recordings.values())

    def moment(self, time: float) -> float:
        """Return the time (s) in the altered clip of a moment of the original.

        Raises:
            NoTwin: If the altered clip does not contain the moment.
        """
        if self.alteration == "half_speed":
            return round(2 * time, 6)
        if self.alteration != "reversed":
            return time
        if time > self.end + _NEAR:
            raise NoTwin("asks about the last moment of its clip, which the reversed clip leaves out")
        return round(max(0.0, self.end - time), 6)

    def window(self, window: Window | None) -> Window | None:
        """Return the window of the altered clip."""
        if window is None:
            return None
        first, last = sorted((self.moment(window.start), self.moment(window.end)))
        return Window(first, last)

    def text(self, text: str) -> str:
        """Return a text with the times and the stated heights of the altered clip."""
        text = _TIME.sub(lambda found: _seconds(self.moment(float(found[0]))), text)
        if self.alteration != "double_size":
            return text
        return _HEIGHT.sub(lambda found: str(Decimal(found[0]) * 2), text)


def last_time(recording: "Recording") -> float:
    """Return the time (s) of the first sample of the reversed recording."""
    from chronotope.recording import sample_order

    return float(recording.times[sample_order(recording, "reversed")[0]])


def _seconds(time: float) -> str:
    text = f"{time:.{_LAST_DECIMAL}f}".rstrip("0")
    whole, _, decimals = text.partition(".")
    return f"{whole}.{decimals or '0'}"


def with_stem(question: Question, changed: Callable[[str], str]) -> Question:
    """Change the stem of a question and keep the positions of the names in it.

    ``changed`` is applied to each name, and to each piece of text between two names. Names of options change, too.
    """
    placed = sorted({(one.start, one.end) for one in question.mentions if one.start is not None and one.end})
    moved: dict[tuple[int | None, int | None], tuple[int, int]] = {}
    stem, at = "", 0
    for start, end in placed:
        stem += changed(question.stem[at:start])
        phrase = changed(question.stem[start:end])
        moved[start, end] = (len(stem), len(stem) + len(phrase))
        stem, at = stem + phrase, end
    stem += changed(question.stem[at:])

    def of_mention(mention: Mention) -> Mention:
        start, end = moved.get((mention.start, mention.end), (mention.start, mention.end))
        phrase = None if mention.phrase is None else changed(mention.phrase)
        return replace(mention, phrase=phrase, start=start, end=end)

    return replace(question, stem=stem, mentions=tuple(of_mention(mention) for mention in question.mentions))


def require_possible(context: TwinContext) -> None:
    """Check that the altered clips could show a real place.

    Raises:
        NoTwin: If a clip would show something that does not exist: mirrored lettering, things that move backwards or
            fall upwards, or people of double size.
    """
    for recording in context.recordings.values():
        moving = any(len(entity.poses) > 1 and _moves(entity.poses) for entity in recording.entities)
        if context.alteration == "mirrored" and any(_is_legible(one, recording) for one in recording.entities):
            raise NoTwin("shows a thing with lettering, which would be mirrored")
        if context.alteration == "reversed" and (moving or any(one.changes for one in recording.entities)):
            raise NoTwin("shows things that move or change by themselves, which would do so backwards")
        if context.alteration == "half_speed" and any(event.kind in FALLING for event in recording.events):
            raise NoTwin("shows a thing that falls, which would fall too slowly")
        if context.alteration == "double_size" and any(one.is_person for one in recording.entities):
            raise NoTwin("shows people, who would be four metres tall")


@cache
def lettered() -> frozenset[str]:
    """Return the categories of things with letters on them: signs, and what the catalogue of things says."""
    return SIGNS | _categories("on") | _categories("always")


@cache
def _categories(letters: str) -> frozenset[str]:
    from chronotope.world.things import HOME_KINDS, STAGE_KINDS, TABLE_KINDS

    kinds = [*HOME_KINDS.values(), *TABLE_KINDS.values(), *STAGE_KINDS.values()]
    return frozenset(name for kind in kinds if kind.letters == letters for name in (kind.noun, kind.type))


SIGNS = frozenset({"sign", "traffic sign", "stop sign", "traffic_sign"})
FALLING = frozenset({"fall", "falls", "drop", "pour", "pours"})
LEGIBLE = 0.01  # share of the picture; on a smaller thing, letters are a few pixels high
_STILL = 0.01  # m; how far a pose may differ while the thing is at rest


def _is_legible(entity: "Entity", recording: "Recording") -> bool:
    """Check whether a thing with lettering is seen so large that its letters could be read.

    The screens and displays of things that are off are dark.
    """
    if entity.category not in lettered():
        return False
    if entity.category in _categories("on") and entity.attributes.get("on") == "False" and not entity.changes:
        return False
    pixels = entity.visible_pixels
    if recording.clip is not None:
        size = recording.clip.width * recording.clip.height
    elif recording.intrinsics is not None and recording.intrinsics.ndim == 2:
        size = 4 * recording.intrinsics[0, 2] * recording.intrinsics[1, 2]
    else:
        return True
    return pixels is None or bool(pixels.max() >= LEGIBLE * size)


def _moves(poses: np.ndarray) -> bool:
    places = poses[:, :3, 3]
    known = places[np.isfinite(places).all(axis=1)]
    return bool(len(known) and np.ptp(known, axis=0).max() > _STILL)
