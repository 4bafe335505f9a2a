"""The page: scores and plots of each benchmark, what happened to the calls, and the data of the browser."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path

import jinja2

from chronotope import __version__
from chronotope.evaluate import FEWEST_CLUSTERS, Estimate
from chronotope.question import Benchmark
from chronotope.report.compared import Compared
from chronotope.report.folder import MARK
from chronotope.report.items import Browser
from chronotope.report.plots import accuracy_plot

__all__ = ["write_page"]


@dataclass(frozen=True)
class _Section:
    """The runs of one benchmark: only these can be compared.

    ``variants`` is empty where all questions are of one; ``option_shape`` the best of the baselines that look at
    nothing but the form of the options.
    """

    benchmark: Benchmark
    runs: list[Compared]
    tasks: list[str]
    variants: list[str]
    circular: bool
    option_shape: Compared | None
    plot: str


def write_page(folder: Path, compared: Sequence[Compared], browser: Browser, problems: Sequence[str]) -> None:
    """Write index.html, the data of the browser, its script and its style into a folder."""
    environment = jinja2.Environment(
        loader=jinja2.PackageLoader("chronotope.report", "page"), autoescape=True, undefined=jinja2.StrictUndefined
    )
    environment.filters |= {"percent": _percent, "interval": _interval}
    page = environment.get_template("index.html.j2").render(
        mark=MARK,
        version=__version__,
        runs=compared,
        sections=_sections(compared),
        problems=problems,
        fewest=FEWEST_CLUSTERS,
    )
    # Half a surrogate pair, which a reply may hold, has no UTF-8 and brings some browsers down: a question mark.
    (folder / "index.html").write_bytes(page.encode("utf-8", "replace"))
    data = json.dumps(browser.data(), ensure_ascii=False, separators=(",", ":"))
    # A script and not a JSON file, because pages opened from disk may not fetch. Older browsers take these two
    # characters for the end of a line within a string.
    data = data.replace("\u2028", "\\u2028").replace("\u2029", "\\u2029")
    (folder / "questions.js").write_bytes(f"window.REPORT = {data};\n".encode("utf-8", "replace"))
    for name in ("report.css", "report.js"):
        (folder / name).write_bytes(files("chronotope.report").joinpath("page", name).read_bytes())


def _sections(compared: Sequence[Compared]) -> list[_Section]:
    by_benchmark: dict[str, list[Compared]] = {}
    for one in compared:
        by_benchmark.setdefault(one.benchmark, []).append(one)
    return [_section(runs) for runs in by_benchmark.values()]


def _section(runs: list[Compared]) -> _Section:
    having = {task for one in runs for task in one.scores.tasks}
    known = runs[0].run.family.tasks
    tasks = [*(task for task in known if task in having), *sorted(having.difference(known))]
    variants = list(dict.fromkeys(variant for one in runs for variant in one.scores.variants))
    shapes = [one for one in runs if one.run.card.model.startswith("baseline/option-shape")]
    return _Section(
        benchmark=runs[0].run.benchmark,
        runs=runs,
        tasks=tasks,
        variants=variants if len(variants) > 1 else [],
        circular=any(one.scores.circular is not None for one in runs),
        option_shape=max(shapes, key=lambda one: one.scores.overall.value, default=None),
        plot=accuracy_plot(
            [one.name for one in runs],
            [*tasks, "Overall"],
            [one.scores.tasks | {"Overall": one.scores.overall} for one in runs],
        ),
    )


def _percent(value: float | None) -> str:
    return "–" if value is None else f"{100 * value:.1f}"


def _interval(estimate: Estimate) -> str:
    if estimate.low is None or estimate.high is None:
        return "too few clips"
    return f"{100 * estimate.low:.0f}–{100 * estimate.high:.0f}"
