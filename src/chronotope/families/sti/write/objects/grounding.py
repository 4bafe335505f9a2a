"""3D video grounding: the box of a thing in the camera's frame at a moment (specification, 6c and 8)."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from chronotope.families import Profile
from chronotope.families.sti.write.item import Candidate, Item
from chronotope.families.sti.write.objects.measures import euler_angles
from chronotope.families.sti.write.objects.places import instants, shuffled
from chronotope.families.sti.write.objects.scalar import QUANTITIES
from chronotope.families.sti.write.objects.scene import Scene
from chronotope.families.sti.write.objects.text import STEMS, box_text
from chronotope.families.sti.write.published import published_boxes
from chronotope.families.sti.write.refusal import Code, Refused
from chronotope.families.sti.write.text import seconds
from chronotope.families.sti.write.windows import Place
from chronotope.geometry import Box, project_points, rotation_from_vector
from chronotope.question import draw_angle_offsets, draw_vector_offsets

__all__ = ["Grounding"]

MOMENTS = 6  # of one thing that may be asked about
STEEPEST_PITCH = np.radians(85)
PRINTED_STEP = 1e-4  # m
NEAREST_TURN = (float(np.radians(10)), float(np.radians(22.5)))  # about the published 15°
NEAREST_SIZE = (0.01, 0.05)  # between the logarithms of sizes: one is 1 to 5 % larger than the next


@dataclass(frozen=True)
class Grounding:
    """Dimensions, central point and orientation of a thing that shows which way it faces, as one JSON object."""

    name: str = "box"
    task: str = "3D Video Grounding"

    def places(self, generator: np.random.Generator, scene: Scene, count: int) -> list[Place]:
        """Some moments of each thing; one is asked about once, and its sizes and distances are not asked for again."""
        places: list[Place] = []
        for (name,) in shuffled(generator, [(thing.entity.id,) for thing in scene.things]):
            tells = frozenset({("from camera", name), *(("size", name, quantity) for quantity in QUANTITIES)})
            places += instants(generator, scene, (name,), MOMENTS, tells)
        return places[:count]

    def measure(self, scene: Scene, place: Place, profile: Profile) -> Box:
        """The box in the camera's frame; raises Refused."""
        [name], time = place.entities, _moment(place)
        entity = scene.thing(name).entity
        if entity.symmetry != "none":
            raise Refused(Code.SYMMETRIC_OBJECT)
        if "front" not in entity.attributes:
            raise Refused(Code.NO_FRONT)
        scene.called(place.entities)
        scene.up()
        scene.require_seen(place.entities, time)
        box = scene.seen_box(name, time)
        if _too_steep(box.rotation):
            raise Refused(Code.DEGENERATE_VIEW)
        if not _in_picture(scene, time, box.centre[None]):
            raise Refused(Code.NOT_VISIBLE)
        return box

    def alike(self, scene: Scene, first: Box, second: Box) -> bool:
        """See Variant: boxes of different things have nothing to do with each other."""
        return False

    def item(
        self, generator: np.random.Generator, scene: Scene, profile: Profile, candidates: Sequence[Candidate]
    ) -> Item:
        """See Variant."""
        if profile == "paper":
            boxes, facts = published_boxes(generator, candidates[0].value, scene.scale.nearest)
            return self._item(scene, candidates[0], boxes, facts)
        return self._exchangeable(generator, scene, candidates)

    def _exchangeable(self, generator: np.random.Generator, scene: Scene, candidates: Sequence[Candidate]) -> Item:
        """Centres about a hidden point, turns about up (all rest as the thing does), sizes larger or smaller.

        All sides grow by one factor, and by little: who knows what such things look like, and how large they are, would
        find the one of the right shape. Where a member could not be seen, or has no clear angles, the set is used for
        another candidate.
        """
        shifts = draw_vector_offsets(generator, scene.scale.nearest, step=PRINTED_STEP)
        growth = np.exp(draw_vector_offsets(generator, NEAREST_SIZE, shape=(1.0,)))
        turns = draw_angle_offsets(generator, NEAREST_TURN)
        turns = np.concatenate([[0.0], turns[turns != 0]])
        for candidate in candidates:
            box, time = candidate.value, _moment(candidate.place)
            upright = scene.camera(time)[:3, :3].T @ scene.up()
            rotations = rotation_from_vector(turns[:, None] * upright) @ box.rotation
            centres, sizes = box.centre + shifts, box.size * growth
            if _in_picture(scene, time, centres) and not _too_steep(rotations):
                boxes = [Box(*member) for member in zip(centres, sizes, rotations, strict=True)]
                return self._item(scene, candidate, boxes, {})
        raise Refused(Code.NO_DISTRACTORS)

    def _item(self, scene: Scene, candidate: Candidate, boxes: Sequence[Box], facts: dict[str, Any]) -> Item:
        """The right box is the first."""
        place, [name] = candidate.place, candidate.place.entities
        texts = tuple(box_text(box) for box in boxes)
        if len(set(texts)) < len(texts):
            raise Refused(Code.NO_DISTRACTORS)
        front = scene.thing(name).entity.attributes["front"]
        stem = STEMS[self.name].format(*scene.called(place.entities), t=seconds(place.at or 0.0), front=front)
        box = candidate.value
        value = {"size": box.size.tolist(), "centre": box.centre.tolist(), "rotation": box.rotation.tolist()}
        return Item(place, stem, texts, 0, {"value": value, "unit": "m"} | facts)


def _moment(place: Place) -> float:
    assert place.at is not None
    return place.at


def _too_steep(rotations: np.ndarray) -> bool:
    """Whether any of rotations (..., 3, 3) has a pitch at which yaw and roll run together."""
    return bool(np.abs(euler_angles(rotations)[..., 1]).max() > STEEPEST_PITCH)


def _in_picture(scene: Scene, time: float, points: np.ndarray) -> bool:
    """Whether all points (N, 3) m in the camera's frame lie before it and inside the picture."""
    intrinsics, size = scene.recording.intrinsics, scene.picture
    if intrinsics is None or size is None:
        raise Refused(Code.NO_INTRINSICS)
    if intrinsics.ndim == 3:
        intrinsics = intrinsics[int(np.argmin(np.abs(scene.recording.times - time)))]
    pixels = project_points(points, intrinsics)
    return bool(((pixels >= 0) & (pixels <= np.array(size) - 1)).all())  # NaN behind the camera
