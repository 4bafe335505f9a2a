"""Benchmarks and runs in the formats of other evaluation suites."""

from chronotope.suites.inspect_log import write_inspect_log
from chronotope.suites.writing import Exported, SuiteName, export_suite

__all__ = ["Exported", "SuiteName", "export_suite", "write_inspect_log"]
