"""The verifier catches errors that are planted in the video of a home, whose limits are wider than those of tables."""

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

from chronotope.recording import Recording
from chronotope.world import world_kinds
from chronotope.world.film import film
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
    generator, quality = np.random.default_rng(5), world_kinds()["house"].qualities["fast"]
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
