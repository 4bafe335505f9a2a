"""Courses are told again by a dense reading of the way, and everything that moves keeps to the laws of motion."""

import itertools
from collections import Counter
from dataclasses import replace
from enum import StrEnum
from functools import cache

import numpy as np
import pytest
from scipy.spatial.transform import Rotation
from sti_drive_checks import retold
from sti_streets import COLOURS, street

from chronotope.families import WriteContext, family
from chronotope.families.sti.measure import Leg, course
from chronotope.families.sti.scale import SCALES
from chronotope.families.sti.write import job_of, variants_of
from chronotope.families.sti.write.camera import camera_variants
from chronotope.families.sti.write.course import course_item, course_text
from chronotope.families.sti.write.objects import object_variants
from chronotope.question import Reason, Refused
from chronotope.recording import Entity, Kind, Scene
from chronotope.scene import Candidate, Place, camera_of, track_of, view_of, write_kind

STI = family("sti")


@cache
def things_in(seed):
    return view_of(camera_of(street(seed)))


def courses_of(seed, profile, per_variant=6):
    """The street, and the questions about courses in it, of the car's and of things'."""
    scene = things_in(seed)
    context = WriteContext(0, profile, STI.build.Options(per_variant=per_variant))
    job = job_of(scene.recording, context)
    of_camera, of_things = (
        next(one for one in kinds if one.name.endswith("trajectory"))
        for kinds in variants_of(scene.observer, scene, context)
    )
    about_camera = write_kind(of_camera, scene.observer, job, Counter(), set())
    return scene.recording, about_camera + write_kind(of_things, scene, job, Counter(), set())


def test_every_course_is_told_again():
    asked, plain, kinds = 0, 0, Counter()
    for seed in (1, 2, 4, 5, 6):
        recording, questions = courses_of(seed, "strict", 3)
        for question in questions + courses_of(seed, "paper", 2)[1]:
            told, first = retold(recording, question)
            asked, plain = asked + 1, plain + first
            kinds.update(kind for kind, _ in told)
    assert asked >= 35 and plain >= 0.9 * asked, (asked, plain)
    assert set(kinds) == {"forward", "backward", "turn", "stop"}, kinds
    print(asked, plain, kinds)


# Laws of motion


def back_in_time(recording):
    """The same world, shown backwards."""
    return replace(
        recording,
        world_T_camera=recording.world_T_camera[::-1].copy(),
        vehicle_pose=recording.vehicle_pose[::-1].copy(),
        entities=tuple(
            replace(
                entity,
                poses=entity.poses[::-1].copy(),
                visible=entity.visible[::-1].copy(),
                visible_pixels=None if entity.visible_pixels is None else entity.visible_pixels[::-1].copy(),
                visible_fraction=None if entity.visible_fraction is None else entity.visible_fraction[::-1].copy(),
                label_speed=None if entity.label_speed is None else -entity.label_speed[::-1],
            )
            for entity in recording.entities
        ),
    )


def measured(variant, subject, place):
    try:
        return variant.measure(subject, place, "strict")
    except Refused as refused:
        return refused.code


def turned_round(legs):
    """A course told from its end: what was forward is backward, and turns go the other way round."""
    other = {"forward": "backward", "backward": "forward"}
    return [(other.get(leg.kind, leg.kind), -leg.amount if leg.kind == "turn" else leg.amount) for leg in legs[::-1]]


def total(legs, *kinds):
    return sum(amount for kind, amount in legs if kind in kinds)


