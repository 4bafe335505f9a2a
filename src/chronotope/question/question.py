"""The one item type of all four families."""

from dataclasses import dataclass, field
from typing import Any, Literal

__all__ = ["MediaItem", "MediaKind", "Option", "Question", "Variant", "Window"]

MediaKind = Literal["image", "video", "frames"]
Variant = Literal["base", "none_distractor", "none_answer", "open"]


@dataclass(frozen=True, slots=True)
class Option:
    """One of the answers offered: a text, a picture (path inside the benchmark), or a picture with a text."""

    text: str | None = None
    image: str | None = None


@dataclass(frozen=True, slots=True)
class Window:
    """The time asked about, in seconds of the clip."""

    start: float
    end: float


@dataclass(frozen=True, slots=True)
class MediaItem:
    """One thing that is shown: a video, a picture, or numbered frames; times in s, None for all of it."""

    role: str
    kind: MediaKind
    paths: tuple[str, ...]
    label: str | None = None
    start: float | None = None
    end: float | None = None


@dataclass(frozen=True, slots=True)
class Question:
    """One question of a benchmark; the columns of ``questions.parquet`` (design, section 9).

    ``options`` stand in the order shown and ``answer`` holds indices into them (empty for an open question, whose right
    answer is ``expected``). ``cluster`` names what items stand or fall with together in statistics.
    """

    id: str
    family: str
    task: str
    cluster: str
    stem: str
    options: tuple[Option, ...]
    answer: tuple[int, ...]
    expected: str | None = None
    multiple: bool = False
    variant: Variant = "base"
    base: str | None = None
    window: Window | None = None
    media: tuple[MediaItem, ...] = ()
    tags: dict[str, tuple[str, ...]] = field(default_factory=dict[str, tuple[str, ...]])
    flags: tuple[str, ...] = ()
    provenance: dict[str, Any] = field(default_factory=dict[str, Any])
