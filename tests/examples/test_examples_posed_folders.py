"""The folders of examples/posed_folders.py say what their pictures show.

Files are read, poses rebuilt and points projected by code of this test's own; of the example it takes only where the
cards stand and what colour they have.
"""

import importlib
import subprocess
import sys
from dataclasses import dataclass, replace
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest
from PIL import Image
from scipy.spatial.transform import Rotation, Slerp

EXAMPLES = Path(__file__).parents[2] / "examples"
SIZE = (200, 150)
FLIGHTS = ("drone-climb-turn-right", "walk-turn-left", "walk-stop-look-right", "car-turn-left")  # one of each form
LEVEL_START = np.array([[0, 0, 1, 0], [-1, 0, 0, 0], [0, -1, 0, 1.6], [0, 0, 0, 1.0]])  # looks along x, 1.6 m up


@pytest.fixture(scope="module")
def example() -> ModuleType:
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(EXAMPLES)
        return importlib.import_module("posed_folders")


@pytest.fixture(scope="module")
def folders(example: ModuleType, tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("clips")
    for name in FLIGHTS:
        example.write(name, out, seed=3, size=SIZE)
    return out


@dataclass
class Told:
    """What a folder's files say: pictures, world_T_camera (N, 4, 4), the camera matrix, and file_T_world (4, 4)."""

    pictures: list[Path]
    poses: np.ndarray
    K: np.ndarray | None
    world: np.ndarray


@pytest.fixture(scope="module")
def cards(example: ModuleType) -> dict[str, list]:
    """The cards that stand in each folder's scene."""
    return {name: [card for card in example.scene(example.FLIGHTS[name], 3) if card.colour] for name in FLIGHTS}


def table(path: Path) -> np.ndarray:
    rows = [line.split() for line in path.read_text().splitlines() if not line.startswith("#")]
    return np.array([[float(value) for value in row] for row in rows])


def full(rows: np.ndarray) -> np.ndarray:
    bottom = np.tile([0, 0, 0, 1.0], (len(rows), 1))
    return (rows if rows.shape[1] == 16 else np.hstack([rows, bottom])).reshape(-1, 4, 4)


def read_tum(folder: Path) -> Told:
    listed = [line.split() for line in (folder / "rgb.txt").read_text().splitlines() if line[0] != "#"]
    truth = table(folder / "groundtruth.txt")
    stamps = np.array([float(stamp) for stamp, _ in listed])
    assert not set(stamps) & set(truth[:, 0])
    assert truth[0, 0] < stamps[0] and stamps[-1] < truth[-1, 0]
    poses = np.tile(np.eye(4), (len(stamps), 1, 1))
    poses[:, :3, 3] = np.stack([np.interp(stamps, truth[:, 0], truth[:, k]) for k in (1, 2, 3)], axis=1)
    poses[:, :3, :3] = Slerp(truth[:, 0], Rotation.from_quat(truth[:, 4:]))(stamps).as_matrix()
    return Told([folder / name for _, name in listed], poses, None, np.eye(4))


def read(folder: Path) -> Told:
    if (folder / "groundtruth.txt").exists():
        return read_tum(folder)
    if (folder / "calib.txt").exists():
        line = next(line for line in (folder / "calib.txt").read_text().splitlines() if line.startswith("P2: "))
        P = np.array([float(value) for value in line.split()[1:]]).reshape(3, 4)
        assert not P[:, 3].any()  # the colour camera is the one whose poses are told
        pictures = sorted((folder / "image_2").iterdir())
        return Told(pictures, full(table(folder / "poses.txt")), P[:, :3], np.linalg.inv(LEVEL_START))
    if (folder / "poses.txt").exists():
        pictures = sorted((folder / "frames").iterdir())
        return Told(pictures, full(table(folder / "poses.txt")), table(folder / "intrinsics.txt"), np.eye(4))
    pictures = sorted(folder.glob("*.color.jpg"))
    poses = [table(path.with_name(path.name.replace("color.jpg", "pose.txt"))) for path in pictures]
    return Told(pictures, np.array(poses), table(folder / "camera-intrinsics.txt"), np.eye(4))


def project(points: np.ndarray, pose: np.ndarray, K: np.ndarray) -> np.ndarray:
    """Pixels (N, 2) and depth (N,) as columns."""
    camera = (points - pose[:3, 3]) @ pose[:3, :3]
    with np.errstate(all="ignore"):
        return np.column_stack([(camera @ K.T)[:, :2] / camera[:, 2:], camera[:, 2]])


def covers(quad: np.ndarray, pixel: np.ndarray, margin: float) -> bool:
    """Whether a card's corners (4, 3), projected, hold a pixel, or come within a margin of it."""
    if (quad[:, 2] <= 0.05).any():
        return (quad[:, 2] > 0.05).any()  # it passes the camera's plane: take it to be in the way
    edges = np.roll(quad, -1, axis=0)[:, :2] - quad[:, :2]
    aside = edges[:, 0] * (pixel[1] - quad[:, 1]) - edges[:, 1] * (pixel[0] - quad[:, 0])
    distance = aside / np.maximum(np.hypot(*edges.T), 1e-9)
    return bool((distance > -margin).all() or (distance < margin).all())


def looks_like(seen: np.ndarray, base: tuple[int, int, int]) -> bool:
    """Whether a colour seen is a card's, in whatever light and haze."""
    light, haze = np.meshgrid(np.linspace(0.74, 1, 14), np.linspace(0, 0.25, 6))
    shades = light[..., None] * np.array(base) * (1 - haze[..., None]) + haze[..., None] * np.array([215, 222, 226])
    return bool(np.abs(shades - seen).max(axis=-1).min() < 14)


def agreement(cards: list, palette: dict, told: Told, K: np.ndarray, step: int) -> tuple[list[bool], list[bool]]:
    """Whether the picture has a card's colour at points in its plain strip, and at points 1.5 pixels above it."""
    within, above = [], []

    def pixels(card, shares: list[tuple[float, float]], pose: np.ndarray) -> np.ndarray:
        points = np.array([card.at(*share) for share in shares]) @ told.world[:3, :3].T + told.world[:3, 3]
        return project(points, pose, K)

    for path, pose in zip(told.pictures[::step], told.poses[::step], strict=True):
        picture = np.asarray(Image.open(path).convert("RGB")).astype(float)
        quads = [pixels(card, [(0, 0), (1, 0), (1, 1), (0, 1)], pose) for card in cards]
        for card, quad in zip(cards, quads, strict=True):
            tall, wide = quad[1, 1] - quad[2, 1], abs(quad[1, 0] - quad[0, 0])
            if (quad[:, 2] < 0.05).any() or abs(tall) < 16 or wide < 8:
                continue
            up = 1.5 / tall  # one and a half pixels, as a share of the height
            others = [other for other in quads if other is not quad]
            nearer = [other for other in others if other[:, 2].min() < quad[:, 2].max()]
            for found, shares, hidden in (
                (within, [(0.25, 1 - up), (0.5, 0.92), (0.75, 1 - up)], nearer),
                (above, [(0.3, 1 + up), (0.7, 1 + up)], others),
            ):
                for x, y, _ in pixels(card, shares, pose):
                    inside = 3 < x < SIZE[0] - 4 and 3 < y < SIZE[1] - 4
                    if inside and not any(covers(other, np.array([x, y]), 3) for other in hidden):
                        found.append(looks_like(picture[round(y), round(x)], palette[card.colour]))
    return within, above


def fits(cards: list, palette: dict, told: Told, K: np.ndarray) -> bool:
    """Whether a reading of a folder explains its pictures."""
    within, above = agreement(cards, palette, told, K, 3)
    enough = len(within) >= 50 and len(above) >= 25
    return bool(enough and np.mean(within) > 0.97 and np.mean(above) < 0.1)


@pytest.mark.parametrize("name", FLIGHTS)
def test_cards_are_where_the_files_say(name: str, folders: Path, example: ModuleType, cards: dict[str, list]) -> None:
    told, palette = read(folders / name), sys.modules["posed_scene"].COLOURS
    K = example.intrinsics(SIZE) if told.K is None else told.K
    assert fits(cards[name], palette, told, K)
    for mistaken in (np.linalg.inv(told.poses), told.poses @ np.diag([1.0, -1, -1, 1]), np.roll(told.poses, 3, axis=0)):
        assert not fits(cards[name], palette, replace(told, poses=mistaken), K)
    assert not fits(cards[name], palette, told, K * [[0.9, 1, 1], [1, 0.9, 1], [1, 1, 1]])


def test_files_are_those_of_the_forms(folders: Path) -> None:
    files = {
        name: {path.relative_to(folders / name).as_posix() for path in (folders / name).rglob("*") if path.is_file()}
        for name in FLIGHTS
    }
    simple = {"poses.txt", "intrinsics.txt", "chronotope.yaml"}
    assert files["drone-climb-turn-right"] == simple | {f"frames/{k:06d}.jpg" for k in range(81)}
    frames = {f"frame-{k:06d}.{part}" for k in range(81) for part in ("color.jpg", "pose.txt")}
    assert files["walk-turn-left"] == frames | {"camera-intrinsics.txt", "chronotope.yaml"}
    kitti = {"poses.txt", "calib.txt", "times.txt"}
    assert files["car-turn-left"] == kitti | {f"image_2/{k:06d}.png" for k in range(91)}
    stamps = [line.split()[0] for line in (folders / "walk-stop-look-right/rgb.txt").read_text().splitlines()[3:]]
    assert files["walk-stop-look-right"] == {"rgb.txt", "groundtruth.txt"} | {f"rgb/{stamp}.png" for stamp in stamps}
    assert sorted(path.name for path in folders.iterdir()) == sorted(FLIGHTS)


def test_numbers_have_the_shape_of_the_forms(folders: Path) -> None:
    assert table(folders / "drone-climb-turn-right/poses.txt").shape == (81, 16)
    car = table(folders / "car-turn-left/poses.txt")
    assert car.shape == (91, 12)
    np.testing.assert_allclose(car[0], np.eye(4)[:3].ravel(), atol=1e-6)
    np.testing.assert_allclose(table(folders / "car-turn-left/times.txt")[:, 0], np.arange(91) / 10, atol=1e-9)
    truth = (folders / "walk-stop-look-right/groundtruth.txt").read_text().splitlines()
    assert truth[:3:2] == ["# ground truth trajectory", "# timestamp tx ty tz qx qy qz qw"]
    assert all(len(row.split()) == 8 and all(len(part.split(".")[1]) == 4 for part in row.split()) for row in truth[3:])
    stamps = table(folders / "walk-stop-look-right/groundtruth.txt")[:, 0]
    np.testing.assert_allclose(np.diff(stamps), 0.01, atol=1e-4)
    told = (folders / "walk-turn-left/chronotope.yaml").read_text().splitlines()
    assert told == ["fps: 10", "kind: indoor", "gravity: [0, 0, -1]"]


def test_the_same_seed_writes_the_same_bytes(example: ModuleType, tmp_path: Path) -> None:
    written = []
    for attempt in ("first", "second"):
        (tmp_path / attempt).mkdir()
        example.write("desk-rise", tmp_path / attempt, seed=5, size=(48, 36))
        files = sorted((tmp_path / attempt / "desk-rise").rglob("*.*"))
        written.append([(path.name, path.read_bytes()) for path in files])
    assert written[0] == written[1] and len(written[0]) == 74
    poses = full(table(tmp_path / "first/desk-rise/poses.txt"))
    flight = example.FLIGHTS["desk-rise"]
    np.testing.assert_allclose(poses, example.poses(flight, np.arange(71) / 10, 5), atol=1e-8)
    assert not np.allclose(poses, example.poses(flight, np.arange(71) / 10, 6), atol=1e-3)


def test_a_folder_that_is_there_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "walk-turn-left").mkdir()
    command = [sys.executable, str(EXAMPLES / "posed_folders.py"), str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert "walk-turn-left exists already: remove it or name another folder" in done.stderr
    assert [path.name for path in tmp_path.rglob("*")] == ["walk-turn-left"]
