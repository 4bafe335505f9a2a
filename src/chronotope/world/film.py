"""Film a shot: render its frames, and write a recording with ground truth.

All kinds of world share this code.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

from chronotope.media import encode_clip
from chronotope.recording import Clip, Entity, Recording, StateChange, save_recording, write_depth, write_identities
from chronotope.world.articulated_entity import with_body
from chronotope.world.film_set import FilmSet, Placement
from chronotope.world.light import Baked
from chronotope.world.quality import Quality
from chronotope.world.render import Drawn, render
from chronotope.world.shot import Shot
from chronotope.world.things import Thing
from chronotope.world.visibility import Surface, boxes_of, fractions_seen, pixels_of, sample_surfaces

# A visible thing has at least these shares of the picture's pixels, and of its own surface that faces the camera.
# Questions require larger shares (chronotope.scene.sight).
VISIBLE_SHARE, VISIBLE_FRACTION = 0.001, 0.5


def film(
    shot: Shot,
    name: str,
    world: str,
    generator: np.random.Generator,
    quality: Quality,
    folder: Path,
    provenance: dict[str, Any] | None = None,
    drawn: Callable[[int, int], None] | None = None,
    baked: Sequence[Baked] = (),
    frames: Iterator[Drawn] | None = None,
) -> Recording:
    """Film a shot and write it as a recording.

    ``clips/`` and ``recordings/`` are written into ``folder``. ``name`` is the name of the scene and of its recording;
    if the scene has several states, the recording is called ``<name>-<state>``. ``world`` is the kind of world. All
    random numbers come from ``generator``. ``drawn`` is called after each frame with its number, from 1, and the number
    of frames. ``baked`` is the baked light of each stage of the set, if the quality has it. ``frames`` are the frames
    of another engine, if that engine has drawn the set, with cameras near the poses of the shot; the visible fractions
    are then unknown. Memory does not grow with the number of frames.

    Raises:
        InputError: If the engine or OpenGL is missing.
    """
    film_set = shot.film_set
    called = name if shot.state is None else f"{name}-{shot.state}"
    inside = folder / "recordings" / called
    for kind in ("depth", "identities"):
        (inside / kind).mkdir(parents=True)
    (folder / "clips").mkdir(exist_ok=True)
    target = folder / "clips" / f"{called}.mp4"
    surface = None if frames is not None else sample_surfaces(generator, film_set.placements)
    seen = _Seen(surface, shot.intrinsics, len(film_set.placements))
    frames = frames or render(film_set, quality, float(shot.intrinsics[1, 1]), shot.camera, baked)
    facts = encode_clip(_keep(frames, shot, seen, inside, drawn), target, quality.fps, crf=quality.crf)
    clip = Clip(target, facts.sha256, float(quality.fps), facts.width, facts.height)
    recording = replace(
        _recording(shot, np.array(seen.cameras)),
        id=called,
        source=f"world:{world}",
        clip=clip,
        scene=name,
        entities=_entities(film_set, seen, quality),
        provenance={**(provenance or {}), "quality": quality.name, **shot.provenance},
    )
    save_recording(recording, inside)
    for file, text in shot.files.items():
        (inside / file).write_text(text, encoding="utf-8")
    return recording


def _recording(shot: Shot, cameras: np.ndarray) -> Recording:
    """Return the facts of a shot, without what depends on its pictures."""
    frames, ego = range(len(shot.times)), shot.ego
    return Recording(
        id="",
        kind=shot.kind,
        source="",
        times=shot.times,
        world_T_camera=cameras,
        valid=np.ones(len(frames), bool),
        gravity=np.array([0.0, 0.0, -1.0]),
        intrinsics=shot.intrinsics,
        depth=tuple(_file("depth", frame) for frame in frames),
        identities=tuple(_file("identities", frame) for frame in frames),
        depth_scale=shot.depth_scale,
        state=shot.state,
        vehicle_pose=None if ego is None else ego.pose,
        camera_mount=None if ego is None else ego.mount,
        velocity=None if ego is None else ego.velocity,
        rooms=shot.rooms,
        events=shot.events,
        licence=shot.licence,
    )


@dataclass
class _Seen:
    """The visible part of each thing, frame by frame; without a ``surface``, the visible fractions are unknown."""

    surface: Surface | None
    intrinsics: np.ndarray
    count: int
    cameras: list[np.ndarray] = field(default_factory=list[np.ndarray])
    pixels: list[np.ndarray] = field(default_factory=list)
    fractions: list[np.ndarray] = field(default_factory=list)
    boxes: list[np.ndarray] = field(default_factory=list)

    def note(self, identities: np.ndarray, pose: np.ndarray) -> None:
        pixels = pixels_of(identities, self.count)
        if self.surface is not None:
            surface = self.surface.at(len(self.pixels))
            self.fractions.append(fractions_seen(surface, identities, pose, self.intrinsics, pixels))
        self.cameras.append(pose)
        self.pixels.append(pixels)
        self.boxes.append(boxes_of(identities, self.count))


def _file(kind: str, frame: int) -> str:
    return f"{kind}/{frame:06d}.png"


def _keep(
    frames: Iterator[Drawn], shot: Shot, seen: _Seen, inside: Path, drawn: Callable[[int, int], None] | None
) -> Iterator[np.ndarray]:
    """Yield the colours of each frame.

    Before a frame is yielded, its depth and identities are written, and its visible things are recorded.
    """
    for number, (frame, pose) in enumerate(zip(frames, shot.camera, strict=True)):
        write_depth(inside / _file("depth", number), frame.depth, shot.depth_scale)
        write_identities(inside / _file("identities", number), frame.identities)
        seen.note(frame.identities, pose if frame.camera is None else frame.camera)
        yield frame.rgb
        if drawn is not None:
            drawn(number + 1, len(shot.camera))


def _entities(film_set: FilmSet, seen: _Seen, quality: Quality) -> tuple[Entity, ...]:
    pixels, boxes = np.array(seen.pixels), np.array(seen.boxes)
    fractions = np.array(seen.fractions) if seen.fractions else None
    clear = pixels >= VISIBLE_SHARE * quality.width * quality.height
    if fractions is not None:
        clear &= fractions >= VISIBLE_FRACTION
    return tuple(
        replace(
            _entity(placement),
            visible=clear[:, index],
            visible_pixels=pixels[:, index],
            visible_fraction=None if fractions is None else fractions[:, index],
            box2d=boxes[:, index],
        )
        for index, placement in enumerate(film_set.placements)
    )


def _entity(placement: Placement) -> Entity:
    """Describe a placement, without what is seen of it."""
    thing = placement.thing
    entity = Entity(
        id=placement.id,
        label=thing.label,
        category=thing.category,
        size=_micrometres(thing.size),
        size_range=_size_range(thing),
        poses=placement.poses,
        attributes=_attributes(placement),
        parent=placement.parent,
        symmetry=thing.symmetry,
        changes=tuple(StateChange(change.frame, change.key, change.value) for change in placement.changes),
    )
    return entity if placement.rig is None else with_body(entity, placement, placement.rig)


def _micrometres(size: tuple[float, float, float]) -> tuple[float, float, float]:
    """Round a size (m) to micrometres, because smaller digits are noise.

    The coordinates of the vertices of meshes are also rounded to whole micrometres.
    """
    length, width, height = size
    return round(length, 6), round(width, 6), round(height, 6)


def _size_range(thing: Thing) -> tuple[tuple[float, float, float], tuple[float, float, float]] | None:
    """Return the bounds (m) of the sizes of a thing's kind."""
    if thing.sizes is None:
        return None
    least, most = thing.sizes.bounds.tolist()
    return _micrometres(least), _micrometres(most)


def _attributes(placement: Placement) -> dict[str, str]:
    thing = placement.thing
    attributes = {} if "box" in placement.attributes else {"box": thing.box}
    if thing.material:
        attributes = {"material": thing.material} | attributes
    if thing.colour is not None:
        attributes = {"colour": thing.colour} | attributes
    if thing.front is not None:
        attributes["front"] = thing.front
    if placement.role != "thing":
        attributes["role"] = placement.role
    return attributes | placement.attributes