@pytest.mark.parametrize("seed", [1, 2, 3, 5])
def test_shown_backwards_lengths_stay_and_turns_go_the_other_way(seed):
    scene = things_in(seed)
    end, mirror = scene.observer.end, view_of(camera_of(back_in_time(scene.recording)))
    subjects = [(variant, scene.observer, mirror.observer) for variant in camera_variants(Kind.OUTDOOR)]
    subjects += [(variant, scene, mirror) for variant in object_variants(Kind.OUTDOOR)]
    same, flipped, courses = Counter(), Counter(), 0
    for variant, subject, other in subjects:
        name = variant.name.removeprefix("thing-")
        if name not in SAME | FLIPPED | {"trajectory"}:
            continue
        for place in variant.places(np.random.default_rng(seed), subject, 12):
            at = None if place.at is None else round(end - place.at, 1)
            back = replace(place, start=round(end - place.end, 1), end=round(end - place.start, 1), at=at)
            a, b = measured(variant, subject, place), measured(variant, other, back)
            if isinstance(a, StrEnum) or isinstance(b, StrEnum):
                # Names hang on the first of equally good moments, which is the last one backwards.
                assert a == b or Reason.NOT_UNIQUE in (a, b) or name == "trajectory", (variant.name, place, a, b)
            elif name == "trajectory":
                again = turned_round(b)
                courses += [kind for kind, _ in again] == [leg.kind for leg in a]
                once = [(leg.kind, leg.amount) for leg in a]
                assert total(once, "turn") == pytest.approx(total(again, "turn"), abs=1e-6)
                # A moment at which it neither goes forward nor backward counts with one piece or the other.
                driven = [total(legs, "forward", "backward") for legs in (once, again)]
                assert 0 in driven or driven[0] == pytest.approx(driven[1], abs=0.05), (a, b)
            else:
                assert (a if name in SAME else -a) == pytest.approx(b, rel=1e-6, abs=1e-7), (variant.name, place)
                (same if name in SAME else flipped)[name] += 1
    assert set(same) == SAME and courses >= 10, (same, courses)
    assert "orientation-change" in flipped or seed not in (1, 2), flipped


SAME = {"displacement", "path-length", "average-speed", "speed"}
FLIPPED = {"orientation-change", "acceleration", "average-acceleration"}


@pytest.mark.parametrize("seed", [2, 6])
def test_what_holds_of_every_way(seed):
    scene = things_in(seed)
    asked = 0
    for entity in [None, *scene.recording.entities]:
        if entity is not None and (len(entity.poses) == 1 or not entity.visible.any()):
            continue
        track = scene.observer.track if entity is None else scene.track(entity.id)
        for piece in track.pieces:
            ends = np.round(np.linspace(piece.times[0] + 0.05, piece.times[-1] - 0.05, 4), 1)
            if ends[-1] > piece.times[-1] or ends[-1] - ends[0] < 4:
                continue
            parts = [piece.path(a, b) for a, b in itertools.pairwise(ends)]
            whole = piece.path(ends[0], ends[-1])
            straight = np.linalg.norm(np.diff(piece.positions(ends[[0, -1]]), axis=0))
            assert sum(parts) == pytest.approx(whole, rel=1e-9) and whole >= straight - 1e-9
            asked += 1
    assert asked >= 5


# Reasons not to ask


def legs(*amounts):
    """A course in short: metres forward, or degrees with a sign in a text."""
    return tuple(
        Leg("turn", float(np.radians(float(a)))) if isinstance(a, str) else Leg("forward", float(a)) for a in amounts
    )


@pytest.mark.parametrize(
    "right",
    [
        legs(40, "90", 60),
        legs(40, "-165", 60),
        legs(30, "20", 25, "-30"),
        legs("60", 80, "-45"),
        legs("30", "-40", 50),
        legs(100),
        (Leg("stop", 4.0), *legs("80"), Leg("stop", 3.0), *legs(20)),
    ],
)
def test_published_courses_could_have_been_driven(right):
    scale, dropped = SCALES[Kind.OUTDOOR], 0
    candidate = Candidate(Place(0.0, 10.0), right)
    for seed in range(150):
        try:
            item = course_item(np.random.default_rng(seed), [candidate], scale, ["?"], None)
        except Refused:
            continue
        assert item.options[item.answer] == course_text(right) and "e" in item.facts["adjust"]
        told = [text.split(", then ") for text in item.options]
        for parts in told:
            heads = [part.split()[0] + part.split()[1] * (part.split()[0] != "stop") for part in parts]
            assert all(a != b for a, b in itertools.pairwise(heads)), parts
            assert all(15 <= float(part.split()[2][:-1]) <= 170 for part in parts if part.startswith("turn")), parts
        distances = [[part for part in parts if part.startswith("move")] for parts in told]
        assert sum(one == distances[item.answer] for one in distances) >= 2  # one shares the distance
        dropped += any(len(parts) < len(right) for parts in told)
    assert dropped or len(right) == 1


