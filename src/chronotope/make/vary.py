"""A benchmark with reformulated questions beside the questions that they reformulate."""

import shutil
from collections.abc import Sequence
from pathlib import Path

from chronotope.errors import InputError
from chronotope.files import write_atomically
from chronotope.question import Card, Variant, make_variants, open_benchmark, write_benchmark_tables

__all__ = ["vary"]


def vary(folder: Path, variants: Sequence[Variant], out: Path) -> Card:
    """Copy a benchmark and add the variants of each of its base questions to which they apply.

    Raises InputError where ``out`` exists, and where no question has such a variant.
    """
    benchmark = open_benchmark(folder)
    if out.exists():
        raise InputError(f"{out}: exists: choose another --out")
    added = make_variants(benchmark.questions, variants, benchmark.card.seed or 0)
    have = {question.id for question in benchmark.questions}
    added = [question for question in added if question.id not in have]
    if not added:
        raise InputError(f"{folder}: none of its questions has a variant {', '.join(variants)} that is not there yet")
    command = f"chronotope vary {folder.absolute().name} --variant {','.join(variants)}"
    card = benchmark.card.model_copy(
        update={"name": out.absolute().name, "command": f"{benchmark.card.command} && {command}"}
    )
    with write_atomically(out) as temporary:
        shutil.copytree(folder, temporary, ignore=shutil.ignore_patterns("card.yaml", "*.parquet.partial", ".*"))
        return write_benchmark_tables(temporary, card, [*benchmark.questions, *added], benchmark.media)
