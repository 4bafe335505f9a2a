"""Runs that differ only in the media that were shown (``--input``), compared on the same questions."""

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from markupsafe import Markup

from chronotope.evaluate.score import Difference, Pair, compare_margins, pair_runs
from chronotope.io import canonical_json
from chronotope.report.compared_runs.run_marks import ABLATED
from chronotope.report.compared_runs.run_rows import RunRow
from chronotope.report.section import Section
from chronotope.report.table import (
    APART,
    BESIDE_FIRST,
    Block,
    Cell,
    Fold,
    Note,
    Part,
    apart_words,
    beside_first,
    run_table,
)
from chronotope.view.words import CLUSTER, change_interval, signed

_INPUT, _FRAMES = "protocol.settings.input", "protocol.settings.frames"
PLACE = 50
INPUTS = {"full": "all pictures", "blind": "no pictures"} | ABLATED


@dataclass(frozen=True)
class InputRow:
    """A run of such a comparison.

    ``pair`` compares this run with the run with all pictures on their common questions, and ``margin`` is the change in
    margin in nats. Both are None for the run with all pictures. ``margin`` is also None if the log-probabilities of the
    letters are unknown.
    """

    row: RunRow
    shown: str
    pair: Pair | None
    margin: Difference | None


@dataclass(frozen=True)
class Ablation:
    """Runs of one model that differ only in the media that were shown."""

    model: str
    rows: tuple[InputRow, ...]

    @property
    def has_margins(self) -> bool:
        """Check whether the change in margin is known for a run."""
        return any(row.margin is not None for row in self.rows)


def make(section: Section) -> Part:
    """Compare the runs that differ only in the media that were shown."""
    found = by_input(section.rows)
    fold = Fold("The same questions by the media that were shown", tuple(_blocks(section, found)))
    return Part((fold,) if found else (), data={"inputs": [_plain(one) for one in found]})


def by_input(rows: Sequence[RunRow]) -> list[Ablation]:
    """Compare the runs that differ only in the media that were shown.

    The run with all pictures comes first; without it, nothing is compared. A run without pictures has no number of
    frames. It can therefore be compared with runs with any number of frames.
    """
    groups: dict[str, dict[str | None, list[RunRow]]] = {}
    for row in rows:
        card = row.compared.run.card
        if card.elsewhere is not None or not row.compared.replied:
            continue
        identified = card.identified()
        rest = canonical_json({k: v for k, v in identified.items() if k not in (_INPUT, _FRAMES)})
        frames = None if identified.get(_INPUT) == "blind" else canonical_json(identified.get(_FRAMES))
        groups.setdefault(rest, {}).setdefault(frames, []).append(row)
    found: list[Ablation] = []
    for by_frames in groups.values():
        blind = by_frames.pop(None, [])
        found += [made for of in by_frames.values() if (made := _ablation([*of, *blind])) is not None]
    return found


def _ablation(rows: Sequence[RunRow]) -> Ablation | None:
    order = list(INPUTS)
    ordered = sorted(rows, key=lambda row: order.index(_input(row)))
    if len(ordered) < 2 or _input(ordered[0]) != "full" or _input(ordered[-1]) == "full":
        return None
    full = ordered[0]
    others = [row for row in ordered if _input(row) != "full"]
    compared = [InputRow(full, INPUTS["full"], None, None)]
    for row in others:
        pair = pair_runs(row.scores, full.scores)
        margin = None if pair is None else compare_margins(row.compared.run, full.compared.run)
        compared.append(InputRow(row, INPUTS[_input(row)], pair, margin))
    return Ablation(full.compared.run.card.model, tuple(compared))


def _input(row: RunRow) -> str:
    return row.compared.run.card.protocol.settings.get("input", "full")


def _blocks(section: Section, found: Sequence[Ablation]) -> Iterator[Block]:
    yield Note(
        Markup(
            "Runs that differ only in <code>--input</code>. The change is to the run with all pictures, on the "
            "questions that both runs were asked: in accuracy in percentage points, and in the margin of the correct "
            "letter in nats (natural logarithm of the ratio of probabilities). {} marks 95 % intervals (by {}) that "
            "exclude 0."
        ).format(APART, CLUSTER)
    )
    for one in found:
        columns = ["shown", "accuracy", "change", *BESIDE_FIRST[2:]]
        columns += ["change in margin", f"95 % interval by {CLUSTER}"] if one.has_margins else []
        rows = [(row.row, _cells(row, first=row is one.rows[0], margins=one.has_margins)) for row in one.rows]
        yield run_table(section.label(f"Media that were shown, {one.model}"), columns, rows)


def _cells(row: InputRow, *, first: bool, margins: bool) -> list[Cell]:
    cells = [Cell(row.shown), *beside_first(row.row, row.pair, first=first)]
    if not margins:
        return cells
    if row.margin is None:
        return [*cells, Cell(), Cell()]
    value = Cell(signed(row.margin.value), row.margin.value, strong=True)
    return [*cells, value, Cell(change_interval(row.margin), apart=apart_words(row.margin))]


def _plain(found: Ablation) -> dict[str, Any]:
    """Return a comparison as plain values: fractions, and margins in nats."""
    runs = [
        {"name": of.row.compared.name, "shown": of.shown, "accuracy": of.row.scores.overall.value}
        | ({} if of.pair is None else {"difference": asdict(of.pair.difference)})
        | ({} if of.margin is None else {"margin_difference": asdict(of.margin)})
        for of in found.rows
    ]
    return {"model": found.model, "runs": runs}
