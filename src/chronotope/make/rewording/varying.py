"""Adding variants of questions to a copy of a benchmark, which keeps the original questions."""

import shutil
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from chronotope.errors import InputError
from chronotope.io import write_atomically
from chronotope.make.rewording.twins import alterations_of, make_twins
from chronotope.question import (
    Card,
    Variant,
    VariantRule,
    make_variants,
    open_benchmark,
    why_not,
    write_benchmark_tables,
)


@dataclass(frozen=True)
class Unvaried:
    """A base question for which a requested variant is not possible, and the reason."""

    question: str
    variant: Variant
    reason: str


@dataclass(frozen=True)
class Varied:
    """The card of the new benchmark, and the base questions that lack a requested variant."""

    card: Card
    without: tuple[Unvaried, ...]


def vary(folder: Path, variants: Sequence[Variant], out: Path, rule: VariantRule = "ours") -> Varied:
    """Copy a benchmark and add variants of its base questions.

    Each requested variant is added for every base question that can have this variant. Twins (``mirrored``,
    ``reversed``, ``half_speed``, ``double_size``) are questions about an altered clip, which is written, too.

    Raises:
        InputError: If ``out`` exists, or if no further question can be added.
    """
    benchmark = open_benchmark(folder)
    if out.exists():
        raise InputError(f"{out}: exists already: choose another --out")
    there = {(question.base, question.variant) for question in benchmark.questions}
    bases = [question for question in benchmark.questions if question.variant == "base"]
    names, worded = alterations_of(variants)
    without = [
        Unvaried(base.id, variant, reason)
        for variant in worded
        for base in bases
        if (base.id, variant) not in there and (reason := why_not(base, variant)) is not None
    ]
    made = make_variants(bases, worded, benchmark.card.seed or 0, rule)
    added = [question for question in made if (question.base, question.variant) not in there]
    command = f"chronotope vary {folder.absolute().name} --variant {','.join(variants)}"
    command += f" --rule {rule}" if rule != "ours" else ""
    card = benchmark.card.model_copy(
        update={"name": out.absolute().name, "command": f"{benchmark.card.command} && {command}"}
    )
    with write_atomically(out) as temporary:
        shutil.copytree(folder, temporary, ignore=shutil.ignore_patterns("card.yaml", "*.parquet.partial", ".*"))
        media = dict(benchmark.media)
        for name in names:
            asked = [base for base in bases if (base.id, name) not in there]
            twins = make_twins(asked, media, [name], temporary)
            added += twins.questions
            without += [Unvaried(*one) for one in twins.without]
            media |= twins.media
        if not added:
            why = f"; the first question, {without[0].question!r}, {without[0].reason}" if without else ""
            raise InputError(f"{folder}: no further questions of variant {', '.join(variants)} are possible{why}")
        written = write_benchmark_tables(temporary, card, [*benchmark.questions, *added], media, benchmark.descriptions)
    return Varied(written, tuple(without))
