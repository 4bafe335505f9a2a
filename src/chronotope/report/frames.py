"""The frames that were sent, made again from clip and plan, checked against the recorded hashes, kept by hash."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from chronotope.errors import InputError
from chronotope.evaluate import Answered
from chronotope.files import sha256_bytes, sha256_file
from chronotope.media import Encoded, FrameCache
from chronotope.protocol import FrameOf, Picture, PictureFile
from chronotope.question import limit_balanced

__all__ = ["FramesChoice", "chosen_questions", "parse_frames", "write_frames"]


@dataclass(frozen=True)
class FramesChoice:
    """Whose frames a report shows: of questions that some run got wrong, of a sample, of all, or none."""

    which: Literal["wrong", "sample", "all", "none"] = "wrong"
    count: int = 0


def parse_frames(text: str) -> FramesChoice:
    """``wrong``, ``sample:200``, ``all`` or ``none``; InputError for anything else."""
    sample = re.fullmatch(r"sample:([1-9]\d*)", text)
    if sample:
        return FramesChoice("sample", int(sample[1]))
    match text:
        case "wrong" | "all" | "none":
            return FramesChoice(text)
        case _:
            raise InputError(f"--frames: expected wrong, sample:200, all or none, found {text!r}")


def chosen_questions(choice: FramesChoice, answered: Iterable[Answered], right: set[str]) -> set[str]:
    """Ids of the questions whose frames are shown; ``right`` are those that every run answered right."""
    questions = {one.question.id: one.question for one in answered}
    match choice.which:
        case "none":
            return set()
        case "all":
            return set(questions)
        case "wrong":
            return set(questions) - right
        case "sample":
            return {question.id for question in limit_balanced(tuple(questions.values()), choice.count)}


def write_frames(
    benchmark: Path, pictures: Sequence[Picture], folder: Path, cache: FrameCache
) -> list[tuple[str, str]]:
    """Write the pictures of one prompt as ``folder/<hash>.<suffix>``; returns (SHA-256, file name) in their order.

    Raises InputError where a clip or picture is missing or has changed.
    """
    written: list[tuple[str, str]] = []
    frames: dict[tuple[str, str], list[Encoded]] = {}
    for picture in pictures:
        if isinstance(picture, PictureFile):
            written.append(_copy(benchmark / picture.path, picture, folder))
            continue
        plan_key = (picture.path, picture.plan.key)
        if plan_key not in frames:
            [frames[plan_key]] = cache.frames(benchmark / picture.path, [picture.plan])
        written.append(_keep(frames[plan_key][picture.position], picture, folder))
    return written


def _keep(encoded: Encoded, picture: FrameOf, folder: Path) -> tuple[str, str]:
    name = f"{encoded.sha256}.{'jpg' if picture.plan.codec == 'jpeg' else picture.plan.codec}"
    if not (folder / name).exists():
        (folder / name).write_bytes(encoded.data)
    return encoded.sha256, name


def _copy(source: Path, picture: PictureFile, folder: Path) -> tuple[str, str]:
    if not source.exists() or sha256_file(source) != picture.sha256:
        raise InputError(f"{source}: missing or changed since it was asked about: put the old file back")
    data = source.read_bytes()
    name = f"{sha256_bytes(data)}{source.suffix}"
    (folder / name).write_bytes(data)
    return picture.sha256, name
