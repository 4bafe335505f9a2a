"""A report of runs: a folder of web pages with scores, plots and every question.

A browser can open the pages of a report directly from the disk.
"""

from chronotope.report.compared_runs.unique_names import run_names
from chronotope.report.out.author_files import export_results
from chronotope.report.out.plain_data import section_data
from chronotope.report.out.table_formats import parse_formats
from chronotope.report.paper.against_paper import Against, AgainstTable, printed_tables
from chronotope.report.plain_report import report_data
from chronotope.report.report import Report, write_report

__all__ = [
    "Against",
    "AgainstTable",
    "Report",
    "export_results",
    "parse_formats",
    "printed_tables",
    "report_data",
    "run_names",
    "section_data",
    "write_report",
]
