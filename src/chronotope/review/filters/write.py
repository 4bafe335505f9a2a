"""Write the filtered benchmark: a new folder, whose media are links to the files of the original."""

from dataclasses import dataclass
from pathlib import Path

from chronotope.errors import InputError
from chronotope.question import Benchmark, Card, write_changed
from chronotope.review.filters.decisions import FILTERS, PassRecord, write_records
from chronotope.review.filters.passes import PASSES
from chronotope.review.filters.view import Choice, View, apply_records


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
    passes = "".join(f" --pass {record.name} --model {record.model}" for record in counted if record.name in PASSES)
    kept = "".join(f" --keep {one}" for one in choice.keep)
    people = " && chronotope review export" if any(record.name not in PASSES for record in counted) else ""
    filtered = f" && chronotope filter {benchmark.folder.resolve().name}{passes}{kept}" if passes or not people else ""
    command = f"{benchmark.card.command}{filtered}{people}"
    written = write_changed(
        benchmark,
        view.questions,
        out,
        command,
        (FILTERS,),
        lambda folder: write_records(folder / FILTERS, benchmark, counted),
    )
    return Filtered(written, view)
