"""The command ``chronotope compare``."""

import re
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
    "other questions": "how much easier or harder they are than the common ones",
    "replies without an answer": "they count as wrong",
    "another variant": "as the runs with both variants tell",
    "another judge": "both judges' verdicts on the same replies",
    "different answers": "to the same questions, which both runs answered",
}
_PICTURES = "pictures sent"
_SCORED = (_PICTURES, "variant", "questions", "replies with an answer", "judge", "instructions of the judge", "frames")
_SETTING = "protocol.settings."
_HASH = re.compile("[0-9a-f]{64}")  # of which the first digits are enough to see that two differ


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
    _tell(found, (first.resolve().name, second.resolve().name))


def _tell(found: "Explanation", names: tuple[str, str]) -> None:
    from chronotope.view.words import percent, points

    same = found.counts == (found.common, found.common)
    out.print(
        f"first ({names[0]}): {percent(found.first)} % of {found.counts[0]:,} questions; "
        f"second ({names[1]}): {percent(found.second)} % of "
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
        meaning = _meaning(part.name, found)
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
    heads = ["part", "points", f"95 % interval by {found.cluster}", ""]
    table("Where the difference comes from, in percentage points", heads, rows, words=(0, 3))
    _tell_cause(found)
    _conclude(found)


def _meaning(part: str, found: "Explanation") -> str:
    """Explain a part of the difference, and say if it is empty."""
    if part == "other questions" and found.counts == (found.common, found.common):
        return "none here: both runs have the same questions"
    if part == "replies without an answer" and found.read == found.common:
        return "none here: both runs answered all common questions"
    return _MEANING[part]


def _conclude(found: "Explanation") -> None:
    """Say whether the clips show which run is better, and how many would."""
    from chronotope.view.words import points

    whole, cluster = found.whole, found.cluster
    if whole.low is None or whole.high is None:
        return
    if whole.low <= 0 <= whole.high:
        told = f"The interval includes 0: these {found.clusters:,} {cluster}s do not show which run is better."
    else:
        better = "first" if whole.value > 0 else "second"
        told = f"The interval excludes 0: on {cluster}s like these {found.clusters:,}, the {better} run is better."
    if whole.needed is not None:
        size = points(abs(whole.value)).removeprefix("+")
        told += (
            f" To show a difference of {size} points in 80 of 100 cases (p < 0.05), about {whole.needed:,} {cluster}s "
            "are needed."
        )
    out.print(told, markup=False)


def _ends(low: float | None, high: float | None, cluster: str) -> str:
    from chronotope.view.words import points

    return f"too few {cluster}s" if low is None or high is None else f"{points(low)} to {points(high)}"


def _tell_cause(found: "Explanation") -> None:
    """Say which setting the different answers come from, if only one differs."""
    names = {"the versions" if one.name.startswith("version of ") else one.name for one in found.unlike}
    follow = any(one.name.startswith(_SETTING) for one in found.unlike)  # frames follow from input, frames, fps
    known = _SCORED if follow else _SCORED[:-1]
    unseen = any(one.name == _PICTURES for one in found.unlike)  # follows from input, frames or the model
    causes = sorted(name for name in names if name not in known and not name.startswith("judge."))
    answers = found.parts[-1]
    if not answers.value or len(causes) != 1:
        return
    differs = "differ" if causes[0] == "the versions" else "differs"
    shown = follow and causes[0] != f"{_SETTING}frames" and any(one.name == "frames" for one in found.unlike)
    told = f"Of the settings, only {_name(causes[0])} {differs}" + (
        " (the frames follow from it)" if shown else " (the pictures sent follow from it)" if unseen else ""
    )
    where = "" if found.counts == (found.common, found.common) else " on the common questions"
    chance = answers.low is None or answers.high is None or answers.low <= 0 <= answers.high
    also = f", or from the choice of {found.cluster}s"
    also += ": their interval includes 0" if answers.low is not None and chance else ""
    out.print(f"{told}. So the different answers{where} come from it{also if chance else ''}.", markup=False)


def _name(setting: str) -> str:
    return setting.removeprefix(_SETTING)


def _value(value: Any) -> str:
    text = "–" if value is None else str(value)
    return text[:12] if _HASH.fullmatch(text) else text
