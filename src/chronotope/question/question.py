"""The common item type of all four families."""

from dataclasses import dataclass, field
from typing import Any, Literal

__all__ = ["MediaItem", "MediaKind", "Mention", "MentionRole", "Option", "Question", "Variant", "Window"]

MediaKind = Literal["image", "video", "frames"]
MentionRole = Literal["stem", "option", "asked", "scale"]
Variant = Literal["base", "none_distractor", "none_answer", "open"]


@dataclass(frozen=True, slots=True)
class Option:
    """One offered answer: a text, a picture, or a picture with a text.

    The picture is a path inside the benchmark.
    """

    text: str | None = None
    image: str | None = None


@dataclass(frozen=True, slots=True)
class Window:
    """The time span of a question, in seconds of the clip."""

    start: float
    end: float


@dataclass(frozen=True, slots=True)
class MediaItem:
    """A video, a picture, or numbered frames that are shown.

    Times are in s; None means no limit on that side.
    """

    role: str
    kind: MediaKind
    paths: tuple[str, ...]
    label: str | None = None
    start: float | None = None
    end: float | None = None


@dataclass(frozen=True, slots=True)
class Mention:
    """An entity of a question, with its phrase and the place of the phrase.

    ``role`` is ``stem`` if the stem names it, at the characters from ``start`` to before ``end``; ``option`` if an
    option is its name; ``asked`` if it is asked about without a name. It is ``scale`` if the stem states the entity's
    size, so that all lengths are known; the name is at the characters from ``start`` to before ``end``, too. An entity
    that the stem names twice has two mentions.
    """

    entity: str
    role: MentionRole
    phrase: str | None = None
    start: int | None = None
    end: int | None = None


@dataclass(frozen=True, slots=True)
class Question:
    """One question of a benchmark; the columns of ``questions.parquet``.

    ``options`` are in the order shown, and ``answer`` has indices into them (empty for an open question, whose correct
    answer is ``expected``). ``cluster`` names the group of dependent items in statistics. ``recordings`` are the ids of
    the recordings that it asks about, and ``mentions`` are their entities; other measured and drawn values are in
    ``provenance``.
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
    recordings: tuple[str, ...] = ()
    mentions: tuple[Mention, ...] = ()
    provenance: dict[str, Any] = field(default_factory=dict[str, Any])

    def entities(self) -> tuple[str, ...]:
        """Return the entities that are asked about, in order of first mention."""
        return tuple(dict.fromkeys(one.entity for one in self.mentions if one.role != "scale"))

    def phrases(self) -> dict[str, str]:
        """Return the question's phrase for each entity.

        The order is that of its mentions.
        """
        return {one.entity: one.phrase for one in self.mentions if one.phrase is not None}
