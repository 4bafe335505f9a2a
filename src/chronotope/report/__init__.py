"""A report of runs: a folder of web pages with scores, plots and every question.

A browser can open the pages of a report directly from the disk.
"""

from chronotope.report.against import Against, AgainstRow, AgainstTable, printed_tables
from chronotope.report.data import section_data
from chronotope.report.export import export_results
from chronotope.report.names import run_names
from chronotope.report.probed import probe_data
from chronotope.report.report import Report, write_report
from chronotope.report.tabular import parse_formats

__all__ = [
    "Against",
    "AgainstRow",
    "AgainstTable",
    "Report",
    "export_results",
    "parse_formats",
    "printed_tables",
    "probe_data",
    "run_names",
    "section_data",
    "write_report",
]
