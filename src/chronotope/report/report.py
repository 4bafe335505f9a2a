"""What a report says, gathered from runs, and the folder that says it."""

import json
import shutil
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from typing import Any

import jinja2

from chronotope import __version__
from chronotope.errors import InputError
from chronotope.evaluate import FEWEST_CLUSTERS, Answered, Estimate, RunResults, Scores, open_run, score_run
from chronotope.files import write_atomically
from chronotope.media import FrameCache
from chronotope.protocol import Image, Option, Picture, Text
from chronotope.report.frames import FramesChoice, chosen_questions, write_frames
from chronotope.report.plots import accuracy_plot

__all__ = ["Report", "write_report"]


@dataclass(frozen=True)
class Report:
    """Where the report is, what it compares, and sentences about frames that could not be shown or checked."""

    index: Path
    scores: dict[str, Scores]
    problems: tuple[str, ...]


def write_report(
    folders: Sequence[Path],
    out: Path,
    frames: FramesChoice = FramesChoice(),  # noqa: B008 - frozen
    progress: Callable[[int, int], None] | None = None,
) -> Report:
    """Write the report of some runs into ``out``: index.html, its data and the frames that were sent.

    Raises InputError where a folder is no run, where the runs mix profiles, and where ``out`` holds something else.
    """
    runs = [open_run(folder) for folder in folders]
    profiles = {run.benchmark.card.profile for run in runs}
    if len(profiles) > 1:
        raise InputError(f"the runs mix the profiles {', '.join(sorted(profiles))}: make one report for each")
    if out.exists() and not (out / "index.html").exists() and (not out.is_dir() or any(out.iterdir())):
        raise InputError(f"{out}: holds something that is no report: choose another --out")
    names = _names(runs)
    scores = {name: score_run(run) for name, run in zip(names, runs, strict=True)}
    with write_atomically(out.with_name(f"{out.name}.new")) as temporary:
        (temporary / "frames").mkdir(parents=True)
        items, problems = _items(names, runs, scores, frames, temporary / "frames", progress)
        _write_page(temporary, names, runs, scores, items, problems)
    shutil.rmtree(out, ignore_errors=True)
    out.with_name(f"{out.name}.new").rename(out)
    return Report(out / "index.html", scores, tuple(problems))


def _names(runs: Sequence[RunResults]) -> list[str]:
    """A name for each run: its model, with the benchmark and the folder where models repeat."""
    models = [run.card.model for run in runs]
    return [
        model if models.count(model) == 1 else f"{model} · {run.card.benchmark.name} · {run.folder.name}"
        for model, run in zip(models, runs, strict=True)
    ]


def _items(
    names: Sequence[str],
    runs: Sequence[RunResults],
    scores: dict[str, Scores],
    frames: FramesChoice,
    folder: Path,
    progress: Callable[[int, int], None] | None,
) -> tuple[list[dict[str, Any]], list[str]]:
    """Every ask of every run for the browser, grouped by prompt, and sentences about frames."""
    everything = [one for run in runs for one in run.answered]
    strict = {name: {one.question.id: one.metrics.get("strict") for one in scores[name].scored} for name in names}
    right = {one.question.id for one in everything}
    for name in names:
        right &= {question for question, value in strict[name].items() if value == 1}
    shown = chosen_questions(frames, everything, right)
    cache, items, problems = FrameCache(), {}, list[str]()
    done = 0
    for name, run in zip(names, runs, strict=True):
        for one in run.answered:
            done += 1
            if progress is not None:
                progress(done, len(everything))
            key = (run.card.benchmark.content_hash, one.ask.id)
            if key not in items:
                items[key] = _item(run, one)
                items[key]["frames"], items[key]["sent"] = [], []
                if one.question.id in shown:
                    try:
                        pictures = _pictures(run, one)
                        made = write_frames(run.benchmark.folder, pictures, folder, cache)
                        items[key]["frames"], items[key]["sent"] = [file for _, file in made], [sha for sha, _ in made]
                    except InputError as error:
                        problems.append(str(error))
            answer = _answer(one, items[key]["sent"])
            if answer["frames"] == "differ":
                problems.append(f"{name}, {one.ask.id}: the frames made again are not those that were sent")
            items[key]["answers"][name] = answer
    for item in items.values():
        del item["sent"]
    return list(items.values()), list(dict.fromkeys(problems))


