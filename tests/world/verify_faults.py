"""Errors planted in a recording that was sound: each is one that a writer could make."""

import shutil
from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction
from pathlib import Path

import numpy as np
from PIL import Image
from scipy.spatial.transform import Rotation

from chronotope.io import sha256_file
from chronotope.media import decode_frames, encode_clip
from chronotope.recording import Clip, Entity, Recording

Plant = Callable[["Case"], Recording]


@dataclass
class Case:
    """A recording and a folder of its own that may be changed."""

    recording: Recording
    folder: Path

    @property
    def middle(self) -> int:
        return len(self.recording.times) // 2

    def map(self, kind: str, frame: int) -> np.ndarray:
        return np.array(Image.open(self.folder / kind / f"{frame:06d}.png"))

    def set_map(self, kind: str, frame: int, values: np.ndarray) -> None:
        Image.fromarray(values).save(self.folder / kind / f"{frame:06d}.png")

    def pictures(self) -> list[np.ndarray]:
        assert self.recording.clip is not None
        count = len(self.recording.times)
        return [picture for _, picture in decode_frames(self.recording.clip.path, range(count))]

    def with_pictures(self, pictures: list[np.ndarray]) -> Recording:
        clip = self.recording.clip
        assert clip is not None
        path = self.folder / "clip.mp4"
        facts = encode_clip(pictures, path, Fraction(clip.fps))
        return replace(self.recording, clip=replace(clip, path=path, sha256=facts.sha256))

    def with_entity(self, index: int, **changes: object) -> Recording:
        entities = list(self.recording.entities)
        entities[index] = replace(entities[index], **changes)  # pyright: ignore[reportArgumentType]
        return replace(self.recording, entities=tuple(entities))

    def with_poses(self, poses: np.ndarray) -> Recording:
        return replace(self.recording, world_T_camera=poses)

    def most_seen(self, count: int, fits: Callable[[Entity], bool] = lambda entity: True) -> list[int]:
        """The things, furniture aside, that fit and of which most pixels are seen over all frames."""
        things = [
            (int(entity.visible_pixels.sum()), index)
            for index, entity in enumerate(self.recording.entities)
            if entity.attributes.get("role") != "furniture" and entity.visible_pixels is not None and fits(entity)
        ]
        return [index for _, index in sorted(things, reverse=True)[:count]]


def open_case(recording: Recording, folder: Path, place: Path) -> Case:
    shutil.copytree(folder, place)
    return Case(recording, place)


def _exchange(case: Case, frames: list[int]) -> Recording:
    """Two things take each other's identity and what is counted of them, so that the counts still hold."""
    a, b = case.most_seen(2)
    for frame in frames:
        values = case.map("identities", frame)
        one, two = values == a + 1, values == b + 1
        values[one], values[two] = b + 1, a + 1
        case.set_map("identities", frame, values)
    entities = list(case.recording.entities)
    for index, other in ((a, b), (b, a)):
        columns = {}
        for name in ("visible", "visible_pixels", "visible_fraction", "box2d"):
            column = getattr(case.recording.entities[index], name).copy()
            column[frames] = getattr(case.recording.entities[other], name)[frames]
            columns[name] = column
        entities[index] = replace(entities[index], **columns)
    return replace(case.recording, entities=tuple(entities))


def identities_exchanged_in_one_frame(case: Case) -> Recording:
    return _exchange(case, [case.middle])


def identities_exchanged_in_all_frames(case: Case) -> Recording:
    return _exchange(case, list(range(len(case.recording.times))))


def identity_without_entity(case: Case) -> Recording:
    values = case.map("identities", case.middle)
    values[np.nonzero(values == 0)[0][0], np.nonzero(values == 0)[1][0]] = len(case.recording.entities) + 1
    case.set_map("identities", case.middle, values)
    return case.recording


def _camera_in_one_frame(case: Case, change: np.ndarray) -> Recording:
    poses = case.recording.world_T_camera.copy()
    poses[case.middle] = poses[case.middle] @ change
    return case.with_poses(poses)


def camera_shifted_in_one_frame(case: Case) -> Recording:
    """By 1 cm."""
    change = np.eye(4)
    change[:3, 3] = 0.006, -0.005, 0.006
    return _camera_in_one_frame(case, change)


def camera_turned_in_one_frame(case: Case) -> Recording:
    """By one degree."""
    change = np.eye(4)
    change[:3, :3] = Rotation.from_euler("y", 1, degrees=True).as_matrix()
    return _camera_in_one_frame(case, change)


def camera_of_the_next_frame(case: Case) -> Recording:
    poses = case.recording.world_T_camera.copy()
    poses[case.middle] = poses[case.middle + 1]
    return case.with_poses(poses)


def camera_poses_inverted(case: Case) -> Recording:
    return case.with_poses(np.linalg.inv(case.recording.world_T_camera))


