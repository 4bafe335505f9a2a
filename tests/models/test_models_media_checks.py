"""Checks of generated clips: each finds its own fault, and restyled clips count as exact only if the truth is kept."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from PIL import Image, ImageDraw

from chronotope.media import encode_clip
from chronotope.models.media.clip_checks import CameraMotion, check_clip, passed
from chronotope.recording import Clip, Entity, Kind, Recording, write_identities

cv2 = pytest.importorskip("cv2")

WIDTH, HEIGHT, FPS, SECONDS = 192, 108, 10, 4
Pictures = list[np.ndarray]


def ground(seed: int, wide: int = 2 * WIDTH, high: int = 2 * HEIGHT) -> np.ndarray:
    """A floor with structure at all sizes."""
    generator = np.random.default_rng(seed)
    made = np.zeros((high, wide, 3), np.float32)
    for size in (4, 12, 40):
        coarse = generator.uniform(0, 1, (high // size + 2, wide // size + 2, 3)).astype(np.float32)
        made += cv2.resize(coarse, (wide, high), interpolation=cv2.INTER_CUBIC)
    return (40 + 50 * made).clip(0, 255).astype(np.uint8)


def scene(seed: int = 0, camera: float = 0.0) -> tuple[Pictures, list[np.ndarray]]:
    """A ball and a box on a floor: the ball rolls; the camera slides by some px a frame. With identity maps."""
    floor, pictures, identities = ground(seed), [], []
    for frame in range(FPS * SECONDS):
        left = 20 + round(camera * frame)
        picture = Image.fromarray(floor[20 : 20 + HEIGHT, left : left + WIDTH].copy())
        numbers = Image.new("L", (WIDTH, HEIGHT))
        for number, box, colour in (
            (1, (110 - camera * frame, 55, 146 - camera * frame, 92), (200, 60, 40)),
            (2, (20 + 1.6 * frame - camera * frame, 20, 52 + 1.6 * frame - camera * frame, 52), (240, 220, 60)),
        ):
            shape = "rectangle" if number == 1 else "ellipse"
            getattr(ImageDraw.Draw(picture), shape)(box, colour)
            getattr(ImageDraw.Draw(numbers), shape)(box, number)
            inner = (box[0] + 8, box[1] + 10, box[0] + 18, box[1] + 18)
            ImageDraw.Draw(picture).rectangle(inner, tuple(255 - value for value in colour))
        pictures.append(np.asarray(picture))
        identities.append(np.asarray(numbers))
    return pictures, identities


def clip(folder: Path, pictures: Pictures, name: str = "clip.mp4") -> Path:
    encode_clip([np.ascontiguousarray(picture) for picture in pictures], folder / name, FPS)
    return folder / name


def broken(pictures: Pictures, fault: str) -> Pictures:
    black = [np.zeros_like(pictures[0])] * 6
    other = [np.ascontiguousarray(picture) for picture in scene(seed=9)[0]]
    return {
        "none": pictures,
        "length": pictures[: len(pictures) // 2],
        "cuts": [*pictures[:15], *other[15:]],
        "frozen": [pictures[0]] * len(pictures),
        "black": [*pictures[:10], *black, *pictures[16:]],
        "anchor": other,
    }[fault]


@pytest.mark.parametrize("fault", ["none", "length", "cuts", "frozen", "black", "anchor"])
@pytest.mark.parametrize("camera", [0.0, 1.5])
def test_each_check_finds_its_own_fault(tmp_path: Path, fault: str, camera: float) -> None:
    pictures, _ = scene(camera=camera)
    anchor = tmp_path / "anchor.png"
    Image.fromarray(pictures[0]).resize((640, 360)).save(anchor)
    checks = check_clip(clip(tmp_path, broken(pictures, fault)), SECONDS, anchor)
    failed = {check.name for check in checks if not check.passed}
    assert failed == ({fault} if fault != "none" else set()), [check.told for check in checks]
    assert passed(checks) is (fault == "none")


@pytest.mark.parametrize(("camera", "wanted", "fits"), [
    (0.0, "fixed", True), (0.0, "moving", False), (1.5, "fixed", False), (1.5, "moving", True), (0.4, "fixed", False),
])  # fmt: skip
def test_the_motion_of_the_camera_is_told_from_that_of_things(
    tmp_path: Path, camera: float, wanted: CameraMotion, fits: bool
) -> None:
    checks = check_clip(clip(tmp_path, scene(camera=camera)[0]), camera=wanted)
    [found] = [check for check in checks if check.name == "camera"]
    assert found.passed is fits, found.told


def restyled(pictures: Pictures) -> Pictures:
    """New colours, uneven light and grain: what is where stays."""
    generator = np.random.default_rng(4)
    mix = 0.7 * np.eye(3) + generator.uniform(-0.1, 0.2, (3, 3))
    light = cv2.GaussianBlur(generator.uniform(0.6, 1.4, (HEIGHT, WIDTH)).astype(np.float32), (0, 0), 30)[..., None]
    made = []
    for picture in pictures:
        value = np.clip((picture / 255) @ mix.T * light / light.mean(), 0, 1) ** 0.8
        value = cv2.GaussianBlur(value, (0, 0), 0.6) + generator.normal(0, 0.015, value.shape)
        made.append((np.clip(value, 0, 1) * 255).astype(np.uint8))
    return made


def without(pictures: Pictures, identities: list[np.ndarray], number: int) -> Pictures:
    wide = np.ones((7, 7), np.uint8)
    return [
        cv2.inpaint(np.ascontiguousarray(picture), cv2.dilate((numbers == number).astype(np.uint8), wide), 5, 1)
        for picture, numbers in zip(pictures, identities, strict=True)
    ]


FAULTS: dict[str, Callable[[Pictures, list[np.ndarray]], Pictures]] = {
    "nothing": lambda pictures, _: pictures,
    "restyled": lambda pictures, _: restyled(pictures),
    "mirrored": lambda pictures, _: [picture[:, ::-1] for picture in restyled(pictures)],
    "reversed": lambda pictures, _: restyled(pictures)[::-1],
    "late": lambda pictures, _: [*restyled(pictures)[6:], *[restyled(pictures)[-1]] * 6],
    "box gone": lambda pictures, identities: without(restyled(pictures), identities, 1),
    "ball gone": lambda pictures, identities: without(restyled(pictures), identities, 2),
    "ball stays": lambda pictures, _: [restyled(pictures)[0]] * len(pictures),
    "zoomed": lambda pictures, _: [
        cv2.resize(np.ascontiguousarray(picture[11:-11, 20:-20]), (WIDTH, HEIGHT)) for picture in restyled(pictures)
    ],
    "cut": lambda pictures, _: [*restyled(pictures)[:20], *restyled(scene(seed=9)[0])[20:]],
    "short": lambda pictures, _: restyled(pictures)[:20],
}


QUICK = ("nothing", "restyled", "reversed", "ball gone")


@pytest.mark.parametrize(
    "fault", [pytest.param(name, marks=() if name in QUICK else pytest.mark.slow) for name in FAULTS]
)
def test_a_restyled_clip_is_exact_only_if_everything_stays_where_it_is(tmp_path: Path, fault: str) -> None:
    from chronotope.models.media.restyled import NOT_KEPT, check_restyled

    pictures, identities = scene(camera=0.5)
    (tmp_path / "identities").mkdir()
    names = []
    for frame, numbers in enumerate(identities):
        names.append(f"identities/{frame:06d}.png")
        write_identities(tmp_path / names[-1], numbers)
    original = clip(tmp_path, pictures, "original.mp4")
    pose = np.eye(4)
    recording = Recording(
        "scene", Kind.INDOOR, "test", np.arange(len(pictures)) / FPS, np.tile(pose, (len(pictures), 1, 1)),
        np.ones(len(pictures), bool), clip=Clip(original, "", FPS, WIDTH, HEIGHT), identities=tuple(names),
        entities=tuple(Entity(name, name, name, (1, 1, 1), pose[None], {}) for name in ("box", "ball")),
    )  # fmt: skip
    found = check_restyled(clip(tmp_path, FAULTS[fault](pictures, identities), "other.mp4"), recording, tmp_path)
    assert found.is_exact is (fault in ("nothing", "restyled")), found.told
    assert (NOT_KEPT in found.told) is not found.is_exact
    if fault.endswith("gone"):
        assert fault.split()[0] in found.told
