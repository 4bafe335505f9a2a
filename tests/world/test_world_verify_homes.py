"""The verifier catches errors that are planted in the video of a home, whose limits are wider than those of tables."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from verify_faults import (
    FAULTS,
    Plant,
    camera_axes_of_opengl,
    camera_of_the_next_frame,
    camera_shifted_in_one_frame,
    camera_turned_in_one_frame,
    clip_backwards,
    clip_mirrored,
    clip_one_frame_early,
    clip_one_frame_late,
    depth_of_the_next_frame,
    depth_scale_two_percent_off,
    frame_dropped,
    frames_exchanged,
    identities_exchanged_in_all_frames,
    neighbours_exchanged,
    open_case,
    thing_shifted,
    world_mirrored,
)

from chronotope.recording import Entity, Recording
from chronotope.world import world_kinds
from chronotope.world.film import film
from chronotope.world.homes.draw_plan import draw_plan
from chronotope.world.homes.furnish import furnish
from chronotope.world.homes.shell import shell_of
from chronotope.world.kinds.house.house import lay_house
from chronotope.world.verify import verify

CAUGHT = (
    camera_axes_of_opengl, camera_of_the_next_frame, camera_shifted_in_one_frame, camera_turned_in_one_frame,
    clip_backwards, clip_mirrored, clip_one_frame_early, clip_one_frame_late, depth_of_the_next_frame,
    depth_scale_two_percent_off, frame_dropped, frames_exchanged, identities_exchanged_in_all_frames,
    neighbours_exchanged, thing_shifted, world_mirrored,
)  # fmt: skip


@pytest.fixture(scope="module")
def home(drawable: None, tmp_path_factory: pytest.TempPathFactory) -> tuple[Recording, Path]:
    """A home of two rooms, walked through at three frames per second."""
    generator, quality = np.random.default_rng(9), world_kinds()["house"].qualities["fast"]
    place = tmp_path_factory.mktemp("home")
    recording = film(lay_house(generator, quality, 2).states[0], "home", "house", generator, quality, place)
    return recording, place / "recordings" / recording.id


@pytest.mark.slow
def test_a_home_passes(home: tuple[Recording, Path]) -> None:
    verification = verify(*home)
    assert verification.passed, verification.sentence()


@pytest.mark.slow
@pytest.mark.parametrize("plant", CAUGHT, ids=lambda plant: plant.__name__)
def test_an_error_planted_in_a_home_is_caught(plant: Plant, home: tuple[Recording, Path], tmp_path: Path) -> None:
    case = open_case(*home, tmp_path / "planted")
    told = {check.name for check in verify(plant(case), case.folder).failed}
    assert told & FAULTS[plant], told


def _with(recording: Recording, chosen: Callable[[Entity], bool], **changed: object) -> Recording:
    """The recording in which the first chosen thing has other facts."""
    found = next(entity for entity in recording.entities if chosen(entity))
    return replace(
        recording,
        entities=tuple(replace(each, **changed) if each is found else each for each in recording.entities),
    )


def _floats(recording: Recording) -> Recording:
    cup = next(entity for entity in recording.entities if entity.parent is not None)
    raised = cup.poses.copy()
    raised[:, 2, 3] += 0.3
    return _with(recording, lambda each: each is cup, poses=raised)


def _floats_over_the_floor(recording: Recording) -> Recording:
    chair = next(each for each in recording.entities if each.parent is None and each.poses[0, 2, 3] < each.size[2])
    raised = chair.poses.copy()
    raised[:, 2, 3] += 0.3
    raised[:, :2, 3] = recording.rooms[0].floor.mean(axis=0)
    return _with(recording, lambda each: each is chair, poses=raised, attributes={"room": recording.rooms[0].id})


def _in_the_other_room(recording: Recording) -> Recording:
    first, second = (room.id for room in recording.rooms[:2])
    return _with(recording, lambda each: each.attributes["room"] == first, attributes={"room": second})


def _one_way(recording: Recording) -> Recording:
    first, *others = recording.rooms
    return replace(recording, rooms=(replace(first, connections=()), *others))


def _overlapping(recording: Recording) -> Recording:
    first, second, *others = recording.rooms
    return replace(recording, rooms=(first, replace(second, floor=second.floor * 1.5 - 1.0), *others))


LAYOUTS: dict[Callable[[Recording], Recording], str] = {
    _floats: "rest", _floats_over_the_floor: "layout", _in_the_other_room: "layout", _one_way: "layout",
    _overlapping: "layout",
}  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("plant", LAYOUTS, ids=lambda plant: plant.__name__.strip("_"))
def test_an_error_planted_in_a_layout_is_caught(
    plant: Callable[[Recording], Recording], home: tuple[Recording, Path]
) -> None:
    recording, folder = home
    assert LAYOUTS[plant] in {check.name for check in verify(plant(recording), folder).failed}


@pytest.mark.slow
def test_a_door_that_is_a_wall_is_caught(drawable: None, tmp_path: Path) -> None:
    """The walk leads through a doorway that is closed in the pictures."""
    generator, quality = np.random.default_rng(9), world_kinds()["house"].qualities["fast"]
    shot = lay_house(generator, quality, 2).states[0]
    again = np.random.default_rng(9)
    plan = draw_plan(again, 2)
    shut = replace(plan, doors=tuple(replace(door, is_shut=True, side=None) for door in plan.doors))
    assert furnish(again, plan).objects.keys() == {each.id for each in shot.film_set.placements}
    film_set = replace(shot.film_set, backdrop=shell_of(generator, shut))
    recording = film(replace(shot, film_set=film_set), "home", "house", generator, quality, tmp_path)
    failed = {check.name: check.figure for check in verify(recording, tmp_path / "recordings" / recording.id).failed}
    assert "something is in the way" in failed["way"]
