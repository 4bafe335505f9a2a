"""Each reason not to ask about things has a scene that meets it, and is told by its code."""

import json
from dataclasses import replace

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from chronotope.families import WriteContext, family
from chronotope.families.sti.write.objects.relation import Relation
from chronotope.question import Refused
from chronotope.recording import Clip, Entity, Kind, Recording, Scene
from chronotope.scene import camera_of, view_of

STI = family("sti")
FRAMES = 60


def thing(name, place, size=(0.1, 0.08, 0.06), category=None, yaw=0.0, symmetry="none", **fields):
    """A thing that stands at a place (the middle of its foot); its own kind, so that it has a name."""
    pose = np.eye(4)
    pose[:3, :3] = Rotation.from_euler("z", yaw).as_matrix()
    pose[:3, 3] = place[0], place[1], place[2] + size[2] / 2
    attributes = fields.pop("attributes", {"front": "its handle"} if symmetry == "none" else {})
    seen = {
        "visible": np.ones(FRAMES, bool),
        "visible_pixels": np.full(FRAMES, 3000),
        "visible_fraction": np.full(FRAMES, 0.95),
    } | fields
    return Entity(name, category or name, category or name, size, pose[None], attributes, symmetry=symmetry, **seen)


def scene(*things, low=False):
    """The things, and a camera that comes nearer along y = 0 from x = -1.2 m, looking at the origin from 20° (5°)."""
    distance = np.linspace(1.2, 1.0, FRAMES)
    angle = np.radians(5 if low else 20)
    poses = np.tile(np.eye(4), (FRAMES, 1, 1))
    ahead = np.array([np.cos(angle), 0.0, -np.sin(angle)])
    right = np.array([0.0, -1.0, 0.0])
    poses[:, :3, :3] = np.stack([right, np.cross(ahead, right), ahead], 1)
    poses[:, :3, 3] = -distance[:, None] * ahead
    return Recording(
        id="scene",
        kind=Kind.DESKTOP,
        source="made-up",
        times=np.arange(FRAMES) / 10,
        world_T_camera=poses,
        valid=np.ones(FRAMES, bool),
        clip=Clip(None, "", 10.0, 480, 360),
        gravity=np.array([0.0, 0.0, -1.0]),
        intrinsics=np.array([[400.0, 0, 239.5], [0, 400.0, 179.5], [0, 0, 1]]),
        entities=tuple(things),
    )


SPREAD = (
    thing("mug", (0.0, 0.3, 0.0), yaw=1.0),
    thing("duck", (0.0, -0.3, 0.0), (0.12, 0.09, 0.1), yaw=-1.0),
    thing("ball", (-0.25, 0.05, 0.0), (0.14, 0.14, 0.14), symmetry="any"),
    thing("book", (0.3, 0.0, 0.0), (0.25, 0.18, 0.03), symmetry="half"),
    thing("lamp", (0.1, 0.15, 0.0), (0.2, 0.15, 0.4), yaw=0.5),
)


def refused(recording, profile="strict"):
    # No thing is kept back as the ruler of so few things.
    return STI.build.write(
        Scene.of(recording), WriteContext(0, profile, STI.build.Options(per_variant=5, scale="none"))
    )


def with_things(**fields):
    """SPREAD with fields of every thing replaced."""
    return scene(*(replace(entity, **fields) for entity in SPREAD))


def test_the_scene_itself_is_asked_about():
    outcome = refused(scene(*SPREAD))
    asked = {question.provenance["formula"] for question in outcome.questions}
    assert asked >= {"box", "length", "gap", "centre-distance", "camera-distance", "nearest"}


OBJECT_KINDS = ("box", "size", "gap", "centre-distance", "camera-distance", "relation", "nearest")


def only(outcome, code, kinds=OBJECT_KINDS):
    """Whether these kinds of question were refused for this reason, and none was asked."""
    for kind in kinds:
        assert outcome.refusals[kind].get(code), (kind, outcome.refusals[kind])
        assert not [q for q in outcome.questions if q.tags["variant"] == (kind,)], kind


