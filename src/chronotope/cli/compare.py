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
    "other questions": "those that only one run has are easier or harder than the common ones",
    "replies without an answer": "they count as wrong",
    "another variant": "as the runs with both variants tell",
    "another judge": "both judges' verdicts on the same replies",
    "other answers": "on questions that both runs answered",
}
_SCORED = ("variant", "questions", "replies with an answer", "judge", "instructions of the judge", "frames")
_SETTING = "protocol.settings."


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

    same = found.counts == (found.common, found.common)
    out.print(
        f"first: {percent(found.first)} % of {found.counts[0]:,} questions; second: {percent(found.second)} % of "
        + (f"the same {found.common:,} questions" if same else f"{found.counts[1]:,}, {found.common:,} of them common")
        + f". Both have answered {found.read:,} of the common questions.",
        markup=False,
    )
    if found.unlike:
        rows = [[_name(one.name), _value(one.first), _value(one.second)] for one in found.unlike]
        table("What differs", ["setting", "first", "second"], rows, words=(0, 1, 2))
    else:
        out.print("No setting differs.", markup=False)
    rows = []
    for part in found.parts:
        meaning = _MEANING[part.name]
        if part.measured is not None:
            meaning += f"; known for {part.measured} of {found.read} questions"
        rows.append([part.name, points(part.value), _ends(part.low, part.high, found.cluster), meaning])
    every = "first minus second" if same else "first minus second, each on all its questions"
    rows.append(
        [
            "the whole difference",
            points(found.whole.value),
            _ends(found.whole.low, found.whole.high, found.cluster),
            every,
        ]
    )
    if not same:
        only = f"of it, on the {found.common:,} common questions"
        ends = _ends(found.shared.low, found.shared.high, found.cluster)
        rows.append([only, points(found.shared.value), ends, "as in a report of both runs"])
    table("Where the difference comes from, in percentage points", ["part", "points", "95 %", ""], rows, words=(0, 3))
    _tell_cause(found)
    if found.whole.needed is not None:
        size = points(abs(found.whole.value)).removeprefix("+")
        out.print(
            f"To tell a difference of {size} points from chance (p < 0.05) in 80 of 100 cases, about "
            f"{found.whole.needed:,} {found.cluster}s are needed; there are {found.clusters:,}.",
            markup=False,
        )


def _ends(low: float | None, high: float | None, cluster: str) -> str:
    from chronotope.view.words import points

    return f"too few {cluster}s" if low is None or high is None else f"{points(low)} to {points(high)}"


def _tell_cause(found: "Explanation") -> None:
    """Say which setting the other answers come from, if only one differs."""
    names = {"the versions" if one.name.startswith("version of ") else one.name for one in found.unlike}
    follow = any(one.name.startswith(_SETTING) for one in found.unlike)  # frames follow from input, frames, fps
    known = _SCORED if follow else _SCORED[:-1]
    causes = sorted(name for name in names if name not in known and not name.startswith("judge."))
    answers = found.parts[-1]
    if not answers.value or len(causes) != 1:
        return
    differs = "differ" if causes[0] == "the versions" else "differs"
    shown = follow and causes[0] != f"{_SETTING}frames" and any(one.name == "frames" for one in found.unlike)
    told = f"Of the settings, only {_name(causes[0])} {differs}" + (" (the frames follow from it)" if shown else "")
    where = "" if found.counts == (found.common, found.common) else " on the common questions"
    chance = answers.low is None or answers.high is None or answers.low <= 0 <= answers.high
    also = ", or from chance: their interval contains 0" if answers.low is not None and chance else ", or from chance"
    out.print(f"{told}. So the other answers{where} come from it{also if chance else ''}.", markup=False)


def _name(setting: str) -> str:
    return setting.removeprefix(_SETTING)


def _value(value: Any) -> str:
    return "–" if value is None else str(value)
