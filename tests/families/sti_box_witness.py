"""True answers about boxes worked out a second time: from corners, by loops and by optimisation."""

import itertools
import json
import re

import numpy as np
from scipy.linalg import expm, logm
from scipy.optimize import lsq_linear
from scipy.spatial.transform import Rotation

WORDS = {(0, -1): "Left", (0, 1): "Right", (1, -1): "Up", (1, 1): "Down", (2, -1): "Front", (2, 1): "Back"}


def entity_of(recording, name):
    return next(entity for entity in recording.entities if entity.id == name)


def corners(entity):
    """The eight corners in the world, x fastest last: a list of (3,) arrays."""
    pose, found = entity.poses[0], []
    for i, j, k in itertools.product((-0.5, 0.5), repeat=3):
        local = [i * entity.size[0], j * entity.size[1], k * entity.size[2], 1.0]
        found.append(np.array([sum(pose[row, col] * local[col] for col in range(4)) for row in range(3)]))
    return found


def centre(entity):
    return sum(corners(entity)) / 8


def camera(recording, time):
    """World_T_camera between the samples on either side: linear, and by the matrix logarithm."""
    t, T = recording.times, recording.world_T_camera
    k = min(max(i for i in range(len(t)) if t[i] <= time + 1e-9), len(t) - 2)
    share = (time - t[k]) / (t[k + 1] - t[k])
    pose = np.eye(4)
    pose[:3, 3] = (1 - share) * T[k, :3, 3] + share * T[k + 1, :3, 3]
    first, second = T[k, :3, :3], T[k + 1, :3, :3]
    pose[:3, :3] = first @ np.real(expm(share * np.real(logm(first.T @ second))))
    return pose


def seen_from(recording, time, points):
    back = np.linalg.inv(camera(recording, time))
    return [back[:3, :3] @ point + back[:3, 3] for point in points]


def side(entity, up, quantity):
    """Length, width, height from the edges of the box."""
    points = corners(entity)
    edges = [points[0] - points[4], points[0] - points[2], points[0] - points[1]]
    upright = [edge for edge in edges if abs(edge @ up) > 0.99 * np.sqrt(edge @ edge)]
    level = [edge for edge in edges if abs(edge @ up) < 0.1 * np.sqrt(edge @ edge)]
    assert len(upright) == 1 and len(level) == 2
    lengths = sorted(float(np.sqrt(edge @ edge)) for edge in level)
    if quantity == "height":
        along = [point @ up for point in points]
        assert abs(max(along) - min(along) - np.sqrt(upright[0] @ upright[0])) < 0.01
        return float(np.sqrt(upright[0] @ upright[0]))
    return lengths[1] if quantity == "length" else lengths[0]


def gap(a, b):
    """The smallest distance of two boxes: bounded least squares over a point of each."""
    left, right = a.poses[0], b.poses[0]
    matrix = np.hstack([left[:3, :3], -right[:3, :3]])
    half = np.array([*a.size, *b.size]) / 2
    found = lsq_linear(matrix, right[:3, 3] - left[:3, 3], (-half, half), tol=1e-14, max_iter=500)
    return float(np.linalg.norm(matrix @ found.x - (right[:3, 3] - left[:3, 3])))


def reaches(points):
    """How far points reach along each axis from the first to the last, halved."""
    return [(max(p[axis] for p in points) - min(p[axis] for p in points)) / 2 for axis in range(3)]


def word(first, second):
    """Where the first points' middle is relative to the second's; with the ratio of the axes and the room between."""
    offset = sum(first) / 8 - sum(second) / 8
    order = sorted(range(3), key=lambda axis: -abs(offset[axis]))
    axis = order[0]
    room = abs(offset[axis]) - reaches(first)[axis] - reaches(second)[axis]
    return WORDS[axis, 1 if offset[axis] > 0 else -1], abs(offset[axis]) / abs(offset[order[1]]), room


def levelled(recording, time, points):
    """Points in the frame of an observer at the camera who stands upright."""
    up = -recording.gravity
    pose = camera(recording, time)
    ahead = pose[:3, 2] - up * (pose[:3, 2] @ up)
    ahead /= np.sqrt(ahead @ ahead)
    right = np.cross(ahead, up)
    return [np.array([p @ right, -(p @ up), p @ ahead]) for p in points]


def printed_box(text):
    """Corners in the camera's frame (m) of a box printed as JSON, in the order of ``corners``."""
    cells = json.loads(text)
    turn = cells["orientation"]
    rotation = Rotation.from_euler("ZYX", [turn["yaw"], turn["pitch"], turn["roll"]], degrees=True).as_matrix()
    size, middle = np.array(cells["dimensions"]) / 100, np.array(cells["central_point"]) / 100
    return [rotation @ (size * signs) + middle for signs in itertools.product((-0.5, 0.5), repeat=3)]


def value(recording, facts):
    """The answer by this witness: metres, a word, an id, or corners in the camera's frame."""
    things = [entity_of(recording, name) for name in facts["entities"]]
    formula, at = facts["formula"], facts.get("at")
    if formula in ("length", "width", "height"):
        return side(things[0], -recording.gravity, formula)
    if formula == "gap":
        return gap(*things)
    if formula == "centre-distance":
        return float(np.sqrt(sum((centre(things[0]) - centre(things[1])) ** 2)))
    if formula == "camera-distance":
        return float(np.sqrt(sum((centre(things[0]) - camera(recording, at)[:3, 3]) ** 2)))
    if formula == "relation":
        return word(*(seen_from(recording, at, corners(thing)) for thing in things))[0]
    if formula == "nearest":
        away = {thing.id: np.linalg.norm(sum(seen_from(recording, at, corners(thing))) / 8) for thing in things}
        return min(away, key=lambda name: away[name])
    assert formula == "box"
    return seen_from(recording, at, corners(things[0]))


def clearly_seen(recording, entity, sample):
    """Above both thresholds by a twentieth of each."""
    pixels = recording.clip.width * recording.clip.height
    return (
        entity.visible[sample]
        and entity.visible_pixels[sample] >= 1.05 * 0.001 * pixels
        and entity.visible_fraction[sample] >= 1.05 * 0.5
    )


def centimetres(text):
    return float(re.fullmatch(r"(\d+\.\d\d)cm", text).group(1))
