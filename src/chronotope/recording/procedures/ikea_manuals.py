"""Reader of IKEA Manuals at Work: ``data.json`` with the annotations, ``manual_img`` with the diagrams, ``videos``.

The annotations, the diagrams or the videos can be missing. Diagrams alone are enough to define the steps of a manual.
The diagrams exist in two copies: the copy of the annotation tool, and the published copy. In the published copy, some
diagrams are missing or blank, or show another step. The folder ``manual_img`` can contain either copy of the diagrams.
If ``manual_img`` contains the copy of the annotation tool, ``manual_img_published`` can contain the published diagrams
that differ. The file ``ikea_assets.json`` in the folder of this module lists known facts about single diagrams.

The source (IKEA-Bench) has these conventions:

- Times are in s from the start of the video.
- ``step_id`` counts from 0.
- The parts of a group are joined by commas, in any order.
- The name of the field ``connnections`` has the letter n three times.
- Two products can have the same name.
"""

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache, partial
from importlib.resources import files
from pathlib import Path
from typing import Any

from pydantic import AliasChoices, BaseModel, ConfigDict, Field, field_validator

from chronotope.errors import InputError
from chronotope.io import read_json, slug
from chronotope.recording.procedure import Group, Procedure, Segment, Step, Take, group
from chronotope.recording.procedures._checks import MOST_STEPS, check_names, check_procedure, validated
from chronotope.recording.procedures._types import Entry, ReadResult

NAME = "ikea_manuals"
TITLE = "IKEA Manuals at Work: a folder with data.json, manual_img, or both"
LICENCE = "CC-BY-4.0 (annotations; drawings (c) Inter IKEA Systems B.V.; videos of their authors)"
ATTRIBUTION = "IKEA Manuals at Work (Liu et al., 2024)"

ANNOTATIONS, DIAGRAMS, PUBLISHED, VIDEOS = "data.json", "manual_img", "manual_img_published", "videos"
MASKS = "manual_masks"  # every step has a mask, so the masks also reveal steps without a diagram
_PICTURES = {".png", ".jpg", ".jpeg"}
_CLIPS = {".mp4", ".webm", ".mkv", ".mov", ".avi"}
_STEP = re.compile(r"step_(\d+)")
_MASK = re.compile(r"step_(\d+)_mask\.png")

Key = tuple[str, str]  # category, name


class _Source(BaseModel):
    model_config = ConfigDict(extra="ignore", frozen=True)


class _Manual(_Source):
    parts: list[str] = Field(default_factory=list[str])
    connections: list[tuple[str, str]] = Field(
        default_factory=list[tuple[str, str]], validation_alias=AliasChoices("connnections", "connections")
    )

    @field_validator("parts", "connections", mode="before")
    @classmethod
    def _absent(cls, value: Any) -> Any:
        return value or []  # null, {} and similar values mean that an annotation is missing


class _Video(_Source):
    video_id: str = Field(min_length=1)
    step_start: float = Field(allow_inf_nan=False)
    step_end: float = Field(allow_inf_nan=False)
    fps: float | None = Field(None, gt=0, allow_inf_nan=False)


class _Step(_Source):
    step_id: int = Field(ge=0, lt=MOST_STEPS, strict=True)
    manual: _Manual = Field(default_factory=_Manual)
    video: list[_Video] = Field(default_factory=list[_Video])

    @field_validator("manual", "video", mode="before")
    @classmethod
    def _absent(cls, value: Any, info: Any) -> Any:
        return value or ([] if info.field_name == "video" else {})


class _Record(_Source):
    category: str = Field(min_length=1)
    name: str = Field(min_length=1)
    steps: list[_Step] = Field(default_factory=list[_Step])


