"""Functions for benchmark folders: open a folder, measure media, write the tables and the card."""

from collections.abc import Iterable, Mapping, Sequence
from contextlib import nullcontext
from pathlib import Path

from chronotope.errors import InputError
from chronotope.io import path_fault, sha256_file, write_atomically, write_yaml
from chronotope.media import ClipFacts, picture_size
from chronotope.question.benchmark import Benchmark, Card, CardDraft, count
from chronotope.question.descriptions import (
    DESCRIPTIONS,
    Description,
    description_faults,
    description_rows,
    write_descriptions,
)
from chronotope.question.question import Question
from chronotope.question.rows import ContentHash, MediaFile, write_media, write_questions
from chronotope.question.validation import check_tables, inspect

_PICTURES = {".bmp", ".jfif", ".jpe", ".jpeg", ".jpg", ".png", ".ppm", ".tif", ".tiff", ".webp"}


def open_benchmark(folder: Path | str) -> Benchmark:
    """Read and validate a benchmark folder.

    Raises:
        InputError: If the folder is not valid. The message states the first fault and the number of other faults.
    """
    benchmark, faults = inspect(Path(folder))
    if benchmark is None:
        raise InputError(_first(faults))
    return benchmark


def write_benchmark_tables(
    folder: Path | str,
    draft: CardDraft,
    questions: Sequence[Question],
    media: Mapping[str, MediaFile],
    descriptions: Sequence[Description] = (),
) -> Card:
    """Write the tables of a benchmark and then its card.

    The tables are ``questions.parquet``, ``media.parquet`` and, if there are descriptions, ``descriptions.parquet``.
    The media files must exist. Questions keep their order, and media are sorted by path. All tables are checked and
    written under temporary names before the first file is renamed.

    Raises:
        InputError: If the benchmark would not be valid. The conditions are the same as for ``open_benchmark``.
    """
    folder = Path(folder)
    for path, file in media.items():
        if path != file.path:
            raise InputError(
                f"{folder}: the media file {file.path!r} has the key {path!r}; expected its own path as the key"
            )
    files = list(enumerate((media[path] for path in sorted(media)), 1))
    faults = check_tables(folder, draft.family, questions, files)
    faults += description_faults(folder, descriptions, media)
    if faults:
        raise InputError(_first(faults))
    content = ContentHash(media, description_rows(descriptions))
    with (
        # Contexts end in reverse order, so the card is renamed last.
        write_atomically(folder / "card.yaml") as card_path,
        write_atomically(folder / "media.parquet") as media_path,
        write_atomically(folder / "questions.parquet") as questions_path,
        write_atomically(folder / DESCRIPTIONS) if descriptions else nullcontext() as descriptions_path,
    ):
        if descriptions_path is not None:
            write_descriptions(descriptions_path, descriptions)
        write_questions(questions_path, questions, content)
        write_media(media_path, media)
        if descriptions_path is None:
            (folder / DESCRIPTIONS).unlink(missing_ok=True)  # descriptions of an earlier version
        written = {"questions.parquet": questions_path, "media.parquet": media_path, DESCRIPTIONS: descriptions_path}
        tables = {name: sha256_file(path) for name, path in written.items() if path is not None}
        said = draft.model_dump(include=set(CardDraft.model_fields))
        card = Card(**said, counts=count(questions, media), content_hash=content.end(), tables=tables)
        write_yaml(card_path, card.model_dump(mode="json"))
    return card


def measure_media(
    folder: Path | str, paths: Iterable[str], known: Mapping[str, ClipFacts] | None = None
) -> dict[str, MediaFile]:
    """Measure clips and pictures for ``media.parquet``.

    ``paths`` are relative to the folder. The result keeps the order of ``paths``. The suffix of a file distinguishes
    pictures from clips. Pictures are decoded, so that damaged pictures are found immediately. ``known`` maps the paths
    of clips to their facts; these clips are not opened.

    Raises:
        InputError: If a path leads out of the folder or is otherwise unsafe, or if a file is missing or cannot be
            opened.
    """
    from chronotope.media import probe  # imported here because it loads PyAV, which reading a benchmark does not need

    measured: dict[str, MediaFile] = {}
    for path in dict.fromkeys(paths):
        if fault := path_fault(path):
            raise InputError(f"{folder}: {fault}")
        file = Path(folder) / path
        if file.suffix.lower() in _PICTURES:
            width, height = picture_size(file)
            measured[path] = MediaFile(path, sha256_file(file), "image", width, height)
        else:
            clip = (known or {}).get(path) or probe(file)
            measured[path] = MediaFile(
                path, clip.sha256, "video", clip.width, clip.height, clip.frames, clip.fps, clip.duration_s
            )
    return measured


def _first(faults: Sequence[str]) -> str:
    others = len(faults) - 1
    return faults[0] + (f" (and {others} other fault{'s' if others > 1 else ''})" if others > 0 else "")
