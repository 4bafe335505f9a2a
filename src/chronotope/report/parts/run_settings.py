"""The settings of the runs of a benchmark."""

from array import array
from collections.abc import Sequence
from typing import Any

import numpy as np

from chronotope.evaluate.score import RunResults, usage_of
from chronotope.io.packed import Keys
from chronotope.report.compared_runs.opened_runs import Compared
from chronotope.report.compared_runs.run_marks import ABLATED, PLACEMENTS, marks
from chronotope.report.compared_runs.run_notes import check_words
from chronotope.report.section import Section
from chronotope.report.table import Cell, Column, Fold, Note, Part, Table, TableRow, head_cell
from chronotope.view.frame_plans import files_by_hash, ways_words
from chronotope.view.words import setting

PLACE = 110
_SHOWN = {"full": "with pictures", "blind": "without pictures (blind)"} | ABLATED
_UNSEEN = "none: this baseline does not look"
_LAYOUTS = {
    "published": "published: texts and pictures in the order of the paper's prompts",
    "shared": "shared: first all pictures, then all text",
}
_ELSEWHERE_SAID = ("input", "clips", "frames", "frames_as")  # in the lines "Input" and "Frames"


def make(section: Section) -> Part:
    """List how the runs were asked, and mark the lines in which they differ."""
    names = [row.compared.here for row in section.rows]
    rows = [
        TableRow((head_cell(name), Cell(values[0], span=len(names))))
        if len(set(values)) == 1
        else TableRow((head_cell(name), *map(Cell, values)), kind="unlike")
        for name, values in _describe([row.compared for row in section.rows]).items()
    ]
    label = section.label("How the runs were asked")
    table = Table(label, tuple(map(Column, ("", *names))), tuple(rows), kind="facts")
    words = (
        *(["Marked are the lines in which the runs differ."] if len(names) > 1 else []),
        "“chronotope run BENCHMARK --help” explains the values of Decoding and Protocol, which are flags.",
    )
    return Part((Fold("Settings of the runs", (Note(" ".join(words)), table)),), data={})


def _describe(runs: Sequence[Compared]) -> dict[str, list[tuple[str, ...]]]:
    """Return the lines of text of each run, by the name of the setting."""
    every = [_describe_run(one.run) for one in runs]
    asked_openly = any(not one.question.answer for of in runs for one in of.run.answered)
    with_method = any(of.run.card.method is not None for of in runs)
    left_out = {name for name, is_there in (("Judge", asked_openly), ("Method", with_method)) if not is_there}
    return {name: [tuple(of[name]) for of in every] for name in every[0] if name not in left_out}


def _describe_run(run: RunResults) -> dict[str, list[str]]:
    card = run.card
    questions = Keys(one.question.id for one in run.answered)
    decoding = card.decoding.model_dump(mode="json")
    extra = decoding.pop("extra")
    settings = _settings({k: v for k, v in card.protocol.settings.items() if k not in _ELSEWHERE_SAID})
    here = {
        "Asked by": ["chronotope run"],
        "Layout": [_LAYOUTS[card.layout]],
        "Input": [_UNSEEN]
        if _blind_baseline(run)
        else _shares([_SHOWN.get(one.ask.input, one.ask.input) for one in run.answered]),
        "Frames": ["none"] if _blind_baseline(run) else _frames(run),
        "Method": _method(run),
        "Decoding": _settings(decoding) + _settings(extra),
    }
    if card.by_person:
        clips = ", who could also play the clips" if card.about_model.get("clip") else ""
        here |= {"Asked by": [f"chronotope play: a person{clips}"], "Decoding": ["none: a person answered"]}
    if card.elsewhere is not None:
        here = {name: ["not known"] for name in here}
        settings = []
        here["Asked by"] = [f"another tool: {card.elsewhere.file}", f"SHA-256 {card.elsewhere.sha256[:12]}"]
    return {
        "Asked": [f"{len(questions):,} of {len(run.benchmark.questions):,} questions, {_times(run, len(questions))}"],
        **here,
        "Order of the options": _placements(run),
        "Protocol": [f"{card.protocol.name}, version {card.protocol.version}", *settings],
        "Judge": _judge(run),
        "Check of the service": check_words(run),
        "Versions": [", ".join(f"{name} {version}" for name, version in sorted(of.items())) for of in card.versions],
    }


