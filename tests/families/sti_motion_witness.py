"""True answers about what moves, about streets and rooms, worked out a second time from the specification.

Local quadratics by least squares, loops over dense times, nearest directions by trial; no code of the writer's. Where a
thing is at a moment, it is frozen there and handed to ``sti_box_witness``.
"""

import itertools
import json
import re
from dataclasses import replace
from functools import cache

import numpy as np
import sti_box_witness as boxes
from sti_witness import WINDOW, Witness

STILL_THING = {"desktop": 0.005, "indoor": 0.03, "outdoor": 0.5}
ROUND = {  # where a sector or a mount points, degrees to the left
    "Front": 0, "Front-Left": 45, "Left": 90, "Back-Left": 135, "Back": 180, "Back-Right": 225, "Right": 270,
    "Front-Right": 315,
}  # fmt: skip
DENSE = 0.01  # s
CAMERA = ("displacement", "path-length", "average-speed", "speed", "average-acceleration", "acceleration",
          "orientation-change", "pose")  # fmt: skip


# Where things are


def known(entity):
    return np.array([np.isfinite(pose).all() for pose in entity.poses])


def pose_at(times, poses, time):
    """Between the samples on either side; exactly a sample's where the time is one."""
    k = int(np.argmin(np.abs(times - time)))
    if len(poses) == 1:
        return poses[0]
    if abs(times[k] - time) < 1e-6:
        return poses[k]
    k = int(np.searchsorted(times, time)) - 1
    share = (time - times[k]) / (times[k + 1] - times[k])
    return blend(poses[k], poses[k + 1], share)


def blend(first, second, share):
    """Linear, and the shortest turn about one axis."""
    pose = np.eye(4)
    pose[:3, 3] = (1 - share) * first[:3, 3] + share * second[:3, 3]
    between = first[:3, :3].T @ second[:3, :3]
    angle = np.arccos(np.clip((np.trace(between) - 1) / 2, -1, 1))
    axis = np.array([between[2, 1] - between[1, 2], between[0, 2] - between[2, 0], between[1, 0] - between[0, 1]])
    if angle < 1e-7:
        pose[:3, :3] = first[:3, :3]
        return pose
    x, y, z = axis / np.sqrt(axis @ axis)
    cross = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
    turn = np.eye(3) + np.sin(share * angle) * cross + (1 - np.cos(share * angle)) * cross @ cross
    pose[:3, :3] = first[:3, :3] @ turn
    return pose


def frozen(recording, entity, time):
    """The entity as it stands at a time; one that rests, at its first known pose."""
    where = known(entity)
    if len(entity.poses) == 1 or time is None:
        return replace(entity, poses=entity.poses[where][:1])
    return replace(entity, poses=pose_at(recording.times, entity.poses, time)[None])


def quadratics(values, step, window):
    """Value, rate and second derivative (G, ...) of the parabola that fits each window of values (G, ...) best."""
    half, last = max(1, int(window / step / 2 + 1e-6)), len(values) - 1
    offsets, found = np.arange(-half, half + 1) * step, ([], [], [])
    for k in range(last + 1):
        centre = min(max(k, half), last - half)
        columns = np.vander(offsets + (centre - k) * step, 3, increasing=True)
        flat = values[centre - half : centre + half + 1].reshape(2 * half + 1, -1)
        best = np.linalg.solve(columns.T @ columns, columns.T @ flat).reshape(3, *values.shape[1:])
        for row, value in zip(found, best * np.array([1, 1, 2]).reshape(3, *[1] * (values.ndim - 1)), strict=True):
            row.append(value)
    return tuple(np.array(row) for row in found)


class Way(Witness):
    """The witness of a way without gaps; all of its local quadratics by normal equations."""

    def __init__(self, times, poses, kind, up, rate):
        self.t, self.T, self.kind, self.up = times, poses, kind, up
        self.looks = poses[0, :3, 2]
        count = int((times[-1] - times[0]) * rate + 1e-4) + 1
        self.grid = times[0] + np.arange(count) / rate
        inside = np.minimum(self.grid, times[-1])
        self.raw = np.stack([np.interp(inside, times, poses[:, i, 3]) for i in range(3)], 1)
        self.p, self.v, self.a = quadratics(self.raw - self.raw[0], 1 / rate, WINDOW[kind])
        self.p = self.p + self.raw[0]

    def rotation(self, time):
        return pose_at(self.t, self.T, min(max(time, self.t[0]), self.t[-1]))[:3, :3]


