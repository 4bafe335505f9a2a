"""3D video grounding: the box of a thing in the camera's frame at a moment."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from chronotope.families import Profile
from chronotope.families.sti.refusal import Code
from chronotope.families.sti.scale import SCALES
from chronotope.families.sti.write.objects.boxes import BoxForm
from chronotope.families.sti.write.objects.scalar import QUANTITIES
from chronotope.families.sti.write.objects.text import require_one_box, stem_about
from chronotope.families.sti.write.published import published_boxes
from chronotope.geometry import Box, horizontal_basis, project_points, rotation_from_vector
from chronotope.question import (
    ANGLES,
    Reason,
    Refused,
    angle_text,
    draw_angle_offsets,
    draw_vector_offsets,
    rungs_by_chance,
)
from chronotope.scene import Candidate, Item, Place, SceneView, draw_instants, field_of_view, number, seconds, shuffled

MOMENTS = 6  # maximum number of moments for each thing
PRINTED_STEP = 1e-4  # m
WIDEST_HALF_TURN = 20.0  # degrees; maximum angle between options if boxes look the same after half a turn
NEAREST_SIZE = (0.01, 0.05)  # neighbouring sizes differ by 1 to 5 % (difference of their logarithms)


@dataclass(frozen=True)
class Grounding:
    """Dimensions, central point and orientation of a thing, as one JSON object.

    The form of the object depends on the kind of scene.
    """

    form: BoxForm
    angles: Sequence[float] | None = None
    name: str = "box"
    task: str = "3D Video Grounding"

    def places(self, generator: np.random.Generator, scene: SceneView, count: int) -> list[Place]:
        """Return some moments of each thing.

        Each thing has one such question. No other question asks for the sizes of this thing, or for its distance from
        the camera.
        """
        places: list[Place] = []
        for (name,) in shuffled(generator, scene, [(thing.entity.id,) for thing in scene.things]):
            sizes = (("size", name, quantity) for quantity in QUANTITIES)
            tells = frozenset({("from camera", name), ("shape", name), *sizes})
            places += draw_instants(generator, scene, (name,), MOMENTS, tells)
        return places[:count]

    def measure(self, scene: SceneView, place: Place, profile: Profile) -> Box:
        """Return the box in the camera's frame, or raise Refused."""
        [name], time = place.entities, _moment(place)
        scene.called(place.entities)
        if profile != "paper":
            scene.refuse_telling_names(place.entities, time)
        scene.require_seen(place.entities, time)
        require_one_box(scene, name)
        box, up = scene.seen_box(name, time), _up_in_view(scene, time)
        try:
            self.form.require(scene.thing(name).entity, box, up, SCALES[scene.kind].nearest[0])
        except Refused as refused:
            if profile != "paper" or refused.code is not Code.NO_FRONT:  # the paper asks without a defined front
                raise
        if not self.form.holds(box.rotation, up):
            raise Refused(Code.DEGENERATE_VIEW)
        if not _in_picture(scene, time, box.centre[None]):
            raise Refused(Reason.NOT_VISIBLE)
        return box

    def alike(self, scene: SceneView, first: Box, second: Box) -> bool:
        """Return False, because one thing's box does not reveal another's."""
        return False

    def item(
        self, generator: np.random.Generator, scene: SceneView, profile: Profile, candidates: Sequence[Candidate]
    ) -> Item:
        """Return the item of the first candidate with valid options.

        Raises:
            Refused: If no candidate has valid options.
        """
        if profile == "paper":
            axis = _up_in_view(scene, _moment(candidates[0].place)) if self.form.upright else None
            boxes, facts = published_boxes(generator, candidates[0].value, SCALES[scene.kind].nearest, axis)
            return self._item(scene, candidates[0], boxes, facts)
        return self._exchangeable(generator, scene, candidates, self.angles or ANGLES)

    def _exchangeable(
        self,
        generator: np.random.Generator,
        scene: SceneView,
        candidates: Sequence[Candidate],
        angles: Sequence[float],
    ) -> Item:
        """Make boxes around a hidden point.

        The centres of the boxes scatter around this point, their rotations are about the up axis, and their sizes
        differ. All sides of a box change by one small factor, because otherwise the usual shape and size of a thing
        would reveal the correct box. A candidate is skipped if one of its boxes would be out of view, or would have no
        well-defined angles. The next candidate is then tried with the same shifts and turns.
        """
        shifts = draw_vector_offsets(
            generator, SCALES[scene.kind].nearest, shape=(1.0,) * (2 if self.form.upright else 3), step=PRINTED_STEP
        )
        growth = np.exp(draw_vector_offsets(generator, NEAREST_SIZE, shape=(1.0,)))
        # For upright boxes, five headings must fit into half a turn. (On roads, all options have the same heading.)
        fitting = [angle for angle in angles if angle <= WIDEST_HALF_TURN or not self.form.upright]
        angle = rungs_by_chance(generator, fitting)[0]
        turns = draw_angle_offsets(generator, (np.radians(angle), np.radians(angle)))
        turns = np.concatenate([[0.0], turns[turns != 0]]) * self.form.turns
        for candidate in candidates:
            box, time = candidate.value, _moment(candidate.place)
            up = _up_in_view(scene, time)
            rotations = rotation_from_vector(turns[:, None] * up) @ box.rotation
            # Upright boxes stay on the ground in every option.
            moves = shifts @ np.stack(horizontal_basis(up)) if self.form.upright else shifts
            centres, sizes = box.centre + moves, box.size * growth
            if _in_picture(scene, time, centres) and self.form.holds(rotations, up):
                boxes = [Box(*member) for member in zip(centres, sizes, rotations, strict=True)]
                tags = {"quantity": ("headings",), "spacing": (angle_text(angle),)} if self.form.turns else {}
                return replace(self._item(scene, candidate, boxes, {}), tags=tags)
        raise Refused(Reason.NO_DISTRACTORS)

    def _item(self, scene: SceneView, candidate: Candidate, boxes: Sequence[Box], facts: dict[str, Any]) -> Item:
        """Make a box item; the first box is correct."""
        place, [name] = candidate.place, candidate.place.entities
        up = _up_in_view(scene, _moment(place))
        texts = tuple(self.form.text(box, up) for box in boxes)
        if len(set(texts)) < len(texts):
            raise Refused(Reason.NO_DISTRACTORS)
        front = scene.thing(name).entity.attributes.get("front", "")
        template = self.form.stem if front or not self.form.frontless else self.form.frontless
        view = _view(scene, _moment(place))
        stem = stem_about(scene, template, place.entities, t=seconds(_moment(place)), front=front, view=view)
        box = candidate.value
        value = {"size": box.size.tolist(), "centre": box.centre.tolist(), "rotation": box.rotation.tolist()}
        return Item(place, stem, texts, 0, {"value": value, "unit": "m"} | facts)


