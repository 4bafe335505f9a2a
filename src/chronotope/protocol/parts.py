"""Parts of a prompt: texts, pictures, videos and options, in the order sent.

Each has a role.
"""

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
    """The picture at ``position`` of a frame plan of the clip at ``path``.

    The path is inside the benchmark.
    """

    path: str
    plan: FramePlan
    position: int


@dataclass(frozen=True)
class PictureFile:
    """A still picture of the benchmark, with its path and its content's hash."""

    path: str
    sha256: str


Picture = FrameOf | PictureFile


@dataclass(frozen=True)
class Text:
    """A text. Neighbouring texts and options of one role are sent joined.

    There is no separator between them. ``label`` is true for a text that names the pictures beside it: it stays there
    in every layout.
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
    """One offered answer. ``shown`` is the exact text sent for it.

    Baselines read ``letter`` and ``text`` instead. ``multiple`` is true if the prompt states that several options are
    correct.
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

    Asks of one clip share the same objects.
    """
    return tuple(Image(FrameOf(path, plan, position)) for position in range(len(plan.indices)))


def planned_images(paths: Sequence[str], plan: FramePlan, facts: MediaFacts) -> tuple[Image, ...]:
    """Return the planned pictures of a media item.

    They are frames of its clip, or some of its numbered pictures.
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


@lru_cache(maxsize=1 << 15)  # no fewer than the frames that are shared, or going round them would find none
def _describe_shown(shown: Image | Video) -> str:
    """Describe a picture or video of a message as JSON.

    The result is cached, because asks of one clip show the same pictures many times.
    """
    what = {"video": shown.sha256} if isinstance(shown, Video) else {"picture": _describe_picture(shown.picture)}
    return canonical_json({"role": shown.role, **what})


def without_options(parts: Iterable[Part]) -> Iterator[Text | Image | Video]:
    """Yield the parts as sent: every option as its text and picture."""
    for part in parts:
        if not isinstance(part, Option):
            yield part
            continue
        yield Text(part.shown, part.role)
        if part.image is not None:
            yield Image(part.image, part.role)


def describe(parts: Iterable[Part]) -> str:
    """Describe the messages as canonical JSON, pictures as hash and plan.

    Descriptions are equal if the bytes sent are equal. No file is opened, so the key of a call is known before any clip
    is decoded.
    """
    described: list[str] = []
    for (is_text, role), group in groupby(without_options(parts), key=lambda part: (isinstance(part, Text), part.role)):
        if is_text:
            text = "".join(part.text for part in group if isinstance(part, Text))
            described.append(canonical_json({"role": role, "text": text}))
        else:
            described += [_describe_shown(part) for part in group if not isinstance(part, Text)]
    return f"[{','.join(described)}]"
