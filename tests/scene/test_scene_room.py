"""A writer of any family: names, sight, boxes in frame k, windows, tracks and questions of a recording.

The recording is made by hand: a camera slides along x, 3 m before a row of things, and looks along y. One line then
says where a point lies in the picture. No code of STI-Bench takes part.
"""

import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import pytest

from chronotope.question import Reason, Refused
from chronotope.recording import Entity, Kind, Recording
from chronotope.scene import (
    Candidate,
    Item,
    Place,
    SceneView,
    WriteJob,
    camera_of,
    camera_track,
    corner_pixels,
    draw_instants,
    draw_windows,
    named_stem,
    number,
    picture_size,
    rectangle,
    seconds,
    thing_track,
    view_of,
    write_kinds,
)

FPS, SAMPLES, SPEED, FOCAL = 10, 61, 0.25, 400.0
WIDTH, HEIGHT, AWAY = 640, 360, 3.0
HIDDEN, NEARLY = range(15, 21), 40  # frames in which the red mug is hidden, and one in which it is near the threshold
PLACES = {"red mug": (0.0, 1.0), "blue mug": (0.5, 1.0), "small": (-0.4, 1.1), "large": (-0.7, 1.1), "out": (60.0, 1.0)}


def pose(x: float, y: float, z: float) -> np.ndarray:
    there = np.eye(4)
    there[:3, 3] = x, y, z
    return there


def thing(name: str, category: str, colour: str, side: float, **fields: object) -> Entity:
    x, z = PLACES[name]
    seen = np.full(SAMPLES, name != "out")
    known = {"visible": seen, "visible_pixels": np.where(seen, 2000, 0), "visible_fraction": np.where(seen, 1.0, 0.0)}
    size, poses = (side, side, side), pose(x, 0.0, z)[None]
    return Entity(name, category, category, size, poses, {"colour": colour}, **(known | fields))


def row() -> Recording:
    """The row of things, and the camera that slides along it."""
    times = np.arange(SAMPLES) / FPS
    cameras = np.tile(np.array([[1.0, 0, 0, 0], [0, 0, 1, -AWAY], [0, -1, 0, 1], [0, 0, 0, 1]]), (SAMPLES, 1, 1))
    cameras[:, 0, 3] = SPEED * times - 0.75
    fraction = np.ones(SAMPLES)
    fraction[list(HIDDEN)], fraction[NEARLY] = 0.1, 0.6
    entities = (
        thing("red mug", "mug", "red", 0.1, visible_fraction=fraction),
        thing("blue mug", "mug", "blue", 0.1),
        thing("small", "ball", "green", 0.1),
        thing("large", "ball", "green", 0.2),
        thing("out", "mug", "red", 0.1),
    )
    lens = np.array([[FOCAL, 0, (WIDTH - 1) / 2], [0, FOCAL, (HEIGHT - 1) / 2], [0, 0, 1]])
    valid, down = np.ones(SAMPLES, bool), np.array([0.0, 0, -1])
    return Recording(
        "row", Kind.INDOOR, "hand", times, cameras, valid, gravity=down, intrinsics=lens, entities=entities
    )


def pixel(k: int, x: float, y: float, z: float) -> tuple[float, float]:
    """Where a point of the world lies in frame k."""
    away = y + AWAY
    along = x - (SPEED * k / FPS - 0.75)
    return (WIDTH - 1) / 2 + FOCAL * along / away, (HEIGHT - 1) / 2 - FOCAL * (z - 1) / away


def view() -> SceneView:
    return view_of(camera_of(row()))


def named(recording: Recording, name: str) -> Entity:
    return next(entity for entity in recording.entities if entity.id == name)


def test_the_room_knows_no_family_and_no_world() -> None:
    code = "import sys, chronotope.scene; print(*sys.modules)"
    told = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    rooms = {name.split(".")[1] for name in told.stdout.split() if name.startswith("chronotope.")}
    assert "scene" in rooms and not rooms & {"families", "world", "models"}


def test_things_are_called_what_tells_them_apart() -> None:
    scene = view()
    phrases = {name: scene.phrase(name) for name in PLACES if name != "out"}
    assert phrases == {
        "red mug": "the red mug",  # the other red mug is never seen
        "blue mug": "the blue mug",
        "small": "the smaller of the two green balls",
        "large": "the larger of the two green balls",
    }
    with pytest.raises(Refused, match="NOT_VISIBLE"):
        scene.phrase("out")