def _times(run: RunResults, questions: int) -> str:
    return "once each" if len(run.answered) == questions else f"{len(run.answered):,} prompts in all"


def _method(run: RunResults) -> list[str]:
    """Describe the method, with calls and cost of each stage."""
    method = run.card.method
    if method is None:
        return ["none"]
    lines = [f"{method.name}, version {method.version}", *_settings(method.settings)]
    models = {kind: of.model for kind, of in method.models.items()} | {"answer": run.card.model}
    stages = usage_of(run.lines).stages
    for kind, model in models.items():
        told = [f"{kind} by {model}"]
        if (of := stages.get(kind)) is not None:
            told.append(f"{of.calls:,} calls")
            told += [] if of.input_tokens is None else [f"{of.input_tokens:,} input tokens"]
            told += [] if of.output_tokens is None else [f"{of.output_tokens:,} output tokens"]
            told += [] if of.money is None else [f"money {of.money:.4g}"]
        lines.append(", ".join(told))
    return lines


def _settings(values: dict[str, Any]) -> list[str]:
    """Format the settings, each in one line.

    The value None means the default of the protocol.
    """
    return [
        f"{name.replace('_', ' ')}: {'by default' if value is None else setting(value)}"
        for name, value in sorted(values.items())
    ]


def _shares(values: Sequence[str]) -> list[str]:
    """Return each different value, with its count if there are several values."""
    names = list(dict.fromkeys(values))
    return names if len(names) < 2 else [f"{name}: {values.count(name)}" for name in names]


def _placements(run: RunResults) -> list[str]:
    keys = Keys()
    asked = array("I", (keys.numbered("\n".join((o.ask.strategy, o.ask.input, o.question.id))) for o in run.answered))
    orders = np.bincount(asked) if asked else np.ones(1, int)
    most, fewest = int(orders.max()), int(orders.min())
    if most == 1:
        return ["that of the benchmark"]
    names = [mark.words for mark in marks(run) if mark.words in {words for words, _ in PLACEMENTS.values()}]
    return [*(names or ["several"]), f"{most} per question" if most == fewest else f"{fewest} to {most} per question"]


def _judge(run: RunResults) -> list[str]:
    """Describe the number of judged open answers, and the judge."""
    answers, judge = run.open_answers, run.card.judge
    if not answers.total:
        return ["no open answers"]
    named = [] if judge is None else [judge.model, f"instructions {judge.prompt[:12]}"]
    counts = [f"settled by rules: {answers.settled}", f"judged: {answers.judged}", f"unjudged: {answers.unjudged}"]
    return [*(named or ["none"]), *counts]


def _blind_baseline(run: RunResults) -> bool:
    """Check whether a baseline answered without the pictures of the plan."""
    return run.card.model.startswith("baseline/") and bool(run.lines) and not run.pictures_sent


def _frames(run: RunResults) -> list[str]:
    """Describe the frame plans as text.

    Each way of sampling is described once, with its first clip as the example.
    """
    if run.card.method is not None:
        return run.card.frames
    if run.card.protocol.settings.get("clips") == "video":
        return ["whole clips as video files"]
    how = {"video": ["sent as one video, with their times"], "images": ["numbered, with their times between them"]}
    lines = how.get(run.card.protocol.settings.get("frames_as", ""), [])
    plans = (plan for one in run.answered for plan in one.ask.plans if plan)
    lines += ways_words(plans, files_by_hash(run.benchmark))
    if not any(plan for one in run.answered for plan in one.ask.plans):
        return ["no frames of clips were planned"]
    if not run.pictures_sent:
        lines = ["none was sent; planned were:", *lines]
    return lines
