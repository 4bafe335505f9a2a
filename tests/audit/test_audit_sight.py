"""The baseline that looks: real frames, drawn by a simulated table or filmed, and nothing but what a model is sent."""

import asyncio
import io
import sys
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from chronotope.errors import InputError
from chronotope.media import Encoded, decode_frames, encode_picture
from chronotope.models import Decoding, baseline
from chronotope.protocol import Image, Option, Part, PictureFile, Text, Video
from chronotope.recording import Recording
from chronotope.world import Quality
from small_tables import film_table

pytest.importorskip("cv2")

QUALITY = Quality("fast", 320, 240, 10, (3.0, 3.0), 0, 0, 20)
LETTERS = "ABCDE"
PATH_STEM = "How far does the camera travel during this period, measured along its path?"


@pytest.fixture(scope="module")
def table(drawable: None, tmp_path_factory: pytest.TempPathFactory) -> tuple[Recording, list[Encoded], Path]:
    """A simulated table: its truth, its frames as sent, its clip."""
    folder = tmp_path_factory.mktemp("table")
    recording = film_table("table", np.random.default_rng(2), QUALITY, folder)
    clip = folder / "clips" / "table.mp4"
    frames = [encode_picture(frame) for _, frame in decode_frames(clip, range(30))]
    return recording, frames, clip


def prompt(stem: str, options: Sequence[str], end: float, pictures: int, rate: float = 10.0) -> list[Part]:
    """The published prompt with so many pictures."""
    return [
        Text(
            "Answer the question below based on the frames provided, which are sampled at about "
            f"{rate:.2f} FPS.\nQuestion: From 0.0 seconds to {end:.1f} seconds. {stem}\n"
        ),
        *(Option(letter, f"{letter} {text}\n", text) for letter, text in zip(LETTERS, options, strict=True)),
        Text("Please output only the option you choose!"),
        *(Image(PictureFile(str(number), "")) for number in range(pictures)),
    ]


def ask(asks: Sequence[tuple[str, list[Part]]], frames: Sequence[Encoded], name: str = "baseline/sight") -> list[str]:
    """The replies of one model to several prompts about the same frames."""

    def shown(picture: object) -> Encoded:
        return frames[int(picture.path)]  # type: ignore[attr-defined]

    async def go() -> list[str]:
        model, found = baseline(name), []
        async with model.open([], shown) as session:
            for seed, parts in asks:
                found.append((await session.ask(parts, Decoding(), seed=seed)).text or "")
        await model.close()
        return found

    return asyncio.run(go())


def ladder(value: float, place: int, ratio: float, unit: str) -> list[str]:
    return [f"{value * ratio ** (index - place):.3f}{unit}" for index in range(5)]


def view_of(recording: Recording) -> str:
    focal = np.asarray(recording.intrinsics).reshape(-1, 3, 3)[0, 0, 0]
    view = 2 * np.degrees(np.arctan(QUALITY.width / 2 / focal))
    return f" The camera's horizontal field of view is {view:.1f}°."


def motion_prompts(recording: Recording, frames: int, rate: float = 10.0) -> list[tuple[str, list[Part], int]]:
    """Prompts about the camera's motion with a stated scale, and the index of the right option."""
    places = recording.world_T_camera[:, :3, 3]
    told = (
        f" For scale: from t = 0.0s to t = 1.5s the camera moves {np.linalg.norm(places[15] - places[0]):.3f}m in a "
        f"straight line.{view_of(recording)}"
    )
    steps = np.linalg.norm(np.diff(places, axis=0), axis=1)
    way, speed = float(steps.sum()), float(np.linalg.norm(places[22] - places[18])) / 0.4
    questions = [
        (PATH_STEM, way, "m"),
        ("How far is the camera at the end of this period from where it was at the start, in a straight line?",
         float(np.linalg.norm(places[29] - places[0])), "m"),
        ("What is the camera's average speed during this period, that is, the length of its path divided by the time?",
         way / 2.9, "m/s"),
        ("How fast is the camera moving at t = 2.0s?", speed, "m/s"),
    ]  # fmt: skip
    found = []
    for number, (stem, value, unit) in enumerate(questions):
        for place in (0, 2, 4):
            parts = prompt(stem + told, ladder(value, place, 1.4, unit), 2.9, frames, rate)
            found.append((f"q{number}-{place}", parts, place))
    return found


def is_letter(reply: str, index: int) -> bool:
    return reply.startswith(f"Answer: {LETTERS[index]}\n")


def test_motion_is_measured_with_the_stated_scale(table: tuple[Recording, list[Encoded], Path]) -> None:
    recording, frames, _ = table
    prompts = motion_prompts(recording, len(frames))
    replies = ask([(name, parts) for name, parts, _ in prompts], frames)
    right = [is_letter(reply, index) for reply, (_, _, index) in zip(replies, prompts, strict=True)]
    assert sum(right) >= 11, list(zip(replies, prompts, strict=True))
    assert all("measured in the frames" in reply for reply in replies)


