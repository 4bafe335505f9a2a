"""Runs that differ only in how the frames of clips were sent, compared on the same questions."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from markupsafe import Markup

from chronotope.evaluate.score import Pair, RunResults, pair_runs
from chronotope.io import canonical_json
from chronotope.report.compared_runs.run_rows import RunRow
from chronotope.report.section import Section
from chronotope.report.table import APART, BESIDE_FIRST, Block, Cell, Fold, Note, Part, beside_first, run_table
from chronotope.view.words import CLUSTER

_CLIPS, _FRAMES, _FRAMES_AS = (f"protocol.settings.{name}" for name in ("clips", "frames", "frames_as"))
PLACE = 40
WORDS = {
    "pictures": "pictures, as published",
    "images": "numbered pictures with their times",
    "video": "one video of frames with their times",
    "file": "the video file",
}


@dataclass(frozen=True)
class SentRow:
    """A run of such a comparison.

    ``how`` states how frames were sent. ``pair`` compares the first run with this run on their common questions; it is
    None for the first run, and for runs without a common question.
    """

    row: RunRow
    how: str
    pair: Pair | None


@dataclass(frozen=True)
class Sent:
    """Runs of one model that differ only in how frames were sent."""

    model: str
    rows: tuple[SentRow, ...]


def make(section: Section) -> Part:
    """Compare the runs that differ only in how the frames of clips were sent."""
    found = by_sending(section.rows)
    fold = Fold("The same questions by how frames were sent", tuple(_blocks(section, found)))
    return Part((fold,) if found else (), data={"frames_sent": [_plain(one) for one in found]})


def by_sending(rows: Sequence[RunRow]) -> list[Sent]:
    """Compare the runs that differ only in how frames were sent.

    Published pictures come first. A run that sends whole clips as files has no number of frames. A comparison of runs
    with any number of frames can therefore include this run.
    """
    groups: dict[tuple[str, str], list[RunRow]] = {}
    files: dict[str, list[RunRow]] = {}
    for row in rows:
        card = row.compared.run.card
        if card.elsewhere is not None or not row.compared.replied or card.protocol.settings.get("input") == "blind":
            continue
        identified = card.identified()
        rest = canonical_json({k: v for k, v in identified.items() if k not in (_CLIPS, _FRAMES, _FRAMES_AS)})
        if _how(row.compared.run) == "file":
            files.setdefault(rest, []).append(row)
        else:
            groups.setdefault((rest, canonical_json(identified.get(_FRAMES))), []).append(row)
    found = [_sent([*group, *files.get(rest, [])]) for (rest, _), group in groups.items()]
    return [one for one in found if len({row.how for row in one.rows}) > 1]


def _sent(rows: Sequence[RunRow]) -> Sent:
    order = list(WORDS)
    first, *others = sorted(rows, key=lambda row: order.index(_how(row.compared.run)))
    compared = [SentRow(first, WORDS[_how(first.compared.run)], None)]
    compared += [SentRow(row, WORDS[_how(row.compared.run)], pair_runs(row.scores, first.scores)) for row in others]
    return Sent(first.compared.run.card.model, tuple(compared))


def _how(run: RunResults) -> str:
    settings: Mapping[str, Any] = run.card.protocol.settings
    return "file" if settings.get("clips") == "video" else settings.get("frames_as") or "pictures"


def _blocks(section: Section, found: Sequence[Sent]) -> Iterator[Block]:
    yield Note(
        Markup(
            "Runs that differ only in how the frames of a clip were sent. The difference is to the first line, in "
            "percentage points, on the questions that both runs were asked. {} marks 95 % intervals (by {}) that "
            "exclude 0."
        ).format(APART, CLUSTER)
    )
    for one in found:
        rows = [
            (sent.row, [Cell(sent.how), *beside_first(sent.row, sent.pair, first=sent is one.rows[0])])
            for sent in one.rows
        ]
        yield run_table(section.label(f"How frames were sent, {one.model}"), ["frames sent as", *BESIDE_FIRST], rows)


def _plain(sent: Sent) -> dict[str, Any]:
    """Return a comparison as plain values, as fractions."""
    runs = [
        {"name": of.row.compared.name, "frames_sent_as": of.how, "accuracy": of.row.scores.overall.value}
        | ({} if of.pair is None else {"difference": asdict(of.pair.difference)})
        for of in sent.rows
    ]
    return {"model": sent.model, "runs": runs}