def test_not_visible():
    only(refused(with_things(visible=np.zeros(FRAMES, bool), visible_pixels=np.zeros(FRAMES, int))), "NOT_VISIBLE")
    only(refused(with_things(visible_pixels=np.full(FRAMES, 160))), "NOT_VISIBLE")
    # Nothing is known of when it is seen.
    only(refused(with_things(visible=None, visible_pixels=None, visible_fraction=None)), "NOT_VISIBLE")
    brief = np.arange(FRAMES) < 9
    only(refused(with_things(visible=brief, visible_pixels=3000 * brief)), "NOT_VISIBLE", ["size"])


def test_a_flag_alone_is_enough():
    outcome = refused(with_things(visible_pixels=None, visible_fraction=None))
    assert {q.tags["variant"][0] for q in outcome.questions} >= {"size", "gap", "nearest"}


@pytest.mark.parametrize(
    "fields",
    [
        {"visible_fraction": np.full(FRAMES, 0.3), "visible": np.zeros(FRAMES, bool)},
        {"visible_fraction": np.full(FRAMES, 0.51)},  # within 5 % of the threshold nothing is decided
        {"visible_pixels": np.full(FRAMES, 178)},
    ],
)
def test_occluded(fields):
    only(refused(with_things(**fields)), "OCCLUDED", ["box", "camera-distance", "relation", "nearest"])


def test_never_seen_whole():
    outcome = refused(with_things(visible_fraction=np.full(FRAMES, 0.82)))
    only(outcome, "OCCLUDED", ["size"])
    assert [q for q in outcome.questions if q.tags["variant"] == ("gap",)]


def test_runs_are_closed_over_three_tenths_of_a_second():
    for hidden, kind in ((3, "asked"), (4, "refused")):
        seen = np.zeros(FRAMES, bool)
        seen[10:16] = True
        seen[16 + hidden : 22 + hidden] = True
        outcome = refused(with_things(visible=seen, visible_pixels=3000 * seen))
        sizes = [q for q in outcome.questions if q.tags["variant"] == ("size",)]
        assert bool(sizes) == (kind == "asked")
        assert all((q.window.start, q.window.end) == (1.0, 2.4) for q in sizes)


def test_not_unique():
    twins = scene(*(replace(entity, category="mug", label="mug") for entity in SPREAD))
    poses = twins.world_T_camera.copy()
    poses[:, :3, 3] *= 20  # from so far that none is clearly the nearest
    things = tuple(replace(entity, size=(0.1, 0.08, 0.06)) for entity in twins.entities)
    same = replace(twins, entities=things, world_T_camera=poses)
    only(refused(same), "NOT_UNIQUE", ["box", "size", "gap", "centre-distance", "camera-distance", "relation"])
    assert refused(same).refusals["nearest"] == {"NOT_UNIQUE": 1}


def test_a_thing_named_by_its_place_is_in_no_relation():
    first = thing("mug-1", (0.0, 0.3, 0.03), category="mug")
    shelf = replace(thing("shelf", (0.0, 0.3, 0.0), (0.3, 0.3, 0.03)), attributes={"role": "furniture"})
    second = thing("mug-2", (0.0, -0.3, 0.0), category="mug")
    recording = scene(shelf, replace(first, parent="shelf"), second)
    only(refused(recording), "NOT_UNIQUE", ["relation"])
    outcome = refused(replace(recording, entities=(*recording.entities, thing("book", (0.0, 0.0, 0.0)))))
    assert [q for q in outcome.questions if "the mug-1 on the shelf" in q.stem or "the mug on the shelf" in q.stem]


