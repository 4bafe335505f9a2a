"""Driving: the rig of a vehicle on its way, whose wheels turn with the road and steer into curves."""

import numpy as np
from scipy.ndimage import gaussian_filter1d

from chronotope.geometry import rotation_from_vector
from chronotope.world.rig import Rig
from chronotope.world.street.vehicle_model import CRANK
from chronotope.world.street.vehicles import Vehicle

STEEPEST = np.radians(38.0)  # largest angle of a steered wheel
_STANDING = 1e-4  # m; a wheel that moves less between two frames keeps its direction
_CALM = 1.5  # frames, deviation of the filter over the angles of steering


def on_road(vehicle: Vehicle, ground: np.ndarray) -> np.ndarray:
    """Return the path (T, 4, 4) of the frame of a vehicle that stands on the ground.

    ``ground`` (T, 4, 4) contains the poses of the places below the middle of the vehicle. The x axis of each pose on
    the ground is the heading, and its z axis the normal of the road.
    """
    lift = np.eye(4)
    lift[2, 3] = vehicle.thing.size[2] / 2
    return ground @ lift


def drive(vehicle: Vehicle, path: np.ndarray) -> Rig:
    """Make the rig of a vehicle whose frame has the poses ``path`` (T, 4, 4) in the world.

    Each wheel turns by the way of its middle along its own heading, divided by its radius. Front wheels of vehicles
    with four wheels point in the direction in which they move. All wheels are upright at rest in the first frame. The
    crank of a bicycle turns with its rear wheel, and its pedals stay level.
    """
    count = len(path)
    joints = np.repeat(vehicle.rest[None], count, axis=0)
    for number, name in enumerate(vehicle.joints):
        if not name.startswith("wheel"):
            continue
        centre = vehicle.rest[number, :3, 3]
        steer = _steering(path, centre) if name.startswith("wheel_front_") else np.zeros(count)
        turn = rolled(path, centre, steer) / vehicle.radii[number]
        still = np.zeros(count)
        yaw = rotation_from_vector(np.column_stack([still, still, steer]))
        joints[:, number, :3, :3] = yaw @ rotation_from_vector(np.column_stack([still, turn, still]))
    if vehicle.cockpit is not None:
        turn = pedalled(vehicle, path)
        still = np.zeros(count)
        cranked = rotation_from_vector(np.column_stack([still, turn, still]))
        first = vehicle.joints.index(CRANK)
        centre = vehicle.rest[first, :3, 3]
        joints[:, first, :3, :3] = cranked
        for number in range(first + 1, len(vehicle.joints)):
            joints[:, number, :3, 3] = centre + cranked @ (vehicle.rest[number, :3, 3] - centre)
    return Rig(vehicle.joints, vehicle.rest, np.round(path[:, None] @ joints, 9), vehicle.bindings)


def pedalled(vehicle: Vehicle, path: np.ndarray) -> np.ndarray:
    """Return the angle (T,) rad by which the crank of a bicycle has turned since the first frame.

    ``path`` (T, 4, 4) is that of the frame of the bicycle. The crank turns forward, about the y axis.
    """
    assert vehicle.cockpit is not None
    rear = vehicle.joints.index("wheel_rear")
    way = rolled(path, vehicle.rest[rear, :3, 3], np.zeros(len(path)))
    return way / vehicle.radii[rear] / vehicle.cockpit.gear


def rolled(path: np.ndarray, centre: np.ndarray, steer: np.ndarray) -> np.ndarray:
    """Return the distance (T,) m that a wheel has rolled forward since the first frame.

    ``centre`` (3,) m is its middle in the frame of ``path`` (T, 4, 4), and ``steer`` (T,) rad its angle.
    """
    places = path[:, :3, :3] @ centre + path[:, :3, 3]
    heading = path[:, :3, 0] * np.cos(steer)[:, None] + path[:, :3, 1] * np.sin(steer)[:, None]
    between = heading[1:] + heading[:-1]
    between /= np.linalg.norm(between, axis=1, keepdims=True)
    return np.concatenate([[0.0], np.cumsum(np.einsum("ti,ti->t", np.diff(places, axis=0), between))])


def _steering(path: np.ndarray, centre: np.ndarray) -> np.ndarray:
    """Return the angle (T,) rad of a steered wheel, counter-clockwise from above."""
    if len(path) < 2:
        return np.zeros(len(path))
    places = path[:, :3, :3] @ centre + path[:, :3, 3]
    moved = np.einsum("tij,ti->tj", path[:, :3, :3], np.gradient(places, axis=0))
    forward, left = moved[:, 0], moved[:, 1]
    way = np.where(forward < 0, -1.0, 1.0)  # backwards, the wheel points against its motion
    angle = np.arctan2(way * left, np.abs(forward))
    moves = np.abs(forward) > _STANDING
    if not moves.any():
        return np.zeros(len(path))
    known = np.flatnonzero(moves)
    angle = angle[known[np.abs(np.arange(len(path))[:, None] - known[None]).argmin(axis=1)]]
    return np.clip(gaussian_filter1d(angle, _CALM, mode="nearest"), -STEEPEST, STEEPEST)