def _moment(place: Place) -> float:
    assert place.at is not None
    return place.at


def _up_in_view(scene: SceneView, time: float) -> np.ndarray:
    """Return the unit vector (3,) up, in the camera's frame.

    If the camera is mounted on a vehicle, up is the vehicle's up axis.
    """
    mount = scene.recording.camera_mount
    return scene.camera(time)[:3, :3].T @ scene.up() if mount is None else mount[2, :3]


def _view(scene: SceneView, time: float) -> str:
    """Return a sentence with the camera's field of view.

    Without the field of view, a position in the picture does not determine a direction in space.
    """
    view = field_of_view(scene.recording, time)
    if view is None:
        raise Refused(Code.NO_INTRINSICS)
    across, down = view
    return f"The camera's field of view is {number(across, 1)}° wide and {number(down, 1)}° high."


def _lens(scene: SceneView, time: float) -> tuple[np.ndarray, tuple[int, int]]:
    """Return the intrinsics (3, 3) px at ``time``, and the picture's size.

    Raises:
        Refused: If the intrinsics or the size are unknown.
    """
    nearest = int(np.argmin(np.abs(scene.recording.times - time)))
    intrinsics, size = scene.recording.intrinsics_at(nearest), scene.picture
    if intrinsics is None or size is None:
        raise Refused(Code.NO_INTRINSICS)
    return intrinsics, size


def _in_picture(scene: SceneView, time: float, points: np.ndarray) -> bool:
    """Check whether all points (N, 3) m lie inside the picture.

    The points are in the camera's frame, and must be in front of the camera.
    """
    intrinsics, size = _lens(scene, time)
    pixels = project_points(points, intrinsics)
    return bool(((pixels >= 0) & (pixels <= np.array(size) - 1)).all())  # false also for NaN (points behind the camera)
