"""Checks of procedures from any source: all pictures and clips must open, and all times must be possible."""

from collections.abc import Iterator, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError

from chronotope.errors import InputError
from chronotope.io import name_fault
from chronotope.media import ClipFacts, read_picture
from chronotope.recording.procedure import Procedure, Segment, Take

FPS_OFF = 0.01  # maximum relative difference between the stated rate of a take and the rate of its clip
MOST_STEPS = 9999  # a larger step number is a typing error

_Form = TypeVar("_Form", bound=BaseModel)


def validated(form: type[_Form], value: Any, where: str) -> _Form:
    """Validate a value with the pydantic model ``form``.

    Raises:
        InputError: If a field does not fit the model. The message begins with ``where`` and names the first such
        field.
    """
    try:
        return form.model_validate(value)
    except ValidationError as error:
        first = error.errors()[0]
        field = "".join(f", field {'.'.join(map(str, first['loc']))!r}" for _ in first["loc"][:1])
        expected = "expected 'name: value' pairs" if first["type"] == "model_type" else first["msg"]
        others = f" (and {error.error_count() - 1} more)" if error.error_count() > 1 else ""
        found = "" if first["type"] == "missing" else f", found {str(first['input'])[:80]!r}"
        raise InputError(f"{where}{field}: {expected[0].lower()}{expected[1:]}{found}{others}") from None


def check_names(name: str, takes: Sequence[str], where: str) -> None:
    """Check the ids of a procedure and of its takes.

    Raises:
        InputError: If an id is not allowed as a file name, or if two takes have the same id.
    """
    for what, value in (("id", name), *(("takes.id", take) for take in takes)):
        if fault := name_fault(value):
            raise InputError(f"{where}, field {what!r}: {fault}")
    if repeated := {take for take in takes if takes.count(take) > 1}:
        raise InputError(
            f"{where}, field 'takes': two takes have the name {min(repeated)!r}: give each take a different name"
        )


def check_procedure(procedure: Procedure, where: str, *, overlaps: bool) -> tuple[str, ...]:
    """Open every diagram and clip of a procedure once to check it.

    The result is a list of notes for the user. ``where`` names the source and the product. If ``overlaps`` is True,
    a note reports segments of a take that overlap in time; otherwise such segments are an error.

    Raises:
        InputError: If a diagram or a clip cannot be opened, or if a segment has no length, belongs to no step, or
        ends after its clip. The message names the product, the step and the file.
    """
    if not procedure.steps:
        raise InputError(f"{where}: has no steps: expected at least one")
    for step in procedure.steps:
        for diagram in dict.fromkeys((step.diagram, step.published_diagram, step.photo)):
            if diagram is not None:
                _open_picture(diagram, f"{where}, step {step.number + 1}")
    numbers = [step.number for step in procedure.steps]
    if repeated := [b for a, b in pairwise(numbers) if b <= a]:
        raise InputError(
            f"{where}: step {repeated[0] + 1} is repeated or out of order: expected increasing step numbers"
        )
    takes = {take.id for take in procedure.takes}
    for step in procedure.steps:
        if unknown := [name for name in step.takes if name not in takes]:
            raise InputError(f"{where}, step {step.number + 1}, field 'takes': there is no take {unknown[0]!r}")
    clips = [take.clip for take in procedure.takes if take.clip is not None]
    if repeated := [clip for clip in clips if clips.count(clip) > 1]:
        raise InputError(f"{where}: two takes use the same clip {repeated[0]}: expected one take for each video")
    notes: list[str] = []
    for take in procedure.takes:
        notes += _check_take(take, set(numbers), f"{where}, take {take.id!r}", overlaps)
    return tuple(notes)


def _open_picture(path: Path, where: str) -> None:
    try:
        read_picture(path)
    except InputError as error:
        raise InputError(f"{where}: {error}") from error


def _check_take(take: Take, numbers: set[int], where: str, overlaps: bool) -> Iterator[str]:
    for segment in take.segments:
        at = f"{where}, step {segment.step + 1}"
        if segment.step not in numbers:
            raise InputError(
                f"{at}: a segment names this step, but the product has no such step: correct the number, or add the "
                "step"
            )
        if not 0 <= segment.start < segment.end:
            raise InputError(
                f"{at}: a segment lasts from {segment.start:g} s to {segment.end:g} s, expected 0 <= start < end"
            )
    for before, after in pairwise(sorted(take.segments, key=lambda segment: (segment.start, segment.end))):
        if after.start < before.end:
            sentence = _overlap(before, after, where)
            if not overlaps:
                raise InputError(f"{sentence}: expected segments without overlap")
            yield sentence
    if take.clip is None:
        return
    from chronotope.media import probe  # imported here because it loads PyAV, which most builds load only in workers

    try:
        facts = probe(take.clip)
    except InputError as error:
        raise InputError(f"{where}: {error}") from error
    yield from _check_clip(take, facts, where)


def _overlap(before: Segment, after: Segment, where: str) -> str:
    return (
        f"{where}: steps {before.step + 1} and {after.step + 1} overlap ({before.start:g} to {before.end:g} s and "
        f"{after.start:g} to {after.end:g} s)"
    )


def _check_clip(take: Take, facts: ClipFacts, where: str) -> Iterator[str]:
    frame = 1 / facts.fps if facts.fps else facts.duration_s / facts.frames
    for segment in take.segments:
        if segment.end > facts.duration_s + frame:
            raise InputError(
                f"{where}, step {segment.step + 1}: a segment ends at {segment.end:g} s, but {take.clip} lasts "
                f"{facts.duration_s:.2f} s: correct the segment, or use the complete clip"
            )
    if facts.fps is None:
        raise InputError(
            f"{where}: the frame rate of {take.clip} varies, but questions need a constant rate: convert the clip to a "
            "constant "
            "rate with `ffmpeg -i FILE -vf fps=30 NEW.mp4`"
        )
    if take.fps is not None and abs(take.fps / facts.fps - 1) > FPS_OFF:
        yield f"{where}: the source states {take.fps:g} frames per second, but {take.clip} has {facts.fps:g}"
