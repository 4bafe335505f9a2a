"""Poses, cameras and their text, made without the package: Rodrigues' formula, half angles, string formatting."""

import itertools
import json
import math

import numpy as np
from hypothesis import strategies as st


def rotation(axis, angle):
    """Rodrigues' rotation (3, 3) about an axis."""
    x, y, z = np.asarray(axis, float) / np.linalg.norm(axis)
    K = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
    return np.eye(3) + math.sin(angle) * K + (1 - math.cos(angle)) * (K @ K)


def quaternion(axis, angle):
    """x y z w of the same rotation, by the half angle."""
    axis = np.asarray(axis, float) / np.linalg.norm(axis)
    return np.array([*(axis * math.sin(angle / 2)), math.cos(angle / 2)])


def walk(count, seed=0):
    """Axes (N, 3), angles (N,) and positions (N, 3) of a smooth walk."""
    rng = np.random.default_rng(seed)
    axes = np.array([0.2, 1.0, -0.3]) + 0.1 * rng.standard_normal((count, 3))
    angles = 0.3 + 0.05 * np.arange(count)
    positions = np.cumsum(rng.normal(0.05, 0.02, (count, 3)), axis=0)
    return axes, angles, positions


def poses_of(axes, angles, positions):
    """The (N, 4, 4) matrices of a walk."""
    poses = np.zeros((len(angles), 4, 4))
    for k, (axis, angle, position) in enumerate(zip(axes, angles, positions, strict=True)):
        poses[k, :3, :3], poses[k, :3, 3], poses[k, 3, 3] = rotation(axis, angle), position, 1
    return poses


def looking(place, at):
    """World_T_camera (4, 4) at a place, with OpenCV's axes: z towards a point, x level."""
    ahead = np.asarray(at, float) - place
    ahead /= math.sqrt(ahead @ ahead)
    right = np.cross(ahead, [0.0, 0.0, 1.0])
    right /= math.sqrt(right @ right)
    pose = np.eye(4)
    pose[:3] = np.stack([right, np.cross(ahead, right), ahead, place], axis=1)
    return pose


def rays_of(pose, K, size):
    """Rays (H * W, 3) of a picture's pixels in the world, one step along the optical axis each."""
    columns, rows = np.meshgrid(np.arange(size[0]), np.arange(size[1]))
    pixels = np.stack([columns, rows, np.ones_like(rows)], axis=-1).reshape(-1, 3)
    return pixels @ np.linalg.inv(K).T @ pose[:3, :3].T


def degrees(first, second):
    """Degrees between rotations, by the distance of the matrices: exact for small ones."""
    return np.degrees(np.sqrt(((first - second) ** 2).sum(axis=(-2, -1)) / 2))


def by_number(recording):
    """Entities by the number at the end of their ids."""
    return {int(entity.id.rpartition("-")[2]): entity for entity in recording.entities}


def edit(path, change):
    """Change a JSON document in place."""
    document = json.loads(path.read_text())
    change(document)
    path.write_text(json.dumps(document))


def anywhere(draw, document):
    """A place in a document, and its value: draws go down it as far as they like."""
    place, holder, last = document, None, None
    while isinstance(place, dict | list) and place and (holder is None or draw(st.integers(0, 4))):
        holder = place
        last = draw(st.sampled_from(list(place) if isinstance(place, dict) else range(len(place))))
        place = holder[last]
    return holder, last, place


def row(numbers, digits=17):
    return " ".join(f"{number:.{digits}g}" for number in numbers)


def polyline(points):
    """Length and end-to-end distance with plain Python arithmetic."""
    length = sum(math.dist(a, b) for a, b in itertools.pairwise(points))
    return length, math.dist(points[0], points[-1])


def png(path):
    """A file with a picture's name; readers of sources only look whether it is there."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(b"\x89PNG\r\n\x1a\n")
    return path
