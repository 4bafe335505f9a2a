"""The faults of a benchmark, as sentences that name the file, the row and the column."""

import gc
import math
import os
import re
import unicodedata
from array import array
from collections.abc import Container, Generator, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import get_args

from chronotope.errors import InputError
from chronotope.io import path_fault, refusal, remedy, sha256_file
from chronotope.io.packed import Keys, PackedList
from chronotope.media import MOST_PIXELS
from chronotope.question.benchmark import Benchmark, Card, count, read_card
from chronotope.question.descriptions import DESCRIPTIONS, description_faults, description_rows, read_descriptions
from chronotope.question.question import MediaItem, MediaKind, Question, Variant
from chronotope.question.rows import ContentHash, MediaFile, NumberedRow, numbered_rows
from chronotope.question.schema import MEDIA_SCHEMA, TableError, read_rows

# Names of flags for known defects of released questions. An importer keeps a question with such a defect, and adds the
# flag to the question.
EQUAL_OPTIONS = "equal_options"
WINDOW_PAST_CLIP = "window_past_clip"

# Limits of a media file, far above all clips of known benchmarks.
_MOST_FRAMES, _MOST_FPS, _MOST_SECONDS = 10_000_000, 10_000, 10_000_000

Fault = tuple[str, str]  # the column, and the fault


def validate(benchmark: Path | str | Benchmark, *, deep: bool = False) -> list[str]:
    """List all faults of a benchmark, one sentence for each fault.

    With ``deep``, the hash of every media file is also checked. A question can have the flag ``equal_options`` or
    ``window_past_clip``. Each flag declares a known defect of a released set. A declared defect is not listed as a
    fault.
    """
    if isinstance(benchmark, Benchmark):
        media = list(enumerate(benchmark.media.values(), 1))
        faults = check_tables(benchmark.folder, benchmark.card.family, benchmark.questions, media, deep=deep)
        faults += description_faults(benchmark.folder, benchmark.descriptions, benchmark.media)
        return faults or list(_card_faults(benchmark, benchmark.content_hash()))
    return inspect(Path(benchmark), deep=deep)[1]


def inspect(folder: Path, *, deep: bool = False) -> tuple[Benchmark | None, list[str]]:
    """Read a benchmark folder and list its faults.

    Returns the benchmark and the faults. The benchmark is None if there are faults.
    """
    with objects_that_stay():
        return _inspect(folder, deep)


@contextmanager
def objects_that_stay() -> Generator[None]:
    """Pause garbage collection while many lasting objects are created.

    Without garbage collection, reading a large benchmark takes half the time.
    """
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()


def _inspect(folder: Path, deep: bool) -> tuple[Benchmark | None, list[str]]:
    faults: list[str] = []
    card: Card | None = None
    try:
        card = read_card(folder / "card.yaml")
    except InputError as error:
        faults.append(str(error))
    questions, numbers = PackedList[Question](), array("L")
    try:
        media, media_faults = _numbered_media(folder)
    except TableError as error:
        media, media_faults, unreadable = [], [], error.faults
    else:
        unreadable = []
    by_path = {file.path: file for _, file in media}
    try:
        descriptions = read_descriptions(folder / DESCRIPTIONS)
    except InputError as error:
        return None, [*faults, str(error)]
    try:
        content = ContentHash(by_path, description_rows(descriptions))
    except ValueError:  # a number has no JSON form; check_tables reports its position
        content = ContentHash({})
    as_written = card is not None and not deep and _are_as_written(folder, card)
    try:
        for row in numbered_rows(folder / "questions.parquet"):
            faults += [_question_sentence(folder, row.number, row.id, fault) for fault in row.faults]
            if row.question is not None:
                questions.append(row.question)
                numbers.append(row.number)
                faults += [] if as_written else _hashed(content, folder, row)
    except TableError as error:
        unreadable = [*error.faults, *unreadable]
    if unreadable:
        return None, [*faults, *unreadable]
    faults += media_faults
    faults += check_tables(folder, card.family if card else None, questions, media, numbers, deep=deep)
    if faults or card is None:
        return None, faults
    benchmark = Benchmark(folder, card, questions.ended(), by_path, descriptions)
    faults = description_faults(folder, descriptions, by_path) or _content_faults(
        benchmark, card.content_hash if as_written else content.end()
    )
    return (None if faults else benchmark), faults