def camera_axes_of_opengl(case: Case) -> Recording:
    return case.with_poses(case.recording.world_T_camera @ np.diag([1.0, -1, -1, 1]))


def world_mirrored(case: Case) -> Recording:
    mirror = np.diag([-1.0, 1, 1, 1])
    entities = tuple(replace(entity, poses=mirror @ entity.poses) for entity in case.recording.entities)
    return replace(case.with_poses(mirror @ case.recording.world_T_camera), entities=entities)


def _intrinsics(case: Case, change: Callable[[np.ndarray], None]) -> Recording:
    assert case.recording.intrinsics is not None
    intrinsics = case.recording.intrinsics.copy()
    change(intrinsics)
    return replace(case.recording, intrinsics=intrinsics)


def focal_length_two_percent_off(case: Case) -> Recording:
    def change(intrinsics: np.ndarray) -> None:
        intrinsics[0, 0] *= 1.02

    return _intrinsics(case, change)


def principal_point_exchanged(case: Case) -> Recording:
    def change(intrinsics: np.ndarray) -> None:
        intrinsics[:2, 2] = intrinsics[1::-1, 2]

    return _intrinsics(case, change)


def depth_scale_two_percent_off(case: Case) -> Recording:
    return replace(case.recording, depth_scale=case.recording.depth_scale * 1.02)


def depth_along_the_ray(case: Case) -> Recording:
    """The distance from the eye in place of the depth along the optical axis."""
    inverse = np.linalg.inv(np.asarray(case.recording.intrinsics))
    for frame in range(len(case.recording.times)):
        values = case.map("depth", frame)
        rows, columns = np.indices(values.shape)
        rays = np.stack([columns, rows, np.ones(values.shape)], axis=-1) @ inverse.T
        far = np.rint(values * np.linalg.norm(rays, axis=-1))
        case.set_map("depth", frame, np.where(far < 2**16, far, 0).astype(np.uint16))
    return case.recording


def depth_of_the_next_frame(case: Case) -> Recording:
    case.set_map("depth", case.middle, case.map("depth", case.middle + 1))
    return case.recording


def depth_missing_in_one_frame(case: Case) -> Recording:
    case.set_map("depth", case.middle, np.zeros_like(case.map("depth", case.middle)))
    return case.recording


def _entity_pose(case: Case, index: int, change: np.ndarray) -> Recording:
    return case.with_entity(index, poses=case.recording.entities[index].poses @ change)


def thing_shifted(case: Case) -> Recording:
    """By 1 cm, in all frames."""
    change = np.eye(4)
    change[0, 3] = 0.01
    return _entity_pose(case, case.most_seen(1)[0], change)


def thing_turned(case: Case) -> Recording:
    """By ten degrees, in all frames."""
    change = np.eye(4)
    change[:3, :3] = Rotation.from_euler("z", 10, degrees=True).as_matrix()
    return _entity_pose(case, case.most_seen(1, _is_long)[0], change)


def _is_long(entity: Entity) -> bool:
    return entity.size[0] > 0.1 and entity.size[0] > 1.3 * entity.size[1]


def _is_tall(entity: Entity) -> bool:
    """Eight percent of its height, of which either end gets half, is more than the 5 mm that are allowed."""
    return entity.size[2] > 0.14


def _box_scaled(case: Case, index: int, by: float) -> Recording:
    length, width, height = case.recording.entities[index].size
    return case.with_entity(index, size=(length * by, width * by, height * by))


def box_too_large(case: Case) -> Recording:
    return _box_scaled(case, case.most_seen(1, _is_tall)[0], 1.08)


def box_too_small(case: Case) -> Recording:
    return _box_scaled(case, case.most_seen(1, _is_tall)[0], 0.92)


def _boxes_scaled(case: Case, by: float) -> Recording:
    for index in case.most_seen(len(case.recording.entities)):
        case = replace(case, recording=_box_scaled(case, index, by))
    return case.recording


def boxes_too_large(case: Case) -> Recording:
    return _boxes_scaled(case, 1.08)


def boxes_too_small(case: Case) -> Recording:
    return _boxes_scaled(case, 0.92)


def sides_exchanged(case: Case) -> Recording:
    index = case.most_seen(1, _is_long)[0]
    length, width, height = case.recording.entities[index].size
    return case.with_entity(index, size=(width, length, height))


def parent_wrong(case: Case) -> Recording:
    """A thing on the table is said to rest on another, which stands somewhere else."""
    bases = [
        index for index, entity in enumerate(case.recording.entities) if entity.attributes.get("role") == "furniture"
    ]
    table = case.recording.entities[bases[0]]
    a, b = case.most_seen(2, lambda entity: entity.parent == table.id)
    return case.with_entity(a, parent=case.recording.entities[b].id)


