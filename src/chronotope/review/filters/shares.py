"""The numbers of questions that each pass kept, dropped, rewrote or tagged."""

from collections.abc import Sequence
from dataclasses import dataclass

from chronotope.review.filters.decisions import PassRecord
from chronotope.review.filters.passes import PASSES, order_of


@dataclass(frozen=True)
class PassShare:
    """The numbers of one run of a pass.

    ``dropped`` includes the ``undecided`` questions. ``unanswered`` questions wait for a call that failed or was not
    made; they stay. ``unchanged`` counts questions that were asked about and stay as they are.
    """

    name: str
    model: str
    questions: int
    dropped: int
    undecided: int
    changed: int
    unchanged: int
    skipped: int
    unanswered: int

    @property
    def decided(self) -> int:
        """Count the questions with a decision of the model."""
        return self.questions - self.skipped - self.unanswered

    @property
    def share(self) -> float | None:
        """Return the share of decided questions that were dropped or changed."""
        return (self.dropped + self.changed) / self.decided if self.decided else None


def pass_shares(records: Sequence[PassRecord]) -> list[PassShare]:
    """Count the decisions of each run, in the order of the passes."""
    return [
        PassShare(
            record.name, record.model, len(record.decisions), record.count("drop", "undecided"),
            record.count("undecided"), record.count("rewritten", "tagged"), record.count("keep", "unchanged"),
            record.count("skipped"), record.count("unanswered"),
        )
        for record in sorted((one for one in records if one.name in PASSES), key=lambda one: order_of(one.name))
    ]  # fmt: skip