def lane(*ways, category="vehicle", speed=6.0, mount="Front", **fields):
    """A straight street on which each thing goes its way (T, 2) m, always seen, each of another colour."""
    t = np.arange(200) / 10
    recording = street(0, manner="straight", mount=mount, things=0)
    ego = np.tile(np.eye(4), (200, 1, 1))
    ego[:, 0, 3] = speed * t
    things = []
    for k, way in enumerate(ways):
        step = np.gradient(way, axis=0)
        yaw = np.arctan2(step[:, 1], step[:, 0])
        poses = np.tile(np.eye(4), (200, 1, 1))
        poses[:, :3, :3] = Rotation.from_euler("z", yaw[:, None]).as_matrix()
        poses[:, :2, 3], poses[:, 2, 3] = way, 0.8
        colour, size, seen = {"colour": COLOURS[k]}, (4.5, 1.9, 1.6), np.ones(200, bool)
        things.append(Entity(f"thing-{k}", category, category, size, poses, colour, visible=seen))
    things = [replace(thing, **fields) for thing in things]
    mounted = recording.camera_mount
    return replace(recording, world_T_camera=ego @ mounted, vehicle_pose=ego, entities=tuple(things))


def ahead(speed=8.0, x=15.0, y=0.0):
    t = np.arange(200) / 10
    return np.stack([x + speed * t, y + 0 * t], 1)


def codes(recording, profile="strict"):
    """The refusals, and what is asked, of all but the slower kinds of question."""
    observer, refusals, asked = camera_of(recording), {}, Counter()
    scene = view_of(observer)
    context = WriteContext(0, profile, STI.build.Options(per_variant=4))
    job, (about_camera, about_things) = job_of(recording, context), variants_of(observer, None, context)
    for variant, subject in [*((one, observer) for one in about_camera), *((one, scene) for one in about_things)]:
        if variant.name in ("relation", "nearest", "gap", "centre-distance", "camera-distance", "pose"):
            continue
        counts = Counter()
        asked[variant.name] = len(write_kind(variant, subject, job, counts, set()))
        refusals[variant.name] = dict(counts)
    return refusals, asked


def only(recording, code, *variants, profile="strict"):
    refusals, asked = codes(recording, profile)
    for variant in variants:
        assert refusals[variant].get(code), (variant, refusals[variant])
        assert not asked[variant], variant
    return refusals


MOVING = ("thing-displacement", "thing-path-length", "thing-average-speed", "thing-speed", "thing-trajectory")


def test_the_lane_itself_is_asked_about():
    _, asked = codes(lane(ahead(), ahead(11.0, y=3.0), ahead(6.5, y=-3.0)))
    assert all(asked[variant] for variant in MOVING), asked


def test_stationary():
    jitter = np.random.default_rng(0).normal(size=(200, 2)) * 0.05
    only(
        lane(jitter + np.array([20.0, 3.0])), "STATIONARY", *MOVING, "thing-acceleration", "thing-average-acceleration"
    )
    _, asked = codes(lane(jitter + np.array([20.0, 3.0])), "paper")
    assert asked["thing-speed"] and asked["thing-average-speed"]  # zero is a legal answer by the published rule
    for profile in ("strict", "paper"):  # 0.4 m/s is slow, but it gets ahead
        only(lane(ahead(0.4)), "BELOW_PRECISION", "thing-speed", "thing-average-speed", profile=profile)
    only(lane(speed=0.0), "STATIONARY", "displacement", "path-length", "speed", "trajectory")