def gravity_upside_down(case: Case) -> Recording:
    assert case.recording.gravity is not None
    return replace(case.recording, gravity=-case.recording.gravity)


def visible_pixels_off_by_one(case: Case) -> Recording:
    index = case.most_seen(1)[0]
    pixels = np.array(case.recording.entities[index].visible_pixels)
    pixels[case.middle] += 1
    return case.with_entity(index, visible_pixels=pixels)


def box2d_off_by_one(case: Case) -> Recording:
    index = case.most_seen(1)[0]
    box = np.array(case.recording.entities[index].box2d)
    box[case.middle, 2] += 1
    return case.with_entity(index, box2d=box)


def flag_of_visibility_lost(case: Case) -> Recording:
    index = case.most_seen(1)[0]
    entity = case.recording.entities[index]
    visible = np.array(entity.visible)
    visible[int(np.argmax(np.where(visible, np.array(entity.visible_pixels), -1)))] = False
    return case.with_entity(index, visible=visible)


def clip_mirrored(case: Case) -> Recording:
    return case.with_pictures([picture[:, ::-1] for picture in case.pictures()])


def clip_upside_down(case: Case) -> Recording:
    return case.with_pictures([picture[::-1] for picture in case.pictures()])


def clip_backwards(case: Case) -> Recording:
    return case.with_pictures(case.pictures()[::-1])


def frame_dropped(case: Case) -> Recording:
    """One picture is missing; the last one is repeated, so that the number is right."""
    pictures = case.pictures()
    return case.with_pictures([*pictures[: case.middle], *pictures[case.middle + 1 :], pictures[-1]])


def frame_doubled(case: Case) -> Recording:
    """One picture is shown again in place of the next one."""
    pictures = case.pictures()
    pictures[case.middle] = pictures[case.middle - 1]
    return case.with_pictures(pictures)


def _pictures_exchanged(case: Case, one: int, other: int) -> Recording:
    pictures = case.pictures()
    pictures[one], pictures[other] = pictures[other], pictures[one]
    return case.with_pictures(pictures)


def neighbours_exchanged(case: Case) -> Recording:
    return _pictures_exchanged(case, case.middle, case.middle + 1)