def test_below_precision():
    flat = scene(*(replace(entity, size=(0.004, 0.003, 0.002)) for entity in SPREAD))
    only(refused(flat), "BELOW_PRECISION", ["size"])
    touching = scene(thing("mug", (0.0, 0.0, 0.0)), thing("duck", (0.0, 0.082, 0.0)), thing("ball", (0.3, 0.1, 0.0)))
    assert refused(touching).refusals["gap"]["BELOW_PRECISION"] == 1


def test_a_thing_is_asked_for_no_distance_to_what_it_stands_on():
    book = thing("book", (0.0, 0.0, 0.0), (0.25, 0.18, 0.03))
    on_book = replace(thing("mug", (0.0, 0.0, 0.03)), parent="book")
    others = thing("duck", (0.0, 0.3, 0.0)), thing("lamp", (0.0, -0.4, 0.0)), thing("pan", (0.2, 0.2, 0.0))
    for question in refused(scene(book, on_book, *others)).questions:
        assert set(question.entities()) != {"book", "mug"}


def test_ambiguous_axis():
    # Half to the right and half behind; and a thing that leans.
    slanted = scene(thing("mug", (0.0, 0.0, 0.0)), thing("duck", (0.2, 0.2, 0.0)))
    only(refused(slanted), "AMBIGUOUS_AXIS", ["relation"])
    poses = SPREAD[0].poses.copy()
    poses[0, :3, :3] = Rotation.from_euler("x", 20, degrees=True).as_matrix()
    only(refused(scene(replace(SPREAD[0], poses=poses, symmetry="half"))), "AMBIGUOUS_AXIS", ["size"])


def test_the_second_axis_and_the_room_between_under_both_profiles():
    def ambiguous(second, profile):
        counts = refused(scene(thing("mug", (0.0, 0.0, 0.0)), second, low=True), profile).refusals["relation"]
        assert counts.get("AMBIGUOUS_AXIS", 16) == 16  # 8 moments in both orders
        return "AMBIGUOUS_AXIS" in counts

    behind = thing("duck", (0.11, -0.2, 0.0))  # right, and behind by 0.55 of that
    assert ambiguous(behind, "strict") and not ambiguous(behind, "paper")
    assert not ambiguous(thing("duck", (0.05, -0.2, 0.0)), "strict")
    # Right, but side by side without room between.
    assert ambiguous(thing("duck", (0.0, -0.07, 0.0)), "paper")


def test_an_observer_who_holds_to_gravity_has_to_agree():
    # A camera rolled by a quarter turn sees to the right what is below.
    recording = scene(*SPREAD)
    roll = np.eye(4)
    roll[:3, :3] = Rotation.from_euler("z", 90, degrees=True).as_matrix()
    rolled = replace(recording, world_T_camera=recording.world_T_camera @ roll)
    strict = view_of(camera_of(rolled))
    for place in Relation().places(np.random.default_rng(0), strict, 8):
        try:
            assert Relation().measure(strict, place, "strict").word in ("Front", "Back")
        except Refused as found:
            assert found.code == "AMBIGUOUS_AXIS"
    paper = [q.provenance["value"] for q in refused(rolled, "paper").questions if q.tags["variant"] == ("relation",)]
    assert set(paper) & {"Up", "Down"}


def test_answer_not_found():
    # Left and right are all that there is.
    pair = scene(thing("mug", (0.0, 0.3, 0.0)), thing("duck", (0.0, -0.3, 0.0)), low=True)
    only(refused(pair), "ANSWER_NOT_FOUND", ["relation"])
    outcome = refused(scene(*SPREAD))
    assert outcome.refusals["nearest"]["ANSWER_NOT_FOUND"] > 0


def test_symmetric_object():
    only(refused(scene(*(replace(entity, symmetry="any") for entity in SPREAD))), "SYMMETRIC_OBJECT", ["box"])
    # How the box of a ball is turned about its axis changes the gap to another by more than options differ.
    balls = (thing(f"ball-{k}", (0.0, 0.2 * k, 0.0), (0.16,) * 3, f"b{k}", 0.3 * k, "any") for k in range(3))
    assert refused(scene(*balls)).refusals["gap"]["SYMMETRIC_OBJECT"] > 0


