"""Rows of tables for questions and media files, and the hash of their content."""

import hashlib
import json
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from operator import itemgetter
from pathlib import Path
from typing import Any, Literal, TypeVar, cast, get_args

from chronotope.errors import InputError
from chronotope.io import canonical_json
from chronotope.io.packed import PackedList
from chronotope.question.question import MediaItem, Mention, MentionRole, Option, Question, Window
from chronotope.question.schema import MEDIA_SCHEMA, QUESTIONS_SCHEMA, read_batches, read_rows, write_rows


@dataclass(frozen=True)
class MediaFile:
    """The facts about one media file: a row of ``media.parquet``.

    ``path`` is relative to the folder of the benchmark, with slashes. ``width`` and ``height`` are in px, as displayed.
    The files of a ``frames`` item are pictures. ``frames`` and ``duration_s`` are None for pictures. ``fps`` is None
    for pictures and for clips with a variable frame rate.
    """

    path: str
    sha256: str
    kind: Literal["image", "video"]
    width: int
    height: int
    frames: int | None = None
    fps: float | None = None
    duration_s: float | None = None


def _question_row(question: Question, read: dict[str, Any] | None = None) -> tuple[dict[str, Any], bytes]:
    """Return the row of a question and its canonical JSON.

    ``read`` is the row of the question, if it was read from a table with exactly the types of our schema. The given row
    is normalised, but its provenance is used as stored, and is not encoded again.
    """
    try:
        if read is None:
            row = _plain_row(question)
        elif len(read["tags"]) > 1:
            row = read | {"tags": sorted(read["tags"], key=_KEY)}
        else:
            row = read
        # Empty columns do not count, so that questions of folders without these columns keep their hash.
        counted = row
        if not (row["recordings"] and row["mentions"]):
            counted = {name: value for name, value in row.items() if value or name not in ("recordings", "mentions")}
        return row, canonical_json(counted).encode()
    except (TypeError, ValueError) as error:
        raise InputError(
            f"question {question.id!r}: cannot be written as JSON ({error}); expected text in UTF-8, finite numbers, "
            "lists and mappings only, also in the provenance"
        ) from error


_KEY = itemgetter("key")


def _plain_row(question: Question) -> dict[str, Any]:
    window = question.window
    return {
        "id": question.id,
        "family": question.family,
        "task": question.task,
        "cluster": question.cluster,
        "stem": question.stem,
        "options": [{"text": option.text, "image": option.image} for option in question.options],
        "answer": [int(index) for index in question.answer],
        "expected": question.expected,
        "multiple": bool(question.multiple),
        "variant": question.variant,
        "base": question.base,
        "window": None if window is None else {"start": float(window.start), "end": float(window.end)},
        "media": [_item_row(item) for item in question.media],
        "tags": [{"key": key, "values": list(question.tags[key])} for key in sorted(question.tags)],
        "flags": list(question.flags),
        "recordings": list(question.recordings),
        "mentions": [_mention_row(mention) for mention in question.mentions],
        "provenance": canonical_json(question.provenance),
    }


def _item_row(item: MediaItem) -> dict[str, Any]:
    return {
        "role": item.role,
        "label": item.label,
        "kind": item.kind,
        "paths": list(item.paths),
        "start": _number(item.start),
        "end": _number(item.end),
    }


def _mention_row(mention: Mention) -> dict[str, Any]:
    return {
        "entity": mention.entity,
        "role": mention.role,
        "phrase": mention.phrase,
        "start": mention.start,
        "end": mention.end,
    }


def _number(value: float | None) -> float | None:
    # A whole number comes back from the table as a float, so it is encoded as a float before writing, too.
    return None if value is None else float(value)


def _refuse_constant(name: str) -> None:
    raise ValueError(f"{name} is not a JSON number")


_PROVENANCE = json.JSONDecoder(parse_constant=_refuse_constant)


_Value = TypeVar("_Value")
MOST_SHARED = 50_000  # values; in a table of other values, the list of these would need more memory than it saves


