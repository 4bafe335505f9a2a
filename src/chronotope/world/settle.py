"""Settling of things under gravity, so that no thing floats or sinks into its support."""

from collections.abc import Sequence

import numpy as np
from scipy.spatial import ConvexHull
from scipy.spatial.transform import Rotation

from chronotope.world.engine import require_mujoco
from chronotope.world.film_set import Placement

STEP = 0.002  # s
LONGEST = 800  # steps
DAMPING = 0.93  # factor of the velocity in each step
AT_REST = 2e-3  # largest speed of a thing at rest, m/s and rad/s
DIGITS = 6  # poses are rounded to the micrometre, so that they are the same on every machine


def settle(placements: Sequence[Placement]) -> list[np.ndarray] | None:
    """Return the poses (4, 4) at which placements come to rest.

    The poses are in the order of the placements. Returns None if things do not come to rest. Each solid of a thing is
    replaced by its convex hull. The mass of the thing is divided among its solids in proportion to their volumes.
    """
    mujoco = require_mujoco()
    spec = mujoco.MjSpec()
    spec.option.timestep = STEP
    spec.option.integrator = mujoco.mjtIntegrator.mjINT_IMPLICITFAST
    for number, placement in enumerate(placements):
        quaternion = Rotation.from_matrix(placement.pose[:3, :3]).as_quat()[[3, 0, 1, 2]]
        body = spec.worldbody.add_body(name=f"b{number}", pos=placement.pose[:3, 3], quat=quaternion)
        if placement.role == "thing":
            body.add_freejoint()
        volumes = np.array([ConvexHull(solid).volume for solid in placement.thing.solids])
        for part, solid in enumerate(placement.thing.solids):
            name = f"s{number}_{part}"
            spec.add_mesh(name=name, uservert=np.ascontiguousarray(solid, np.float32).ravel())
            body.add_geom(
                type=mujoco.mjtGeom.mjGEOM_MESH,
                meshname=name,
                mass=placement.thing.mass * volumes[part] / volumes.sum(),
                friction=[0.9, 0.02, 0.02],  # rolling friction brings balls to rest
                condim=6,
            )
    model = spec.compile()
    data = mujoco.MjData(model)
    for _ in range(LONGEST):
        mujoco.mj_step(model, data)
        data.qvel *= DAMPING
        if data.time > 0.1 and np.abs(data.qvel).max(initial=0.0) < AT_REST:
            break
    else:
        return None
    return [_pose(data, number + 1) for number in range(len(placements))]


def _pose(data: object, body: int) -> np.ndarray:
    pose = np.eye(4)
    quaternion = np.round(data.xquat[body], DIGITS + 2)  # pyright: ignore[reportAttributeAccessIssue]
    pose[:3, :3] = Rotation.from_quat(quaternion[[1, 2, 3, 0]]).as_matrix()
    pose[:3, 3] = np.round(data.xpos[body], DIGITS)  # pyright: ignore[reportAttributeAccessIssue]
    return pose
