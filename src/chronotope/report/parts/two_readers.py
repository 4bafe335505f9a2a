"""The same replies, read by our reader and by the published reader of the paper's authors."""

from array import array
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby

from chronotope.evaluate.score import Answered, Estimate, estimate
from chronotope.io.packed import Keys, PackedDict, group, select
from chronotope.protocol import PublishedReader, Reading
from chronotope.report.compared_runs.run_marks import strategy_words
from chronotope.report.compared_runs.run_rows import RunRow, of_any_strategy
from chronotope.report.section import Section
from chronotope.report.table import Cell, Fold, Part, run_table, score_cell
from chronotope.view.words import count

PLACE = 32


def make(section: Section) -> Part | None:
    """Compare our reader with that of the paper's authors, if they read some reply differently."""
    found = two_readers(section.rows, section.forms[0].variant)
    if not any(one.differ for one in found):  # a table of zeros
        return None
    words = (
        "The same replies, read by our reader and by the reader that the paper's authors published. “Differ” counts "
        "replies with different readings, or with a reading by only one of the two. Replies in all orders of the "
        "options count."
    )
    columns = ["strategy", "replies", "read here", "read as published", "differ", "right as published only"]
    columns += ["right here only"]
    rows = [
        (
            one.row,
            [
                Cell(strategy_words(one.strategy)),
                Cell(count(one.replies), one.replies),
                score_cell(one.ours),
                score_cell(one.published),
                *(Cell(count(number), number) for number in (one.differ, one.gained, one.lost)),
            ],
        )
        for one in found
    ]
    table = run_table(section.label("Two readers"), columns, rows, (words,))
    return Part((Fold("Two readers", (table,), "ours, and the reader of the paper's authors"),), data={})


@dataclass(frozen=True)
class TwoReaders:
    """The replies of a run for one strategy, read by both readers.

    - ``ours`` and ``published`` are the accuracies of both readers over the same questions.
    - ``replies`` counts the replies.
    - ``differ`` counts the replies with different readings, including replies that only one reader could read.
    - ``gained`` counts the replies that are correct only if the published reader reads them.
    - ``lost`` counts the replies that are correct only if our reader reads them.
    """

    row: RunRow
    strategy: str
    replies: int
    differ: int
    gained: int
    lost: int
    ours: Estimate
    published: Estimate


def two_readers(rows: Sequence[RunRow], variant: str) -> list[TwoReaders]:
    """Compare both readers on each run and strategy.

    Only runs whose overall accuracy covers this variant are compared. Returns an empty list if the protocol is not a
    `PublishedReader`.
    """
    found: list[TwoReaders] = []
    for row in rows:
        protocol = row.compared.run.family.protocol
        if not isinstance(protocol, PublishedReader) or not row.counts(variant):
            continue
        closed = select(
            row.compared.run.answered, lambda one: one.question.variant == variant and bool(one.question.answer)
        )
        by_strategy = group(closed, lambda one: one.ask.strategy)
        made = (_compared(row, name, asked, protocol) for name, asked in by_strategy.items())
        found += [one for one in made if one is not None]
    return found


def _compared(row: RunRow, strategy: str, answered: Sequence[Answered], protocol: PublishedReader) -> TwoReaders | None:
    """Compare both readers on the asks of one strategy.

    Returns None if there is no reply.
    """
    read, found = PackedDict[Reading](), Counter[str]()
    for one in answered:
        if one.line is not None and one.reading is not None:
            other = protocol.read_as_published(one.ask, one.question, one.line.reply or "")
            answer, here, there = frozenset(one.question.answer), one.reading.options, other.options
            found.update(differ=here != there, gained=there == answer != here, lost=here == answer != there)
            read[one.ask.id] = other
    ours = _accuracy(row, answered, {})
    published = _accuracy(row, answered, read)
    if not read or ours is None or published is None:
        return None
    return TwoReaders(
        of_any_strategy(row),
        strategy,
        replies=len(read),
        differ=found["differ"],
        gained=found["gained"],
        lost=found["lost"],
        ours=ours,
        published=published,
    )


def _accuracy(row: RunRow, answered: Sequence[Answered], instead: Mapping[str, Reading]) -> Estimate | None:
    """Compute the strict accuracy with the readings of another reader.

    ``instead`` maps the id of an ask to the answer that the other reader found. Asks that were not sent are treated in
    the same way as in `score_run`.
    """
    protocol = row.compared.run.family.protocol
    questions = Keys()  # asks are grouped by their places, because asks of many questions are packed
    numbers = array("L", (questions.numbered(one.question.id) for one in answered))
    values = array("d")
    clusters: list[str] = []
    names: dict[str, str] = {}  # equal names are one object
    whole = row.compared.run.card.elsewhere is not None
    for _, places in groupby(sorted(range(len(numbers)), key=numbers.__getitem__), numbers.__getitem__):
        of = [answered[place] for place in places]
        made = of if whole else [one for one in of if one.line is not None] or of
        pairs = [(one.ask, instead.get(one.ask.id, one.reading)) for one in made]
        value = protocol.score(of[0].question, pairs).metrics.get("strict")
        if value is not None:
            values.append(value)
            clusters.append(names.setdefault(name := of[0].question.cluster, name))
    return estimate(values, clusters)