class RowReader:
    """Makes questions from rows.

    Equal values, such as clips, tags or names of tasks, share one object in memory.
    """

    def __init__(self) -> None:
        self._shared: dict[Any, Any] = {}

    def _one(self, value: _Value, key: Any = None) -> _Value:
        """Return the first value that is equal to this value, or whose key is equal to this key."""
        key = value if key is None else key
        if len(self._shared) < MOST_SHARED:
            return self._shared.setdefault((type(value), key), value)
        return self._shared.get((type(value), key), value)

    def read(self, row: Mapping[str, Any]) -> tuple[Question | None, list[tuple[str, str]]]:
        """Make a question from a row without forbidden nulls.

        Returns the question and an empty list. If the row has faults, it returns None and a list of the faults. A fault
        consists of a column and a description.
        """
        faults: list[tuple[str, str]] = []
        keys = [tag["key"] for tag in row["tags"]]
        if len(set(keys)) < len(keys):
            faults.append(
                ("tags", f"a key occurs twice ({', '.join(keys)}); expected each key once, with all its values")
            )
        provenance: dict[str, Any] = {}
        try:
            found = _PROVENANCE.decode(row["provenance"])
        except (ValueError, RecursionError) as error:
            faults.append(("provenance", f"not JSON ({error}); expected a JSON object"))
        else:
            if isinstance(found, dict):
                # The decoder makes new keys for every text, which would need much memory for 200,000 records.
                provenance = {sys.intern(key): value for key, value in cast("dict[str, Any]", found).items()}
            else:
                faults.append(("provenance", f"JSON of type {type(found).__name__}; expected a JSON object"))
        if row["mentions"]:
            faults += _mention_faults(row)
        if faults:
            return None, faults
        window = row["window"]
        question = Question(
            id=row["id"],
            family=self._one(row["family"]),
            task=self._one(row["task"]),
            cluster=self._one(row["cluster"]),
            stem=row["stem"],
            options=tuple([self._one(Option(option["text"], option["image"])) for option in row["options"]]),
            answer=self._one(tuple(row["answer"])),
            expected=row["expected"],
            multiple=row["multiple"],
            variant=self._one(row["variant"]),
            base=row["base"],
            window=None if window is None else self._window(float(window["start"]), float(window["end"])),
            media=tuple([self._item(item) for item in row["media"]]),
            tags={self._one(tag["key"]): self._one(tuple(tag["values"])) for tag in row["tags"]},
            flags=self._one(tuple(row["flags"])),
            recordings=self._one(tuple(row["recordings"])),
            mentions=tuple([Mention(**mention) for mention in row["mentions"]]),
            provenance=provenance,
        )
        return question, []

    def _item(self, row: Mapping[str, Any]) -> MediaItem:
        start, end = _number(row["start"]), _number(row["end"])
        item = MediaItem(row["role"], row["kind"], tuple(row["paths"]), row["label"], start, end)
        return self._one(item, (item, str(start), str(end)))  # 0.0 and -0.0 are equal, but not in JSON

    def _window(self, start: float, end: float) -> Window:
        return self._one(Window(start, end), (str(start), str(end)))


_ROLES = get_args(MentionRole)