def frames_exchanged(case: Case) -> Recording:
    """Two pictures that are a third of the clip apart."""
    return _pictures_exchanged(case, case.middle // 2, case.middle // 2 + len(case.recording.times) // 3)


def clip_one_frame_late(case: Case) -> Recording:
    pictures = case.pictures()
    return case.with_pictures([pictures[0], *pictures[:-1]])


def clip_one_frame_early(case: Case) -> Recording:
    pictures = case.pictures()
    return case.with_pictures([*pictures[1:], pictures[-1]])


def clip_too_short(case: Case) -> Recording:
    return case.with_pictures(case.pictures()[:-1])


def clip_of_another_rate(case: Case) -> Recording:
    clip = case.recording.clip
    assert clip is not None
    path = case.folder / "clip.mp4"
    facts = encode_clip(case.pictures(), path, Fraction(2 * clip.fps))
    return replace(case.recording, clip=replace(clip, path=path, sha256=facts.sha256))


def clip_changed(case: Case) -> Recording:
    clip = case.recording.clip
    assert clip is not None
    path = case.folder / "clip.mp4"
    path.write_bytes(clip.path.read_bytes() + b"\0\0\0\x08free")
    assert sha256_file(path) != clip.sha256
    return replace(case.recording, clip=Clip(path, clip.sha256, clip.fps, clip.width, clip.height))


def clip_black(case: Case) -> Recording:
    return case.with_pictures([np.zeros_like(picture) for picture in case.pictures()])


def clip_of_noise(case: Case) -> Recording:
    generator = np.random.default_rng(0)
    return case.with_pictures([generator.integers(0, 256, each.shape, np.uint8) for each in case.pictures()])


def _moving(case: Case) -> int:
    """The one thing that moves."""
    [index] = [index for index, entity in enumerate(case.recording.entities) if len(entity.poses) > 1]
    return index


def _way_of_moving(case: Case, change: Callable[[np.ndarray], np.ndarray]) -> Recording:
    index = _moving(case)
    return case.with_entity(index, poses=change(case.recording.entities[index].poses.copy()))


def moving_thing_late(case: Case) -> Recording:
    """By as many frames as it takes for two centimetres at its fastest."""

    def late(poses: np.ndarray) -> np.ndarray:
        gone = np.linalg.norm(poses[:, None, :3, 3] - poses[None, :, :3, 3], axis=2)
        frames = next(k for k in range(1, len(poses)) if np.diagonal(gone, k).max() >= 0.02)
        return np.concatenate([np.repeat(poses[:1], frames, axis=0), poses[:-frames]])

    return _way_of_moving(case, late)


def moving_thing_backwards(case: Case) -> Recording:
    return _way_of_moving(case, lambda poses: poses[::-1])


def moving_thing_does_not_move(case: Case) -> Recording:
    return _way_of_moving(case, lambda poses: poses[:1])


def moving_thing_shifted(case: Case) -> Recording:
    """By 1 cm, in all frames."""

    def shifted(poses: np.ndarray) -> np.ndarray:
        poses[:, 0, 3] += 0.01
        return poses

    return _way_of_moving(case, shifted)


def moving_thing_elsewhere_in_one_frame(case: Case) -> Recording:
    """In the frame that shows most of it: 2 cm higher."""

    def lifted(poses: np.ndarray) -> np.ndarray:
        poses[int(np.argmax(case.recording.entities[_moving(case)].visible_pixels)), 2, 3] += 0.02
        return poses

    return _way_of_moving(case, lifted)


def moving_thing_with_box_of_the_next_frame(case: Case) -> Recording:
    box = np.array(case.recording.entities[_moving(case)].box2d)
    return case.with_entity(_moving(case), box2d=np.concatenate([box[1:], box[-1:]]))


def moving_thing_without_identity_in_one_frame(case: Case) -> Recording:
    """It has the identity of the rest of the world in the frame that shows most of it, and is counted so."""
    index = _moving(case)
    entity = case.recording.entities[index]
    at = int(np.argmax(entity.visible_pixels))
    values = case.map("identities", at)
    values[values == index + 1] = 0
    case.set_map("identities", at, values)
    columns = {name: np.array(getattr(entity, name)) for name in ("visible", "visible_pixels", "visible_fraction")}
    for column in columns.values():
        column[at] = 0
    box = np.array(entity.box2d)
    box[at] = np.nan
    return case.with_entity(index, box2d=box, **columns)


# The checks of which at least one must tell. Where several could, as with a thing moved out of its box and off the face
# opposite, it depends on the side from which it is seen.
INSIDE, FACES, POINTS = "inside boxes", "faces reached", "points across frames"
UPRIGHT, OF_FRAME, ORDER = "picture upright", "picture of its frame", "pictures in order"
FAULTS: dict[Plant, set[str]] = {
    identities_exchanged_in_one_frame: {INSIDE},
    identities_exchanged_in_all_frames: {INSIDE},
    identity_without_entity: {"identities"},
    camera_shifted_in_one_frame: {POINTS},
    camera_turned_in_one_frame: {POINTS},
    camera_of_the_next_frame: {POINTS},
    camera_poses_inverted: {POINTS},
    camera_axes_of_opengl: {POINTS},
    world_mirrored: {"poses"},
    focal_length_two_percent_off: {POINTS},
    principal_point_exchanged: {INSIDE},
    depth_scale_two_percent_off: {INSIDE},
    depth_along_the_ray: {POINTS},
    depth_of_the_next_frame: {INSIDE},
    depth_missing_in_one_frame: {POINTS},
    thing_shifted: {INSIDE, FACES},
    boxes_too_large: {FACES},
    boxes_too_small: {INSIDE},
    gravity_upside_down: {"rest"},
    visible_pixels_off_by_one: {"visible pixels"},
    box2d_off_by_one: {"boxes in the picture"},
    flag_of_visibility_lost: {"visible"},
    clip_mirrored: {UPRIGHT},
    clip_upside_down: {UPRIGHT},
    clip_backwards: {ORDER},
    clip_black: {UPRIGHT},
    clip_of_noise: {UPRIGHT},
    frame_dropped: {OF_FRAME, ORDER},
    frame_doubled: {ORDER},
    neighbours_exchanged: {ORDER},
    frames_exchanged: {ORDER},
    clip_one_frame_late: {OF_FRAME},
    clip_one_frame_early: {OF_FRAME},
    clip_too_short: {"clip"},
    clip_of_another_rate: {"clip"},
    clip_changed: {"clip"},
}
# These need a thing of a certain shape, which not every scene has.
FAULTS_OF_ONE_THING: dict[Plant, set[str]] = {
    thing_turned: {INSIDE},
    sides_exchanged: {INSIDE},
    box_too_large: {FACES},
    box_too_small: {INSIDE},
    parent_wrong: {"rest"},
}
# These need a thing that moves.
FAULTS_OF_MOTION: dict[Plant, set[str]] = {
    moving_thing_late: {INSIDE, FACES},
    moving_thing_backwards: {INSIDE},
    moving_thing_does_not_move: {INSIDE},
    moving_thing_shifted: {INSIDE, FACES},
    moving_thing_elsewhere_in_one_frame: {INSIDE},
    moving_thing_with_box_of_the_next_frame: {"boxes in the picture"},
    moving_thing_without_identity_in_one_frame: {POINTS},
}
