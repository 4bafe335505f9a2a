"""The file procedure.yaml, which a person can write by hand and which a benchmark stores.

Steps in this file are counted from 1.
"""

import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field

from chronotope.errors import InputError
from chronotope.io import read_yaml, slug, write_yaml
from chronotope.recording.procedure import Group, Mistake, MistakeKind, Procedure, Segment, Step, Take, group
from chronotope.recording.procedures._checks import MOST_STEPS, check_names, validated

DOCUMENT = "procedure.yaml"
SOURCE = "plain"

_CLOCK = re.compile(r"(?:(\d{1,3}):(?=[0-5]?\d:))?(\d{1,3}):([0-5]?\d(?:\.\d*)?)")


def _seconds(value: Any) -> Any:
    """Convert a time such as "1:02.5" or "1:00:03" to seconds.

    Numbers are returned unchanged, because they are seconds already.
    """
    if isinstance(value, bool):
        raise ValueError("expected seconds or minutes:seconds")
    if not isinstance(value, str) or (clock := _CLOCK.fullmatch(value.strip())) is None:
        return value
    hours, minutes, seconds = clock.groups()
    return int(hours or 0) * 3600 + int(minutes) * 60 + float(seconds)


def _group(value: Any) -> Any:
    """Convert a group of parts to a list of names.

    In the file, a group is a text such as "0,1,2", a single part, or a list.
    """
    values = value.split(",") if isinstance(value, str) else value if isinstance(value, list) else [value]
    return [str(one) if type(one) is int else one.strip() if isinstance(one, str) else one for one in values]


_Time = Annotated[float, BeforeValidator(_seconds), Field(ge=0, allow_inf_nan=False)]
_Parts = Annotated[
    list[Annotated[str, Field(min_length=1, max_length=200)]], BeforeValidator(_group), Field(min_length=1)
]
_Number = Annotated[int, Field(ge=1, le=MOST_STEPS, strict=True)]


