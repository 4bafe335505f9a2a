"""The command ``chronotope compare``."""

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from chronotope.cli.console import command, emit_json, out, table
from chronotope.cli.paths import existing

if TYPE_CHECKING:
    from chronotope.api.vocabulary import Explanation

_MEANING = {
    "another reader": "the suite reads or scores the same replies differently",
    "other questions": "one run was asked easier questions than the other",
    "replies without an answer": "they count as wrong",
    "another variant": "as the runs with both variants tell",
    "another judge": "both judges' verdicts on the same replies",
    "other answers": "on questions that both runs answered",
}
_SCORED = ("variant", "questions", "replies with an answer", "judge", "instructions of the judge", "frames")


@command
def compare_command(
    first: Annotated[Path, typer.Argument(help="a run folder, or a result file of another suite")],
    second: Annotated[Path, typer.Argument(help="another one, about questions of the same family")],
    bench: Annotated[
        Path | None, typer.Option("--bench", help="the benchmark of result files; by default that of the other run")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="print the result as JSON")] = False,
) -> None:
    """Explain why the scores of two runs differ: what was set otherwise, and which part each cause has.

    A result file is one that `chronotope score` reads, such as a log of Inspect or the samples of lmms-eval.

    Example: chronotope compare runs/bench-qwen runs/bench-qwen-32-frames

    Example: chronotope compare runs/bench-qwen results/samples_chronotope_sti_bench.jsonl
    """
    # Imported here because scores load much that --help does not need.
    from chronotope.api.comparing import explain

    found = explain(existing(first), existing(second), bench=None if bench is None else existing(bench))
    if as_json:
        emit_json(asdict(found))
        return
    _tell(found)


def _tell(found: "Explanation") -> None:
    from chronotope.view.words import percent, points

    out.print(
        f"first: {percent(found.first)} % of {found.counts[0]} questions; second: {percent(found.second)} % of "
        f"{found.counts[1]}. Both have {found.common} questions, and answers to {found.read} of them.",
        markup=False,
    )
    if found.unlike:
        rows = [[one.name, _value(one.first), _value(one.second)] for one in found.unlike]
        table("What differs", ["setting", "first", "second"], rows, words=(0, 1, 2))
    else:
        out.print("No setting differs.", markup=False)
    rows = []
    for part in (*found.parts, found.whole):
        ends = "too few clusters" if part.low is None or part.high is None else (
            f"{points(part.low)} to {points(part.high)}"
        )  # fmt: skip
        name = "the whole difference" if part is found.whole else part.name
        meaning = _MEANING.get(part.name, "first minus second")
        if part.measured is not None:
            meaning += f"; known for {part.measured} of {found.read} questions"
        rows.append([name, points(part.value), ends, meaning])
    table("Where the difference comes from, in points", ["part", "points", "95 %", ""], rows, words=(0, 3))
    _tell_cause(found)
    if found.whole.needed is not None:
        out.print(
            f"A difference of {points(found.whole.value)} points would be told from chance in 80 of 100 cases with "
            f"{found.whole.needed} clips or scenes; there are {found.clusters}.",
            markup=False,
        )


def _tell_cause(found: "Explanation") -> None:
    """Say which setting the other answers come from, if only one differs."""
    names = {"the versions" if one.name.startswith("version of ") else one.name for one in found.unlike}
    causes = sorted(name for name in names if name not in _SCORED and not name.startswith("judge."))
    if found.parts[-1].value and len(causes) == 1:
        differs = "differ" if causes[0] == "the versions" else "differs"
        out.print(f"Only {causes[0]} {differs}, so the other answers come from it, or from chance.", markup=False)


def _value(value: Any) -> str:
    return "–" if value is None else str(value)