@dataclass(frozen=True)
class _Layout:
    """The files of a source: its diagrams and clips.

    Diagrams are sorted by product, step and copy. Clips are found by file name.
    """

    tool: dict[Key, dict[int, list[Path]]]
    published: dict[Key, dict[int, list[Path]]]
    clips: dict[str, Path]
    masked: dict[Key, set[int]]
    annotations: Path | None
    place: Path  # for messages: the annotations, or the folder of the diagrams


def matches(path: Path) -> bool:
    """Check whether the path has data.json, manual_img, or diagram folders.

    Diagram folders are nested: category, product, step.
    """
    try:
        return _annotations(path) is not None or _diagram_root(path) is not None
    except OSError:
        return False


def _annotations(path: Path) -> Path | None:
    if path.is_file():
        return path if path.suffix.lower() == ".json" else None
    places = (path / ANNOTATIONS, path / "data" / ANNOTATIONS)
    return next((place for place in places if place.is_file()), None)


def _diagram_root(path: Path) -> Path | None:
    if path.is_file():
        places = [path.parent / DIAGRAMS, path.parent.parent / DIAGRAMS]
    else:
        places = [path / DIAGRAMS, path / "data" / DIAGRAMS]
        if next(path.glob("*/*/step_*/"), None) is not None:
            places.append(path)
    return next((place for place in places if place.is_dir()), None)


def entries(path: Path) -> tuple[list[Entry], tuple[str, ...]]:
    """Return the products in the order of data.json.

    Products that have only diagrams follow, sorted by name.
    """
    layout = _layout(path)
    records = [] if layout.annotations is None else _records(layout.annotations)
    annotated = {(record["category"], record["name"]) for record in records if _named(record)}
    alone = sorted({*layout.tool, *layout.published} - annotated)
    found = [
        Entry(_called(record, place), partial(_read_record, record, place, layout))
        for place, record in enumerate(records)
    ]
    found += [Entry("/".join(key), partial(_read_diagrams, key, layout)) for key in alone]
    if not found:
        raise InputError(f"{path}: contains no product: expected products in {ANNOTATIONS}, or pictures in {DIAGRAMS}")
    note = (
        f"{len(alone)} products have no annotations in {ANNOTATIONS}: questions about them can use only their diagrams"
    )
    return found, (note,) if alone else ()


def _named(record: Any) -> bool:
    return isinstance(record, dict) and all(isinstance(record.get(name), str) for name in ("category", "name"))


def _called(record: Any, place: int) -> str:
    return f"{record['category']}/{record['name']}" if _named(record) else f"record {place + 1}"


def _records(path: Path) -> list[Any]:
    with path.open("rb") as file:
        if file.read(40).startswith(b"version https://git-lfs"):
            raise InputError(
                f"{path}: is a Git LFS pointer, not the file itself: run `git lfs pull`, or download the file"
            )
    records = read_json(path, most=2 << 30)  # bytes; the published file has the masks of 34,441 frames
    if not isinstance(records, list):
        raise InputError(f"{path}: expected a list of products, found {type(records).__name__}")
    keys = [(record["category"], record["name"]) for record in records if _named(record)]
    if repeated := [key for key in keys if keys.count(key) > 1]:
        raise InputError(f"{path}: the product {'/'.join(repeated[0])!r} occurs twice: remove one of the two entries")
    return records


def _layout(path: Path) -> _Layout:
    root = _diagram_root(path)
    annotations = _annotations(path)
    base = annotations.parent if annotations is not None else root.parent if root is not None else path
    clips = {
        file.stem: file
        for file in sorted((base / VIDEOS).rglob("*"))
        if file.suffix.lower() in _CLIPS and file.is_file()
    }
    here = {} if root is None else _diagrams(root)
    masked = {} if root is None else _masked(root.parent / MASKS)
    place = annotations or root or path
    differing = None if root is None else root.parent / PUBLISHED
    if differing is not None and differing.is_dir():
        return _Layout(here, _composed(here, _diagrams(differing)), clips, masked, annotations, place)
    if _is_published_copy(here):
        return _Layout({}, here, clips, masked, annotations, place)
    return _Layout(here, _composed(here, {}), clips, masked, annotations, place)


