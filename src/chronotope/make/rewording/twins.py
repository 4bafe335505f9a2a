"""Making the altered clips and recordings of twins, in the folder of a new benchmark."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from chronotope.families import NoTwin, TwinContext, family
from chronotope.io import link_or_copy
from chronotope.question import MediaFile, Question, Variant, recordings_of
from chronotope.recording import (
    ALTERATIONS,
    Alteration,
    Clip,
    Recording,
    altered,
    load_recording,
    read_depth,
    read_identities,
    sample_order,
    save_recording,
    twin_name,
    write_depth,
    write_identities,
)
from chronotope.recording.alterations import SIZE, TIME

_CRF = 17  # finer than a build's, because the pictures were compressed before
_BATCH = 64  # pictures of a reversed clip that are in memory at once


@dataclass(frozen=True)
class Twins:
    """The twins of questions, the reasons of questions without, and the media of the altered clips."""

    questions: tuple[Question, ...]
    without: tuple[tuple[str, Variant, str], ...]
    media: dict[str, MediaFile]


def make_twins(
    questions: Sequence[Question], media: dict[str, MediaFile], names: Sequence[Alteration], folder: Path
) -> Twins:
    """Make the twins of base questions; ``folder`` is a copy of their benchmark, which gets the new files.

    A clip is altered only if a question has a twin. A clip of double size is the same file, because its pictures are
    the same.
    """
    made: list[Question] = []
    without: list[tuple[str, Variant, str]] = []
    added: dict[str, MediaFile] = {}
    loaded: dict[str, Recording | None] = {}
    done: set[tuple[str, Alteration]] = set()
    for name in names:
        for question in questions:
            try:
                context = _context(question, name, folder, loaded)
                twin = _twin(question, context)
            except NoTwin as refused:
                without.append((question.id, name, str(refused)))
                continue
            for recording in context.recordings.values():
                if (recording.id, name) not in done:
                    done.add((recording.id, name))
                    added |= _write(recording, name, folder, media)
            made.append(twin)
    return Twins(tuple(made), tuple(without), added)


def _context(question: Question, name: Alteration, folder: Path, loaded: dict[str, Recording | None]) -> TwinContext:
    """Return the recordings of a question, and its alteration.

    Raises:
        NoTwin: If the benchmark has no ground truth of a recording.
    """
    found: dict[str, Recording] = {}
    for one in recordings_of(question):
        if one not in loaded:
            inside = folder / "recordings" / one
            loaded[one] = load_recording(inside) if (inside / "recording.json").is_file() else None
        recording = loaded[one]
        if recording is None:
            raise NoTwin(f"has no ground truth in recordings/{one}")
        found[one] = recording
    if not found and family(question.family).build.subject != "procedure":
        raise NoTwin("names no recording, so its ground truth is unknown")
    return TwinContext(name, found)


def _twin(question: Question, context: TwinContext) -> Question:
    """Return the twin of a question, with its own id, recordings and media."""
    make = family(question.family).twin
    if make is None:
        raise NoTwin(f"is of the family {question.family}, which declares no alterations")
    if question.variant != "base":
        raise NoTwin("is a variant itself")
    name = context.alteration
    new = make(question, context)
    paths = {
        path: _new_path(path, recording, name)
        for recording in context.recordings.values()
        for item in question.media
        for path in item.paths
        if recording.clip is not None and Path(path).name == recording.clip.path.name
    }
    if not context.recordings:  # pictures alone: the words of the question change
        paths = {path: path for item in question.media if item.kind == "image" for path in item.paths}
    if any(path not in paths for item in question.media for path in item.paths):
        raise NoTwin("shows other media than the clips of its recordings")
    return replace(
        new,
        id=twin_name(question.id, name),
        variant=name,
        base=question.id,
        recordings=tuple(twin_name(one, name) for one in recordings_of(new) or context.recordings),
        media=tuple(replace(item, paths=tuple(paths[path] for path in item.paths)) for item in new.media),
    )


def _new_path(path: str, recording: Recording, name: Alteration) -> str:
    return path if name == "double_size" else f"clips/{twin_name(recording.id, name)}.mp4"


def _write(recording: Recording, name: Alteration, folder: Path, media: dict[str, MediaFile]) -> dict[str, MediaFile]:
    """Write the altered recording with its clip and its maps, and return the new clip.

    Other records beside the recording, such as a scene graph, describe the original only, and are left out.
    """
    new = altered(recording, name)
    inside, before = folder / "recordings" / new.id, folder / "recordings" / recording.id
    added: dict[str, MediaFile] = {}
    clip = recording.clip
    if clip is not None and name == "double_size":
        new = replace(new, clip=clip)
    elif clip is not None:
        path = f"clips/{new.id}.mp4"
        added[path] = _encoded(clip, recording, name, folder, path)
        file = added[path]
        assert file.fps is not None
        new = replace(new, clip=Clip(folder / path, file.sha256, file.fps, file.width, file.height))
    inside.mkdir(parents=True)
    save_recording(_with_maps(recording, new, name, before, inside), inside)
    return added


def _encoded(clip: Clip, recording: Recording, name: Alteration, folder: Path, path: str) -> MediaFile:
    from chronotope.media import decode_frames, encode_clip  # loads PyAV

    order = sample_order(recording, name)

    def pictures() -> Iterator[np.ndarray]:
        for first in range(0, len(order), _BATCH):
            batch = order[first : first + _BATCH]
            held = dict(decode_frames(clip.path, batch))
            for index in batch:
                yield np.ascontiguousarray(held[index][:, ::-1]) if name == "mirrored" else held[index]

    fps = clip.fps / TIME if name == "half_speed" else clip.fps
    facts = encode_clip(pictures(), folder / path, fps, crf=_CRF)
    return MediaFile(path, facts.sha256, "video", facts.width, facts.height, facts.frames, facts.fps, facts.duration_s)


def _with_maps(recording: Recording, new: Recording, name: Alteration, before: Path, inside: Path) -> Recording:
    """Write the maps of depth and identities in the order of the twin, mirrored if it is mirrored."""
    order = sample_order(recording, name)
    scale = recording.depth_scale
    if scale is not None and name == "double_size":
        scale /= SIZE
    kept: dict[str, tuple[str | None, ...] | None] = {}
    makers: dict[str, Callable[[Path, Path], None]] = {"depth": _flip_depth, "identities": _flip_identities}
    for field, flip in makers.items():
        files: tuple[str | None, ...] | None = getattr(recording, field)
        if files is None:
            kept[field] = None
            continue
        (inside / field).mkdir(exist_ok=True)
        named: list[str | None] = []
        for number, sample in enumerate(order):
            file = files[sample]
            named.append(None if file is None else f"{field}/{number:06d}{Path(file).suffix}")
            if file is not None:
                (flip if name == "mirrored" else link_or_copy)(before / file, inside / f"{named[-1]}")
        kept[field] = tuple(named)
    return replace(new, depth=kept["depth"], identities=kept["identities"], depth_scale=scale)


def _flip_depth(source: Path, target: Path) -> None:
    write_depth(target, read_depth(source, 1.0)[:, ::-1], 1.0)


def _flip_identities(source: Path, target: Path) -> None:
    write_identities(target, read_identities(source)[:, ::-1])


def alterations_of(variants: Sequence[Variant]) -> tuple[list[Alteration], list[Variant]]:
    """Return the alterations among the names of variants, and the other variants."""
    given, known = set(map(str, variants)), set(map(str, ALTERATIONS))
    names: list[Alteration] = [name for name in ALTERATIONS if str(name) in given]
    return names, [variant for variant in variants if str(variant) not in known]
