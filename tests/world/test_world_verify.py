"""The verifier passes what is sound and catches each error that is planted in it."""

import ast
import tracemalloc
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.ndimage import uniform_filter
from verify_caster import View, random_scene, random_view, round_trip, upright, write
from verify_faults import FAULTS, FAULTS_OF_ONE_THING, Plant, open_case

import chronotope.world.verify as verifier
from chronotope.errors import InputError
from chronotope.media import encode_clip
from chronotope.recording import Clip, Entity, Kind, Recording, load_recording, write_depth, write_identities
from chronotope.world.verify import Verification, verify
from chronotope.world.verify.agreement import Agreement
from chronotope.world.verify.frame import read_frames
from chronotope.world.verify.picture_checks import _Trends

CHECKS = [
    "poses", "rest", "clip", "identities", "visible pixels", "boxes in the picture", "visible", "inside boxes",
    "faces reached", "points across frames", "picture upright", "picture of its frame", "pictures in order",
]  # fmt: skip
Written = tuple[Recording, Path]


@pytest.fixture(scope="session")
def sound(tmp_path_factory: pytest.TempPathFactory) -> Written:
    """A scene with every shape that the caster knows, filmed for 1.4 s from above; never changed by a test."""
    view = View(320, 240, 400.0, round_trip(14, 0.3, 0.4, np.radians(31), np.radians(44), 1.3))
    return write(random_scene(np.random.default_rng(0)), view, tmp_path_factory.mktemp("sound"))


def failed(verification: Verification) -> dict[str, str]:
    return {check.name: check.figure for check in verification.failed}


def test_a_sound_recording_passes_every_check(sound: Written) -> None:
    recording, folder = sound
    verification = verify(load_recording(folder), folder)
    assert [check.name for check in verification.checks] == CHECKS
    assert failed(verification) == {}
    assert all(check.figure for check in verification.checks)
    assert verification.sentence() == f"recording {recording.id!r}: all {len(CHECKS)} checks passed"


@pytest.mark.parametrize("plant", [*FAULTS, *FAULTS_OF_ONE_THING], ids=lambda plant: plant.__name__)
def test_a_planted_error_is_caught_by_the_check_that_is_there_for_it(
    plant: Plant, sound: Written, tmp_path: Path
) -> None:
    case = open_case(*sound, tmp_path / "planted")
    planted = plant(case)
    verification = verify(planted, case.folder)
    told = failed(verification)
    assert told.keys() & (FAULTS | FAULTS_OF_ONE_THING)[plant], told
    assert not verification.passed
    sentence = verification.sentence()
    assert sentence.startswith(f"recording {planted.id!r} ")
    assert "\n" not in sentence
    for name, figure in told.items():
        assert f"{name}: {figure}" in sentence


def test_what_needs_motion_is_not_said_of_a_clip_in_which_nothing_moves(tmp_path: Path) -> None:
    still = View(320, 240, 400.0, np.repeat(round_trip(1, 0.3, 0.4, np.radians(31), np.radians(44), 1.3), 8, axis=0))
    verification = verify(*write(random_scene(np.random.default_rng(0)), still, tmp_path / "still"))
    assert failed(verification) == {}
    assert set(CHECKS) - {check.name for check in verification.checks} == {"picture of its frame", "pictures in order"}


@settings(max_examples=4)
@given(st.integers(0, 2**32))
def test_random_scenes_pass(tmp_path_factory: pytest.TempPathFactory, seed: int) -> None:
    generator = np.random.default_rng(seed)
    view = random_view(generator, 8, width=240)
    verification = verify(*write(random_scene(generator), view, tmp_path_factory.mktemp("scene")))
    assert failed(verification) == {}


@pytest.fixture(scope="module")
def slow(tmp_path_factory: pytest.TempPathFactory) -> Written:
    """A camera that moves by about a pixel from frame to frame, and edges as soft as those of a good renderer."""
    view = View(320, 240, 300.0, round_trip(16, 0.032, 0.4, np.radians(20), np.radians(21.8), 1.2))
    case = open_case(
        *write(random_scene(np.random.default_rng(3)), view, tmp_path_factory.mktemp("crisp")),
        tmp_path_factory.mktemp("soft") / "case",
    )
    return case.with_pictures([uniform_filter(picture, (3, 3, 0)) for picture in case.pictures()]), case.folder


