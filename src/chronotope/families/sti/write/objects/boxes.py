"""The forms of boxes in questions and answers: one form for each kind of scene."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from chronotope.families.sti.measure.boxes import euler_angles, heading_in_view
from chronotope.families.sti.refusal import Code
from chronotope.geometry import Axes, Box, axes_rotation
from chronotope.question import Reason, Refused
from chronotope.recording import Entity, Kind
from chronotope.scene import number

STEEPEST_PITCH = np.radians(85)
MOST_LEANING = np.radians(10)  # maximum tilt at which a box is printed as upright
CHANGING = ("pedestrian", "person", "cyclist", "animal")  # things whose length and width change when they move
_LOOKS = np.eye(4)  # the camera's pose in its own frame


@dataclass(frozen=True)
class BoxForm:
    """A form of a box in the camera's frame.

    - ``require(entity, box, up, tolerance)`` raises Refused if a thing cannot have this form.
    - ``holds(rotations, up)`` checks whether rotations (..., 3, 3) have well-defined angles.
    - ``text(box, up)`` prints a box. ``up`` (3,) and boxes are in the camera's frame, in OpenCV axes.
    - ``upright`` is true if boxes rotate only about the up axis.
    - ``turns`` is true if exchangeable options have different rotations. On a road, all options have the same rotation,
      because most things there are parallel or perpendicular to the road.
    - ``frontless`` is the stem for a thing whose heading is unknown. Only the published rule for options uses this
      stem.
    """

    stem: str
    upright: bool
    turns: bool
    require: Callable[[Entity, Box, np.ndarray, float], None]
    holds: Callable[[np.ndarray, np.ndarray], bool]
    text: Callable[[Box, np.ndarray], str]
    frontless: str = ""


def _row(values: np.ndarray) -> str:
    return "[" + ", ".join(number(float(value), 2) for value in values) + "]"


def _require_free(entity: Entity, box: Box, up: np.ndarray, tolerance: float) -> None:
    if entity.symmetry != "none":
        raise Refused(Code.SYMMETRIC_OBJECT)
    if "front" not in entity.attributes:
        raise Refused(Code.NO_FRONT)


def _not_steep(rotations: np.ndarray, up: np.ndarray) -> bool:
    """Check that yaw and roll are well defined for all rotations."""
    return bool(np.abs(euler_angles(rotations)[..., 1]).max() <= STEEPEST_PITCH)


def _free_text(box: Box, up: np.ndarray) -> str:
    angles = np.degrees(euler_angles(box.rotation))
    named = zip(("yaw", "pitch", "roll"), angles, strict=True)
    turns = ", ".join(f'"{name}": {number(float(angle), 2)}' for name, angle in named)
    return (
        f'{{"dimensions": {_row(100 * box.size)}, "central_point": {_row(100 * box.centre)}, '
        f'"orientation": {{{turns}}}}}'
    )


def _require_upright(box: Box, up: np.ndarray) -> None:
    if np.arccos(np.clip(box.rotation[:, 2] @ up, -1, 1)) > MOST_LEANING:
        raise Refused(Code.AMBIGUOUS_AXIS)


def _require_facing(entity: Entity, box: Box, up: np.ndarray, tolerance: float) -> None:
    """Check that a box outdoors has a front.

    The x axis of the box is its facing direction.

    Raises:
        Refused: If the thing has no front, changes its shape, or is tilted.
    """
    if entity.category in CHANGING:
        raise Refused(Reason.MOVES)
    if entity.category == "sign" or entity.symmetry not in (None, "none"):
        raise Refused(Code.SYMMETRIC_OBJECT)
    _require_upright(box, up)


def _require_oblong(entity: Entity, box: Box, up: np.ndarray, tolerance: float) -> None:
    """Check that a box indoors has a heading.

    A rotation by 180° gives an equivalent heading.

    Raises:
        Refused: If the length of the box equals its width, or if the box is tilted.
    """
    if entity.symmetry not in (None, "none") or abs(box.size[0] - box.size[1]) < tolerance:
        raise Refused(Code.SYMMETRIC_OBJECT)
    _require_upright(box, up)


def _looks_level(rotations: np.ndarray, up: np.ndarray) -> bool:
    """Check whether the camera's pitch allows well-defined headings."""
    try:
        heading_in_view(np.eye(3), _LOOKS, up)
    except Refused:
        return False
    return True


def _facing_text(box: Box, up: np.ndarray) -> str:
    centre = axes_rotation(Axes.OPENCV, Axes.FLU) @ box.centre
    return _upright_text(box.size, centre, heading_in_view(box.rotation, _LOOKS, up))


def _oblong_text(box: Box, up: np.ndarray) -> str:
    turned = np.degrees(heading_in_view(box.rotation, _LOOKS, up))
    length, width, height = box.size
    if width > length:
        length, width, turned = width, length, turned + 90
    return _upright_text(np.array([length, width, height]), box.centre, round(float(turned) % 180, 2) % 180)


def _upright_text(size: np.ndarray, centre: np.ndarray, turned: float) -> str:
    return f'{{"C_lwh": {_row(size)}, "C_central_point": {_row(centre)}, "C_heading": {number(turned, 2)}}}'


_UPRIGHT = (
    "At t = {t}, which of these is the smallest upright box around {0}, in the camera's frame ({axes})? C_lwh is its "
    "length, width and height in metres, and C_central_point its middle in metres. C_heading is the angle in "
)
_FREE = (
    "At t = {t}, which of these is the box around {0}, in the camera's frame (x right, y down, z forward)? Its "
    "dimensions are the sides along the box's own x, y and z axes in centimetres: {axes}. The central point is the "
    "box's middle in centimetres. The orientation is yaw, pitch and roll in degrees: Rz(yaw) Ry(pitch) Rx(roll) turns "
    "the box's axes into the camera's. {view}"
)
FORMS = {
    Kind.DESKTOP: BoxForm(
        _FREE.replace("{axes}", "x points to {front}, z up, and y to the left of x as seen from above"),
        False,
        True,
        _require_free,
        _not_steep,
        _free_text,
        _FREE.replace(
            "{axes}",
            "they are the data set's, z the one that is up when it stands, where that is known, and nothing says which "
            "of them points to its front",
        ),
    ),
    Kind.INDOOR: BoxForm(
        _UPRIGHT.replace("{axes}", "x right, y down, z forward")
        + "degrees, from 0 to 180, by which the camera's viewing direction must turn to the left, as seen from above, "
        "to be parallel to the box's longer horizontal side. {view}",
        True,
        True,
        _require_oblong,
        _looks_level,
        _oblong_text,
    ),
    Kind.OUTDOOR: BoxForm(
        _UPRIGHT.replace("{axes}", "x forward, y left, z up")
        + "radians by which the camera's viewing direction must turn to the left, as seen from above, to be where the "
        "thing faces; it is negative for a turn to the right. {view}",
        True,
        False,
        _require_facing,
        _looks_level,
        _facing_text,
    ),
}
