"""Reader of a release of IKEA-Bench: makes a question from each record, and finds its pictures and descriptions.

Every defect is reported. A record that cannot be asked as released is left out and listed in the report. A record with
any other defect becomes a question with a flag.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path, PurePosixPath
from typing import Any

from chronotope.errors import InputError
from chronotope.families import NoClipError, Release, ReleasedRows, folders_in
from chronotope.families.ikea.descriptions import StepKey, StepRecord, rows_of
from chronotope.families.ikea.release.descriptions import ReleasedDescriptions, find_descriptions
from chronotope.families.ikea.release.files import WANTED, benchmark_paths, find_pictures, find_table
from chronotope.families.ikea.release.records import KEPT, LEFT_OUT, Record, binary_words, read_record
from chronotope.families.ikea.tasks import CODES, TASKS
from chronotope.families.ikea.write.item import Flag
from chronotope.families.ikea.write.look import look
from chronotope.families.released_table import ReleasedTable
from chronotope.io import sha256_file, slug
from chronotope.question import Description, Option, Question

LICENCE = "IKEA-Bench's pictures keep the terms of IKEA Manuals at Work and of the videos that they come from"
ATTRIBUTIONS = (
    "Questions: IKEA-Bench, by its authors (arXiv 2604.00913)",
    "Manuals and videos: IKEA Manuals at Work (NeurIPS 2024)",
)
AUTHOR = "the authors of IKEA-Bench (Claude Opus 4.6)"


def read_release(path: Path, clips: Path | None = None) -> Release:
    """Read a release of IKEA-Bench.

    ``path`` is the release folder (in the older or newer layout), or its ``qa_benchmark.json``. ``clips`` is the folder
    of the frames, if they are not in the release folder. The options of T2 and D1 get the words of the paper; their
    released words are kept in the provenance.

    Raises:
        InputError: If there is no table of IKEA-Bench, or none of its pictures is found.
    """
    table, roots = find_table(path)
    values = ReleasedTable.read(table, WANTED).rows
    if not values:
        raise InputError(f"{table}: expected a JSON list of questions, found an empty list")
    found = ReleasedRows(LEFT_OUT, KEPT, partial(_name, values))
    known = ("IKEA-Bench", "tasks", TASKS)
    records = found.read_known(
        table, values, lambda one: read_record(one if isinstance(one, dict) else {}), _task, known
    )
    wanted = list(dict.fromkeys(path for _, record in records for path in record.paths))
    files = find_pictures(wanted, folders_in(roots) if path.is_dir() else roots, clips)
    if not files:
        looked = ", ".join(map(str, dict.fromkeys([*roots, *([clips] if clips is not None else [])])))
        raise NoClipError(
            f"{path}: no picture of the release, such as {wanted[0]}, is in {looked}: give the folder of the whole "
            "release"
        )
    described = find_descriptions([*roots, table.absolute().parent])
    diagrams = _Diagrams(records, files, described)
    places = benchmark_paths(files)
    shown: dict[str, None] = {}
    for number, record in records:
        if not all(one in files for one in record.paths):
            found.leave_out("missing_picture", number, record.task)
            continue
        flags = {*record.flags, *diagrams.flags(record)}
        name = record.id
        if name in found.names:
            flags.add("repeated_id")
            name = f"{name}-row{number}"
            while name in found.names:
                name += "-again"
        shown |= dict.fromkeys(record.paths)
        found.keep(_question(record, name, flags, places, table.name, number), number)
    return Release(
        questions=tuple(found.questions),
        files={places[one]: files[one] for one in shown},
        names=found.names,
        licence=LICENCE,
        attributions=ATTRIBUTIONS,
        findings=found.findings(),
        refusals=found.refusals,
        notes=(f"{len(values)} rows of {table.name}", *described.notes),
        descriptions=tuple(diagrams.descriptions({one: places[one] for one in shown})),
    )


def _task(values: Any) -> str:
    """Return the task that a record names, or ``unknown``."""
    code = values.get("type") if isinstance(values, dict) else None
    return next((task for known, (task, _) in CODES.items() if known == code), "unknown")


def _name(values: list[Any], number: int) -> str:
    """Return the words that name a row in messages: number and id."""
    row = values[number - 1]
    told = [str(row[name])[:40] for name in ("id", "type", "product") if name in row] if isinstance(row, dict) else []
    return f"row {number} ({', '.join(told)})" if told else f"row {number}"


class _Diagrams:
    """The diagrams of a release, with their products, hashes and descriptions."""

    def __init__(
        self, records: Iterable[tuple[int, Record]], files: Mapping[str, Path], described: ReleasedDescriptions
    ) -> None:
        self._described = described.texts
        self._by_key: dict[StepKey, str] = {}
        self._keys: dict[str, StepKey] = {}
        categories: dict[str, set[str]] = defaultdict(set)
        for _, record in records:
            categories[record.product].add(record.category)
            for path, step in record.diagrams.items():
                if path in files:
                    key = _key(path, record, step)
                    self._keys[path] = key
                    categories[record.product].add(key[0])
                    self._by_key.setdefault(key, path)
        self._shared = {product for product, of in categories.items() if len(of) > 1}
        self._hashes = {path: sha256_file(files[path]) for path in self._keys}
        self._blank = {path for path in self._keys if _is_blank(files[path])}

    def flags(self, record: Record) -> set[str]:
        """Return the flags for defects of a record's diagrams and product."""
        shown = [path for path in record.diagrams if path in self._keys]
        compared = list(shown)
        if record.unlike is not None and record.unlike not in record.diagrams.values():
            other = [self._by_key.get((*self._keys[path][:2], record.unlike)) for path in shown]
            compared += [path for path in other if path is not None]
        drawn = [self._hashes[path] for path in compared if path not in self._blank]
        faults = {
            Flag.DUPLICATE_DIAGRAM: len(set(drawn)) < len(drawn),
            Flag.BLANK_DIAGRAM: any(path in self._blank for path in shown),
            Flag.NAME_COLLISION: record.product in self._shared,
            "no_description": any(self._text(path) is None for path in shown),
        }
        return {flag for flag, found in faults.items() if found}

    def descriptions(self, places: Mapping[str, str]) -> Iterable[Description]:
        """Yield the descriptions of diagrams, with paths inside the benchmark.

        ``places`` maps released paths to paths inside the benchmark.
        """
        for path, place in places.items():
            record = self._text(path) if path in self._keys else None
            if record is not None:
                yield from rows_of(place, record, AUTHOR)

    def _text(self, path: str) -> StepRecord | None:
        """Return the description of a diagram, or None.

        A description without a category is used only if no other product has the same name.
        """
        key = self._keys[path]
        without = None if key[1] in self._shared else self._described.get(("", *key[1:]))
        return self._described.get(key, without)