class _Form(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class _Segment(_Form):
    step: _Number
    start: _Time
    end: _Time


class _Mistake(_Form):
    kind: MistakeKind
    step: _Number
    parts: _Parts
    start: _Time
    end: _Time
    undo: list[_Number] | None = None  # the steps that have to be undone; None: in the end, nothing is wrong


class _Take(_Form):
    id: str = Field(min_length=1)
    clip: str | None = None
    fps: float | None = Field(None, gt=0, allow_inf_nan=False)
    segments: list[_Segment] = Field(default_factory=list[_Segment])
    mistake: _Mistake | None = None


class _Step(_Form):
    number: _Number | None = None  # None: the previous step's number + 1
    diagram: str | None = None
    published_diagram: str | Literal[False] | None = None  # None: same as ``diagram``; False: does not exist
    photo: str | None = None
    parts: list[_Parts] = Field(default_factory=list[_Parts])
    connections: list[tuple[_Parts, _Parts]] = Field(default_factory=list[tuple[_Parts, _Parts]])
    description: dict[str, str] = Field(default_factory=dict[str, str])
    takes: list[str] = Field(default_factory=list[str])


class _Document(_Form):
    product: str = Field(min_length=1)
    category: str = ""
    id: str | None = None
    source: str = SOURCE
    licence: str | None = None
    attribution: str | None = None
    provenance: dict[str, Any] = Field(default_factory=dict[str, Any])
    steps: list[_Step] = Field(min_length=1)
    takes: list[_Take] = Field(default_factory=list[_Take])


def load_procedure(folder: Path) -> Procedure:
    """Read the procedure of a folder with ``procedure.yaml``.

    Diagrams and clips are not opened.

    Raises:
        InputError: If the document has a wrong field, or if a file that the document names is missing. The message
        names the file and the field, or the product and the step.
    """
    path = folder / DOCUMENT
    document = validated(_Document, _read(path), str(path))
    name = document.id or slug("-".join(filter(None, (document.category, document.product))))
    check_names(name, [take.id for take in document.takes], str(path))
    where = said_where(folder, document.product)
    return Procedure(
        id=name,
        product=document.product,
        category=document.category,
        source=document.source,
        steps=tuple(_steps(folder, where, document.steps)),
        takes=tuple(_take(folder, where, take) for take in document.takes),
        licence=document.licence,
        attribution=document.attribution,
        provenance=document.provenance,
    )


def said_where(folder: Path, product: str) -> str:
    """Return the beginning of an error message about a folder's product."""
    return f"{folder / DOCUMENT}: product {product!r}"


def _read(path: Path) -> Any:
    try:
        return read_yaml(path)
    except InputError:
        raise
    except (RecursionError, ValueError) as error:  # YAML can contain dates and numbers that Python rejects
        raise InputError(f"{path}: cannot be read as YAML ({str(error).split(';')[0]})") from error


def _steps(folder: Path, where: str, steps: list[_Step]) -> Iterator[Step]:
    number = -1
    for step in steps:
        number = number + 1 if step.number is None else step.number - 1
        yield _step(folder, where, number, step)


def _step(folder: Path, where: str, number: int, step: _Step) -> Step:
    at = f"{where}, step {number + 1}"
    diagram = _file(folder, step.diagram, at, "diagram")
    published = diagram
    if step.published_diagram is not None:
        published = _file(folder, step.published_diagram, at, "diagram") if step.published_diagram else None
    return Step(
        number=number,
        diagram=diagram,
        published_diagram=published,
        photo=_file(folder, step.photo, at, "photo"),
        parts=tuple(group(parts) for parts in step.parts),
        connections=tuple((group(one), group(other)) for one, other in step.connections),
        description=step.description,
        takes=tuple(step.takes),
    )


def _take(folder: Path, where: str, take: _Take) -> Take:
    segments = tuple(Segment(segment.step - 1, segment.start, segment.end) for segment in take.segments)
    clip = _file(folder, take.clip, f"{where}, take {take.id!r}", "clip")
    return Take(take.id, clip, segments, take.fps, None if take.mistake is None else _mistake(take.mistake))


def _mistake(said: _Mistake) -> Mistake:
    undo = None if said.undo is None else tuple(number - 1 for number in said.undo)
    return Mistake(said.kind, said.step - 1, tuple(said.parts), said.start, said.end, undo)


def _said_mistake(mistake: Mistake) -> dict[str, Any]:
    """Return the values of a mistake in the file."""
    values = {
        "kind": mistake.kind,
        "step": mistake.step + 1,
        "parts": list(mistake.parts),
        "start": mistake.start,
        "end": mistake.end,
        "undo": None if mistake.undo is None else [number + 1 for number in mistake.undo],
    }
    return _without_defaults(_Mistake, values)


def _file(folder: Path, name: str | None, where: str, what: str) -> Path | None:
    if name is None:
        return None
    path = Path(os.path.normpath(folder.absolute() / name))
    try:
        there = "\0" not in name and path.is_file()
    except OSError:  # the name is too long for a file name
        there = False
    if not there:
        raise InputError(f"{where}: the {what} {name[:200]!r} is not in {folder}: add the file, or correct its name")
    return path


def save_procedure(procedure: Procedure, folder: Path) -> None:
    """Write a procedure to ``procedure.yaml`` in a folder.

    The document names diagrams and clips relative to the folder; these files are not moved.
    """
    folder.mkdir(parents=True, exist_ok=True)
    base = Path(os.path.abspath(folder))  # noqa: PTH100 - links keep their names

    def relative(path: Path | None) -> str | None:
        return None if path is None else Path(os.path.relpath(path, base)).as_posix()

    def names(one: Group) -> list[str]:
        return list(one)

    steps = [
        _without_defaults(
            _Step,
            {
                "number": step.number + 1,
                "diagram": relative(step.diagram),
                "published_diagram": _published(relative(step.published_diagram), relative(step.diagram)),
                "photo": relative(step.photo),
                "parts": [names(parts) for parts in step.parts],
                "connections": [[names(one), names(other)] for one, other in step.connections],
                "description": dict(step.description),
                "takes": list(step.takes),
            },
        )
        for step in procedure.steps
    ]
    takes = [
        _without_defaults(
            _Take,
            {
                "id": take.id,
                "clip": relative(take.clip),
                "fps": take.fps,
                "segments": [
                    {"step": segment.step + 1, "start": segment.start, "end": segment.end} for segment in take.segments
                ],
                "mistake": None if take.mistake is None else _said_mistake(take.mistake),
            },
        )
        for take in procedure.takes
    ]
    values = {
        "product": procedure.product,
        "category": procedure.category,
        "id": procedure.id,
        "source": procedure.source,
        "licence": procedure.licence,
        "attribution": procedure.attribution,
        "provenance": procedure.provenance,
        "steps": steps,
        "takes": takes,
    }
    write_yaml(folder / DOCUMENT, _without_defaults(_Document, values))


def _published(published: str | None, diagram: str | None) -> str | Literal[False] | None:
    return None if published == diagram else published or False


def _without_defaults(form: type[BaseModel], values: dict[str, Any]) -> dict[str, Any]:
    """Return the values that differ from the defaults of their fields."""
    fields = form.model_fields
    return {
        name: value
        for name, value in values.items()
        if fields[name].is_required() or value != fields[name].get_default(call_default_factory=True)
    }
