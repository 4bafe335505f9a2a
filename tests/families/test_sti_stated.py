"""The stated scale: one true fact that fixes all lengths, and gives the answer of no question away."""

import re
from dataclasses import replace

import numpy as np
import pytest
import sti_box_witness as witness
from sti_tables import table
from sti_ways import way

from chronotope.families import WriteContext, family
from chronotope.families.sti.write.stated import Ruler, remark_of, with_ruler
from chronotope.question import Refused
from chronotope.recording import Scene
from chronotope.scene import Place, camera_of

STI = family("sti")
SENTENCE = re.compile(r" For scale: (the [^.]+?) is (\d+\.\d\d)cm high(?: \(seen well at t = (\d+\.\d)s\))?\.")
VIEW = re.compile(r" The camera's horizontal field of view is (\d+\.\d)°\.")
METRIC_TASKS = {"Dimensional Measurement", "3D Video Grounding", "Displacement & Path Length", "Speed & Acceleration",
                "Pose Estimation"}  # fmt: skip


def written(recording, profile="strict", **options):
    return STI.build.write(
        Scene.of(recording), WriteContext(0, profile, STI.build.Options(per_variant=6, **options))
    ).questions


@pytest.fixture(scope="module")
def tables():
    return [(recording, written(recording)) for recording in (table(seed) for seed in range(3))]


def test_every_metric_question_states_a_true_height(tables):
    stated = 0
    for recording, questions in tables:
        for question in questions:
            metric = question.task in METRIC_TASKS
            assert ("scale" in question.tags) == metric, question.id
            found = SENTENCE.search(question.stem)
            assert bool(found) == (question.tags.get("scale") == ("stated",)), question.id
            if found is None:
                continue
            [ruler] = [one for one in question.mentions if one.role == "scale"]
            assert question.stem[ruler.start : ruler.end] == ruler.phrase == found[1]
            up = -recording.gravity
            heights = [corner @ up for corner in witness.corners(witness.entity_of(recording, ruler.entity))]
            assert abs(100 * (max(heights) - min(heights)) - float(found[2])) <= 0.005 + 1e-6
            assert abs(question.provenance["scale"]["value"] - (max(heights) - min(heights))) < 1e-6
            stated += 1
    metric = sum(question.task in METRIC_TASKS for _, questions in tables for question in questions)
    assert stated >= 0.8 * metric


def test_no_question_asks_about_a_ruler(tables):
    for _, questions in tables:
        rulers = {one.entity for question in questions for one in question.mentions if one.role == "scale"}
        assert 1 <= len(rulers) <= 2
        assert not any(rulers & set(question.entities()) for question in questions)


def test_a_ruler_is_clearly_seen_in_the_window(tables):
    for recording, questions in tables:
        for question in questions:
            for one in question.mentions:
                if one.role == "scale":
                    thing = witness.entity_of(recording, one.entity)
                    inside = [
                        k
                        for k, time in enumerate(recording.times)
                        if question.window.start - 1e-9 <= time <= question.window.end + 1e-9
                    ]
                    assert sum(witness.clearly_seen(recording, thing, k) for k in inside) >= 5


def test_the_field_of_view_is_stated_where_the_answer_depends_on_it(tables):
    for recording, questions in tables:
        width, focal = recording.clip.width, recording.intrinsics[0, 0]
        # The picture is as wide as its pixels are, from edge to edge; the principal point is near its middle.
        expected = 2 * np.degrees(np.arctan(width / 2 / focal))
        for question in questions:
            found = VIEW.search(question.stem)
            formula = question.provenance["formula"]
            depends = formula == "orientation-change" or (
                "scale" in question.tags and formula not in ("length", "width", "height", "box")
            )
            assert bool(found) == depends, question.id
            assert found is None or abs(float(found[1]) - expected) < 0.2


def test_nothing_is_stated_if_it_is_not_wanted_or_not_known(tables):
    recording, _ = tables[0]
    for question in written(recording, scale="none"):
        assert "For scale" not in question.stem and question.tags.get("scale", ("none",)) == ("none",)
    for question in written(way(1, "indoor", fps=10, seconds=12)):
        assert question.tags.get("scale", ("none",)) == ("none",)
    assert not any("scale" in q.tags or "For scale" in q.stem for q in written(recording, "paper"))
    stated = [q for q in written(recording, "paper", scale="stated") if "For scale" in q.stem]
    assert stated and all(q.flags for q in stated)


def test_a_thing_that_moves_or_is_hidden_is_no_ruler(tables):
    recording, questions = tables[0]
    rulers = {one.entity for question in questions for one in question.mentions if one.role == "scale"}

    def moving(entity):
        poses = np.repeat(entity.poses[:1], len(recording.times), axis=0)
        poses[:, 0, 3] += np.linspace(0, 0.2, len(poses))
        return replace(entity, poses=poses)

    changed = tuple(moving(entity) if entity.id in rulers else entity for entity in recording.entities)
    again = written(replace(recording, entities=changed))
    assert not rulers & {one.entity for question in again for one in question.mentions if one.role == "scale"}


