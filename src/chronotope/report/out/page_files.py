"""The web page of a report: scores and calls of the runs, and the question browser."""

import inspect
from collections.abc import Sequence
from importlib.resources import files
from pathlib import Path

import jinja2
from markupsafe import Markup

from chronotope import __version__
from chronotope.report.clip_cards import ClipCards
from chronotope.report.compared_runs.opened_runs import Compared
from chronotope.report.lead_question import make_lead
from chronotope.report.out.report_folder import MARK
from chronotope.report.out.table_files import score_lines
from chronotope.report.overview import Overview
from chronotope.report.paper.against_paper import Against
from chronotope.report.probes.probe_summary import ProbePart
from chronotope.report.section import Section
from chronotope.report.wrong_reasoning import make_failures
from chronotope.view import precision, words
from chronotope.view.browser_page import PAGE, browser_files
from chronotope.view.drawing import swatch
from chronotope.view.question_browser import Browser

# Whatever a name or a reply contains, the page can run, show or fetch only files from its own folder.
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; media-src 'self'; "
    "base-uri 'none'; form-action 'none'"
)

_FILTERS = {
    name: function
    for module in (words, precision)
    for name, function in vars(module).items()
    if inspect.isfunction(function) and function.__module__ == module.__name__
} | {
    "type_name": lambda block: type(block).__name__,
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
    cards: Sequence[ClipCards] = (),
) -> None:
    """Write the web page with its data, scripts and style sheets.

    The page links to the files ``tables`` in the same folder.
    """
    environment = jinja2.Environment(
        loader=jinja2.ChoiceLoader(
            [jinja2.PackageLoader("chronotope.report.out", "page"), jinja2.PackageLoader(*PAGE)]
        ),
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
        cards=cards,
        failures=make_failures(browser, compared),
        overview=overview,
        lead=None if overview is None else make_lead(browser, compared, overview.findings[0]),
        policy=POLICY,
        tables=tables,
        notes=browser.notes,
    )
    # A reply can contain an unpaired surrogate. UTF-8 cannot encode it, and it crashes some browsers. A question mark
    # replaces it.
    (folder / "index.html").write_bytes(page.encode("utf-8", "replace"))
    own, data = files("chronotope.report.out").joinpath("page"), browser.data() | {"scores": score_lines(sections)}
    scripts = [own.joinpath("downloads.js").read_bytes()]
    for name, content in browser_files(data, own.joinpath("report.css").read_bytes(), scripts).items():
        (folder / name).write_bytes(content)
