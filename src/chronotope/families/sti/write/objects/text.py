"""The wording of stems about things, and their answers as printed (specification, 6a to 6c; the words are our own)."""

import numpy as np

from chronotope.families.sti.write.objects.measures import euler_angles
from chronotope.families.sti.write.scale import LengthUnit
from chronotope.families.sti.write.text import number
from chronotope.geometry import Box

__all__ = ["STEMS", "box_text", "length_text"]

STEMS = {
    "length": "What is the length of {0}, that is, the longer horizontal side of the upright box that just holds it?",
    "width": "What is the width of {0}, that is, the shorter horizontal side of the upright box that just holds it?",
    "height": "What is the height of {0}, from its lowest to its highest point?",
    "gap": "How wide is the smallest gap between {0} and {1}, each taken as the upright box that just holds it?",
    "centre-distance": "How far apart are the centres of {0} and {1}, that is, the middles of the upright boxes that "
    "just hold them?",
    "camera-distance": "At t = {t}, how far is the camera from the centre of {0}, that is, from the middle of the "
    "upright box that just holds it?",
    "relation": "At t = {t}, seen from the camera, where is {0} relative to {1}: Left, Right, Up, Down, Front (nearer "
    "to the camera) or Back (farther from the camera)?",
    "nearest": "At t = {t}, which of these five things is nearest to the camera, measured to the thing's centre?",
    "box": "At t = {t}, what is the box that just holds {0}, in the camera's frame (x right, y down, z forward)? Its "
    "dimensions are the sides along its own x, y and z axes in centimetres: x points to {front}, z up, and y "
    "to the left of x as seen from above. The central point is in centimetres. The orientation is yaw, pitch and roll "
    "in degrees, where Rz(yaw) Ry(pitch) Rx(roll) turns the box's axes into the camera's.",
}


def length_text(value: float, unit: LengthUnit) -> str:
    """A length given in a unit, as printed."""
    return f"{number(value, unit.decimals)}{unit.name}"


def box_text(box: Box) -> str:
    """A box in the camera's frame as one JSON object: centimetres and degrees, two decimals."""
    angles = np.degrees(euler_angles(box.rotation))
    named = zip(("yaw", "pitch", "roll"), angles, strict=True)
    turns = ", ".join(f'"{name}": {number(float(angle), 2)}' for name, angle in named)
    return (
        f'{{"dimensions": {_row(100 * box.size)}, "central_point": {_row(100 * box.centre)}, '
        f'"orientation": {{{turns}}}}}'
    )


def _row(values: np.ndarray) -> str:
    return "[" + ", ".join(number(float(value), 2) for value in values) + "]"