def _diagrams(root: Path) -> dict[Key, dict[int, list[Path]]]:
    """Return the pictures of each step folder, sorted by name."""
    found: dict[Key, dict[int, list[Path]]] = {}
    for folder in sorted(root.glob("*/*/step_*")):
        step = _STEP.fullmatch(folder.name)
        if step is None or not folder.is_dir():
            continue
        pictures = sorted(
            file for file in folder.iterdir() if file.suffix.lower() in _PICTURES and not file.name.startswith(".")
        )
        if pictures:
            found.setdefault((folder.parts[-3], folder.parts[-2]), {})[int(step[1])] = pictures
    return found


def _masked(root: Path) -> dict[Key, set[int]]:
    """Return each product's steps that have a mask of the parts."""
    found: dict[Key, set[int]] = {}
    for file in root.glob("*/*/step_*_mask.png"):
        if (step := _MASK.fullmatch(file.name)) is not None:
            found.setdefault((file.parts[-3], file.parts[-2]), set()).add(int(step[1]))
    return found


def _composed(
    tool: Mapping[Key, Mapping[int, list[Path]]], differing: Mapping[Key, Mapping[int, list[Path]]]
) -> dict[Key, dict[int, list[Path]]]:
    """Combine the files of the published copy of the diagrams.

    The published copy consists of the files in ``differing``, and of the tool's files that are known to be identical in
    both copies.
    """
    lacking = _known("published", "missing") | _known("published", "differs")
    return {
        key: dict(sorted({**_without(tool.get(key, {}), key, lacking), **differing.get(key, {})}.items()))
        for key in {**tool, **differing}
    }


def _without(steps: Mapping[int, list[Path]], key: Key, lacking: set[tuple[str, str, int]]) -> dict[int, list[Path]]:
    return {step: pictures for step, pictures in steps.items() if (*key, step) not in lacking}


def _is_published_copy(diagrams: Mapping[Key, Mapping[int, list[Path]]]) -> bool:
    """Check whether these diagrams are the published copy.

    The published copy has a diagram that is missing from the tool's copy. The tool's copy has several diagrams that are
    missing from the published copy.
    """
    there = {(*key, step) for key, steps in diagrams.items() for step in steps}
    return bool(there & _known("tool", "missing")) and not there & _known("published", "missing")


@cache
def _assets() -> dict[str, dict[str, list[str]]]:
    """Read the known facts about diagrams as {copy: {Category/name/step: flags}}."""
    return json.loads(files("chronotope.recording.procedures").joinpath("ikea_assets.json").read_text())["flags"]


def _known(copy: str, flag: str) -> set[tuple[str, str, int]]:
    """Return the diagrams in a copy for which a flag is set."""
    named = (name.split("/") for name, flags in _assets()[copy].items() if flag in flags)
    return {(category, name, int(step)) for category, name, step in named}


def _flags(key: Key) -> dict[str, dict[str, list[str]]]:
    """Return the known flags of a product's diagrams, by copy and step."""
    prefix = "/".join(key) + "/"
    return {
        copy: {name.removeprefix(prefix): flags for name, flags in of.items() if name.startswith(prefix)}
        for copy, of in _assets().items()
        if any(name.startswith(prefix) for name in of)
    }


def _read_diagrams(key: Key, layout: _Layout) -> ReadResult:
    """Return the procedure of a product that has no annotations."""
    numbers = sorted({*layout.tool.get(key, {}), *layout.published.get(key, {}), *layout.masked.get(key, set())})
    return _procedure(key, [_Step(step_id=number) for number in numbers], layout)


