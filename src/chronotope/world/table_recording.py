"""From a laid table to a recording: the camera's way, the frames, and everything that is true of them."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from chronotope.media import encode_clip
from chronotope.recording import Clip, Entity, Kind, Recording, save_recording, write_depth, write_identities
from chronotope.world.paths import CameraPath, draw_path
from chronotope.world.quality import Quality
from chronotope.world.render import Drawn, render
from chronotope.world.scene import Placement, Scene
from chronotope.world.table import lay_table
from chronotope.world.visibility import Surface, boxes_of, fractions_seen, pixels_of, sample_surfaces

__all__ = ["simulate_table"]

DEPTH_SCALE = 10_000.0  # values for each metre: 0.1 mm, up to 6.5 m
FIELD_OF_VIEW = (44.0, 52.0)  # degrees, vertical
# A thing counts as visible from this share of the picture's pixels, and of its own surface that faces the camera.
# Questions ask for more (families.sti.write.objects.sight).
VISIBLE_SHARE, VISIBLE_FRACTION = 0.001, 0.5


def simulate_table(
    name: str,
    generator: np.random.Generator,
    quality: Quality,
    folder: Path,
    provenance: dict[str, Any] | None = None,
    drawn: Callable[[int, int], None] | None = None,
) -> Recording:
    """Make a table and write it as a recording called ``name``: ``clips/`` and ``recordings/`` in ``folder``.

    Everything random comes from ``generator``; ``drawn`` is called after each frame with its number, from 1, and how
    many there are. Memory does not grow with the number of frames. Raises InputError where
    the engine or OpenGL is missing.
    """
    table = lay_table(generator)
    times = np.arange(round(generator.uniform(*quality.seconds) * quality.fps)) / quality.fps
    path = draw_path(generator, times, table.target, table.azimuth)
    focal = quality.height / 2 / np.tan(np.radians(generator.uniform(*FIELD_OF_VIEW)) / 2)
    intrinsics = np.array(
        [[focal, 0.0, (quality.width - 1) / 2], [0.0, focal, (quality.height - 1) / 2], [0.0, 0.0, 1.0]]
    )
    inside = folder / "recordings" / name
    for kind in ("depth", "identities"):
        (inside / kind).mkdir(parents=True)
    (folder / "clips").mkdir(exist_ok=True)
    target = folder / "clips" / f"{name}.mp4"
    seen = _Seen(sample_surfaces(generator, table.scene.placements), intrinsics, len(table.scene.placements))
    pictures = _keep(render(table.scene, quality, focal, path.poses), path, seen, inside, drawn)
    facts = encode_clip(pictures, target, quality.fps, crf=quality.crf)
    recording = Recording(
        id=name,
        kind=Kind.DESKTOP,
        source="world:table",
        times=times,
        world_T_camera=path.poses,
        valid=np.ones(len(times), bool),
        clip=Clip(target, facts.sha256, float(quality.fps), facts.width, facts.height),
        gravity=np.array([0.0, 0.0, -1.0]),
        intrinsics=intrinsics,
        depth=tuple(_file("depth", k) for k in range(len(times))),
        identities=tuple(_file("identities", k) for k in range(len(times))),
        scene=name,
        entities=_entities(table.scene, seen, quality),
        licence="CC0-1.0",
        provenance={**(provenance or {}), "quality": quality.name, "path": path.name, "depth_scale": DEPTH_SCALE},
    )
    save_recording(recording, inside)
    return recording


@dataclass
class _Seen:
    """What was seen of each thing, frame by frame."""

    surface: Surface
    intrinsics: np.ndarray
    count: int
    pixels: list[np.ndarray] = field(default_factory=list)
    fractions: list[np.ndarray] = field(default_factory=list)
    boxes: list[np.ndarray] = field(default_factory=list)

    def note(self, identities: np.ndarray, pose: np.ndarray) -> None:
        self.pixels.append(pixels_of(identities, self.count))
        self.fractions.append(fractions_seen(self.surface, identities, pose, self.intrinsics, self.count))
        self.boxes.append(boxes_of(identities, self.count))


def _file(kind: str, frame: int) -> str:
    return f"{kind}/{frame:06d}.png"


def _keep(
    frames: Iterator[Drawn], path: CameraPath, seen: _Seen, inside: Path, drawn: Callable[[int, int], None] | None
) -> Iterator[np.ndarray]:
    """The colours of each frame, once its depth and identities are written and what is seen in it is noted."""
    for number, (frame, pose) in enumerate(zip(frames, path.poses, strict=True)):
        write_depth(inside / _file("depth", number), frame.depth, DEPTH_SCALE)
        write_identities(inside / _file("identities", number), frame.identities)
        seen.note(frame.identities, pose)
        yield frame.rgb
        if drawn is not None:
            drawn(number + 1, len(path.poses))


def _entities(scene: Scene, seen: _Seen, quality: Quality) -> tuple[Entity, ...]:
    pixels, fractions, boxes = np.array(seen.pixels), np.array(seen.fractions), np.array(seen.boxes)
    least = VISIBLE_SHARE * quality.width * quality.height
    return tuple(
        Entity(
            id=placement.id,
            label=placement.thing.label,
            category=placement.thing.category,
            size=_micrometres(placement.thing.size),
            poses=placement.pose[None],
            attributes=_attributes(placement),
            parent=placement.parent,
            symmetry=placement.thing.symmetry,
            visible=(pixels[:, index] >= least) & (fractions[:, index] >= VISIBLE_FRACTION),
            visible_pixels=pixels[:, index],
            visible_fraction=fractions[:, index],
            box2d=boxes[:, index],
        )
        for index, placement in enumerate(scene.placements)
    )


def _micrometres(size: tuple[float, float, float]) -> tuple[float, float, float]:
    """A size without the noise of the last bits; meshes lie on this grid."""
    length, width, height = size
    return round(length, 6), round(width, 6), round(height, 6)


def _attributes(placement: Placement) -> dict[str, str]:
    thing = placement.thing
    attributes = {"colour": thing.colour, "material": thing.material, "box": thing.box}
    if thing.front is not None:
        attributes["front"] = thing.front
    if placement.role != "thing":
        attributes["role"] = placement.role
    return attributes
