"""Rigid transforms, boxes, directions and trajectories: pure functions on arrays, no files.

Metres, seconds and radians. Camera axes are OpenCV (x right, y down, z forward) unless an ``Axes`` says otherwise; a
pose ``a_T_b`` is a (4, 4) matrix that maps coordinates in b to coordinates in a. Angles in the ground plane are
positive to the left, seen from above. Wrong values raise ValueError: these functions do not know which file they came
from, their caller does.
"""

from chronotope.geometry.boxes import (
    Box,
    box_distance,
    box_from_points,
    contains,
    corners,
    least_rectangle,
    project_points,
)
from chronotope.geometry.directions import (
    bearing,
    clock_direction,
    compass_direction,
    elevation,
    forward_of,
    heading,
    horizontal_basis,
    sector,
    wrap_angle,
)
from chronotope.geometry.rigid import (
    Axes,
    as_pose,
    axes_rotation,
    change_camera_axes,
    interpolate_pose,
    invert,
    is_rigid,
    project_to_so3,
    relative_pose,
    rotation_angle,
    rotation_from_quaternion,
    rotation_from_vector,
    rotation_vector,
    slerp,
    transform_points,
)
from chronotope.geometry.trajectory import (
    SmoothTrack,
    accumulated_turn,
    displacement,
    path_between,
    path_length,
    positions_at,
    resample,
    smooth,
    split_at_gaps,
)

__all__ = [
    "Axes",
    "Box",
    "SmoothTrack",
    "accumulated_turn",
    "as_pose",
    "axes_rotation",
    "bearing",
    "box_distance",
    "box_from_points",
    "change_camera_axes",
    "clock_direction",
    "compass_direction",
    "contains",
    "corners",
    "displacement",
    "elevation",
    "forward_of",
    "heading",
    "horizontal_basis",
    "interpolate_pose",
    "invert",
    "is_rigid",
    "least_rectangle",
    "path_between",
    "path_length",
    "positions_at",
    "project_points",
    "project_to_so3",
    "relative_pose",
    "resample",
    "rotation_angle",
    "rotation_from_quaternion",
    "rotation_from_vector",
    "rotation_vector",
    "sector",
    "slerp",
    "smooth",
    "split_at_gaps",
    "transform_points",
    "wrap_angle",
]