def ruler_seen(name, *seconds, hidden=()):
    """A ruler that is seen in these seconds of a clip, and partly hidden in some of them."""
    times = np.arange(0, 20, 0.1)
    clear, part = (np.isin(np.floor(times + 1e-6), several) for several in (seconds, hidden))
    return Ruler(name, f"the {name}", 0.2, times, clear, clear & ~part)


def test_the_ruler_seen_nearest_to_the_moment_is_named_and_where_to_look_is_told(tables):
    camera = camera_of(tables[0][0])
    rulers = (ruler_seen("sofa", 0, 1, 2, 3, 4, 5), ruler_seen("lamp", 14, 15, 16, 17, hidden=(14, 15)))

    def told(place):
        text = remark_of("camera-distance", place, camera, rulers).text
        return re.search(r"For scale: the (\w+) is 20\.00cm high(?: \(seen well at t = (.+)s\))?\.", text).groups()

    assert told(Place(0.0, 19.9, 1.0)) == ("sofa", None)
    assert told(Place(0.0, 19.9, 16.0)) == ("lamp", None)
    assert told(Place(0.0, 19.9, 13.0)) == ("lamp", "16.0")  # it is hidden in part at 14 s
    assert told(Place(0.0, 19.9, 8.0)) == ("sofa", "5.9")
    assert told(Place(1.0, 4.0)) == ("sofa", None)  # throughout the window
    assert told(Place(4.0, 18.0)) == ("lamp", "16.0")
    assert told(Place(4.0, 14.8)) == ("sofa", "5.9")  # wholly seen, though the lamp is nearer to the end
    assert told(Place(14.0, 17.0, 14.5)) == ("lamp", "16.0")  # seen at the moment, but in part


def test_a_ruler_of_which_the_window_never_shows_the_whole_is_none(tables):
    camera = camera_of(tables[0][0])
    lamp = ruler_seen("lamp", 14, 15, 16, 17, hidden=(14, 15))
    assert re.fullmatch(VIEW, f" {remark_of('gap', Place(14.0, 15.5), camera, (lamp,)).text}")
    assert remark_of("size", Place(14.0, 15.5), camera, (lamp,)).text == ""
    with pytest.raises(Refused):
        remark_of("gap", Place(14.0, 15.5), camera, (lamp,), required=True)
    assert with_ruler(14.0, 15.5, (lamp,)) == (14.0, 16.5)  # widened until it is wholly seen for a while
    assert with_ruler(16.0, 17.0, (lamp,)) == (16.0, 17.0)


def fits_in_the_picture(recording, thing, frame):
    """Whether all corners of a thing's box are in the picture: a lamp without its foot measures nothing."""
    camera = np.linalg.inv(recording.world_T_camera[frame])
    corners = np.array(witness.corners(thing)) @ camera[:3, :3].T + camera[:3, 3]
    pixels = corners @ recording.intrinsics.reshape(-1, 3, 3)[0].T
    x, y = (pixels[:, :2] / pixels[:, 2:]).T
    inside = (x >= -1) & (x <= recording.clip.width + 1) & (y >= -1) & (y <= recording.clip.height + 1)
    return bool((corners[:, 2] > 0).all() and inside.all())


def test_a_thing_that_always_leaves_the_picture_is_no_ruler(tables):
    recording, questions = tables[0]
    rulers = {one.entity for question in questions for one in question.mentions if one.role == "scale"}

    def cut(entity):
        stretched = (*entity.size[:2], 40.0)  # from the floor through the ceiling
        return replace(entity, size=stretched) if entity.id in rulers else entity

    again = written(replace(recording, entities=tuple(map(cut, recording.entities))))
    assert any("For scale" in question.stem for question in again)
    assert not rulers & {one.entity for question in again for one in question.mentions if one.role == "scale"}


def test_a_ruler_is_seen_well_at_the_time_that_is_told(tables):
    asked = 0
    for recording, questions in tables:
        for question in questions:
            found = SENTENCE.search(question.stem)
            if found is None or "at" not in question.provenance["scale"]:
                continue
            at = question.provenance["scale"]["at"]
            assert found[3] in (None, f"{at:.1f}")
            assert question.window.start <= at <= question.window.end
            thing = witness.entity_of(recording, question.provenance["scale"]["entity"])
            frame = int(np.abs(recording.times - at).argmin())
            assert witness.clearly_seen(recording, thing, frame), question.id
            assert fits_in_the_picture(recording, thing, frame), question.id
            asked += 1
    assert asked >= 60


def test_a_ruler_that_is_seen_for_exactly_the_least_time_widens_a_window():
    times = np.round(np.arange(40) * 0.1, 6)
    assert times[6] - 0.5 < times[1] <= times[6] - times[1]  # what rounding does to sums
    whole = (times >= times[1]) & (times <= times[6])
    mark = Ruler("mark", "the mark", 0.2, times, whole, whole)
    assert with_ruler(2.0, 3.0, (mark,)) == (0.1, 3.0)