def test_a_thing_is_clearly_possibly_or_never_seen() -> None:
    scene = view()
    mug, out = scene.thing("red mug").sight, scene.thing("out").sight
    hidden = np.isin(np.arange(SAMPLES), HIDDEN)
    near = np.arange(SAMPLES) == NEARLY
    assert np.array_equal(mug.clear, ~hidden & ~near)
    assert np.array_equal(mug.possible, ~hidden)
    assert not out.ever and not out.clear.any()
    with pytest.raises(Refused, match="OCCLUDED"):
        scene.require_seen(("red mug",), HIDDEN[2] / FPS)
    scene.require_seen(("red mug", "blue mug"), 3.0)


def test_the_window_is_the_longest_stretch_and_its_moments_are_clear() -> None:
    scene = view()
    assert scene.window(("red mug",)) == (2.1, 6.0)  # the frame near the threshold is too short a gap to end it
    assert scene.printed_window(("red mug", "large")) == (2.1, 6.0)
    assert scene.printed_window(("large",)) == (0.0, 6.0)
    ticks = np.rint(scene.moments(("red mug",)) * FPS).astype(int)
    assert sorted(ticks) == [k for k in range(SAMPLES) if k not in HIDDEN and k != NEARLY]
    drawn = draw_instants(np.random.default_rng(0), scene, ("red mug",), 100)
    assert {round(place.at * FPS) for place in drawn if place.at is not None} == set(ticks.tolist())
    for place in draw_windows(np.random.default_rng(0), 6.0, 20, whole=False, start=2.1, of="red mug"):
        assert 2.1 <= place.start < place.end <= 6.0 and 1.99 < place.end - place.start < 10.01


@pytest.mark.parametrize(("fps", "expected"), [(10.0, range(61)), (3.0, range(0, 201, 10)), (2.0, range(0, 301, 5))])
def test_moments_of_a_slow_clip_are_those_of_its_frames(fps: float, expected: range) -> None:
    """Between two frames of an agent lies a whole step or turn, which no frame shows."""
    recording = replace(row(), times=np.arange(SAMPLES) / fps)
    scene = view_of(camera_of(recording))
    ticks = np.rint(scene.moments(("blue mug",)) * 10).astype(int)
    assert ticks.tolist() == list(expected)
    together = scene.clear_at[[thing.entity.id for thing in scene.things].index("blue mug")]
    assert np.flatnonzero(together).tolist() == list(expected)


@pytest.mark.parametrize("k", [0, 17, 60])
@pytest.mark.parametrize("name", ["red mug", "large"])
def test_a_box_lies_in_frame_k_where_a_pinhole_puts_it(name: str, k: int) -> None:
    recording = row()
    (x, z), half = PLACES[name], named(recording, name).size[0] / 2
    corners = [(x + a, b, z + c) for a in (-half, half) for b in (-half, half) for c in (-half, half)]
    expected = np.array([pixel(k, *corner) for corner in corners])
    drawn = corner_pixels(recording, named(recording, name), k)
    assert drawn is not None and np.allclose(drawn, expected, atol=1e-9)
    assert np.allclose(
        rectangle(recording, named(recording, name), k) or (), [*expected.min(axis=0), *expected.max(axis=0)]
    )


def test_a_moving_box_and_a_zooming_lens_are_those_of_the_frame() -> None:
    recording = row()
    mug = named(recording, "red mug")
    moving = replace(mug, poses=np.stack([pose(0.01 * k, 0.0, 1.0) for k in range(SAMPLES)]))
    zoom = np.repeat(np.asarray(recording.intrinsics)[None], SAMPLES, axis=0)
    zoom[30, :2, :2] *= 2
    zooming = replace(recording, intrinsics=zoom)
    middle = np.mean(corner_pixels(recording, moving, 30), axis=0)
    assert middle[0] == pytest.approx(pixel(30, 0.3, 0.0, 1.0)[0], abs=0.05)
    centre = [(WIDTH - 1) / 2, (HEIGHT - 1) / 2]
    assert np.allclose(np.mean(corner_pixels(zooming, moving, 30), axis=0) - centre, 2 * (middle - centre))
    assert np.allclose(corner_pixels(zooming, moving, 29), corner_pixels(recording, moving, 29))
    assert moving.box_at(30).centre.tolist() == [0.3, 0.0, 1.0] and mug.box_at(30).centre.tolist() == [0.0, 0.0, 1.0]
    assert picture_size(recording) == (WIDTH, HEIGHT)