def _key(path: str, record: Record, step: int) -> StepKey:
    """Return the category, the product and the step of a diagram.

    The category and the product come from the path of the diagram if possible, because a record may lack the category.
    """
    parts = PurePosixPath(path).parts
    if len(parts) >= 4 and parts[-2] == f"step_{step}":
        return parts[-4], parts[-3], step
    return record.category, record.product, step


def _is_blank(file: Path) -> bool:
    try:
        return look(file).blank
    except InputError:  # this fault is reported later, when the pictures are measured
        return False


def _question(
    record: Record, name: str, flags: set[str], places: Mapping[str, str], file: str, number: int
) -> Question:
    words = binary_words(record)
    texts = words if words is not None else tuple(one.text for one in record.options)
    options = tuple(
        Option(text, places[one.image] if one.image is not None else None)
        for one, text in zip(record.options, texts, strict=True)
    )
    tags = {"product": record.product, "category": record.category}
    if record.step is not None:
        tags["step"] = str(record.step)
    if record.positive is not None:
        tags["polarity"] = "positive" if record.positive else "negative"
    released = {"file": file, "row": number, "id": record.id}
    if words is not None:
        released["options"] = [one.text for one in record.options]
    return Question(
        id=name,
        family="ikea",
        task=record.task,
        cluster=record.product,
        stem=record.stem,
        options=options,
        answer=(record.answer,),
        media=tuple(replace(item, paths=tuple(places[path] for path in item.paths)) for item in record.media),
        tags={key: (value,) for key, value in tags.items()},
        flags=tuple(sorted(flags)),
        provenance={"procedure": slug(f"{record.category}-{record.product}"), **record.facts, "released": released},
    )