def _are_as_written(folder: Path, card: Card) -> bool:
    """Check whether the tables are unchanged since the card was written."""
    wanted = {"questions.parquet", "media.parquet", *([DESCRIPTIONS] if (folder / DESCRIPTIONS).exists() else [])}
    try:
        return card.tables.keys() == wanted and all(sha256_file(folder / name) == card.tables[name] for name in wanted)
    except (OSError, InputError):
        return False  # reported when the file is read


def _content_faults(benchmark: Benchmark, content: str) -> list[str]:
    """List the faults of the card of a benchmark.

    If the hash of the rows differs, the hash of their normalised content is compared.
    """
    same = content == benchmark.card.content_hash
    return list(_card_faults(benchmark, content if same else benchmark.content_hash()))


def _hashed(content: ContentHash, folder: Path, row: NumberedRow) -> list[str]:
    """Add a question to the content hash; return the question's faults."""
    assert row.question is not None
    try:
        content.add(row.question, row.plain)
    except InputError as error:
        return [f"{folder / 'questions.parquet'}, row {row.number}: {error}"]
    return []


def _numbered_media(folder: Path) -> tuple[list[tuple[int, MediaFile]], list[str]]:
    """Read the media of a folder with their row numbers and faults."""
    table = read_rows(folder / "media.parquet", MEDIA_SCHEMA)
    faults = [_media_sentence(folder, number, (column, "null; expected a value")) for number, column, _ in table.nulls]
    bad = {number for number, _, _ in table.nulls}
    return [(number, MediaFile(**row)) for number, row in enumerate(table.rows, 1) if number not in bad], faults


def check_tables(
    folder: Path,
    family: str | None,
    questions: Sequence[Question],
    media: Sequence[tuple[int, MediaFile]],
    numbers: Sequence[int] | None = None,
    *,
    deep: bool = False,
) -> list[str]:
    """List the faults of all tables and of the media files.

    Media are given with their row numbers. ``numbers`` are the row numbers of the questions, if some rows are not
    questions. ``family`` is the family on the card, or None if it is unknown.
    """
    faults: list[str] = []
    files: dict[str, MediaFile] = {}
    place = os.path.realpath(folder)
    for number, file in media:
        repeated = [("path", f"{file.path!r} occurs twice; expected one row per file")] if file.path in files else []
        faults += [
            _media_sentence(folder, number, fault) for fault in (*repeated, *_file_faults(folder, place, file, deep))
        ]
        files[file.path] = file
    numbers = numbers or range(1, len(questions) + 1)
    ids, bases, rows = Keys(), Keys(), array("L")
    for number, question in zip(numbers, questions, strict=True):
        if ids.add(question.id):
            rows.append(number)
        else:
            row = rows[ids.numbered(question.id)]
            fault = ("id", f"row {row} has the same id; expected ids that are unique in the folder")
            faults.append(_question_sentence(folder, number, question.id, fault))
        if question.variant == "base":
            bases.add(question.id)
    for number, question in zip(numbers, questions, strict=True):
        for fault in _question_faults(question, family, files, bases):
            faults.append(_question_sentence(folder, number, question.id, fault))
    return faults


def _question_sentence(folder: Path, number: int, name: str | None, fault: Fault) -> str:
    return f"{folder / 'questions.parquet'}, row {number} (id {name!r}), column {fault[0]!r}: {fault[1]}"


def _media_sentence(folder: Path, number: int, fault: Fault) -> str:
    return f"{folder / 'media.parquet'}, row {number}, column {fault[0]!r}: {fault[1]}"


def _card_faults(benchmark: Benchmark, content: str) -> Iterator[str]:
    path, card = benchmark.folder / "card.yaml", benchmark.card
    again = "write the folder again (build, import or write_benchmark_tables), or restore its tables"
    if card.counts != (found := count(benchmark.questions, benchmark.media)):
        names = [name for name in type(found).model_fields if getattr(found, name) != getattr(card.counts, name)]
        yield f"{path}, field 'counts': {', '.join(names)} differ from the tables; {again}"
    if card.content_hash != content:
        yield f"{path}, field 'content_hash': the tables have changed since the card was written; {again}"


