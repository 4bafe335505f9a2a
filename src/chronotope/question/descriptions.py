"""Texts that describe pictures: the rows of ``descriptions.parquet``."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from chronotope.errors import InputError
from chronotope.question.rows import MediaFile
from chronotope.question.schema import DESCRIPTIONS_SCHEMA, read_rows, write_rows

DESCRIPTIONS = "descriptions.parquet"


@dataclass(frozen=True)
class Description:
    """A text that describes one picture in one dimension.

    The family defines the dimensions, such as ``action`` or ``tools``. ``image`` is the path of the picture in the
    benchmark. ``author`` is the name of a model or a person. ``original`` is the first version of a text that was
    changed later, otherwise None.
    """

    image: str
    dimension: str
    text: str
    author: str = ""
    original: str | None = None


def by_image(descriptions: Iterable[Description]) -> dict[str, dict[str, str]]:
    """Group texts by picture and dimension, in the given order."""
    found: dict[str, dict[str, str]] = {}
    for one in descriptions:
        found.setdefault(one.image, {})[one.dimension] = one.text
    return found


def description_rows(descriptions: Iterable[Description]) -> list[dict[str, Any]]:
    """Convert descriptions to rows of JSON values, in the given order."""
    return [asdict(description) for description in descriptions]


def write_descriptions(path: Path, descriptions: Iterable[Description]) -> None:
    """Write ``descriptions.parquet``, in the given order.

    The file is written completely or not at all.
    """
    write_rows(path, description_rows(descriptions), DESCRIPTIONS_SCHEMA)


def read_descriptions(path: Path) -> tuple[Description, ...]:
    """Read the table of descriptions, in its order.

    Returns an empty tuple if there is no such table.

    Raises:
        InputError: If the table is damaged.
    """
    if not path.exists():
        return ()
    table = read_rows(path, DESCRIPTIONS_SCHEMA)
    for number, column, _ in table.nulls:
        raise InputError(f"{path}, row {number}, column {column!r}: null; expected a value")
    return tuple(Description(**row) for row in table.rows)


def description_faults(folder: Path, descriptions: Sequence[Description], files: Mapping[str, MediaFile]) -> list[str]:
    """List the faults of descriptions, one sentence for each fault.

    A row is faulty if its picture is not in the benchmark, or if an earlier row describes the same picture in the same
    dimension.
    """
    faults: list[str] = []
    seen: dict[tuple[str, str], int] = {}
    for number, one in enumerate(descriptions, 1):
        where = f"{folder / DESCRIPTIONS}, row {number}"
        file = files.get(one.image)
        if file is None or file.kind != "image":
            faults.append(
                f"{where}, column 'image': {one.image!r} is not a picture in media.parquet; add its row there"
            )
        first = seen.setdefault((one.image, one.dimension), number)
        if first != number:
            faults.append(
                f"{where}, column 'dimension': row {first} already describes {one.dimension!r} of {one.image!r}; "
                "expected one text for each dimension of a picture"
            )
    return faults
