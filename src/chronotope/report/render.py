"""The page: what each benchmark's runs score, what happened to the calls, and the data of the browser."""

import json
from collections.abc import Sequence
from importlib.resources import files
from pathlib import Path

import jinja2

from chronotope import __version__
from chronotope.evaluate import FEWEST_CLUSTERS
from chronotope.report import words
from chronotope.report.against import Against
from chronotope.report.compared import Compared
from chronotope.report.differences import tells_apart
from chronotope.report.folder import MARK
from chronotope.report.items import Browser
from chronotope.report.marks import strategy_words
from chronotope.report.sections import READINGS, STATES, Section

__all__ = ["write_page"]

_FILTERS = {name: getattr(words, name) for name in words.__all__} | {
    "tells_apart": tells_apart,
    "strategy_words": strategy_words,
}


def write_page(
    folder: Path,
    compared: Sequence[Compared],
    sections: Sequence[Section],
    browser: Browser,
    against: Sequence[Against] = (),
) -> None:
    """Write index.html, the data of the browser, its script and its style into a folder."""
    environment = jinja2.Environment(
        loader=jinja2.PackageLoader("chronotope.report", "page"),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= _FILTERS
    page = environment.get_template("index.html.j2").render(
        mark=MARK,
        version=__version__,
        runs=compared,
        sections=sections,
        against=against,
        problems=browser.problems,
        fewest=FEWEST_CLUSTERS,
        states=STATES,
        readings=READINGS,
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