def test_a_video_gives_the_same_answers(table: tuple[Recording, list[Encoded], Path]) -> None:
    recording, _, clip = table
    data = clip.read_bytes()
    video = [Encoded(data, "0" * 64, "video/mp4")]
    prompts = motion_prompts(recording, 0)
    shown = [
        (name, [*(part for part in parts if not isinstance(part, Image)), Video("0", "0" * 64)])
        for name, parts, _ in prompts
    ]
    replies = ask(shown, video)
    right = sum(is_letter(reply, index) for reply, (_, _, index) in zip(replies, prompts, strict=True))
    assert right >= 11


def test_without_a_scale_or_without_pictures_it_answers_as_chance_does(
    table: tuple[Recording, list[Encoded], Path],
) -> None:
    _, frames, _ = table
    options = ladder(1.0, 2, 1.4, "m")
    unscaled, blind = prompt(PATH_STEM, options, 2.9, len(frames)), prompt(PATH_STEM, options, 2.9, 0)
    foreign = [Text("What colour is the sky?\n"), *(Option(letter, f"{letter}\n", letter) for letter in LETTERS)]
    asks = [("a", unscaled), ("b", blind), ("c", foreign), ("d", unscaled)]
    drawn = ask(asks, frames, "baseline/random")
    assert ask(asks, frames) == [f"Answer: {letter}\ndrawn: the frames were not used." for letter in drawn]
    assert ask(asks[::-1], frames) == ask(asks, frames)[::-1]


def test_poses_need_no_scale(table: tuple[Recording, list[Encoded], Path]) -> None:
    recording, frames, _ = table
    axes = np.diag([1.0, -1.0, -1.0, 1.0])
    poses = axes @ np.linalg.inv(recording.world_T_camera[0]) @ recording.world_T_camera @ axes

    def printed(pose: np.ndarray) -> str:
        names = ["Tx", "Ty", "Tz", *(f"r{row}{column}" for row in (1, 2, 3) for column in (1, 2, 3))]
        return (
            "{"
            + ", ".join(
                f'"{name}": {value:.2f}'
                for name, value in zip(names, [*pose[:3, 3], *pose[:3, :3].ravel()], strict=True)
            )
            + "}"
        )

    stem = (
        "A camera pose is the camera's position and rotation; the camera's axes are x right, y up, z backward. At the "
        f"start of this period the pose is {printed(np.eye(4))}. What is the camera's pose at t = 2.0s?"
    )
    asks: list[tuple[str, list[Part]]] = []
    for place in range(5):
        options: list[str] = []
        for index in range(5):
            angle = np.radians(12) * (index - place)
            turn = np.eye(4)
            turn[0, 0] = turn[2, 2] = np.cos(angle)
            turn[0, 2], turn[2, 0] = np.sin(angle), -np.sin(angle)
            options.append(printed(poses[20] @ turn))
        asks.append((f"pose-{place}", prompt(stem + view_of(recording), options, 2.0, len(frames))))
    assert all(is_letter(reply, place) for place, reply in enumerate(ask(asks, frames)))


def kitchen(folder: Path, count: int) -> tuple[list[Encoded], np.ndarray, np.ndarray]:
    """Filmed frames, their poses, and their times (s)."""
    files = sorted((folder / "sti" / "kitchen-rgbd").rglob("*.jpg"))
    poses = sorted((folder / "sti" / "kitchen-rgbd").rglob("*pose.txt"))
    indices = np.linspace(0, len(files) - 1, count).round().astype(int)
    from PIL import Image as Pictures

    frames = [
        encode_picture(np.asarray(Pictures.open(io.BytesIO(files[index].read_bytes())).convert("RGB")))
        for index in indices
    ]
    return frames, np.stack([np.loadtxt(poses[index]) for index in indices]), indices / 30


def test_a_filmed_kitchen(test_data: Path) -> None:
    """Hand-held, blurred, with unknown focal length: what the camera travels, once its displacement is stated."""
    frames, poses, times = kitchen(test_data, 30)
    places = poses[:, :3, 3]
    half = 15
    told = (
        f" For scale: from t = 0.0s to t = {times[half]:.1f}s the camera moves "
        f"{np.linalg.norm(places[half] - places[0]):.2f}m in a straight line."
    )
    value = float(np.linalg.norm(places[-1] - places[0]))
    stem = "How far is the camera at the end of this period from where it was at the start, in a straight line?"
    rate = 30 / (times[-1] + 1 / 30)
    asks = [
        (f"kitchen-{place}", prompt(stem + told, ladder(value, place, 1.4, "m"), float(times[-1]), 30, rate))
        for place in range(5)
    ]
    assert all(is_letter(reply, place) for place, reply in enumerate(ask(asks, frames)))


def test_the_missing_extra_is_one_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "cv2", None)
    with pytest.raises(InputError, match=r"baseline/sight needs OpenCV .*pip install 'chronotope\[sight\]'"):
        baseline("baseline/sight")
