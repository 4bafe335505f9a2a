"""Questions and media files as rows of their tables, and the hash of their content."""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Literal

from chronotope.errors import InputError
from chronotope.files import canonical_json, sha256_bytes
from chronotope.question.question import MediaItem, Option, Question, Window
from chronotope.question.schema import MEDIA_SCHEMA, QUESTIONS_SCHEMA, read_rows, write_rows

__all__ = [
    "MediaFile",
    "content_hash",
    "media_rows",
    "question_of",
    "question_rows",
    "question_table",
    "read_media",
    "read_questions",
    "row_faults",
    "write_media",
    "write_questions",
]


@dataclass(frozen=True)
class MediaFile:
    """What is known of one file without opening it; a row of ``media.parquet``.

    ``path`` is relative to the benchmark's folder, with slashes. ``width`` and ``height`` are in px as displayed. The
    files of a ``frames`` item are pictures. ``frames`` and ``duration_s`` are None for pictures, ``fps`` is also None
    for clips whose rate varies.
    """

    path: str
    sha256: str
    kind: Literal["image", "video"]
    width: int
    height: int
    frames: int | None = None
    fps: float | None = None
    duration_s: float | None = None


def question_rows(questions: Iterable[Question]) -> list[dict[str, Any]]:
    """Rows of plain JSON values as the table holds them: equal questions give equal rows, before and after a file.

    Tags are sorted by key. Raises InputError for a question with values that are not JSON.
    """
    return question_table(questions).rows


@dataclass(frozen=True)
class QuestionTable:
    """The rows of questions, and the canonical JSON of each, made once for all who want them."""

    rows: list[dict[str, Any]]
    canonical: list[bytes]


def question_table(questions: Iterable[Question]) -> QuestionTable:
    """See QuestionTable. Raises InputError for a question with values that are not JSON."""
    made = [_question_row(question) for question in questions]
    return QuestionTable([row for row, _ in made], [canonical for _, canonical in made])


def _question_row(question: Question) -> tuple[dict[str, Any], bytes]:
    """The row and its canonical JSON."""
    try:
        row = _plain_row(question)
        return row, canonical_json(row).encode()
    except (TypeError, ValueError) as error:
        raise InputError(
            f"question {question.id!r}: cannot be written as JSON ({error}); expected text in UTF-8, finite numbers, "
            "lists and mappings only (mind the provenance)"
        ) from error


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


def _number(value: float | None) -> float | None:
    # A whole number reads back from the table as a float, and must have the same canonical JSON before.
    return None if value is None else float(value)


def question_of(row: Mapping[str, Any]) -> Question:
    """The question of a row in which ``row_faults`` finds nothing."""
    window = row["window"]
    return Question(
        id=row["id"],
        family=row["family"],
        task=row["task"],
        cluster=row["cluster"],
        stem=row["stem"],
        options=tuple(Option(option["text"], option["image"]) for option in row["options"]),
        answer=tuple(row["answer"]),
        expected=row["expected"],
        multiple=row["multiple"],
        variant=row["variant"],
        base=row["base"],
        window=None if window is None else Window(float(window["start"]), float(window["end"])),
        media=tuple(
            MediaItem(
                role=item["role"],
                kind=item["kind"],
                paths=tuple(item["paths"]),
                label=item["label"],
                start=_number(item["start"]),
                end=_number(item["end"]),
            )
            for item in row["media"]
        ),
        tags={tag["key"]: tuple(tag["values"]) for tag in row["tags"]},
        flags=tuple(row["flags"]),
        provenance=json.loads(row["provenance"]),
    )


def read_media(path: Path) -> dict[str, MediaFile]:
    """The media of a table by path; InputError for a table or row that cannot be read as such."""
    table = read_rows(path, MEDIA_SCHEMA)
    if table.faults:
        raise InputError(table.faults[0])
    for number, column, _ in table.nulls:
        raise InputError(f"{path}, row {number}, column {column!r}: null; expected a value")
    return {row["path"]: MediaFile(**row) for row in table.rows}


def row_faults(row: dict[str, Any]) -> list[tuple[str, str]]:
    """(column, what is wrong) for all that keeps a row without forbidden nulls from being a question."""
    faults: list[tuple[str, str]] = []
    keys = [tag["key"] for tag in row["tags"]]
    if len(set(keys)) < len(keys):
        faults.append(
            ("tags", f"a key stands there twice ({', '.join(keys)}); expected each once, with all its values")
        )
    try:
        provenance = json.loads(row["provenance"], parse_constant=_refuse_constant)
    except (ValueError, RecursionError) as error:
        faults.append(("provenance", f"not JSON ({error}); expected a JSON object"))
    else:
        if not isinstance(provenance, dict):
            faults.append(("provenance", f"JSON of type {type(provenance).__name__}; expected a JSON object"))
    return faults


def _refuse_constant(name: str) -> None:
    raise ValueError(f"{name} is no JSON number")


def media_rows(media: Mapping[str, MediaFile]) -> list[dict[str, Any]]:
    """Rows of ``media.parquet``, sorted by path."""
    rows = [asdict(media[path]) for path in sorted(media)]
    return [row | {"fps": _number(row["fps"]), "duration_s": _number(row["duration_s"])} for row in rows]


def content_hash(
    questions: Iterable[Question] | QuestionTable,
    media: Mapping[str, MediaFile],
    descriptions: Sequence[dict[str, Any]] = (),
) -> str:
    """SHA-256 of the canonical JSON of the rows of the tables; the order of the questions counts.

    ``descriptions`` are the rows of that table; where there is none, it does not count.
    """
    # The canonical JSON of {"descriptions": [...], "media": [...], "questions": [...]}, put together row by row.
    table = questions if isinstance(questions, QuestionTable) else question_table(questions)
    rows = b",".join(table.canonical)
    described = b'"descriptions":' + canonical_json(list(descriptions)).encode() + b"," if descriptions else b""
    files = canonical_json(media_rows(media)).encode()
    return sha256_bytes(b"{" + described + b'"media":' + files + b',"questions":[' + rows + b"]}")


def write_questions(path: Path, questions: Iterable[Question] | QuestionTable) -> None:
    """Write ``questions.parquet`` in the order given, whole or not at all."""
    table = questions if isinstance(questions, QuestionTable) else question_table(questions)
    write_rows(path, table.rows, QUESTIONS_SCHEMA)


def write_media(path: Path, media: Mapping[str, MediaFile]) -> None:
    """Write ``media.parquet`` sorted by path, whole or not at all."""
    write_rows(path, media_rows(media), MEDIA_SCHEMA)


def read_questions(path: Path) -> tuple[Question, ...]:
    """The questions of a table, in its order; InputError for a table or row that cannot be read as such.

    Whether the questions make sense is for ``validate`` to say.
    """
    table = read_rows(path, QUESTIONS_SCHEMA)
    if table.faults:
        raise InputError(table.faults[0])
    for number, column, place in table.nulls:
        name = table.rows[number - 1]["id"]
        raise InputError(f"{path}, row {number} (id {name!r}), column {column!r}: {place} is null; expected a value")
    for number, row in enumerate(table.rows, 1):
        for column, fault in row_faults(row):
            raise InputError(f"{path}, row {number} (id {row['id']!r}), column {column!r}: {fault}")
    return tuple(question_of(row) for row in table.rows)