def _file_faults(folder: Path, real_folder: str, file: MediaFile, deep: bool) -> Iterator[Fault]:
    if file.kind not in ("image", "video"):
        yield "kind", f"unknown kind {file.kind!r}; expected 'image' or 'video'"
    if not re.fullmatch("[0-9a-f]{64}", file.sha256):
        yield "sha256", f"{file.sha256!r} is not a SHA-256; expected 64 hexadecimal digits in lower case"
    if file.width < 1 or file.height < 1:
        yield "width", f"{file.path!r} is {file.width} x {file.height} px; expected at least 1 x 1"
    elif file.width * file.height > MOST_PIXELS:
        most = MOST_PIXELS // 10**6
        yield "width", f"{file.path!r} is {file.width} x {file.height} px; expected at most {most} million pixels"
    numbers = (("frames", file.frames), ("fps", file.fps), ("duration_s", file.duration_s))
    for (column, value), most in zip(numbers, (_MOST_FRAMES, _MOST_FPS, _MOST_SECONDS), strict=True):
        if value is not None and not (math.isfinite(value) and value > 0):
            yield column, f"{file.path!r} has {value:g}; expected a positive number, or null if it is unknown"
        elif value is not None and value > most:
            yield column, f"{file.path!r} has {value:g}; expected at most {most:,}"
    if file.kind == "video" and (file.frames is None or file.duration_s is None):
        yield "frames", f"{file.path!r} is a video; expected frames and duration_s, as returned by measure_media"
    if fault := path_fault(file.path) or _place_fault(folder, real_folder, file.path):
        yield "path", fault
    elif deep:
        yield from _hash_faults(folder, file)


def _place_fault(folder: Path, real_folder: str, path: str) -> str | None:
    """Describe the fault of the path of a file, or return None.

    A path has a fault if the file does not exist, is outside the folder, or cannot be read.
    """
    try:
        if not (folder / path).is_file():
            forms = (unicodedata.normalize(form, path) for form in ("NFC", "NFD"))
            other = next((form for form in forms if form != path and (folder / form).is_file()), None)
            if other is not None:
                return f"{path!r} is in {folder} in another Unicode form ({other!a}, not {path!a}); rename the file"
            return f"{path!r} is not in {folder}; put the file there or make the benchmark again"
        place = os.path.realpath(folder / path)
        if not place.startswith(os.path.join(real_folder, "")):  # noqa: PTH118 - a prefix of text
            return f"{path!r} is a link to a file outside {folder} ({place}); replace it by a copy of the file"
    except OSError as error:
        return f"{path!r} cannot be read ({refusal(error)}); {remedy(error)}"
    return None


def _hash_faults(folder: Path, file: MediaFile) -> Iterator[Fault]:
    try:
        found = sha256_file(folder / file.path)
    except OSError as error:
        yield "path", f"{file.path!r} cannot be read ({error.strerror}); restore the correct file"
        return
    if found != file.sha256:
        yield "sha256", f"{file.path!r} has changed: expected {file.sha256}, found {found}; restore the correct file"


_VARIANTS, _KINDS = get_args(Variant), get_args(MediaKind)


def _question_faults(
    question: Question, family: str | None, files: Mapping[str, MediaFile], bases: Container[str]
) -> Iterator[Fault]:
    for column in ("id", "task", "cluster", "stem"):
        if not getattr(question, column).strip():
            yield column, "empty; expected text"
    if family is not None and question.family != family:
        yield "family", f"unknown family {question.family!r}; expected the card's, {family!r}"
    yield from _option_faults(question)
    yield from _answer_faults(question)
    yield from _variant_faults(question, bases)
    for option in question.options:
        if option.image is None:
            continue
        file = files.get(option.image)
        if file is None:
            yield "options", f"picture {option.image!r} is not in media.parquet; add its row"
        elif file.kind != "image":
            yield "options", f"{option.image!r} is of kind {file.kind!r} in media.parquet; expected a picture"
    for item in question.media:
        yield from _item_faults(item, files)
    yield from _window_faults(question, files)


def _option_faults(question: Question) -> Iterator[Fault]:
    options = question.options
    if question.answer and len(options) < 2:
        yield "options", f"{len(options)} options; expected at least 2"
    for index, option in enumerate(options):
        if not (option.text or "").strip() and option.image is None:
            yield "options", f"option {index} has neither text nor picture; expected at least one"
    if len(set(options)) < len(options) and EQUAL_OPTIONS not in question.flags:
        for index, option in enumerate(options):
            if (first := options.index(option)) < index:
                yield (
                    "options",
                    f"options {first} and {index} are equal ({option.text or option.image!r}); expected different "
                    "options",
                )