def _read_record(record: Any, place: int, layout: _Layout) -> ReadResult:
    where = _where(layout, _called(record, place))
    read = validated(_Record, record, where)
    numbers = [step.step_id for step in read.steps]
    if repeated := [number for number in numbers if numbers.count(number) > 1]:
        raise InputError(
            f"{where}: two steps have the step_id {repeated[0]}, expected a different number for each step"
        )
    return _procedure((read.category, read.name), sorted(read.steps, key=lambda step: step.step_id), layout)


def _where(layout: _Layout, product: str) -> str:
    return f"{layout.place}: product {product!r}"


def _procedure(key: Key, steps: list[_Step], layout: _Layout) -> ReadResult:
    takes = tuple(_takes(steps, layout))
    flags = _flags(key)
    name, where = slug("-".join(key)), _where(layout, "/".join(key))
    check_names(name, [take.id for take in takes], where)
    procedure = Procedure(
        id=name,
        product=key[1],
        category=key[0],
        source=NAME,
        steps=tuple(_step(step, key, layout, [take.id for take in takes]) for step in steps),
        takes=takes,
        licence=LICENCE,
        attribution=ATTRIBUTION,
        provenance={"diagram_flags": flags} if flags else {},
    )
    notes = [*dict.fromkeys(_spare(key, layout)), *check_procedure(procedure, where, overlaps=True)]
    if unseen := [take.id for take in takes if take.clip is None]:
        notes.append(f"{'/'.join(key)}: {len(unseen)} of {len(takes)} videos are not in {VIDEOS}, such as {unseen[0]}")
    return ReadResult(procedure, tuple(notes))


def _step(step: _Step, key: Key, layout: _Layout, takes: list[str]) -> Step:
    shown_by = [_take_of(video) for video in step.video]
    published = layout.published.get(key, {}).get(step.step_id, [None])[0]
    return Step(
        number=step.step_id,
        diagram=layout.tool.get(key, {}).get(step.step_id, [published])[0],
        published_diagram=published,
        parts=tuple(_group(parts) for parts in step.manual.parts if _group(parts)),
        connections=tuple((_group(a), _group(b)) for a, b in step.manual.connections if _group(a) and _group(b)),
        takes=() if shown_by == sorted(shown_by, key=takes.index) else tuple(shown_by),
    )


def _group(parts: str) -> Group:
    """Parse a group of parts such as "2,0,1".

    An empty text means "not annotated" and gives ().
    """
    return group(filter(str.strip, parts.split(",")))


def _takes(steps: list[_Step], layout: _Layout) -> Iterator[Take]:
    """Yield a product's videos in order, with all their segments."""
    segments: dict[str, list[Segment]] = {}
    rates: dict[str, float | None] = {}
    for step in steps:
        for video in step.video:
            name = _name_of(video)
            segments.setdefault(name, []).append(Segment(step.step_id, video.step_start, video.step_end))
            rates[name] = rates.get(name) or video.fps
    for name, of_video in segments.items():
        yield Take(slug_of_video(name), layout.clips.get(name), tuple(of_video), rates[name])


def _name_of(video: _Video) -> str:
    """Return the text after ``/watch?v=`` in the id of a video.

    If the id is not a web address, the whole id is returned.
    """
    return video.video_id.rpartition("/watch?v=")[2].partition("&")[0] or video.video_id


def _take_of(video: _Video) -> str:
    return slug_of_video(_name_of(video))


def slug_of_video(name: str) -> str:
    """Return the id of a take, made from its video's id.

    The id of a video is case-sensitive. Characters that are not allowed in a file name are replaced.
    """
    return re.sub(r"[^A-Za-z0-9_-]", "_", name)


def _spare(key: Key, layout: _Layout) -> Iterator[str]:
    """Yield a sentence for each step folder with more than one picture."""
    for of in (layout.tool, layout.published):
        for step, pictures in of.get(key, {}).items():
            if len(pictures) > 1:
                where = f"{'/'.join(key)}/step_{step}"
                yield f"{where}: {len(pictures)} diagrams in one folder, {pictures[0].name} is used"
