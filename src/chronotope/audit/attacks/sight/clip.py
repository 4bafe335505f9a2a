"""The frames of a clip in a prompt, their times, and measurements that all questions share."""

import re
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import cv2
import numpy as np

from chronotope.audit.attacks.sight.structure import Structure, reconstruct
from chronotope.audit.attacks.sight.tracking import Tracks, track_points
from chronotope.media import Encoded, decode_frames, probe

MOST_FRAMES = 40
WIDEST = 640  # px
LAST_FRAME = 0.05  # assumed seconds between the last frame and the end of a clip
NEAR_END = 0.3  # maximum time (s) between the end of a window and the end of the clip
_RATE = re.compile(r"sampled at about (?P<rate>\d+(?:\.\d+)?) FPS")
_WINDOW = re.compile(r"From (?P<start>\d+(?:\.\d+)?) s(?:econds)? to (?P<end>\d+(?:\.\d+)?) s(?:econds)?\. ")


@dataclass(frozen=True)
class Prompt:
    """The contents of a prompt: the stem, its window (s), and the frame rate, if it is stated."""

    stem: str
    start: float
    end: float
    rate: float | None


@dataclass(eq=False)
class SeenClip:
    """Frames (H, W, 3) uint8 RGB, with results that all questions about these frames share."""

    frames: list[np.ndarray]
    times: np.ndarray | None = None  # seconds; only known for the frames of a video
    _tracks: Tracks | None = None
    _structures: dict[float | None, Structure | None] = field(default_factory=dict)
    kept: dict[object, object] = field(default_factory=dict)  # stored measurements of other modules

    @property
    def size(self) -> tuple[int, int]:
        """Return width and height in px."""
        return self.frames[0].shape[1], self.frames[0].shape[0]

    def structure(self, view: float | None) -> Structure | None:
        """Return the reconstruction for a horizontal field of view (degrees, or None)."""
        if len(self.frames) < 3:
            return None
        if self._tracks is None:
            self._tracks = track_points([cv2.cvtColor(frame, cv2.COLOR_RGB2GRAY) for frame in self.frames])
        if view not in self._structures:
            self._structures[view] = reconstruct(self._tracks, self.size, view)
        return self._structures[view]

    def times_of(self, prompt: Prompt) -> np.ndarray | None:
        """Return the times (F,) s of the frames.

        Returns None if the prompt does not determine the times. The frames are sampled uniformly, from the first to the
        last frame of the clip. The number of frames and the stated rate give the clip's approximate length. If a window
        ends near this length, the end of the window is used as the length.
        """
        if self.times is not None:
            return self.times
        if prompt.rate is None or prompt.rate <= 0:
            return np.linspace(0, prompt.end, len(self.frames)) if prompt.start == 0 < prompt.end else None
        last = max(len(self.frames) / prompt.rate - LAST_FRAME, 0.1)
        if abs(prompt.end - last) < NEAR_END:
            last = prompt.end
        return np.linspace(0, last, len(self.frames))


def read_prompt(text: str) -> Prompt | None:
    """Read a published prompt of STI-Bench; return None for other prompts."""
    window = _WINDOW.search(text)
    if window is None:
        return None
    rate = _RATE.search(text)
    stem = text[window.end() :]
    return Prompt(stem, float(window["start"]), float(window["end"]), None if rate is None else float(rate["rate"]))


def read_clip(files: Sequence[Encoded]) -> SeenClip | None:
    """Decode pictures or a video; return None if there is neither."""
    videos = [file for file in files if file.media_type.startswith("video/")]
    if videos:
        return _read_video(videos[0])
    frames = [_shrunk(_decoded(file.data)) for file in files if file.media_type.startswith("image/")]
    return SeenClip(frames) if frames and all(frame.shape == frames[0].shape for frame in frames) else None


def _decoded(data: bytes) -> np.ndarray:
    picture = cv2.imdecode(np.frombuffer(data, np.uint8), cv2.IMREAD_COLOR)
    assert picture is not None  # these bytes come from our own encoder, so they can be decoded
    return cv2.cvtColor(picture, cv2.COLOR_BGR2RGB)


def _shrunk(frame: np.ndarray) -> np.ndarray:
    height, width = frame.shape[:2]
    if width <= WIDEST:
        return frame
    return cv2.resize(frame, (WIDEST, round(height * WIDEST / width)), interpolation=cv2.INTER_AREA)


def _read_video(video: Encoded) -> SeenClip:
    """Decode evenly spaced frames of a video, including first and last."""
    with tempfile.NamedTemporaryFile(suffix=".mp4") as file:
        file.write(video.data)
        file.flush()
        facts = probe(Path(file.name))
        wanted = np.unique(np.linspace(0, facts.frames - 1, min(MOST_FRAMES, facts.frames)).round().astype(int))
        frames = [_shrunk(frame) for _, frame in decode_frames(Path(file.name), wanted.tolist())]
    return SeenClip(frames, wanted * facts.duration_s / facts.frames)