def test_a_slow_camera_and_soft_edges_are_right(slow: Written) -> None:
    assert failed(verify(*slow)) == {}


@pytest.mark.parametrize(
    ("order", "check"),
    [
        ([0, *range(15)], "picture of its frame"),
        ([*range(1, 16), 15], "picture of its frame"),
        ([*range(7), 8, 7, *range(9, 16)], "pictures in order"),
        ([*range(3), 12, *range(4, 12), 3, *range(13, 16)], "pictures in order"),
    ],
    ids=["late", "early", "neighbours exchanged", "others exchanged"],
)
def test_a_slow_camera_and_soft_edges_hide_no_fault(
    slow: Written, tmp_path: Path, order: list[int], check: str
) -> None:
    case = open_case(*slow, tmp_path / "planted")
    pictures = case.pictures()
    planted = case.with_pictures([pictures[at] for at in order])
    assert failed(verify(planted, case.folder)).keys() == {check}


def trends(generator: np.random.Generator, moved: int, exchanged: int | None = None) -> _Trends:
    """The changes of colour in 80 frames, as far as a lone person before a bare wall tells them.

    ``moved`` pairs of pixels lie on about ``moved / 6`` independent pieces of outlines, so the changes across the
    outlines of other frames, usually 45 % of those across the own ones, vary with the root of their number. The
    pictures of the frames ``exchanged`` and ``exchanged + 1`` may be exchanged.
    """
    frames, pairs = 80, {}
    for lag in (1, 2):
        share = 0.45 * np.exp(generator.normal(scale=np.sqrt(6 / moved), size=(frames - lag, 2)))
        if exchanged is not None:
            share[exchanged] = 1 / share[exchanged]
        own = np.full(frames - lag, 100.0 * moved)
        table = [own, own * share[:, 0], own, own * share[:, 1], np.full_like(own, 0.5), np.full_like(own, moved)]
        pairs[lag] = np.stack(table, axis=1)
    return _Trends(list(range(frames)), pairs)


def is_in_order(found: _Trends) -> bool:
    check = found.check_order()
    assert check is not None
    return check.passed


def test_chance_among_few_outlines_is_not_taken_for_a_misplaced_picture() -> None:
    generator = np.random.default_rng(0)
    assert sum(not is_in_order(trends(generator, 350)) for _ in range(120)) <= 1
    assert sum(not is_in_order(trends(generator, 5000)) for _ in range(120)) == 0
    for moved in (350, 5000):
        assert not any(is_in_order(trends(generator, moved, exchanged=40)) for _ in range(40))


def camera_off(recording: Recording, metres: float, degrees: float) -> Recording:
    """In one frame: moved to the side, and turned."""
    poses, angle = recording.world_T_camera.copy(), np.radians(degrees)
    poses[7, :3, 3] += metres * poses[7, :3, 0]
    poses[7, :3, :3] @= [[np.cos(angle), 0, np.sin(angle)], [0, 1, 0], [-np.sin(angle), 0, np.cos(angle)]]
    return replace(recording, world_T_camera=poses)


def lens_off(recording: Recording, focal: float, centre: float) -> Recording:
    """In all frames: the focal length by a factor, the principal point to the side by so many pixels."""
    intrinsics = np.array(recording.intrinsics)
    intrinsics[[0, 1], [0, 1]] *= focal
    intrinsics[0, 2] += centre
    return replace(recording, intrinsics=intrinsics)


def test_errors_too_small_to_be_seen_are_caught(sound: Written) -> None:
    recording, folder = sound
    for changed in (
        camera_off(recording, 0.003, 0),
        camera_off(recording, 0, 0.1),
        lens_off(recording, 1.01, 0),
        lens_off(recording, 1, 2),
    ):
        assert "points across frames" in failed(verify(changed, folder))


