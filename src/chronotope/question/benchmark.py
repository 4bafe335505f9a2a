"""A benchmark: its card, its questions, and facts about its media."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from operator import attrgetter
from pathlib import Path
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from chronotope.errors import InputError
from chronotope.io import read_yaml, unreadable
from chronotope.io.packed import by_key
from chronotope.question.descriptions import Description, description_rows
from chronotope.question.question import Question
from chronotope.question.rows import MediaFile, content_hash
from chronotope.question.schema import SCHEMA_VERSION, version_fault

# The text on a card if the source does not state the licence of its media.
LICENCE_NOT_STATED = "not stated by the source"

# The profile strict repairs the papers' known defects, paper reproduces these defects, and extended adds to the papers.
# Questions of two profiles are never mixed.
Profile = Literal["strict", "paper", "extended"]


class CardDraft(BaseModel):
    """The fields of a card that the maker of a benchmark states.

    All other fields are computed from the tables. ``refusals`` maps a kind of question to refusal codes, and each code
    to the number of candidates that it removed. ``redrawn`` maps a simulated scene to the checks that failed, if the
    scene was generated more than once. Each rejected attempt has one entry with its failed checks.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: str = Field(min_length=1)
    version: str = "1"
    family: str = Field(min_length=1)
    profile: Profile
    licence: str
    attributions: tuple[str, ...] = ()
    seed: int | None = None
    command: str = ""
    refusals: dict[str, dict[str, int]] = Field(default_factory=dict[str, dict[str, int]])
    redrawn: dict[str, tuple[str, ...]] = Field(default_factory=dict[str, tuple[str, ...]])


class Counts(BaseModel):
    """The counts of a benchmark; ``clips`` and ``pictures`` count files."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    questions: int
    clusters: int
    clips: int
    pictures: int
    tasks: dict[str, int]
    variants: dict[str, int]


class Card(CardDraft):
    """The card of a benchmark, ``card.yaml``, with the facts from its tables.

    ``tables`` has the SHA-256 hashes of the table files. If a file still has its hash, ``content_hash`` is not computed
    again. Another tool can rewrite the files without changing the benchmark, because only their content matters.
    """

    counts: Counts
    content_hash: str
    tables: dict[str, str] = Field(default_factory=dict[str, str])
    schema_version: int = SCHEMA_VERSION


@dataclass(frozen=True, eq=False)
class Benchmark:
    """A valid benchmark folder with its tables.

    ``media`` maps the path of each media file to its facts. The questions of a very large benchmark are packed
    (see `chronotope.io.packed`).
    """

    folder: Path
    card: Card
    questions: Sequence[Question]
    media: dict[str, MediaFile]
    descriptions: tuple[Description, ...] = ()

    @cached_property
    def by_id(self) -> Mapping[str, Question]:
        """Return the questions by id."""
        return by_key(self.questions, attrgetter("id"))

    def content_hash(self) -> str:
        """Compute the hash of the content of all tables.

        The card contains the same hash.
        """
        return content_hash(self.questions, self.media, description_rows(self.descriptions))


def count(questions: Sequence[Question], media: Mapping[str, MediaFile]) -> Counts:
    """Count the content of a benchmark for its card."""
    kinds = Counter(file.kind for file in media.values())
    clusters, tasks, variants = set[str](), Counter[str](), Counter[str]()
    for question in questions:
        clusters.add(question.cluster)
        tasks[question.task] += 1
        variants[question.variant] += 1
    return Counts(
        questions=len(questions),
        clusters=len(clusters),
        clips=kinds["video"],
        pictures=kinds["image"],
        tasks=dict(sorted(tasks.items())),
        variants=dict(sorted(variants.items())),
    )


def read_card(path: Path) -> Card:
    """Read the card of a benchmark, ``card.yaml``.

    Raises:
        InputError: If the file is missing, cannot be read or has a newer version, or if a field is invalid. The message
            names the field.
    """
    try:
        path.stat()
    except (FileNotFoundError, NotADirectoryError):
        raise InputError("missing", where=str(path), expected="a complete benchmark folder, which has a card") from None
    except OSError as error:
        raise InputError(unreadable(path, error)) from error
    values = read_yaml(path)
    version = values.get("schema_version")
    if isinstance(version, int) and (fault := version_fault(version)):
        raise InputError(f"{path}: {fault}")
    try:
        return Card.model_validate(values)
    except ValidationError as error:
        first = error.errors()[0]
        field = ".".join(str(part) for part in first["loc"])
        others = f" (and {error.error_count() - 1} more)" if error.error_count() > 1 else ""
        found = "" if first["type"] == "missing" else f", found {first['input']!r}"
        raise InputError(f"{path}, field {field!r}: {first['msg']}{found}{others}") from error
