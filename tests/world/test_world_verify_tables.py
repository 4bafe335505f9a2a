"""Simulated tables as they are drawn pass the verifier, and errors planted in them are caught."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from verify_faults import (
    FAULTS,
    FAULTS_OF_MOTION,
    Plant,
    boxes_too_small,
    camera_shifted_in_one_frame,
    camera_turned_in_one_frame,
    clip_mirrored,
    clip_one_frame_late,
    depth_of_the_next_frame,
    depth_scale_two_percent_off,
    focal_length_two_percent_off,
    frame_dropped,
    frames_exchanged,
    identities_exchanged_in_all_frames,
    identities_exchanged_in_one_frame,
    identity_without_entity,
    neighbours_exchanged,
    open_case,
    visible_pixels_off_by_one,
)

from chronotope.recording import Recording, load_recording
from chronotope.world import QUALITIES, simulate, world_kinds
from chronotope.world.verify import verify
from tiers import complete_after

Written = tuple[Recording, Path]
AT_LEAST: tuple[Plant, ...] = (
    identities_exchanged_in_one_frame,
    identities_exchanged_in_all_frames,
    identity_without_entity,
    camera_shifted_in_one_frame,
    camera_turned_in_one_frame,
    focal_length_two_percent_off,
    depth_scale_two_percent_off,
    depth_of_the_next_frame,
    boxes_too_small,
    visible_pixels_off_by_one,
    clip_mirrored,
    frame_dropped,
    neighbours_exchanged,
    frames_exchanged,
    clip_one_frame_late,
)


pytestmark = pytest.mark.usefixtures("drawable")


def table(seed: int, seconds: float, folder: Path) -> Written:
    """A table in fast quality, but of another length; ``simulate`` refuses it where the verifier does."""
    quality = replace(QUALITIES["fast"], seconds=(seconds, seconds))
    name = f"table-{seed}"
    [recording] = simulate("table", name, np.random.default_rng(seed), quality, folder).recordings
    return recording, folder / "recordings" / name


@pytest.fixture(scope="module")
def short(tmp_path_factory: pytest.TempPathFactory) -> Written:
    return table(100, 1.6, tmp_path_factory.mktemp("short"))


@pytest.fixture(scope="module")
def long(tmp_path_factory: pytest.TempPathFactory) -> Written:
    return table(100, 4.0, tmp_path_factory.mktemp("long"))


@pytest.fixture(scope="module")
def moving(tmp_path_factory: pytest.TempPathFactory) -> Written:
    """The first table on which something moves."""
    quality = replace(QUALITIES["fast"], seconds=(2.4, 2.4))
    for seed in range(100, 120):
        [shot] = world_kinds()["table"].lay(np.random.default_rng(seed), quality).states
        if any(placement.path is not None for placement in shot.film_set.placements):
            return table(seed, 2.4, tmp_path_factory.mktemp("moving"))
    raise AssertionError("nothing moves on twenty tables")


def passes(written: Written) -> None:
    _, folder = written
    verification = verify(load_recording(folder), folder)
    assert verification.passed, verification.sentence()


def is_caught(plant: Plant, written: Written, place: Path) -> None:
    case = open_case(*written, place)
    told = {check.name for check in verify(plant(case), case.folder).failed}
    assert told & FAULTS[plant], told


@pytest.mark.slow
@pytest.mark.parametrize("seed", [101, 102])
def test_tables_pass(seed: int, tmp_path: Path) -> None:
    passes(table(seed, 1.6, tmp_path))


def test_a_table_passes(short: Written) -> None:
    passes(short)


@pytest.mark.slow
@pytest.mark.parametrize("seed", complete_after(4, range(200, 212)))
def test_twelve_tables_pass(seed: int, tmp_path: Path) -> None:
    """``simulate`` verifies what it wrote."""
    _, folder = table(seed, 1.6, tmp_path)
    assert load_recording(folder).entities


@pytest.mark.parametrize("plant", AT_LEAST, ids=lambda plant: plant.__name__)
def test_an_error_planted_in_a_table_is_caught(plant: Plant, short: Written, tmp_path: Path) -> None:
    is_caught(plant, short, tmp_path / "planted")


@pytest.mark.slow
@pytest.mark.parametrize("plant", FAULTS, ids=lambda plant: plant.__name__)
def test_every_error_planted_in_a_table_of_four_seconds_is_caught(plant: Plant, long: Written, tmp_path: Path) -> None:
    is_caught(plant, long, tmp_path / "planted")


@pytest.mark.parametrize("plant", FAULTS_OF_MOTION, ids=lambda plant: plant.__name__)
def test_an_error_in_what_moves_is_caught(plant: Plant, moving: Written, tmp_path: Path) -> None:
    recording, _ = moving
    assert sum(len(entity.poses) > 1 for entity in recording.entities) == 1
    case = open_case(*moving, tmp_path / "planted")
    told = {check.name for check in verify(plant(case), case.folder).failed}
    assert told & FAULTS_OF_MOTION[plant], told
