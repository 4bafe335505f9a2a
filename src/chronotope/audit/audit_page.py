"""The web page of an audit, with its data as JSON."""

from pathlib import Path

import jinja2

from chronotope import __version__
from chronotope.audit.findings import FALSE_ALARMS, Audit
from chronotope.audit.wording import rule_words
from chronotope.io import write_atomically, write_json
from chronotope.view.browser_page import page_file, style_sheet

LISTED = 200  # ids of a finding on the page; the JSON file has all of them
_ORDER = ("defect", "slight", "pass", "not tested")


def write_audit(folder: Path, audit: Audit) -> None:
    """Write ``index.html`` with its styles, and ``audit.json``, into a new folder."""
    environment = jinja2.Environment(
        loader=jinja2.PackageLoader("chronotope.audit", "page"),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["scope_words"] = scope_words
    findings = sorted(audit.findings, key=lambda one: _ORDER.index(one.verdict))
    page = environment.get_template("audit.html.j2").render(
        version=__version__,
        audit=audit,
        findings=findings,
        listed=LISTED,
        false_alarms=FALSE_ALARMS,
        counts={verdict: sum(one.verdict == verdict for one in findings) for verdict in _ORDER},
    )
    own = Path(__file__).parent.joinpath("page", "audit.css").read_bytes()
    with write_atomically(folder) as temporary:
        place = Path(temporary)
        place.mkdir(exist_ok=True)
        (place / "index.html").write_text(page, encoding="utf-8")
        (place / "audit.css").write_bytes(style_sheet(own))
        (place / "theme.js").write_bytes(page_file("theme.js"))
        write_json(place / "audit.json", audit.as_json())


def scope_words(name: str) -> str:
    """Return the rule and the task of a test in words."""
    rule, _, task = name.partition(" / ")
    return rule_words(rule) + ("" if task == "all" else f", task {task}")