def test_the_published_rule_asks_for_a_box_without_a_front_and_states_none():
    frontless = scene(*(replace(one, attributes={}) for one in SPREAD))
    boxes = [q for q in refused(frontless, "paper").questions if q.tags["variant"] == ("box",)]
    assert boxes and all("nothing says which of them points to its front" in q.stem for q in boxes)
    assert not any("x points to" in q.stem for q in boxes)
    known = [q for q in refused(scene(*SPREAD), "paper").questions if q.tags["variant"] == ("box",)]
    assert known and all("x points to its handle" in q.stem for q in known)


def test_no_front():
    only(refused(with_things(attributes={}, symmetry="none")), "NO_FRONT", ["box"])


def test_degenerate_view():
    # Its own x axis points straight at a low camera: yaw and roll run together.
    facing = scene(*(thing(name, (0.0, 0.0, 0.0), yaw=np.pi) for name in ("mug",)), low=True)
    level = facing.world_T_camera.copy()
    level[:, :3, :3] = np.array([[0, 0, 1], [-1, 0, 0], [0, -1, 0]])
    level[:, :3, 3] = [-1.0, 0.0, 0.03]
    only(refused(replace(facing, world_T_camera=level)), "DEGENERATE_VIEW", ["box"])
    # Seen from straight above there is no front and back on the level.
    above = level.copy()
    above[:, :3, :3] = np.array([[0, -1, 0], [-1, 0, 0], [0, 0, -1]])
    above[:, :3, 3] = [0.0, 0.0, 1.0]
    only(refused(replace(scene(*SPREAD), world_T_camera=above)), "DEGENERATE_VIEW", ["relation"])


def test_no_gravity():
    only(refused(replace(scene(*SPREAD), gravity=None)), "NO_GRAVITY", ["box", "size", "relation"])
    assert [q for q in refused(replace(scene(*SPREAD), gravity=None)).questions if q.tags["variant"] == ("gap",)]


def test_no_intrinsics():
    only(refused(replace(scene(*SPREAD), intrinsics=None)), "NO_INTRINSICS", ["box"])


def test_moves():
    moving = []
    for entity in SPREAD:
        poses = np.repeat(entity.poses, FRAMES, axis=0)
        poses[:, 0, 3] += np.linspace(0, 0.1, FRAMES)
        moving.append(replace(entity, poses=poses))
    outcome = refused(scene(*moving))
    apart = [q for q in outcome.questions if q.tags["variant"] == ("centre-distance",)]
    assert apart and all("At t = " in question.stem for question in apart)
    for question in apart:
        k = round(10 * question.provenance["at"])
        first, second = (
            next(entity for entity in moving if entity.id == name).poses[k, :3, 3] for name in question.entities()
        )
        assert abs(np.linalg.norm(first - second) - question.provenance["value"]) < 1e-9
    distances = [q for q in outcome.questions if q.tags["variant"] == ("camera-distance",)]
    for question in distances:
        entity = next(entity for entity in moving if entity.id == question.entities()[0])
        k = round(10 * question.provenance["at"])
        away = np.linalg.norm(entity.poses[k, :3, 3] - scene().world_T_camera[k, :3, 3])
        assert abs(away - question.provenance["value"]) < 1e-9
    assert distances


def test_a_thing_whose_pose_is_not_known_all_the_time():
    known = []
    for entity in SPREAD:
        poses = np.repeat(entity.poses, FRAMES, axis=0)
        poses[30:] = np.nan
        known.append(replace(entity, poses=poses))
    outcome = refused(scene(*known))
    assert outcome.refusals["camera-distance"]["INVALID_POSE"] > 0
    assert [q for q in outcome.questions if q.tags["variant"] == ("camera-distance",)]
    assert all(q.provenance.get("at", 0) <= 2.9 for q in outcome.questions if q.entities())