def test_the_bad_frame_is_named(sound: Written) -> None:
    recording, folder = sound
    told = failed(verify(camera_off(recording, 0.01, 0), folder))
    assert "frame 7 fails 100% of its" in told["points across frames"]


def test_things_that_move_are_followed(tmp_path: Path) -> None:
    generator = np.random.default_rng(5)
    solids = random_scene(generator)
    mover = solids[2]
    x, y, z = mover.pose[:3, 3]
    path = np.array([upright(x + 0.01 * k, y, z, 0.05 * k) for k in range(12)])
    recording, folder = write(solids, random_view(generator, 12), tmp_path, {mover.id: path})
    assert failed(verify(recording, folder)) == {}
    late = np.concatenate([path[:1], path[:-1]])
    entities = tuple(replace(each, poses=late) if each.id == mover.id else each for each in recording.entities)
    assert "points across frames" in failed(verify(replace(recording, entities=entities), folder))


def test_odd_sizes_intrinsics_per_frame_and_samples_without_a_pose_pass(tmp_path: Path) -> None:
    generator = np.random.default_rng(8)
    poses = round_trip(10, 0.2, 1.0, 0.3, 0.6, 1.1)
    recording, folder = write(random_scene(generator), View(241, 181, 210.0, poses), tmp_path)
    lost, poses = recording.valid.copy(), recording.world_T_camera.copy()
    lost[[0, 4]], poses[[0, 4]] = False, np.nan
    changed = replace(
        recording, valid=lost, world_T_camera=poses, intrinsics=np.tile(np.array(recording.intrinsics), (10, 1, 1))
    )
    assert failed(verify(changed, folder)) == {}


def test_what_is_not_claimed_is_not_checked(sound: Written) -> None:
    recording, folder = sound
    bare = tuple(
        replace(each, parent=None, visible=None, visible_pixels=None, visible_fraction=None, box2d=None)
        for each in recording.entities
    )
    verification = verify(replace(recording, entities=bare, gravity=None), folder)
    assert failed(verification) == {}


def test_a_recording_without_a_clip_fails(sound: Written) -> None:
    recording, folder = sound
    assert failed(verify(replace(recording, clip=None), folder)) == {"clip": "the recording names no clip"}


def test_what_cannot_be_read_is_named(sound: Written, tmp_path: Path) -> None:
    recording, folder = sound
    case = open_case(recording, folder, tmp_path / "case")
    (case.folder / "depth" / "000009.png").write_bytes(b"nothing")
    with pytest.raises(InputError, match=r"000009\.png"):
        verify(recording, case.folder)
    assert recording.clip is not None
    assert recording.identities is not None
    for changed, named in (
        (replace(recording, depth_scale=None), "depth_scale"),
        (replace(recording, depth=None), "sample 0 has no depth"),
        (
            replace(recording, identities=(*recording.identities[:3], None, *recording.identities[4:])),
            "sample 3 has no id",
        ),
        (replace(recording, intrinsics=None), "intrinsics"),
        (replace(recording, distortion=np.zeros(5)), "distortion"),
        (replace(recording, clip=replace(recording.clip, path=tmp_path / "gone.mp4")), r"gone\.mp4"),
        (replace(recording, valid=np.zeros(len(recording.times), bool)), "no sample is valid"),
    ):
        with pytest.raises(InputError, match=named):
            verify(changed, folder)


