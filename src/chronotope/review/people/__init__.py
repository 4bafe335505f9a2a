"""People's answers beside the answers of models, and their decisions as records; no part of a web page."""

from typing import TYPE_CHECKING

from chronotope.lazy import public_names

if TYPE_CHECKING:
    from chronotope.review.people.decisions import (
        Reviewed,
        find_study,
        open_splits,
        records_of,
        reviewed_items,
    )
    from chronotope.review.people.standings import ALL, Standing, beside_runs, runs_of_benchmark

__all__ = [
    "ALL",
    "Reviewed",
    "Standing",
    "beside_runs",
    "find_study",
    "open_splits",
    "records_of",
    "reviewed_items",
    "runs_of_benchmark",
]

# `play` needs no database: the names are imported when they are used.
__getattr__, __dir__ = public_names(
    __name__,
    {
        ".decisions": (
            "Reviewed", "find_study", "open_splits", "records_of", "reviewed_items",
        ),
        ".standings": ("ALL", "Standing", "beside_runs", "runs_of_benchmark"),
    },
)  # fmt: skip
