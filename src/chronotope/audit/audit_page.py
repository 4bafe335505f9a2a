"""The web page of an audit, with its data as JSON."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import jinja2

from chronotope import __version__
from chronotope.audit.findings import FALSE_ALARMS, MEANINGS, VERDICTS, Audit, Finding, Scope
from chronotope.audit.wording import CHECKS, rule_words
from chronotope.evaluate.score.statistics import FEWEST_CLUSTERS
from chronotope.io import write_atomically, write_json
from chronotope.question import Benchmark, Question
from chronotope.view.browser_page import page_file, style_sheet
from chronotope.view.question_browser import Clips

LISTED = 200  # questions of a finding on the page; the JSON file has all of them


@dataclass(frozen=True)
class Shown:
    """A question that a finding names: its place on the page, its clips with their addresses, and the findings."""

    place: int
    question: Question
    clips: tuple[tuple[str, str | None], ...]
    findings: tuple[Finding, ...]


def write_audit(folder: Path, audit: Audit, benchmark: Benchmark) -> None:
    """Write ``index.html`` with its styles, and ``audit.json``, into a new folder."""
    environment = jinja2.Environment(
        loader=jinja2.PackageLoader("chronotope.audit", "page"),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["scope_words"] = scope_words
    findings = audit.in_order()
    page = environment.get_template("audit.html.j2").render(
        version=__version__,
        audit=audit,
        findings=findings,
        listed=LISTED,
        false_alarms=FALSE_ALARMS,
        fewest=FEWEST_CLUSTERS,
        meanings=MEANINGS,
        mild=[of.name for of in CHECKS.values() if of.mild],
        names={check: of.name for check, of in CHECKS.items()},
        does={check: of.does.format(cluster=audit.cluster) for check, of in CHECKS.items()},
        shown=_shown(findings, benchmark, folder.resolve()),
        counts={verdict: len(audit.having(verdict)) for verdict in VERDICTS},
    )
    own = Path(__file__).parent.joinpath("page", "audit.css").read_bytes()
    with write_atomically(folder) as temporary:
        place = Path(temporary)
        place.mkdir(exist_ok=True)
        (place / "index.html").write_text(page, encoding="utf-8")
        (place / "audit.css").write_bytes(style_sheet(own))
        (place / "theme.js").write_bytes(page_file("theme.js"))
        write_json(place / "audit.json", audit.as_json())


def _shown(findings: Sequence[Finding], benchmark: Benchmark, folder: Path) -> Mapping[str, Shown]:
    """Return the questions that the page lists, by id, in the order in which findings name them."""
    by: dict[str, list[Finding]] = defaultdict(list)
    for one in findings:
        for name in one.items[:LISTED]:
            by[name].append(one)
    known = {one.id: one for one in benchmark.questions if one.id in by}
    clips, found = Clips(folder), dict[str, Shown]()
    for place, name in enumerate(by):
        of = [clips.data[each[0]] for each in clips.of(benchmark, known[name])]
        films = tuple((one["path"], one["address"]) for one in of)
        found[name] = Shown(place, known[name], films, tuple(by[name]))
    return found


def scope_words(scope: Scope) -> str:
    """Return the rule and the task of a test in words."""
    return rule_words(scope.rule) + ("" if scope.task == "all" else f", task {scope.task}")