def test_a_course_that_only_creeps_is_no_course():
    only(lane(ahead(0.15)), "STATIONARY", "thing-trajectory")


def test_motion_below_noise():
    # 0.7 m to and fro: more than resting, less than three times the noise from start to end.
    shaken = np.random.default_rng(1).normal(size=(200, 2)) * 0.6
    refusals, _ = codes(lane(shaken + np.array([20.0, 3.0])))
    assert refusals["thing-displacement"]["MOTION_BELOW_NOISE"]
    # A path of which hardly a metre leads away.
    t = np.arange(200) / 10
    circle = np.stack([20 + 0.9 * np.cos(2 * t), 0.9 * np.sin(2 * t)], 1)
    for profile in ("strict", "paper"):
        only(lane(circle), "MOTION_BELOW_NOISE", "thing-path-length", profile=profile)
    assert codes(lane(ahead()), "paper")[1]["thing-path-length"]


def test_path_unstable():
    shaken = np.random.default_rng(1).normal(size=(200, 2)) * 0.15
    only(lane(ahead(3.0) + shaken), "PATH_UNSTABLE", "thing-path-length", "thing-average-speed")


def bend(radius, rate):
    """Along a circle, by so many rad a second."""
    t = np.arange(200) / 10
    return np.stack([15 + radius * np.sin(rate * t), radius - radius * np.cos(rate * t)], 1)


def test_a_course_that_bends_is_a_turn_or_refused():
    # Half a degree a second is a bend, but no turn; with more of it, over 20 s, it is as little a straight piece.
    for rate in (0.3, 0.5, 0.8):
        assert codes(lane(bend(900, np.radians(rate))))[0]["thing-trajectory"]["UNCLEAR_TURNS"]
    # A wide circle turns by 2.3 degrees a second, and nothing of it is straight. Its rank among the options differs by
    # name, and not each rank leaves turns of other sizes.
    wide = lane(bend(300, 0.04))
    assert sum(codes(replace(wide, id=f"lane-{number}"))[1]["thing-trajectory"] > 0 for number in range(5)) >= 4
    # Around on the spot while it stands: neither a stop nor a turn that anything is driven on.
    t = np.arange(200) / 10
    way = np.stack([15 + 4 * np.minimum(t, 8) + 4 * np.maximum(t - 16, 0), 0 * t], 1)
    recording = lane(way)
    [thing] = recording.entities
    about = Rotation.from_euler("z", np.interp(t, [9, 15], [0, 50])[:, None], degrees=True).as_matrix()
    poses = thing.poses.copy()
    poses[:, :3, :3] = poses[:, :3, :3] @ about
    refusals, _ = codes(replace(recording, entities=(replace(thing, poses=poses),)))
    assert refusals["thing-trajectory"]["UNCLEAR_TURNS"]


def test_a_turn_is_all_of_its_heading_change_and_all_of_its_way():
    """It eases in and out over seconds, as cars do; told from the shape that it was made with."""
    t = np.arange(0, 30.01, 0.1)
    eased = np.clip((t - 8) / 10, 0, 1)  # from 8 s to 18 s
    yaw = np.radians(90.6) * (eased - np.sin(2 * np.pi * eased) / (2 * np.pi))
    xy = np.cumsum(np.stack([np.cos(yaw), np.sin(yaw)], 1) * 0.6, axis=0)
    poses = np.tile(np.eye(4), (len(t), 1, 1))
    poses[:, :2, 3] = xy
    poses[:, :3, :3] = Rotation.from_euler("z", yaw[:, None]).as_matrix()
    track = track_of(t, poses, np.ones(len(t), bool), 10.0, Kind.OUTDOOR, 0.05)
    legs = course(track, np.array([1.0, 0, 0]), np.array([0, 0, 1.0]), 0.0, 30.0)
    assert [leg.kind for leg in legs] == ["forward", "turn", "forward"]
    assert np.degrees(legs[1].amount) == pytest.approx(90.6, abs=1.0)
    # It goes 6 m/s: what lies between the straight pieces is the way that it turns on, but for its faint ends.
    assert 8 * 6 <= legs[0].amount <= 9.5 * 6 and 12 * 6 <= legs[2].amount <= 13.5 * 6