@cache
def ways_of(recording, entity):
    """A witness for each stretch of a thing's way, or the camera's, without a gap over 0.5 s, but for the shortest."""
    poses, valid = (recording.world_T_camera, recording.valid) if entity is None else (entity.poses, known(entity))
    times, runs, rate = recording.times, [], min(recording.clip.fps, 10.0)
    for k in np.flatnonzero(valid):
        if not runs or times[k] - times[runs[-1][-1]] > 0.5 + 1e-6:
            runs.append([])
        runs[-1].append(int(k))
    long = [run for run in runs if times[run[-1]] - times[run[0]] >= WINDOW[recording.kind.value] + 1e-9]
    found = [Way(times[run], poses[run], recording.kind.value, recording.up, rate) for run in long]
    for way in found:
        way.looks = recording.world_T_camera[0, :3, 2]
    return found


def way_of(recording, entity, start, end):
    """The witness of the stretch in which a window lies."""
    ways = ways_of(recording, entity)
    return next(way for way in ways if way.grid[0] <= start + 1e-6 and end - 1e-6 <= way.grid[-1])


def rests(recording, entity, start, end):
    """Whether it wanders less than the limit of its kind, slowly."""
    return way_of(recording, entity, start, end).rests(start, end, STILL_THING[recording.kind.value])


# Courses


@cache
def smoothed_azimuth(recording, entity, way):
    """On the way's grid: azimuth (G,) and its rate (G,) by least squares, and where it faces (G, 3)."""
    up, times = recording.up, recording.times
    poses = recording.vehicle_pose
    if entity is not None:
        index = np.flatnonzero(known(entity))
        times, poses = times[index], entity.poses[index]
    faces = np.array([pose_at(times, poses, time)[:3, 0] for time in way.grid])
    e1 = np.cross(up, [0.3, 0.5, -0.8])
    e1 /= np.sqrt(e1 @ e1)
    e2 = np.cross(up, e1)
    angles = []
    for ahead in faces:
        angle = np.arctan2(ahead @ e2, ahead @ e1)
        if angles:
            while angle - angles[-1] > np.pi:
                angle -= 2 * np.pi
            while angle - angles[-1] < -np.pi:
                angle += 2 * np.pi
        angles.append(angle)
    value, rate, _ = quadratics(np.array(angles), way.grid[1] - way.grid[0], WINDOW[way.kind])
    return value, rate, faces, np.array(angles)


def stretches_of(flags):
    """(first, last) of each run of True."""
    found, start = [], None
    for k, flag in enumerate([*flags, False]):
        if flag and start is None:
            start = k
        elif not flag and start is not None:
            found.append((start, k - 1))
            start = None
    return found


def dense(recording, entity, start, end):
    """Times, speeds with sign, azimuths, their rates, m driven and bare azimuths, every hundredth of a second."""
    way = way_of(recording, entity, start, end)
    azimuth, rate, faces, bare = smoothed_azimuth(recording, entity, way)
    t = np.arange(round((end - start) / DENSE) + 1) * DENSE + start
    at = np.clip(t, way.grid[0], way.grid[-1])
    p, v = (np.stack([np.interp(at, way.grid, column) for column in rows.T], 1) for rows in (way.p, way.v))
    yaw, turning = np.interp(at, way.grid, azimuth), np.interp(at, way.grid, rate)
    ahead = np.stack([np.interp(at, way.grid, column) for column in faces.T], 1)
    signed = np.linalg.norm(v, axis=1) * np.where((v * ahead).sum(1) < 0, -1, 1)
    driven = np.concatenate([[0.0], np.cumsum(np.linalg.norm(np.diff(p, axis=0), axis=1))])
    return t, signed, yaw, turning, driven, np.interp(at, way.grid, bare)


def level_until(bare, first, last):
    """The index from which a facing (K,) has left the level of the half second before ``first``, on the way to last."""
    step = 1 if last > first else -1
    before = first - step * round(0.5 / DENSE)
    level = np.median(bare[max(0, min(before, first)) : max(before, first) + 1])
    k = first
    while k != last and abs(np.degrees(bare[k] - level)) < 0.15:
        k += step
    return k


