"""The command ``chronotope vary``."""

from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from chronotope.api.making import TWINS, VARIANTS, VariantRule, vary
from chronotope.cli.console import command, emit_json, out, table
from chronotope.cli.paths import existing
from chronotope.errors import InputError


@command
def vary_command(
    benchmark: Annotated[Path, typer.Argument(help="a benchmark folder")],
    out_folder: Annotated[Path, typer.Option("--out", help="the benchmark folder to make")],
    variant: Annotated[
        str, typer.Option(help=f"variants, separated by commas: {', '.join(VARIANTS + TWINS)}")
    ] = ",".join(VARIANTS),
    rule: Annotated[
        VariantRule,
        typer.Option(
            help='the rule for "None of these": ours (always last, in place of another option), or paper '
            "(VGenST-Bench: added as a wrong option, or in place of the correct option)"
        ),
    ] = "ours",
    as_json: Annotated[bool, typer.Option("--json", help="print the result as JSON")] = False,
) -> None:
    """Add variants of questions: about altered clips, with an option "None of these", or open (without options).

    The variants mirrored, reversed, half_speed and double_size are twins: the same question about an altered clip, with
    the new answer. They need the ground truth of the clips, and are made only if they are named.

    If a variant is impossible for some questions, the command prints the reasons. With --json, it lists these
    questions.

    Example: chronotope vary bench --variant none_answer,open --out bench-varied

    Example: chronotope vary bench --variant mirrored,reversed,half_speed,double_size --out bench-twins

    Example: chronotope vary bench --rule paper --out bench-as-published
    """
    names = [name.strip() for name in variant.split(",") if name.strip()]
    unknown = [name for name in names if name not in VARIANTS + TWINS]
    if unknown or not names:
        raise InputError(
            f"--variant: expected one or more of {', '.join(VARIANTS + TWINS)}, separated by commas, found {variant!r}"
        )
    varied = vary(
        existing(benchmark), out_folder, variants=[name for name in VARIANTS + TWINS if name in names], rule=rule
    )
    card = varied.card
    if as_json:
        without = [asdict(one) for one in varied.without]
        emit_json({"folder": str(out_folder), "card": card.model_dump(mode="json"), "without": without})
        return
    reasons: dict[tuple[str, str], list[str]] = {}
    for one in varied.without:
        reasons.setdefault((one.variant, one.reason), []).append(one.question)
    if reasons:
        rows = [[variant, reason, str(len(of)), of[0]] for (variant, reason), of in reasons.items()]
        table(
            "Questions without a variant", ["variant", "the question …", "questions", "such as"], rows, words=(0, 1, 3)
        )
    counted = ", ".join(f"{name} {number}" for name, number in card.counts.variants.items())
    out.print(f"{card.counts.questions} questions: {counted}", markup=False)
    out.print(f"{out_folder} is ready", markup=False)