def _answer_faults(question: Question) -> Iterator[Fault]:
    answer, size = question.answer, len(question.options)
    for index in answer:
        if not 0 <= index < size:
            yield "answer", f"index {index} is outside the {size} options; expected 0 to {size - 1}"
    if len(set(answer)) < len(answer):
        yield "answer", f"an index occurs twice ({_some(answer)}); expected each index once"
    if not answer and not (question.expected or "").strip():
        yield (
            "answer",
            "'answer' and 'expected' are both empty; give the indices of correct options, or the open answer",
        )
    if len(answer) > 1 and not question.multiple:
        yield "answer", f"{len(answer)} correct options, but 'multiple' is false; expected one, or 'multiple' true"


def _some(values: Sequence[int]) -> str:
    """Format the first few of several numbers.

    A row from another tool can contain any number of values.
    """
    return ", ".join(map(str, values[:8])) + (f" and {len(values) - 8:,} more" if len(values) > 8 else "")


def _variant_faults(question: Question, bases: Container[str]) -> Iterator[Fault]:
    variant = question.variant
    if variant not in _VARIANTS:
        yield "variant", f"unknown variant {variant!r}; expected one of {', '.join(_VARIANTS)}"
    elif variant == "base":
        if question.base is not None:
            yield "base", f"a base question has the base {question.base!r}; expected null"
    elif question.base is None:
        yield "base", f"null for a question of variant {variant!r}; expected the id of the base question"
    if variant != "base" and question.base is not None and question.base not in bases:
        yield "base", f"{question.base!r} is not a base question in this table; expected the id of a base question"
    if variant == "open" and question.answer:
        yield "answer", "an open question has indices of options; expected none, and the correct answer in 'expected'"


def _item_faults(item: MediaItem, files: Mapping[str, MediaFile]) -> Iterator[Fault]:
    if item.kind not in _KINDS:
        yield "media", f"unknown kind {item.kind!r}; expected one of {', '.join(_KINDS)}"
        return
    if not item.paths or (item.kind != "frames" and len(item.paths) > 1):
        expected = "at least one" if item.kind == "frames" else "exactly one"
        yield "media", f"{len(item.paths)} paths for the {item.kind} {item.role!r}; expected {expected}"
    for path in item.paths:
        file = files.get(path)
        wanted = "video" if item.kind == "video" else "image"
        if file is None:
            yield "media", f"{path!r} is not in media.parquet; add its row"
        elif file.kind != wanted:
            yield (
                "media",
                f"{path!r} is of kind {file.kind!r} in media.parquet, but shown as {item.kind!r}; expected {wanted!r}",
            )


def _window_faults(question: Question, files: Mapping[str, MediaFile]) -> Iterator[Fault]:
    clips = [files[path] for item in question.media if item.kind == "video" for path in item.paths if path in files]
    lengths = [_longest(clip) for clip in clips if clip.duration_s is not None]
    spans: list[tuple[str, float, float, list[float]]] = []
    if question.window is not None:
        # With several clips, the window may belong to any clip, so only an end after all clips is certainly wrong.
        spans.append(("window", question.window.start, question.window.end, [max(lengths)] if lengths else []))
    for item in question.media:
        ends = [_longest(files[path]) for path in item.paths if path in files and files[path].duration_s is not None]
        end = math.inf if item.end is None else item.end
        if item.start is not None or item.end is not None:
            spans.append(("media", item.start or 0.0, end, ends if item.end is not None else []))
    for column, start, end, limits in spans:
        if not (math.isfinite(start) and start >= 0 and start <= end):
            yield column, f"{start:g} s to {end:g} s; expected 0 <= start <= end"
        elif limits and end > limits[0] + 1e-6 and WINDOW_PAST_CLIP not in question.flags:
            yield column, f"ends at {end:g} s, after the end of the clip at {limits[0]:.3f} s (one frame of tolerance)"


def _longest(clip: MediaFile) -> float:
    """Return the latest valid end (s) of a window in a clip.

    The latest valid end is one frame after the end of the clip.
    """
    duration = clip.duration_s or 0.0
    frame = 1 / clip.fps if clip.fps else duration / (clip.frames or 1)
    return duration + frame