def _pictures(run: RunResults, one: Answered) -> list[Picture]:
    pictures: list[Picture] = []
    for part in run.parts(one.ask):
        if isinstance(part, Image):
            pictures.append(part.picture)
        elif isinstance(part, Option) and part.image is not None:
            pictures.append(part.image)
    return pictures


def _item(run: RunResults, one: Answered) -> dict[str, Any]:
    question, ask = one.question, one.ask
    prompt = "".join(
        part.text if isinstance(part, Text) else part.shown
        for part in run.parts(ask)
        if isinstance(part, Text | Option)
    )
    plans = [plan for plan in ask.plans if plan is not None]
    return {
        "id": ask.id,
        "question": question.id,
        "benchmark": run.card.benchmark.name,
        "task": question.task,
        "variant": question.variant,
        "stem": question.stem,
        "prompt": prompt,
        "options": [question.options[index].text or question.options[index].image for index in ask.placement],
        "right": [position for position, index in enumerate(ask.placement) if index in question.answer],
        "expected": question.expected,
        "window": None if question.window is None else [question.window.start, question.window.end],
        "times": [round(time, 3) for plan in plans for time in plan.times],
        "plan": [f"{len(p.indices)} frames of {p.clip[:12]}…, {p.sampler}, {p.codec} {p.quality}" for p in plans],
        "flags": list(question.flags),
        "provenance": question.provenance,
        "answers": {},
    }


def _answer(one: Answered, made: list[str]) -> dict[str, Any]:
    """What one run answered; ``state`` is right, wrong, unread, or what happened to the call."""
    line, reading = one.line, one.reading
    if line is None or reading is None:
        state = "not asked" if line is None else line.state
    elif not reading.parsed:
        state = "unread"
    elif reading.options is not None and one.question.answer:
        state = "right" if reading.options == frozenset(one.question.answer) else "wrong"
    else:
        state = "read"
    sent = [] if line is None else line.pictures
    return {
        "state": state,
        "reply": None if line is None else line.reply,
        "reasoning": None if line is None else line.reasoning,
        "error": None if line is None else line.error,
        "rule": None if reading is None else reading.rule,
        "chosen": None
        if reading is None or reading.options is None
        else [one.ask.placement.index(option) for option in sorted(reading.options)],
        "value": None if reading is None else reading.value,
        "frames": "none" if not sent else ("unchecked" if not made else "match" if sent == made else "differ"),
    }


def _write_page(
    folder: Path,
    names: list[str],
    runs: Sequence[RunResults],
    scores: dict[str, Scores],
    items: list[dict[str, Any]],
    problems: list[str],
) -> None:
    environment = jinja2.Environment(
        loader=jinja2.PackageLoader("chronotope.report", "page"), autoescape=True, undefined=jinja2.StrictUndefined
    )
    environment.filters |= {"percent": _percent, "interval": _interval}
    tasks = list(dict.fromkeys(task for name in names for task in scores[name].tasks))
    page = environment.get_template("index.html.j2").render(
        version=__version__,
        runs=list(zip(names, runs, [scores[name] for name in names], strict=True)),
        benchmarks={run.card.benchmark.content_hash: run.benchmark for run in runs}.values(),
        tasks=tasks,
        plot=accuracy_plot(
            names, [*tasks, "Overall"], [scores[n].tasks | {"Overall": scores[n].overall} for n in names]
        ),
        problems=problems,
        fewest=FEWEST_CLUSTERS,
        option_shape=_option_shape(names, scores),
    )
    (folder / "index.html").write_text(page, encoding="utf-8")
    data = json.dumps({"runs": names, "items": items}, ensure_ascii=False, separators=(",", ":"))
    # A script and not a JSON file, because pages opened from disk may not fetch.
    (folder / "questions.js").write_text(f"window.REPORT = {data};\n", encoding="utf-8")
    for name in ("report.css", "report.js"):
        (folder / name).write_bytes(files("chronotope.report").joinpath("page", name).read_bytes())


def _option_shape(names: Sequence[str], scores: dict[str, Scores]) -> tuple[str, Estimate] | None:
    """The best of the baselines that look at nothing but the shape of the options: what a set gives away."""
    shapes = [(name, scores[name].overall) for name in names if name.startswith("baseline/option-shape")]
    return max(shapes, key=lambda pair: pair[1].value, default=None)


def _percent(value: float | None) -> str:
    return "–" if value is None else f"{100 * value:.1f}"


def _interval(estimate: Estimate) -> str:
    if estimate.low is None or estimate.high is None:
        return "too few clips"
    return f"{100 * estimate.low:.0f}–{100 * estimate.high:.0f}"