def _mention_faults(row: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Yield the faults in the mentions of a row.

    A mention is faulty if its role is unknown, or if its position is outside the stem.
    """
    for number, mention in enumerate(row["mentions"]):
        start, end = mention["start"], mention["end"]
        if mention["role"] not in _ROLES:
            yield "mentions", f"mentions[{number}].role is {mention['role']!r}; expected one of {', '.join(_ROLES)}"
        elif (start is None) != (end is None) or (start is not None and not 0 <= start < end <= len(row["stem"])):
            told = f"from {start} to {end}, and the stem has {len(row['stem'])} characters"
            yield "mentions", f"mentions[{number}] is {told}; expected a position inside the stem, or none"


def read_media(path: Path) -> dict[str, MediaFile]:
    """Read the facts about the media of a benchmark, by path.

    Raises:
        InputError: If the table or a row cannot be read.
    """
    table = read_rows(path, MEDIA_SCHEMA)
    for number, column, _ in table.nulls:
        raise InputError(f"{path}, row {number}, column {column!r}: null; expected a value")
    return {row["path"]: MediaFile(**row) for row in table.rows}


def media_rows(media: Mapping[str, MediaFile]) -> Iterator[dict[str, Any]]:
    """Make the rows of ``media.parquet``, sorted by path."""
    for path in sorted(media):
        row = asdict(media[path])
        yield row | {"fps": _number(row["fps"]), "duration_s": _number(row["duration_s"])}


class ContentHash:
    """The content hash of a benchmark: SHA-256 of its canonical JSON.

    The JSON contains descriptions, media and questions. Questions are added one by one. ``descriptions`` are the rows
    of the table of descriptions. An empty table of descriptions does not change the hash.
    """

    def __init__(self, media: Mapping[str, MediaFile], descriptions: Sequence[dict[str, Any]] = ()) -> None:
        described = f'"descriptions":{canonical_json(list(descriptions))},' if descriptions else ""
        self._hash = hashlib.sha256(f'{{{described}"media":['.encode())
        self._separator = b""
        for row in media_rows(media):
            self.add_canonical(canonical_json(row).encode())
        self._hash.update(b'],"questions":[')
        self._separator = b""

    def add(self, question: Question, row: dict[str, Any] | None = None) -> None:
        """Add the next question to the hash.

        ``row`` is the row of the question, if it was read from a table with exactly the types of our schema. A given
        row is not made again.

        Raises:
            InputError: If the question contains values that JSON cannot represent.
        """
        self.add_canonical(_question_row(question, row)[1])

    def add_canonical(self, row: bytes) -> None:
        """Add the canonical JSON of the next row to the hash."""
        self._hash.update(self._separator + row)
        self._separator = b","

    def end(self) -> str:
        """Return the hexadecimal hash of all added questions."""
        whole = self._hash.copy()
        whole.update(b"]}")
        return whole.hexdigest()


def content_hash(
    questions: Iterable[Question],
    media: Mapping[str, MediaFile],
    descriptions: Sequence[dict[str, Any]] = (),
) -> str:
    """Compute the content hash of questions in this order.

    ``ContentHash`` describes the hashed content.
    """
    content = ContentHash(media, descriptions)
    for question in questions:
        content.add(question)
    return content.end()


def write_questions(path: Path, questions: Iterable[Question], content: ContentHash | None = None) -> None:
    """Write ``questions.parquet``, in the given order, and add the questions to a content hash.

    The file is written completely or not at all.

    Raises:
        InputError: If a question contains values that JSON cannot represent.
    """

    def rows() -> Iterator[dict[str, Any]]:
        for question in questions:
            row, canonical = _question_row(question)
            if content is not None:
                content.add_canonical(canonical)
            yield row

    write_rows(path, rows(), QUESTIONS_SCHEMA)


def write_media(path: Path, media: Mapping[str, MediaFile]) -> None:
    """Write ``media.parquet``, sorted by path.

    The file is written completely or not at all.
    """
    write_rows(path, media_rows(media), MEDIA_SCHEMA)


@dataclass(frozen=True)
class NumberedRow:
    """One row of ``questions.parquet``, with its question or its faults.

    ``number`` is the number of the row, counted from 1. ``id`` is the id in the table. A fault consists of a column and
    a description. ``plain`` is the row itself, if the table has exactly the types of our schema.
    """

    number: int
    id: str | None
    question: Question | None
    faults: list[tuple[str, str]]
    plain: dict[str, Any] | None


def numbered_rows(path: Path) -> Iterator[NumberedRow]:
    """Yield every row of ``questions.parquet``.

    Raises:
        TableError: If the table cannot be read.
    """
    reader = RowReader()
    for batch in read_batches(path, QUESTIONS_SCHEMA):
        nulls: dict[int, list[tuple[str, str]]] = {}
        for number, column, place in batch.nulls:
            nulls.setdefault(number, []).append((column, f"{place} is null; expected a value"))
        for number, row in enumerate(batch.rows, batch.first):
            question, faults = (None, nulls[number]) if number in nulls else reader.read(row)
            yield NumberedRow(number, row["id"], question, faults, row if batch.plain else None)


def read_questions(path: Path) -> Sequence[Question]:
    """Read the questions of a table, in the order of its rows.

    The function checks only the types of the values. ``validate`` also checks whether the values are possible.

    Raises:
        InputError: If the table or a row cannot be read.
    """
    questions = PackedList[Question]()
    for row in numbered_rows(path):
        if row.question is None:
            column, fault = row.faults[0]
            raise InputError(f"{path}, row {row.number} (id {row.id!r}), column {column!r}: {fault}")
        questions.append(row.question)
    return questions.ended()
