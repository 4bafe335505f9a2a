"""The parts of a prompt: texts, pictures, videos and options.

Each part has a role: ``system`` or ``user``.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import groupby
from typing import Any, Literal

from chronotope.io import canonical_json
from chronotope.media import FramePlan
from chronotope.protocol.facts import MediaFacts

Role = Literal["system", "user"]


@dataclass(frozen=True)
class FrameOf:
    """A frame of a clip, shown as a picture.

    The frame is at the index ``position`` in the frame plan. ``path`` is the path of the clip in the benchmark.
    """

    path: str
    plan: FramePlan
    position: int


@dataclass(frozen=True)
class PictureFile:
    """A still picture of a benchmark, with its path and the hash of its content."""

    path: str
    sha256: str


Picture = FrameOf | PictureFile


@dataclass(frozen=True)
class Text:
    """A text in a prompt.

    Adjacent texts and options with the same role are sent as one text, without a separator. ``label`` is true for a
    text that names the next pictures. A label stays before its pictures in every layout.
    """

    text: str
    role: Role = "user"
    label: bool = False


@dataclass(frozen=True)
class Image:
    """One picture in a prompt."""

    picture: Picture
    role: Role = "user"


@dataclass(frozen=True)
class FramesOf:
    """The frames that a video consists of, with their positions in time.

    ``fps`` is the frame rate of the clip, and ``total`` is the number of its frames. Frame k has the time k / ``fps``.
    """

    frames: tuple[FrameOf, ...]
    fps: float
    total: int

    @property
    def indices(self) -> tuple[int, ...]:
        """Return the numbers of the frames in the clip."""
        return tuple(frame.plan.indices[frame.position] for frame in self.frames)

    @property
    def times(self) -> tuple[float, ...]:
        """Return the times of the frames in the clip (s)."""
        return tuple(frame.plan.times[frame.position] for frame in self.frames)

    def describe(self) -> dict[str, Any]:
        """Describe everything that determines the video, as plain values."""
        plan = self.frames[0].plan
        size = None if plan.size is None else list(plan.size)
        how = {"codec": plan.codec, "quality": plan.quality, "size": size, "fps": self.fps, "total": self.total}
        return {"clip": plan.clip, "frames": list(self.indices)} | how


@dataclass(frozen=True)
class Video:
    """A clip that is sent as a video, for models that accept video.

    The file of the clip is sent or, if ``frames`` is given, a video of these frames.
    """

    path: str
    sha256: str
    role: Role = "user"
    frames: FramesOf | None = None


@dataclass(frozen=True)
class Option:
    """An option of a question in a prompt.

    ``shown`` is the exact text that is sent for the option. Baselines use ``letter`` and ``text`` instead. ``multiple``
    is true if the prompt states that several options are correct.
    """

    letter: str
    shown: str
    text: str | None = None
    image: Picture | None = None
    role: Role = "user"
    multiple: bool = False


Part = Text | Image | Video | Option


@lru_cache(maxsize=128)
def frames_of(path: str, plan: FramePlan) -> tuple[Image, ...]:
    """Return the planned frames of the clip at ``path``, in order.

    All asks about one clip share the same objects.
    """
    return tuple(Image(FrameOf(path, plan, position)) for position in range(len(plan.indices)))


def planned_images(paths: Sequence[str], plan: FramePlan, facts: MediaFacts) -> tuple[Image, ...]:
    """Return the planned pictures of a media item.

    The pictures are frames of the clip, or some of the numbered pictures.
    """
    if not plan.of_files:
        return frames_of(paths[0], plan)
    chosen = (paths[index] for index in plan.indices)
    return tuple(Image(PictureFile(path, facts.picture(path).sha256)) for path in chosen)


def _describe_picture(picture: Picture) -> dict[str, Any]:
    if isinstance(picture, PictureFile):
        return {"file": picture.sha256}
    plan = picture.plan
    frame = {"clip": plan.clip, "frame": plan.indices[picture.position], "codec": plan.codec, "quality": plan.quality}
    return frame | {"size": None if plan.size is None else list(plan.size)}


@lru_cache(maxsize=1 << 15)  # enough for all shared frames, so that each frame is kept until its next use
def _describe_shown(shown: Image | Video) -> str:
    """Describe a picture or a video as JSON.

    The result is cached, because the asks about one clip show the same pictures many times.
    """
    if isinstance(shown, Image):
        what = {"picture": _describe_picture(shown.picture)}
    else:
        what = {"video": shown.sha256 if shown.frames is None else shown.frames.describe()}
    return canonical_json({"role": shown.role, **what})


def without_options(parts: Iterable[Part]) -> Iterator[Text | Image | Video]:
    """Replace every option by its text and its picture."""
    for part in parts:
        if not isinstance(part, Option):
            yield part
            continue
        yield Text(part.shown, part.role)
        if part.image is not None:
            yield Image(part.image, part.role)


def media_of(parts: Iterable[Part]) -> list[Picture | Video]:
    """List the pictures and videos of a prompt, in the order sent."""
    shown = (
        part if isinstance(part, Video) else part.picture if isinstance(part, Image) else part.image
        for part in parts
        if not isinstance(part, Text)
    )
    return [one for one in shown if one is not None]


def videos_of_frames(parts: Iterable[Part]) -> list[FramesOf]:
    """List the videos of frames in a prompt."""
    return [part.frames for part in parts if isinstance(part, Video) and part.frames is not None]


def describe(parts: Iterable[Part]) -> str:
    """Describe the messages of a prompt as canonical JSON.

    Pictures are described by a hash and the values of their frame plan. Descriptions are equal if the bytes to send are
    equal. No file is opened, so the key of a call is known before any clip is decoded.
    """
    described: list[str] = []
    for (is_text, role), group in groupby(without_options(parts), key=lambda part: (isinstance(part, Text), part.role)):
        if is_text:
            text = "".join(part.text for part in group if isinstance(part, Text))
            described.append(canonical_json({"role": role, "text": text}))
        else:
            described += [_describe_shown(part) for part in group if not isinstance(part, Text)]
    return f"[{','.join(described)}]"


def clip_key(parts: Sequence[Part]) -> str | None:
    """Return the SHA-256 of the first clip or picture file that a prompt shows.

    Returns None if the prompt shows nothing. Pictures of options are not considered.
    """
    for part in parts:
        if isinstance(part, Video):
            return part.frames.frames[0].plan.clip if part.frames is not None else part.sha256
        if isinstance(part, Image):
            return part.picture.plan.clip if isinstance(part.picture, FrameOf) else part.picture.sha256
    return None
