"""What a prompt is made of: texts, pictures, videos and options, each with a role, in the order sent."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import groupby
from typing import Any, Literal

from chronotope.io import canonical_json
from chronotope.media import FramePlan
from chronotope.protocol.facts import MediaFacts

__all__ = [
    "FrameOf",
    "Image",
    "Option",
    "Part",
    "Picture",
    "PictureFile",
    "Role",
    "Text",
    "Video",
    "describe",
    "frames_of",
    "planned_images",
    "without_options",
]

Role = Literal["system", "user"]


@dataclass(frozen=True)
class FrameOf:
    """The picture at ``position`` of a frame plan of the clip at ``path`` (inside the benchmark)."""

    path: str
    plan: FramePlan
    position: int


@dataclass(frozen=True)
class PictureFile:
    """A still picture of the benchmark, named by its path and known by its content."""

    path: str
    sha256: str


Picture = FrameOf | PictureFile


@dataclass(frozen=True)
class Text:
    """Words. Neighbouring texts and options of one role are sent joined, with nothing put between them.

    ``label`` is true of words that name the pictures beside them: they stay there in every layout.
    """

    text: str
    role: Role = "user"
    label: bool = False


@dataclass(frozen=True)
class Image:
    """One picture."""

    picture: Picture
    role: Role = "user"


@dataclass(frozen=True)
class Video:
    """A clip sent as a file, for models that take video."""

    path: str
    sha256: str
    role: Role = "user"


@dataclass(frozen=True)
class Option:
    """One answer offered. ``shown`` is the exact text sent for it; baselines read ``letter`` and ``text`` instead.

    ``multiple`` is true where the prompt says that several of the options are right.
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
    """The frames planned of the clip at ``path``, in their order; what asks of one clip show is the same objects."""
    return tuple(Image(FrameOf(path, plan, position)) for position in range(len(plan.indices)))


def planned_images(paths: Sequence[str], plan: FramePlan, facts: MediaFacts) -> tuple[Image, ...]:
    """Give the pictures planned of a media item: frames of its one clip, or some of its numbered pictures."""
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


@lru_cache(maxsize=1 << 15)  # no fewer than the frames that are shared, or going round them would find none
def _describe_shown(shown: Image | Video) -> str:
    """A picture or video of a message as JSON; asks of one clip show the same ones over and over."""
    what = {"video": shown.sha256} if isinstance(shown, Video) else {"picture": _describe_picture(shown.picture)}
    return canonical_json({"role": shown.role, **what})


def without_options(parts: Iterable[Part]) -> Iterator[Text | Image | Video]:
    """The parts as they are sent: every option as its text and its picture."""
    for part in parts:
        if not isinstance(part, Option):
            yield part
            continue
        yield Text(part.shown, part.role)
        if part.image is not None:
            yield Image(part.image, part.role)


def describe(parts: Iterable[Part]) -> str:
    """The messages as canonical JSON, every picture given as file hash and plan: equal where the bytes sent are equal.

    It opens no file, so that the key of a call is known before any clip is decoded.
    """
    described: list[str] = []
    for (is_text, role), group in groupby(without_options(parts), key=lambda part: (isinstance(part, Text), part.role)):
        if is_text:
            text = "".join(part.text for part in group if isinstance(part, Text))
            described.append(canonical_json({"role": role, "text": text}))
        else:
            described += [_describe_shown(part) for part in group if not isinstance(part, Text)]
    return f"[{','.join(described)}]"
