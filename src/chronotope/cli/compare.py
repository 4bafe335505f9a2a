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
}
_ANSWERS, _PICTURES, _VERSION = "different answers", "pictures sent", "version of "
_TOOL = "replies from another tool"
_SCORED = ("variant", "questions", "replies with an answer", "judge", "instructions of the judge")
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
    from chronotope.view.setting_names import setting_name
    from chronotope.view.words import percent, points

    same = found.counts == (found.common, found.common)
    out.print(
        f"first ({names[0]}): right on {percent(found.first)} % of {found.counts[0]:,} questions; "
        f"second ({names[1]}): right on {percent(found.second)} % of "
        + (f"the same {found.common:,} questions" if same else f"{found.counts[1]:,}, {found.common:,} of them common")
        + (". Both answered all " if found.read == found.common else f". Both answered {found.read:,} ")
        + ("of them." if same else "of the common ones."),
        markup=False,
    )
    if found.unlike:
        tools = _tools(found)
        rows = [
            [setting_name(one.name), _value(one.name, one.first, tools[0]), _value(one.name, one.second, tools[1])]
            for one in _shown(found)
        ]
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
    if part == "another reader" and not next(one.value for one in found.parts if one.name == part):
        return "none here: the suite gives the same replies the same scores"
    if part == "other questions" and found.counts == (found.common, found.common):
        return "none here: both runs have the same questions"
    if part == "replies without an answer" and found.read == found.common:
        return "none here: both runs answered all common questions"
    if part != _ANSWERS:
        return _MEANING[part]
    if not found.read:
        return "none here: no question was answered by both runs"
    if any(one.measured is not None for one in found.parts):
        return "the rest, on questions that both runs answered"
    value = found.parts[-1].value
    if not value:
        return "none here: both runs are right equally often"
    return f"on questions that both runs answered, the {'first' if value > 0 else 'second'} is right more often"


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
            "like these are needed in all."
        )
    out.print(told, markup=False)


def _ends(low: float | None, high: float | None, cluster: str) -> str:
    from chronotope.view.words import points

    return f"too few {cluster}s" if low is None or high is None else f"{points(low)} to {points(high)}"


def _tell_cause(found: "Explanation") -> None:
    """Say which setting the different answers come from, or that several settings differ."""
    causes, answers = _causes(found), found.parts[-1]
    if not answers.value or not causes:
        return
    where = "" if found.counts == (found.common, found.common) else " on the common questions"
    if len(causes) > 1:
        every = f"{', '.join(causes[:-1])} and {causes[-1]} differ"
        out.print(
            f"{every[0].upper()}{every[1:]}, so this comparison cannot tell which of them the different answers{where} "
            f"come from. To find out, {_advice(causes)}.",
            markup=False,
        )
        return
    [cause] = causes
    many = cause.split()[1].endswith("s")
    followed = next((one.name for one in found.unlike if one.name in (_PICTURES, "frames")), "")
    follow = f" (the {followed} follow from it)" if followed and cause != f"the {followed}" else ""
    chance = answers.low is None or answers.high is None or answers.low <= 0 <= answers.high
    also = f", or from the choice of {found.cluster}s" if chance else ""
    also += ": their interval includes 0" if answers.low is not None and chance else ""
    out.print(
        f"Of the settings, only {cause} differ{'' if many else 's'}{follow}. So the different answers{where} come from "
        f"{'them' if many else 'it'}{also}.",
        markup=False,
    )


def _causes(found: "Explanation") -> list[str]:
    """Return what the different answers can come from, in words, without what follows from something else."""
    from chronotope.view.setting_names import setting_name

    names = [one.name for one in found.unlike if one.name not in _SCORED and not one.name.startswith("judge.")]
    model, chosen = "model" in names, any(name.startswith(_SETTING) for name in names)
    causes = {"the model": 0} if model else {}
    for name in names:
        if name.startswith(_VERSION):
            causes["the versions"] = 0
        elif name.startswith("method."):
            causes["the method"] = 0
        elif name == _TOOL:
            causes["the tools that asked (their settings are not known)"] = 0
        elif name == _PICTURES:
            causes |= {f"the {name}": 0} if model and not chosen else {}
        elif name == "frames":
            causes |= {} if chosen or any(_tools(found)) else {"the frames": 0}
        elif name != "model" and not (model and name.startswith("about_model.")):
            causes[f"the {setting_name(name)}"] = 0
    return list(causes)


def _advice(causes: list[str]) -> str:
    """Say how to tell several causes apart."""
    if f"the {_PICTURES}" in causes:
        return "run one model with pictures and without (--input blind)"
    if "the model" in causes:
        return "run one model with the settings of both"
    return "repeat one run with only one of them changed"


def _shown(found: "Explanation") -> list[Any]:
    """Return the rows of the table; the description of the frames replaces the flag with their number."""
    names = {one.name for one in found.unlike}
    return [one for one in found.unlike if one.name != f"{_SETTING}frames" or "frames" not in names]


def _tools(found: "Explanation") -> tuple[Any, Any]:
    """Return the files of replies from other tools, whose settings are not known; None for runs of ours."""
    return next(((one.first, one.second) for one in found.unlike if one.name == _TOOL), (None, None))


def _value(setting: str, value: Any, tool: Any) -> str:
    if value is None and tool is not None:
        return "not known"
    if value is None and setting.startswith((_SETTING, "decoding.")):
        return "by default"
    text = "–" if value is None else str(value)
    return text[:12] if _HASH.fullmatch(text) else text