def without(entity, first, last):
    poses = entity.poses.copy()
    poses[first:last] = np.nan
    return replace(entity, poses=poses)


def test_track_gap_and_invalid_pose():
    recording = lane(ahead())
    [thing] = recording.entities
    # Seen all the time, but for 1 s nobody knows where: windows over the gap, and moments in it.
    only(replace(recording, entities=(without(thing, 60, 140),)), "TRACK_GAP", "thing-trajectory")
    refusals, _ = codes(replace(recording, entities=(without(thing, 95, 105),)))
    assert refusals["thing-displacement"]["TRACK_GAP"]
    refusals, _ = codes(replace(recording, entities=(without(thing, 0, 170),)))
    assert refusals["thing-displacement"]["INVALID_POSE"] and refusals["thing-speed"]["INVALID_POSE"]
    # Half a second without a pose is no gap.
    refusals, asked = codes(replace(recording, entities=(without(thing, 95, 99),)))
    assert "TRACK_GAP" not in refusals["thing-displacement"] and asked["thing-displacement"]


def test_too_many_segments():
    t = np.arange(200) / 10
    yaw = np.radians(60) * np.sin(2 * np.pi * t / 5)
    way = np.cumsum(np.stack([np.cos(yaw), np.sin(yaw)], 1) * 0.8, axis=0) + np.array([15.0, 0.0])
    refusals, _ = codes(lane(way))
    assert refusals["thing-trajectory"]["TOO_MANY_SEGMENTS"]


def test_degenerate_view_of_a_course():
    recording = lane(ahead())
    [thing] = recording.entities
    poses = thing.poses.copy()
    # The box is turned about between two samples.
    poses[100:, :3, :3] = poses[100:, :3, :3] @ np.diag([-1.0, -1.0, 1.0])
    refusals, _ = codes(replace(recording, entities=(replace(thing, poses=poses),)))
    assert refusals["thing-trajectory"]["DEGENERATE_VIEW"]


def test_labels_disagree():
    told, more = np.tile([8.0, 0.0, 0.0], (200, 1)), np.array([1.0, 0.0, 0.0])
    only(lane(ahead(), label_speed=told + 0.6 * more), "LABELS_DISAGREE", "thing-speed")
    refusals, _ = codes(lane(ahead(), ahead(11.0, y=3.0), label_speed=told))
    assert refusals["thing-speed"]["LABELS_DISAGREE"]  # one of them lies
    refusals, _ = codes(lane(ahead(), label_speed=told + 0.4 * more))
    assert "LABELS_DISAGREE" not in refusals["thing-speed"]
    refusals, _ = codes(lane(ahead(), label_speed=np.full((200, 3), np.nan)))
    assert "LABELS_DISAGREE" not in refusals["thing-speed"]


@pytest.mark.parametrize("kind", ["pedestrian", "cyclist", "animal"])
def test_what_walks_is_asked_for_its_height_only(kind):
    recording = lane(ahead(1.2, y=2.0), category=kind)
    refusals = only(recording, "MOVES", "box")
    assert refusals["size"]["MOVES"]


