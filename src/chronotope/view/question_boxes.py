"""Boxes around the entities of a question, in the frames of its prompt."""

import os
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from chronotope.errors import InputError
from chronotope.io import name_fault
from chronotope.protocol import FrameOf, Picture
from chronotope.question import Question, mentions_of, recordings_of
from chronotope.recording import Entity, Recording, load_recording
from chronotope.scene import corner_pixels

_PER_MILLE = 1000


def recording_folder(benchmark: Path, question: Question) -> Path | None:
    """Return the folder of a question's recording.

    Returns None if the question names no recording.
    """
    name = next(iter(recordings_of(question)), None)
    return None if name is None else _named_folder(benchmark, name)


def _named_folder(benchmark: Path, name: str) -> Path | None:
    # The name comes from a file that can be unsafe, so a name that is a path is ignored.
    return None if name_fault(name) is not None else benchmark / "recordings" / name


@dataclass
class RecordingReader:
    """Reads the recordings of questions, and keeps the last one.

    Questions about one recording should follow each other. ``problems`` collects errors, each after the words
    ``without``, such as "no boxes are drawn".
    """

    problems: list[str] = field(default_factory=list[str])
    without: str = "its recording is not used"
    _last: tuple[Path, Recording | None] | None = None

    def of(self, benchmark: Path, question: Question) -> Recording | None:
        """Return the first recording of a question; None if there is none, or it is damaged."""
        name = next(iter(recordings_of(question)), None)
        return None if name is None else self.named(benchmark, name)

    def named(self, benchmark: Path, name: str) -> Recording | None:
        """Return the recording with a name; None if there is none, or it is damaged."""
        folder = _named_folder(benchmark, name)
        if folder is None or not os.path.isfile(folder / "recording.json"):  # noqa: PTH113 - see clips
            return None
        if self._last is None or self._last[0] != folder:
            self._last = None  # two recordings at a time would need twice the memory
            try:
                self._last = (folder, load_recording(folder))
            except InputError as error:
                self.problems.append(f"{self.without}: {error}")
                self._last = (folder, None)
        return self._last[1]


def asked_about(question: Question) -> dict[str, str]:
    """Return the entities of a question, each with its phrase.

    Returns a mapping from the id of an entity to its phrase. If an entity has no phrase, its id is used instead.
    """
    return {one.entity: one.entity if one.phrase is None else one.phrase for one in mentions_of(question)}


@dataclass
class BoxReader:
    """Reads the boxes of entities from recordings."""

    reader: RecordingReader = field(default_factory=RecordingReader)

    def boxes(
        self, benchmark: Path, question: Question, pictures: Sequence[Picture]
    ) -> dict[str, list[list[int] | None]]:
        """Find the box of each entity of a question in each picture.

        Returns a mapping from the id of an entity to a list with one box for each picture. A box is a list of 16
        numbers: x and y of each of its eight corners, in thousandths of the picture's width and height. A box is None
        if the entity is not visible in the picture, or if the picture is not a frame of the recording's clip. An entity
        that is visible in no picture is omitted.
        """
        wanted = asked_about(question)
        recording = self.reader.of(benchmark, question) if wanted else None
        if recording is None or recording.clip is None:
            return {}
        found: dict[str, list[list[int] | None]] = {}
        for entity in recording.entities:
            if entity.id in wanted:
                drawn = [_drawn(recording, entity, picture) for picture in pictures]
                if any(box is not None for box in drawn):
                    found[entity.id] = drawn
        return found


def _drawn(recording: Recording, entity: Entity, picture: Picture) -> list[int] | None:
    clip: Any = recording.clip
    if not isinstance(picture, FrameOf) or picture.plan.clip != clip.sha256:
        return None
    frame = picture.plan.indices[picture.position]
    if frame >= len(recording.times) or entity.visible is None or not entity.visible[frame]:
        return None
    pixels = corner_pixels(recording, entity, frame)
    if pixels is None:
        return None
    # Pixel centres are whole numbers; a picture starts half a pixel before the first centre.
    shares = (pixels + 0.5) / (clip.width, clip.height) * _PER_MILLE
    return [int(value) for value in np.clip(np.rint(shares), -_PER_MILLE, 2 * _PER_MILLE).ravel()]
