"""Write the filtered benchmark: a new folder, whose media are links to the files of the original."""

import os
import shutil
from dataclasses import dataclass
from pathlib import Path

from chronotope.errors import InputError
from chronotope.io import link_or_copy, write_atomically
from chronotope.question import Benchmark, Card, write_benchmark_tables
from chronotope.review.filters.decisions import FILTERS, PassRecord, write_records
from chronotope.review.filters.passes import PASSES
from chronotope.review.filters.view import Choice, View, apply_records

_WRITTEN = ("card.yaml", "questions.parquet", "media.parquet", "descriptions.parquet")
_TRUTH = ("recordings", "procedures")  # files that are never changed in place


@dataclass(frozen=True)
class Filtered:
    """The card of the filtered benchmark, and its questions with the dropped ones."""

    card: Card
    view: View


def write_filtered(
    benchmark: Benchmark, records: list[PassRecord], out: Path, choice: Choice | None = None
) -> Filtered:
    """Write the benchmark that remains after the passes; no model is called.

    The original folder is not changed. The decisions are copied into the new folder. To undo a pass, write the folder
    again without this pass.

    Raises:
        InputError: If ``out`` exists, if there are no decisions, or if no question is left.
    """
    choice = choice or Choice()
    if out.exists():
        raise InputError(f"{out}: exists already: choose another --out, or delete it")
    if not records:
        raise InputError(f"{benchmark.folder}: no pass was made yet: make one with --pass PASS --model MODEL")
    view = apply_records(benchmark.questions, records, choice)
    if not view.questions:
        raise InputError(f"{benchmark.folder}: the passes drop all questions: leave some out with --without PASS")
    counted = [record for record in records if choice.counts(record)]
    used = {path for question in view.questions for item in question.media for path in item.paths}
    used |= {option.image for question in view.questions for option in question.options if option.image}
    media = {path: file for path, file in benchmark.media.items() if path in used}
    described = [description for description in benchmark.descriptions if description.image in media]
    passes = "".join(f" --pass {record.name} --model {record.model}" for record in counted if record.name in PASSES)
    kept = "".join(f" --keep {one}" for one in choice.keep)
    people = " && chronotope review export" if any(record.name not in PASSES for record in counted) else ""
    filtered = f" && chronotope filter {benchmark.folder.resolve().name}{passes}{kept}" if passes or not people else ""
    command = f"{benchmark.card.command}{filtered}{people}"
    card = benchmark.card.model_copy(update={"name": out.absolute().name, "command": command})
    with write_atomically(out) as temporary:
        _copy(benchmark, set(media), Path(temporary))
        written = write_benchmark_tables(temporary, card, view.questions, media, described)
        write_records(Path(temporary) / FILTERS, benchmark, counted)
    return Filtered(written, view)


def _copy(benchmark: Benchmark, media: set[str], target: Path) -> None:
    """Link media and ground truth, and copy all other files."""
    source = benchmark.folder

    def left_out(folder: str, names: list[str]) -> set[str]:
        inside = Path(folder).relative_to(source)
        paths = {name: (inside / name).as_posix() for name in names}
        unused = {name for name, path in paths.items() if path in benchmark.media and path not in media}
        return unused | {name for name, path in paths.items() if name.startswith(".") or path in (*_WRITTEN, FILTERS)}

    def take(path: str, to: str) -> None:
        inside = Path(path).relative_to(source)
        if inside.as_posix() in media or inside.parts[0] in _TRUTH:
            link_or_copy(path, to)
        else:
            shutil.copy2(path, to)

    shutil.copytree(source, target, ignore=left_out, copy_function=take, dirs_exist_ok=True)
    for folder, _, _ in os.walk(target, topdown=False):  # folders of unused media
        if not any(Path(folder).iterdir()):
            Path(folder).rmdir()
