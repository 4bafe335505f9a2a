"""Recordings whose things have attributes described by a model, and the record of these descriptions."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from chronotope.families.m3.attributes import Described, Place, is_simulated, missing_attributes, subject_of
from chronotope.families.m3.looks import DESCRIBED
from chronotope.io import link_or_copy, refuse_links
from chronotope.recording import Entity, Recording, save_recording

FUNCTION = "function"  # the attribute that says what things of a type are for
_WRITTEN = ("recording.json", "camera.parquet", "tracks.parquet", "points.npz")


def record_of(found: Sequence[Described], model: str) -> dict[str, Any]:
    """Return the record of each asset, as plain values.

    The names of the paper's fields are the paper's; ``function`` is that of the asset's type. ``agreed`` has the
    attributes about which both passes agree.
    """
    return {
        one.subject.id: {
            "object_category": one.subject.category,
            **one.profile.model_dump(),
            "function": one.function,
            "second_look": None if one.look is None else one.look.model_dump(),
            "agreed": one.agreed,
            "model": model,
            "views": [
                {"recording": view.recording, "object": view.entity, "frame": view.frame, "share": round(view.share, 6)}
                for view in one.subject.views
            ],
        }
        for one in found
    }


def described_recording(recording: Recording, found: Mapping[str, Described], model: str) -> Recording:
    """Add described attributes to the things of a recording.

    ``found`` has the descriptions by subject. An attribute that is known already stays. The attribute ``described`` of
    a thing has the names of the attributes that a model described. The provenance has the model, and the views.
    """
    if is_simulated(recording):
        return recording
    entities: list[Entity] = []
    told: dict[str, Any] = {}
    for entity in recording.entities:
        one = found.get(subject_of(recording, entity))
        agreed = {} if one is None else one.agreed
        added = {key: agreed[key] for key in missing_attributes(entity) if key in agreed}
        if one is not None and one.function is not None and not entity.attributes.get(FUNCTION):
            added[FUNCTION] = one.function
        if one is not None and added:
            views = [f"{view.recording}:{view.frame}" for view in one.subject.views]
            told[entity.id] = {"attributes": sorted(added), "views": views}
            entity = replace(entity, attributes=entity.attributes | added | {DESCRIBED: ", ".join(sorted(added))})
        entities.append(entity)
    if not told:
        return recording
    provenance = recording.provenance | {DESCRIBED: {"model": model, "things": told}}
    return replace(recording, entities=tuple(entities), provenance=provenance)


def save_described(place: Place, recording: Recording, out: Path) -> None:
    """Write a recording into ``out/recordings``, and its clip into ``out/clips``.

    Clips, maps and other files are links to the files of the source. Files that exist in ``out`` already are replaced.
    """
    inside, clip = out / "recordings" / recording.id, recording.clip
    refuse_links(out / "recordings", inside, out / "clips")
    left_out = {place.folder / name for name in _WRITTEN}
    if clip is not None:
        left_out.add(clip.path)
        target = out / "clips" / f"{recording.id}{clip.path.suffix}"
        _link(clip.path, target)
        recording = replace(recording, clip=replace(clip, path=target.absolute()))
    for file in sorted(place.folder.rglob("*")):
        beside = file.relative_to(place.folder)
        if file.is_file() and file not in left_out and not any(part.startswith(".") for part in beside.parts):
            _link(file, inside / beside)
    save_recording(recording, inside)


def _link(source: Path, target: Path) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    if target.exists():
        if target.samefile(source):
            return
        target.unlink()
    link_or_copy(source, target)