def test_no_vehicle_and_mounts_between_two_directions():
    only(replace(lane(), camera_mount=None), "NO_VEHICLE", "mount")
    recording = lane()
    for turn in (22.0, 67.5, 135.0, 180.0):
        mount = np.eye(4)
        mount[:3, :3] = Rotation.from_euler("z", turn, degrees=True).as_matrix() @ recording.camera_mount[:3, :3]
        other = replace(recording, camera_mount=mount, world_T_camera=recording.vehicle_pose @ mount)
        only(other, "AMBIGUOUS_AXIS", "mount")


def test_bearings_near_a_border_and_too_few_sides():
    # It keeps its place at 22.5 degrees to the left; and it stays ahead.
    t = np.arange(200) / 10
    aside = np.stack([6.0 * t + 20 * np.cos(np.pi / 8), 20 * np.sin(np.pi / 8) + 0 * t], 1)
    only(lane(aside), "AMBIGUOUS_AXIS", "bearing")
    only(lane(ahead(6.0)), "ANSWER_NOT_FOUND", "bearing")
    assert codes(lane(ahead(6.0)), "paper")[1]["bearing"]


def test_symmetric_and_leaning_boxes():
    only(lane(ahead(), category="sign"), "SYMMETRIC_OBJECT", "box")
    only(replace(lane(ahead(), size=(2.0, 1.97, 1.6)), kind=Kind.INDOOR), "SYMMETRIC_OBJECT", "box")
    recording = lane(ahead())
    [thing] = recording.entities
    leaning = thing.poses.copy()
    leaning[:, :3, :3] = leaning[:, :3, :3] @ Rotation.from_euler("x", 12, degrees=True).as_matrix()
    only(replace(recording, entities=(replace(thing, poses=leaning),)), "AMBIGUOUS_AXIS", "box")


def test_seen_for_too_short():
    brief = np.zeros(200, bool)
    brief[50:59] = True
    only(lane(ahead(), visible=brief), "NOT_VISIBLE", *MOVING)
    brief[50:61] = True
    # Seen for 1 s: one window.
    refusals, _ = codes(lane(ahead(), visible=brief), "paper")
    assert not {"NOT_VISIBLE", "TOO_SHORT"} & set(refusals["thing-displacement"])


@pytest.mark.parametrize("variant", ["thing-displacement", "thing-trajectory"])
def test_too_short(variant):
    # Seen from 5.125 s to 6.125 s: no two printed times in there lie a second apart.
    eighths = lane(ahead(), visible=np.isin(np.arange(200), np.arange(41, 50)))
    refusals, asked = codes(replace(eighths, times=np.arange(200) / 8, clip=replace(eighths.clip, fps=8.0)))
    assert refusals[variant] == {"TOO_SHORT": 1} and not asked[variant]


def test_below_precision():
    only(lane(speed=0.3), "BELOW_PRECISION", "speed", "average-speed")
    refusals = only(lane(), "SMALL_TURN", "orientation-change")
    assert "BELOW_PRECISION" not in refusals["orientation-change"]


def test_not_unique_and_far_from_any_moment():
    twins = lane(ahead(), ahead(8.0, y=3.5))
    twins = replace(twins, entities=tuple(replace(entity, attributes={}) for entity in twins.entities))
    only(twins, "NOT_UNIQUE", *MOVING, "box", "size", "bearing")


@pytest.mark.parametrize("clip", [True, False])
def test_names_speak_of_a_picture_only_where_there_is_one(clip):
    apart = lane(ahead(), ahead(9.0, x=45.0))
    twins = tuple(replace(entity, attributes={}) for entity in apart.entities)
    recording = replace(apart, entities=twins, clip=apart.clip if clip else None)
    written = STI.build.write(Scene.of(recording), WriteContext(0, "strict", STI.build.Options(per_variant=2)))
    stems = [question.stem for question in written.questions if "nearest to the camera" in question.stem]
    assert stems and all(("in the picture at t" in stem) == clip for stem in stems)
    assert clip or not any("picture" in question.stem for question in written.questions)
