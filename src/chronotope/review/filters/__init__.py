"""Filters: passes of a model over the questions of a benchmark, which never change the benchmark.

The answers of a pass are a ledger in a folder beside the benchmark. The decisions are computed from the ledger, and
written to ``filters.jsonl``. The filtered benchmark is another folder (`write_filtered`).
"""

from chronotope.review.filters.decisions import FILTERS, Decision, PassRecord, read_records, record_folder
from chronotope.review.filters.passes import PASSES, PassShare, find_pass, pass_shares
from chronotope.review.filters.run import PassForeseen, PassOutcome, PassRequest, foresee_pass, run_pass
from chronotope.review.filters.view import Choice, View, apply_records
from chronotope.review.filters.write import Filtered, write_filtered

__all__ = [
    "FILTERS",
    "PASSES",
    "Choice",
    "Decision",
    "Filtered",
    "PassForeseen",
    "PassOutcome",
    "PassRecord",
    "PassRequest",
    "PassShare",
    "View",
    "apply_records",
    "find_pass",
    "foresee_pass",
    "pass_shares",
    "read_records",
    "record_folder",
    "run_pass",
    "write_filtered",
]
