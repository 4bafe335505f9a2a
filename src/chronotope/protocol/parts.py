"""What a prompt is made of: texts, pictures, videos and options, each with a role, in the order sent."""

from dataclasses import dataclass
from typing import Any, Literal

from chronotope.media import FramePlan

__all__ = ["FrameOf", "Image", "Option", "Part", "Picture", "PictureFile", "Role", "Text", "Video", "describe"]

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


def _describe_picture(picture: Picture) -> dict[str, Any]:
    if isinstance(picture, PictureFile):
        return {"file": picture.sha256}
    plan = picture.plan
    frame = {"clip": plan.clip, "frame": plan.indices[picture.position], "codec": plan.codec, "quality": plan.quality}
    return frame | {"size": None if plan.size is None else list(plan.size)}


def describe(parts: list[Part]) -> list[dict[str, Any]]:
    """The messages as plain JSON, every picture given as file hash and plan: equal for prompts whose bytes are equal.

    It opens no file, so that the key of a call is known before any clip is decoded.
    """
    described: list[dict[str, Any]] = []
    for part in parts:
        if isinstance(part, Image):
            described.append({"role": part.role, "picture": _describe_picture(part.picture)})
            continue
        if isinstance(part, Video):
            described.append({"role": part.role, "video": part.sha256})
            continue
        text = part.shown if isinstance(part, Option) else part.text
        if described and "text" in described[-1] and described[-1]["role"] == part.role:
            described[-1]["text"] += text
        else:
            described.append({"role": part.role, "text": text})
        if isinstance(part, Option) and part.image is not None:
            described.append({"role": part.role, "picture": _describe_picture(part.image)})
    return described