def legs(found, *, turning=1.0, least_turn=15.0, pause=1.0, still=0.2, least_stop=2.0, reverse=1.0, short=1.0):
    """The legs by our own reading of 6g: [kind, amount] with m, degrees (left positive) or s.

    What is driven within a turn belongs to it, and to no straight piece; the turn is what the bare facing leaves level.
    """
    t, signed, yaw, rate, driven, bare = found
    parts = []
    for first, last in stretches_of(np.abs(signed) < still):
        if t[last] - t[first] >= least_stop - 1e-9:
            parts.append((first, last, "stop"))
    free = np.ones(len(t), bool)
    for first, last, _ in parts:
        free[first : last + 1] = False
    for side in (1, -1):
        merged = []
        for first, last in stretches_of(free & (side * np.degrees(rate) > turning)):
            if merged and t[first] - t[merged[-1][1]] < pause:
                merged[-1][1] = last
            else:
                merged.append([first, last])
        parts += [(a, b, "turn") for a, b in merged if side * np.degrees(yaw[b] - yaw[a]) >= least_turn]
    told, here = [], 0

    def straight(first, last):
        cuts = {first, last}
        for a, b in stretches_of(signed[first : last + 1] < 0):
            if t[b + first] - t[a + first] > reverse:
                cuts |= {a + first, b + first}
        cuts = sorted(cuts)
        for a, b in itertools.pairwise(cuts):
            kind = "backward" if signed[a : b + 1].mean() < 0 else "forward"
            length = driven[b] - driven[a]
            if length < short:
                continue
            if told and told[-1][0] == kind:
                told[-1][1] += length
            else:
                told.append([kind, length])

    for first, last, kind in sorted(parts):
        middle = (first + last) // 2
        begins = first if kind == "stop" or first == 0 else level_until(bare, first, middle)
        ends = last if kind == "stop" or last == len(t) - 1 else level_until(bare, last, middle)
        straight(here, max(here, begins))
        if kind == "stop":
            told.append(["stop", t[last] - t[first]])
        else:
            angle = np.degrees(yaw[last] - yaw[first])
            if told and told[-1][0] == "turn" and told[-1][1] * angle > 0:
                told[-1][1] += angle
            else:
                told.append(["turn", angle])
        here = max(here, ends)
    straight(here, len(t) - 1)
    return told


def raw_heading_change(recording, entity, start, end):
    """Degrees to the left from the facing at the start to that at the end, by the poses as they are, turn by turn."""
    poses, where = recording.vehicle_pose, recording.valid
    if entity is not None:
        poses, where = entity.poses, known(entity)
    inside = np.flatnonzero(where & (recording.times >= start - 0.06) & (recording.times <= end + 0.06))
    faces = poses[inside, :3, 0]
    return sum(turn_to(a, b, recording.up) for a, b in itertools.pairwise(faces))


def shape_of(course):
    return [(kind, kind == "turn" and amount > 0) for kind, amount in course]


def parsed_course(text):
    """[kind, amount] of a printed course."""
    found = []
    for part in text.split(", then "):
        if move := re.fullmatch(r"move (forward|backward) (\d+\.\d\d)m", part):
            found.append([move[1], float(move[2])])
        elif turn := re.fullmatch(r"turn (left|right) (\d+)°", part):
            found.append(["turn", float(turn[2]) * (1 if turn[1] == "left" else -1)])
        else:
            found.append(["stop", float(re.fullmatch(r"stop for (\d+)s", part)[1])])
    return found


# Directions


def level(vector, up):
    flat = vector - up * (vector @ up)
    return flat / np.sqrt(flat @ flat)


def turn_to(first, second, up):
    """Degrees to the left from one direction to another, seen from above."""
    a, b = level(first, up), level(second, up)
    return np.degrees(np.arctan2(np.cross(a, b) @ up, a @ b))


def sector(angle, names):
    """The name whose direction is nearest, and how far the border to the next is (degrees)."""
    off = sorted((abs((angle - ROUND[name] + 180) % 360 - 180), name) for name in names)
    return off[0][1], (off[1][0] - off[0][0]) / 2


def mount(recording):
    """From two ways that are not the mount itself: the vehicle's and the camera's."""
    up = np.array([0.0, 0.0, 1.0])
    looks = recording.vehicle_pose[0, :3, :3].T @ recording.world_T_camera[0, :3, 2]
    return sector(turn_to(np.array([1.0, 0.0, 0.0]), looks, up), ROUND)


def bearing(recording, entity, time):
    camera = pose_at(recording.times, recording.world_T_camera, time)
    if recording.vehicle_pose is None:
        origin, ahead = camera[:3, 3], camera[:3, 2]
    else:
        vehicle = pose_at(recording.times, recording.vehicle_pose, time)
        origin, ahead = vehicle[:3, 3], vehicle[:3, 0]
    offset = frozen(recording, entity, time).poses[0, :3, 3] - origin
    return sector(turn_to(ahead, offset, recording.up), ROUND)


# Boxes as indoors and outdoors print them


def printed(text):
    cells = json.loads(text)
    assert list(cells) == ["C_lwh", "C_central_point", "C_heading"]
    return np.array(cells["C_lwh"]), np.array(cells["C_central_point"]), cells["C_heading"]


