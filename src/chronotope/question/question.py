"""The question type that all families share."""

from dataclasses import dataclass, field
from typing import Any, Literal, cast

MediaKind = Literal["image", "video", "frames"]
MentionRole = Literal["stem", "option", "asked", "scale"]
Variant = Literal["base", "none_distractor", "none_answer", "open", "mirrored", "reversed", "half_speed", "double_size"]


@dataclass(frozen=True, slots=True)
class Option:
    """An option of a question: a text, a picture, or both.

    ``image`` is the path of the picture in the benchmark.
    """

    text: str | None = None
    image: str | None = None


@dataclass(frozen=True, slots=True)
class Window:
    """The time window of a question, in seconds from the start of the clip."""

    start: float
    end: float


@dataclass(frozen=True, slots=True)
class MediaItem:
    """A video, a picture, or numbered frames that a question shows.

    ``start`` and ``end`` are times in s. None means that there is no limit on this side.
    """

    role: str
    kind: MediaKind
    paths: tuple[str, ...]
    label: str | None = None
    start: float | None = None
    end: float | None = None


@dataclass(frozen=True, slots=True)
class Mention:
    """An entity of a question, with its phrase and the position of the phrase.

    The values of ``role`` are:

    - ``stem``: the stem names the entity, from the character ``start`` to the character before ``end``.
    - ``option``: an option is the name of the entity.
    - ``asked``: the question asks about the entity without naming it.
    - ``scale``: the stem names the entity and states its size, so that the scale of the scene is known. ``start`` and
      ``end`` have the same meaning as for ``stem``.

    If the stem names an entity twice, the entity has two mentions.
    """

    entity: str
    role: MentionRole
    phrase: str | None = None
    start: int | None = None
    end: int | None = None


@dataclass(frozen=True, slots=True)
class Question:
    """One question of a benchmark.

    The fields are the columns of ``questions.parquet``.

    - ``options`` are in the published order.
    - ``answer`` has the indices of the correct options. For an open question, ``answer`` is empty, and the correct
      answer is ``expected``.
    - ``cluster`` is the name of the cluster of the question in statistics.
    - ``recordings`` are the ids of the recordings that the question asks about.
    - ``mentions`` are the entities that the question asks about.
    - ``provenance`` has all other measured and random values.
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
        return tuple(dict.fromkeys(mention.entity for mention in self.mentions if mention.role != "scale"))

    def phrases(self) -> dict[str, str]:
        """Return the phrase of each entity in the question.

        The entities are in the order of their mentions.
        """
        return {mention.entity: mention.phrase for mention in self.mentions if mention.phrase is not None}


def recordings_of(question: Question) -> tuple[str, ...]:
    """Return the ids of the recordings of a question.

    In benchmark folders of schema version 1, the id of the recording is in the provenance. The id stays in the
    provenance, so that the hash of the folder does not change.
    """
    name = question.provenance.get("recording")
    return question.recordings or ((name,) if isinstance(name, str) else ())


def mentions_of(question: Question) -> tuple[Mention, ...]:
    """Return the mentions of entities in a question.

    In benchmark folders of schema version 1, the entities are read from the provenance.
    """
    if question.mentions:
        return question.mentions
    entities: Any = question.provenance.get("entities")
    phrases: Any = question.provenance.get("phrases")
    if not isinstance(entities, list):
        return ()
    called = cast("dict[Any, Any]", phrases) if isinstance(phrases, dict) else {}
    found: list[Mention] = []
    for entity in cast("list[Any]", entities):
        phrase = called.get(entity) if isinstance(entity, str) else None
        if isinstance(entity, str):
            found.append(Mention(entity, "asked", phrase if isinstance(phrase, str) else None))
    return tuple(found)
