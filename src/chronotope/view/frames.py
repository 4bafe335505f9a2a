"""The pictures of a prompt, made again from its frame plans and checked by their hashes."""

import re
from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from chronotope.errors import InputError
from chronotope.io import sha256_bytes
from chronotope.media import Encoded, FrameCache, encode_still
from chronotope.protocol import Picture, PictureFile
from chronotope.question import Question, limit_balanced

_SUFFIXES = {"image/jpeg": "jpg", "image/png": "png"}


@dataclass(frozen=True)
class FramesChoice:
    """The choice of the questions whose frames a report shows.

    ``wrong`` chooses the questions that at least one run answered incorrectly. ``sample`` chooses ``count`` questions,
    balanced over the clips.
    """

    which: Literal["wrong", "sample", "all", "none"] = "wrong"
    count: int = 0


@dataclass(frozen=True)
class Strip:
    """The pictures of one prompt, in order.

    ``hashes`` are their SHA-256 hashes, and ``files`` are their file names.
    """

    hashes: tuple[str, ...]
    files: tuple[str, ...]


def parse_frames(text: str) -> FramesChoice:
    """Parse ``wrong``, ``sample:200``, ``all`` or ``none``.

    Raises:
        InputError: If the text has none of these forms.
    """
    sample = re.fullmatch(r"sample:([1-9][0-9]*)", text)
    if sample:
        return FramesChoice("sample", int(sample[1]))
    match text:
        case "wrong" | "all" | "none":
            return FramesChoice(text)
        case _:
            raise InputError(f"--frames: expected wrong, sample:200, all or none, found {text!r}")


def chosen_questions(choice: FramesChoice, questions: Sequence[Question], wrong: AbstractSet[str]) -> set[str]:
    """Choose the questions whose frames are shown; return their ids.

    ``wrong`` has the ids of the questions that at least one run answered incorrectly.
    """
    match choice.which:
        case "none":
            return set()
        case "all":
            return {question.id for question in questions}
        case "wrong":
            return {question.id for question in questions if question.id in wrong}
        case "sample":
            return {question.id for question in limit_balanced(questions, choice.count)}


def make_strip(benchmark: Path, pictures: Sequence[Picture], folder: Path, cache: FrameCache) -> Strip:
    """Write the pictures of one prompt into a folder.

    The name of a file is ``<SHA-256>.<suffix>``. Equal pictures are written once.

    Raises:
        InputError: If a clip or a picture is missing, or has changed since the run.
    """
    made = make_pictures(benchmark, pictures, cache)
    names = tuple(f"{one.sha256}.{_SUFFIXES[one.media_type]}" for one in made)
    for name, one in zip(names, made, strict=True):
        if not (folder / name).exists():
            (folder / name).write_bytes(one.data)
    return Strip(tuple(one.sha256 for one in made), names)


def make_pictures(benchmark: Path, pictures: Sequence[Picture], cache: FrameCache) -> list[Encoded]:
    """Make the pictures of one prompt again, in order.

    Raises:
        InputError: If a clip or a picture is missing, or has changed since the run.
    """
    frames: dict[tuple[str, str], list[Encoded]] = {}
    made: list[Encoded] = []
    for picture in pictures:
        if isinstance(picture, PictureFile):
            made.append(_still(benchmark / picture.path, picture))
            continue
        key = (picture.path, picture.plan.key)
        if key not in frames:
            [frames[key]] = cache.frames(benchmark / picture.path, [picture.plan])
        made.append(frames[key][picture.position])
    return made


def _still(path: Path, picture: PictureFile) -> Encoded:
    try:
        data = path.read_bytes()
    except OSError as error:
        raise InputError(f"{path}: cannot be opened ({error.strerror}): restore the file") from error
    if sha256_bytes(data) != picture.sha256:
        raise InputError(f"{path}: has changed since it was sent: restore the old file")
    return encode_still(path, data)