@pytest.mark.slow
def test_memory_does_not_grow_with_the_number_of_frames(tmp_path: Path) -> None:
    generator = np.random.default_rng(3)
    recording, folder = write(random_scene(generator), random_view(generator, 8, width=200), tmp_path)
    pictures = open_case(recording, folder, tmp_path / "case").pictures()

    def to_and_fro(times: int) -> Recording:
        """The frames there and back again, so often."""
        order = np.tile([*range(8), *range(6, 0, -1)], times)
        path = tmp_path / f"{times}.mp4"
        facts = encode_clip([pictures[k] for k in order], path, 10)
        depth, identities = np.array(recording.depth), np.array(recording.identities)
        names = ("visible", "visible_pixels", "visible_fraction", "box2d")
        return replace(
            recording,
            times=np.arange(len(order)) / 10,
            world_T_camera=recording.world_T_camera[order],
            valid=np.ones(len(order), bool),
            clip=Clip(path, facts.sha256, 10.0, facts.width, facts.height),
            depth=tuple(depth[order].tolist()),
            identities=tuple(identities[order].tolist()),
            entities=tuple(
                replace(each, **{name: getattr(each, name)[order] for name in names}) for each in recording.entities
            ),
        )

    peaks = []
    for changed in [to_and_fro(2), to_and_fro(2), to_and_fro(5)]:  # the first one warms up
        tracemalloc.start()
        assert failed(verify(changed, folder)) == {}
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
    assert peaks[2] < 1.1 * peaks[1]


def test_the_verifier_shares_no_code_with_the_writer() -> None:
    allowed = ("chronotope.errors", "chronotope.media", "chronotope.recording", "chronotope.world.verify")
    [folder] = verifier.__path__
    for module in Path(folder).glob("*.py"):
        for node in ast.walk(ast.parse(module.read_text(encoding="utf-8"))):
            names = [node.module or ""] if isinstance(node, ast.ImportFrom) else []
            names += [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            for name in names:
                if name.startswith("chronotope"):
                    assert name.startswith(allowed), f"{module.name} imports {name}"


def leaves(folder: Path) -> Recording:
    """A thing of blades narrower than a pixel before a leaf, filmed by a camera that moves to the side."""
    generator, focal, (height, width), frames = np.random.default_rng(1), 400.0, (60, 120), 12
    intrinsics = np.array([[focal, 0, 59.5], [0, focal, 29.5], [0, 0, 1.0]])
    middles, depths = np.arange(-0.5, 0.5, 0.03), generator.uniform(3.9, 4.1, 34)
    poses = np.tile(np.eye(4), (frames, 1, 1))
    poses[:, 0, 3] = np.cumsum(generator.uniform(0.002, 0.009, frames))
    for kind in ("depth", "identities"):
        (folder / kind).mkdir(parents=True)
    names = {kind: tuple(f"{kind}/{k}.png" for k in range(frames)) for kind in ("depth", "identities")}
    for k, pose in enumerate(poses):
        ways = (np.arange(width) - 59.5) / focal
        met = np.where(np.abs(ways * 4.25 + pose[0, 3]) < 0.45, 4.25, 5.0)  # the leaf behind the blades, and a wall
        for middle, depth in zip(middles, depths, strict=True):
            met = np.where(np.abs(ways * depth + pose[0, 3] - middle) < 0.003, np.minimum(met, depth), met)
        write_depth(folder / names["depth"][k], np.tile(met, (height, 1)), 10000.0)
        write_identities(folder / names["identities"][k], np.tile(met < 4.5, (height, 1)).astype(np.uint8))
    at = np.eye(4)[None].copy()
    at[0, 2, 3] = 4.1
    plant = Entity(id="plant", label="plant", category="plant", size=(2.0, 2.0, 0.4), poses=at)
    return Recording(
        id="leaves", kind=Kind.INDOOR, source="generated", times=np.arange(frames) / 10, world_T_camera=poses,
        valid=np.ones(frames, bool), intrinsics=intrinsics, entities=(plant,), depth_scale=10000.0, **names,
    )  # fmt: skip


def test_leaves_between_the_pixels_are_no_contradiction_and_hide_no_fault(tmp_path: Path) -> None:
    recording = leaves(tmp_path)

    def told(changed: Recording) -> str | None:
        agreement = Agreement(changed, tmp_path)
        for frame in read_frames(changed, tmp_path, None):
            agreement.look(frame)
        [check] = agreement.checks()
        return None if check.passed else check.figure

    assert told(recording) is None
    poses = recording.world_T_camera.copy()
    poses[7, 2, 3] += 0.01
    assert "frame 7 fails" in (told(replace(recording, world_T_camera=poses)) or "")