@pytest.mark.parametrize("samples", [1, 2, 7])
def test_a_recording_too_short_to_ask_much(samples):
    recording = scene(*SPREAD)
    short = replace(
        recording,
        times=recording.times[:samples],
        world_T_camera=recording.world_T_camera[:samples],
        valid=recording.valid[:samples],
        entities=tuple(
            replace(e, **{f: getattr(e, f)[:samples] for f in ("visible", "visible_pixels", "visible_fraction")})
            for e in recording.entities
        ),
    )
    outcome = refused(short)
    assert not [q for q in outcome.questions if q.tags["variant"] == ("size",)]


def test_too_alike():
    row = [thing(f"thing-{k}", (0.0, 0.1 * k - 0.2, 0.0), category=f"c{k}") for k in range(5)]
    only(refused(scene(*row)), "TOO_ALIKE", ["nearest"])
    # The nearest centre, but another's surface reaches out before it.
    long = thing("pan", (0.15, 0.02, 0.0), (0.7, 0.05, 0.05))
    small = [thing(f"cube-{k}", (-0.08 + 0.1 * k, 0.2, 0.0), (0.04,) * 3, f"c{k}") for k in range(4)]
    assert refused(scene(long, *small)).refusals["nearest"]["TOO_ALIKE"] > 0


def test_no_distractors():
    # Through a very long lens no five centres lie in the picture.
    narrow = replace(scene(*SPREAD), intrinsics=np.array([[90000.0, 0, 239.5], [0, 90000.0, 179.5], [0, 0, 1]]))
    straight = thing("mug", (0.0, 0.0, -0.03), yaw=1.0)
    only(refused(replace(narrow, entities=(straight,))), "NO_DISTRACTORS", ["box"])


def test_a_thing_outside_the_picture_has_no_box_to_be_told():
    aside = replace(scene(*SPREAD), intrinsics=np.array([[400.0, 0, 900.0], [0, 400.0, 179.5], [0, 0, 1]]))
    only(refused(aside), "NOT_VISIBLE", ["box"])


def test_no_pose_known():
    recording = scene(*SPREAD)
    valid = np.ones(FRAMES, bool)
    valid[20:40] = False
    poses = np.where(valid[:, None, None], recording.world_T_camera, np.nan)
    outcome = refused(replace(recording, valid=valid, world_T_camera=poses))
    assert outcome.refusals["camera-distance"]["INVALID_POSE"] > 0
    assert all(not 1.95 < q.provenance.get("at", 0) < 3.95 for q in outcome.questions if q.entities())


def test_already_asked():
    outcome = refused(scene(*SPREAD))
    for kind in ("centre-distance", "camera-distance", "nearest", "size"):
        assert outcome.refusals[kind]["ALREADY_ASKED"] > 0


def test_every_code_is_explained():
    for counts in refused(scene(*SPREAD)).refusals.values():
        assert set(counts) <= set(STI.build.explain)


def test_other_kinds_of_scene_print_metres():
    wide = scene(*(replace(e, size=tuple(20 * s for s in e.size)) for e in SPREAD))
    poses = wide.world_T_camera.copy()
    poses[:, :3, 3] *= 20
    for kind in (Kind.INDOOR, Kind.OUTDOOR):
        entities = tuple(replace(e, poses=e.poses * [[1, 1, 1, 20]] * np.ones((4, 1))) for e in wide.entities)
        far = replace(wide, kind=kind, world_T_camera=poses, entities=entities)
        outcome = refused(far)
        boxes = [json.loads(o.text) for q in outcome.questions if q.tags["variant"] == ("box",) for o in q.options]
        assert all(set(box) == {"C_lwh", "C_central_point", "C_heading"} for box in boxes)
        sizes = [q for q in outcome.questions if q.tags["variant"] == ("size",)]
        assert sizes and all(o.text.endswith("m") and not o.text.endswith("cm") for q in sizes for o in q.options)
