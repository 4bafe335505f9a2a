"""Filters: passes of a model over the questions of a benchmark, which never change the benchmark.

The answers of a pass are a ledger in a folder beside the benchmark. The decisions are computed from the ledger, and
written to ``filters.jsonl``. The filtered benchmark is another folder (`write_filtered`).
"""

from chronotope.review.filters.decisions import (
    FILTERS,
    Decision,
    PassRecord,
    keep_record,
    read_records,
    record_folder,
    words_of,
)
from chronotope.review.filters.passes import PASSES, PEOPLE, PassShare, find_pass, pass_shares
from chronotope.review.filters.run import PassForeseen, PassOutcome, PassRequest, foresee_pass, run_pass
from chronotope.review.filters.view import Choice, View, apply_records
from chronotope.review.filters.write import Filtered, write_filtered

__all__ = [
    "FILTERS",
    "PASSES",
    "PEOPLE",
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
    "keep_record",
    "pass_shares",
    "read_records",
    "record_folder",
    "run_pass",
    "words_of",
    "write_filtered",
]