def upright_box(recording, entity, time):
    """Sizes, centre and heading as they are to be printed, unrounded."""
    thing = frozen(recording, entity, time)
    camera, pose = pose_at(recording.times, recording.world_T_camera, time), thing.poses[0]
    middle = camera[:3, :3].T @ (pose[:3, 3] - camera[:3, 3])
    if recording.kind.value == "outdoor":
        vehicle = pose_at(recording.times, recording.vehicle_pose, time)[:3, :3].T
        up = np.array([0.0, 0.0, 1.0])
        heading = np.radians(turn_to(vehicle @ camera[:3, 2], vehicle @ pose[:3, 0], up))
        return np.array(thing.size), np.array([middle[2], -middle[0], -middle[1]]), heading
    size, side = list(thing.size), pose[:3, 0]
    if size[1] > size[0]:
        size, side = [size[1], size[0], size[2]], pose[:3, 1]
    return np.array(size), middle, turn_to(camera[:3, 2], side, recording.up) % 180


# Who is meant


def noun(entity):
    colour = entity.attributes.get("colour")
    return f"{colour} {entity.label}" if colour else entity.label


def taken_for(entity, words):
    """Whether a thing may be meant by a noun: its own, or without the colour that is not known of it."""
    colourless = not entity.attributes.get("colour") and words.split()[-1:] == entity.label.split()[-1:]
    return noun(entity) == words or colourless


def in_the_picture(recording, entity, k):
    """Whether a frame shows a few pixels of it, or part of its box: any of a grid of points throughout the box."""
    if entity.visible[k] or entity.visible_pixels is not None:
        return bool(entity.visible[k]) or entity.visible_pixels[k] >= 4
    shares = np.array(list(itertools.product(np.linspace(-0.5, 0.5, 9), repeat=3))) * entity.size
    pose = np.linalg.inv(recording.world_T_camera[k]) @ entity.poses[k % len(entity.poses)]
    points = shares @ pose[:3, :3].T + pose[:3, 3]
    before = points[points[:, 2] > 1e-6] @ recording.intrinsics.T  # NaN is not before it
    pixels = before[:, :2] / before[:, 2:]
    return bool(((pixels > 0) & (pixels < [recording.clip.width, recording.clip.height])).all(axis=1).any())


NEAREST = r"the (.+) that is nearest to the camera at t = (\d+\.\d)s, of those in the picture at that time"


def meant(recording, phrase):
    """The ids that a phrase may mean; for the nearest at a time, with the ratio to the next."""
    if moment := re.fullmatch(NEAREST, phrase):
        k = int(np.argmin(np.abs(recording.times - float(moment[2]))))
        assert abs(recording.times[k] - float(moment[2])) < 1e-6
        eye = recording.world_T_camera[k, :3, 3]
        shown = [e for e in recording.entities if taken_for(e, moment[1]) and in_the_picture(recording, e, k)]
        away = sorted((np.linalg.norm(e.poses[k % len(e.poses), :3, 3] - eye), e.id) for e in shown)
        return [away[0][1]], (away[1][0] / away[0][0] if len(away) > 1 else np.inf)
    if rank := re.fullmatch(r"the (larger|largest|smaller|smallest) of the (\w+) (.+)", phrase):
        words = rank[3].removesuffix("s")
        found = [e for e in recording.entities if e.visible.any() and taken_for(e, words)]
        found.sort(key=lambda e: max(e.size))
        assert len(found) == {"two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7}[rank[2]], phrase
        order = found if rank[1].startswith("small") else found[::-1]
        sizes = [max(e.size) for e in order[:2]]
        return [order[0].id], max(sizes) / min(sizes) * 1.25 / 1.15
    words = phrase.removeprefix("the ")
    return [e.id for e in recording.entities if e.visible.any() and taken_for(e, words)], np.inf


# Every answer


def value(recording, facts):
    """The answer by this witness, but for courses: a number, a word, an id, a pose."""
    formula, at, (start, end) = facts["formula"], facts.get("at"), facts["window"]
    things = [boxes.entity_of(recording, name) for name in facts["entities"]]
    if formula == "mount":
        return mount(recording)[0]
    if formula == "bearing":
        return bearing(recording, things[0], at)[0]
    if not things or formula.startswith("thing-"):
        name = formula.removeprefix("thing-")
        asked = (at, at) if name in ("speed", "acceleration") else (start, end)
        return way_of(recording, things[0] if things else None, *asked).value(name, (start, end), at, facts["profile"])
    still = replace(recording, entities=tuple(frozen(recording, thing, at) for thing in things))
    if formula == "gap" and all(thing.points is not None for thing in things):
        one, other = (t.points @ t.poses[0, :3, :3].T + t.poses[0, :3, 3] for t in still.entities)
        return min(np.sqrt(((other - point) ** 2).sum(1)).min() for point in one)
    if formula == "box":
        return upright_box(recording, things[0], at)
    return boxes.value(still, facts | {"formula": formula.removesuffix("-at")})