def test_what_is_not_known_or_not_before_the_camera_has_no_pixels() -> None:
    recording = row()
    mug = named(recording, "red mug")
    unknown = replace(mug, poses=np.full((1, 4, 4), np.nan))
    lost = replace(recording, valid=np.arange(SAMPLES) != 5)
    behind = replace(mug, poses=pose(0.0, -AWAY, 1.0)[None])
    assert unknown.box_at(5) is None and corner_pixels(recording, unknown, 5) is None
    assert corner_pixels(lost, mug, 5) is None and corner_pixels(lost, mug, 6) is not None
    assert corner_pixels(recording, behind, 5) is None and rectangle(recording, behind, 5) is None
    assert corner_pixels(replace(recording, intrinsics=None), mug, 5) is None
    told = np.tile([10.0, 20.0, 30.0, 40.0], (SAMPLES, 1))
    told[7] = np.nan
    annotated = replace(mug, box2d=told)
    assert rectangle(recording, annotated, 5) == (10.0, 20.0, 30.0, 40.0) and rectangle(recording, annotated, 7) is None


def test_a_track_is_split_at_gaps_and_goes_as_fast_as_the_camera() -> None:
    recording = row()
    whole = camera_track(recording)
    assert whole.moving(0.0, 6.0).speed(3.0) == pytest.approx(SPEED, abs=1e-6)
    torn = camera_track(replace(recording, valid=~np.isin(np.arange(SAMPLES), range(20, 30))))
    assert len(torn.pieces) == 2 and torn.piece(3.5, 5.0) is torn.pieces[1]
    with pytest.raises(Refused, match="TRACK_GAP"):
        torn.piece(1.0, 4.0)
    with pytest.raises(Refused, match="INVALID_POSE"):
        torn.piece(1.0, 2.5)
    with pytest.raises(Refused, match="STATIONARY"):
        thing_track(recording, named(recording, "red mug")).moving(0.0, 6.0)


@dataclass(frozen=True)
class Side:
    """A kind of question of its own: how far to the right of the camera a thing is, in one of four options."""

    name: str = "side"
    task: str = "Sides"

    def places(self, generator: np.random.Generator, subject: SceneView, count: int) -> list[Place]:
        found: list[Place] = []
        for each in subject.things:
            tells = frozenset({(self.name, each.entity.id)})
            found += draw_instants(generator, subject, (each.entity.id,), 2, tells)
        return found[:count]

    def measure(self, subject: SceneView, place: Place, profile: str) -> float:
        subject.called(place.entities)
        assert place.at is not None
        return float(subject.seen_box(place.entities[0], place.at).centre[0])

    def alike(self, subject: SceneView, first: float, second: float) -> bool:
        return abs(first - second) < 0.01

    def item(
        self, generator: np.random.Generator, subject: SceneView, profile: str, candidates: Sequence[Candidate]
    ) -> Item:
        right, place = candidates[0].value, candidates[0].place
        options = tuple(f"{number(right + step, 3)}m" for step in (0.0, 0.5, 1.0, 1.5))
        stem = named_stem("At t = {t}, how far right is {0}?", subject.called(place.entities), t=seconds(place.at or 0))
        return Item(place, stem, options, 0, {"value": right})


def test_the_driver_writes_another_familys_questions() -> None:
    job = WriteJob("other", 3, "strict", wanted=6, clip="clips/row.mp4", tags={"level": ("easy",)}, flags=("made",))
    scene = view()
    questions, refusals = write_kinds([Side()], scene, job)
    assert (questions, refusals) == write_kinds([Side()], view(), job)
    assert [question.id for question in questions] == [f"row--side-{n}" for n in range(1, len(questions) + 1)]
    # One question for each thing that has a name: a second one would tell the same.
    assert sorted(question.mentions[0].entity for question in questions) == sorted(set(PLACES) - {"out"})
    assert refusals["side"][Reason.NOT_VISIBLE] == 1
    for question in questions:
        [mention], at = question.mentions, question.provenance["at"]
        name = mention.entity
        right = PLACES[name][0] - (SPEED * at - 0.75)
        assert question.options[question.answer[0]].text == f"{number(right, 3)}m"
        assert mention.role == "stem" and mention.phrase == scene.phrase(name) and question.recordings == ("row",)
        assert question.stem[mention.start : mention.end] == scene.phrase(name)
        assert question.family == "other" and question.cluster == "row" and question.flags == ("made",)
        assert question.tags == {"level": ("easy",), "variant": ("side",), "source": ("hand",)}
        assert question.media[0].paths == ("clips/row.mp4",)


def test_another_seed_or_family_draws_other_questions() -> None:
    job = WriteJob("other", 3, "strict", wanted=6)
    first, _ = write_kinds([Side()], view(), job)
    assert not first[0].media
    for changed in (replace(job, seed=4), replace(job, family="third")):
        again, _ = write_kinds([Side()], view(), changed)
        assert [q.provenance["at"] for q in again] != [q.provenance["at"] for q in first]
