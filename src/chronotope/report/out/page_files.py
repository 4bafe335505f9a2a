"""The web page of a report: scores and calls of the runs, and the question browser."""

import inspect
import json
from collections.abc import Sequence
from importlib.resources import files
from pathlib import Path

import jinja2
from markupsafe import Markup

from chronotope import __version__
from chronotope.evaluate.score import FEWEST_CLUSTERS
from chronotope.report.items import Browser
from chronotope.report.lead_question import make_lead
from chronotope.report.out.report_folder import MARK
from chronotope.report.out.table_files import score_lines
from chronotope.report.overview import Overview
from chronotope.report.paper.against_paper import Against
from chronotope.report.probes.probe_summary import ProbePart
from chronotope.report.runs.opened_runs import Compared
from chronotope.report.runs.run_differences import tells_apart
from chronotope.report.runs.run_marks import strategy_words
from chronotope.report.sections import READINGS, STATES, Section
from chronotope.view import precision, words
from chronotope.view.drawing import swatch

# Whatever a name or a reply contains, the page can run, show or fetch only files from its own folder.
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; media-src 'self'; "
    "base-uri 'none'; form-action 'none'"
)
SCRIPTS = ("base.js", "frames.js", "answers.js", "downloads.js", "browser.js")  # the parts of report.js, in this order

_FILTERS = {
    name: function
    for module in (words, precision)
    for name, function in vars(module).items()
    if inspect.isfunction(function) and function.__module__ == module.__name__
} | {
    "tells_apart": tells_apart,
    "strategy_words": strategy_words,
    "swatch": lambda number: Markup(swatch(number)),
}


def write_page(
    folder: Path,
    compared: Sequence[Compared],
    sections: Sequence[Section],
    browser: Browser,
    overview: Overview | None,
    against: Sequence[Against] = (),
    tables: Sequence[str] = (),
    probes: Sequence[ProbePart] = (),
) -> None:
    """Write the web page with its data, scripts and style sheets.

    The page links to the files ``tables`` in the same folder.
    """
    environment = jinja2.Environment(
        loader=jinja2.PackageLoader("chronotope.report.out", "page"),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= _FILTERS
    environment.globals["cluster"] = words.CLUSTER
    page = environment.get_template("index.html.j2").render(
        mark=MARK,
        version=__version__,
        runs=compared,
        sections=sections,
        against=against,
        probes=probes,
        overview=overview,
        lead=None if overview is None else make_lead(browser, compared, overview.findings[0]),
        policy=POLICY,
        tables=tables,
        fewest=FEWEST_CLUSTERS,
        states=STATES,
        readings=READINGS,
    )
    # A reply can contain an unpaired surrogate. UTF-8 cannot encode it, and it crashes some browsers. A question mark
    # replaces it.
    (folder / "index.html").write_bytes(page.encode("utf-8", "replace"))
    data = browser.data() | {"scores": score_lines(sections)}
    data = json.dumps(data, ensure_ascii=False, separators=(",", ":"))
    # A script is written instead of a JSON file, because pages opened from disk may not fetch files. In older
    # browsers, the two characters that are replaced here would end the line inside a string.
    data = data.replace("\u2028", "\\u2028").replace("\u2029", "\\u2029")
    (folder / "questions.js").write_bytes(f"window.REPORT = {data};\n".encode("utf-8", "replace"))
    for name in ("report.css", "theme.js"):
        (folder / name).write_bytes(_part(name))
    # All parts are inside one function, so that their names are not global names of the page.
    parts = b"\n".join(map(_part, SCRIPTS))
    (folder / "report.js").write_bytes(b'"use strict";\n(() => {\n' + parts + b"})();\n")


def _part(name: str) -> bytes:
    return files("chronotope.report.out").joinpath("page", name).read_bytes()
