"""The report of runs: it is written completely or not at all."""

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from pathlib import Path

from chronotope.evaluate.score import Scores
from chronotope.report.clip_cards import make_cards
from chronotope.report.compared_runs.opened_runs import compare
from chronotope.report.compared_runs.run_notes import missing_words
from chronotope.report.out.log_files import write_logs
from chronotope.report.out.page_files import write_page
from chronotope.report.out.report_folder import FRAMES, SINGLE, check_out, replace_folder
from chronotope.report.out.single_file import write_single_file
from chronotope.report.out.table_files import write_tables
from chronotope.report.overview import Overview, make_overview
from chronotope.report.paper.against_paper import Against, make_against
from chronotope.report.probes.probe_summary import ProbePart, make_probes
from chronotope.report.section import Section, make_sections
from chronotope.view.frames import FramesChoice
from chronotope.view.question_browser import BrowsedRun, gather


@dataclass(frozen=True)
class Report:
    """The result of writing a report.

    - ``index`` is the path of the web page.
    - ``sections`` are the benchmarks with their runs.
    - ``overview`` has the findings and all runs, or is None if there are no runs.
    - ``problems`` are sentences about calls and frames.
    - ``against`` has the comparison with published rows for each family, if the comparison was requested.
    - ``notes`` are sentences about questions that the page leaves out, and about families without published rows.
    - ``tables`` are the paths of the tables for other tools.
    - ``probes`` are the probes of models.
    - ``single`` is the path of the report in one file, if it was requested.
    """

    index: Path
    scores: dict[str, Scores]
    sections: tuple[Section, ...]
    problems: tuple[str, ...]
    against: tuple[Against, ...] = ()
    notes: tuple[str, ...] = ()
    tables: tuple[Path, ...] = ()
    probes: tuple[ProbePart, ...] = ()
    overview: Overview | None = None
    single: Path | None = None


def write_report(
    folders: Sequence[Path],
    out: Path,
    frames: FramesChoice = FramesChoice(),  # noqa: B008 - frozen
    progress: Callable[[int, int], None] | None = None,
    *,
    against_paper: bool = False,
    formats: Collection[str] = (),
    probes: Sequence[Path] = (),
    single_file: bool = False,
) -> Report:
    """Write the report of runs and probes into the folder ``out``.

    The report consists of index.html, its data, and the frames that were sent. With ``against_paper``, the runs are
    also compared with the published rows of their papers. ``formats`` are the formats of the additional tables of
    scores and questions (`write_tables`). With ``single_file``, the page is written once more as one file that needs no
    other file, ``report.html``. An old report in ``out`` is replaced only when the new report is complete.

    Raises:
        InputError: If one of these conditions is met:

            - A folder is not a run folder, or a folder in ``probes`` is not a probe.
            - There are neither runs nor probes.
            - The comparison with published rows is requested, but there are no published rows.
            - ``out`` has other content or cannot be written.
    """
    replaced = check_out(out)
    compared = compare(folders) if folders or not probes else []
    parts = make_probes(probes, compared)
    sections = make_sections(compared)
    against, without = make_against(sections) if against_paper and compared else ([], [])
    with replace_folder(replaced) as temporary:
        (temporary / FRAMES).mkdir()
        runs = [BrowsedRun(one.name, one.here, one.asked, one.run, one.scores) for one in compared]
        browser = gather(runs, frames, temporary / FRAMES, progress)
        cards = make_cards(browser, compared, sections, temporary / FRAMES, frames)
        tables = [*write_tables(temporary, sections, formats), *write_logs(temporary, compared, frames, formats)]
        # The page shows the number of missing answers next to the scores, and links to the tables.
        overview = make_overview(sections, browser.problems) if sections else None
        write_page(temporary, compared, sections, browser, overview, against, tables, parts, cards)
        if single_file:
            write_single_file(temporary)
        problems = [f"{one.name}: {words}" for one in compared if (words := missing_words(one)) is not None]
    return Report(
        index=out / "index.html",
        scores={one.name: one.scores for one in compared},
        sections=tuple(sections),
        problems=(*problems, *browser.problems),
        against=tuple(against),
        notes=(*browser.notes, *without),
        tables=tuple(out / path for path in tables),
        probes=tuple(parts),
        overview=overview,
        single=out / SINGLE if single_file else None,
    )
