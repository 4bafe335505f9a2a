"""The probes in a report: what a model sees, keeps and uses for each task, beside the published values."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from chronotope.errors import InputError
from chronotope.families import family
from chronotope.probe.folder import FigureFile, ProbeManifest, read_manifest, read_table
from chronotope.probe.reading import HOW_TO_READ, size_words, too_few
from chronotope.report.compared_runs.opened_runs import Compared
from chronotope.report.probes.probe_attention import AnswersPart, make_answers
from chronotope.report.probes.probe_changes import ChangeRow, PairRow, change_rows, pair_rows
from chronotope.report.probes.probe_tables import (
    ALL,
    NO_MEDIUM,
    OVER_LAYERS,
    ProbeTable,
    Rows,
    Tables,
    beside_published,
)
from chronotope.report.probes.probe_values import ProbeValue, in_percent, plain_value
from chronotope.view.words import percent

# The most demanding measure comes first; small benchmarks have too few groups for the linear probe.
_SEEN = ("probe balanced accuracy (1:4)", "R@1 in its cluster", "R@1")


@dataclass(frozen=True)
class ProbeColumn:
    """One question about the model, with the values of each task.

    ``words`` says what is measured, and ``reading`` what a high value means, what chance is, and from how much.
    """

    title: str
    words: str
    reading: str
    cells: Mapping[str, tuple[ProbeValue, ...]]


@dataclass(frozen=True)
class ProbeFigure:
    """A figure of a probe as SVG text, with its title and its caption."""

    title: str
    words: str
    svg: str


@dataclass(frozen=True)
class ProbePart:
    """One probe of a report.

    ``tables`` has the rows of all layers by the names of layer and table. ``unfinished`` are layers without results.
    ``warnings`` say which layers have too few clusters, and ``cluster`` is the family's word for a cluster.
    ``answers`` compares the attention under correct and wrong answers, if a run of the report asked the same benchmark.
    ``pairs`` says how well every two media agree, and ``changes`` how pairs and conditions differ.
    """

    folder: Path
    manifest: ProbeManifest
    tasks: tuple[str, ...]
    columns: tuple[ProbeColumn, ...]
    figures: Mapping[str, tuple[ProbeFigure, ...]]
    published: tuple[ProbeTable, ...]
    tables: Mapping[str, Tables]
    unfinished: tuple[str, ...]
    warnings: tuple[str, ...] = ()
    cluster: str = "clip"
    answers: AnswersPart | None = None
    pairs: tuple[PairRow, ...] = ()
    changes: tuple[ChangeRow, ...] = ()


def make_probes(folders: Sequence[Path], compared: Sequence[Compared] = ()) -> list[ProbePart]:
    """Read probes.

    If a run asked the same model the same benchmark, its accuracy stands beside the values of the probe.

    Raises:
        InputError: If a folder is not a probe, or a file of it is missing.
    """
    unique = dict.fromkeys(folder.resolve() for folder in folders)
    return [_part(folder, compared) for folder in unique]


def _part(folder: Path, compared: Sequence[Compared]) -> ProbePart:
    manifest = read_manifest(folder)
    done = {name: entry for name, entry in manifest.layers.items() if entry.complete}
    tables: dict[str, Tables] = {
        layer: {name: read_table(folder, path) for name, path in entry.tables.items()} for layer, entry in done.items()
    }
    of = family(manifest.family)
    columns = [
        column
        for layer, make in _COLUMNS.items()
        if layer in tables and (column := make(tables[layer], of.cluster)) is not None
    ]
    if answers := _answers(manifest, compared):
        columns.append(answers)
    order = [ALL, *of.tasks]
    named = {task for column in columns for task in column.cells}
    return ProbePart(
        folder=folder,
        manifest=manifest,
        tasks=tuple(sorted(named, key=lambda task: (order.index(task) if task in order else len(order), task))),
        columns=tuple(columns),
        figures={layer: tuple(_figure(folder, figure) for figure in entry.figures) for layer, entry in done.items()},
        published=beside_published(manifest, tables),
        tables=tables,
        unfinished=tuple(name for name in manifest.layers if name not in done),
        warnings=tuple(
            words
            for layer, named in tables.items()
            if (words := too_few(layer, [row for rows in named.values() for row in rows], of.cluster)) is not None
        ),
        cluster=of.cluster,
        answers=make_answers(folder, manifest, compared),
        pairs=pair_rows(tables),
        changes=change_rows(tables),
    )


def _figure(folder: Path, of: FigureFile) -> ProbeFigure:
    """Read a figure.

    Raises:
        InputError: If the file is missing, or is not an SVG file.
    """
    path = folder / of.path
    svg = path.read_text(encoding="utf-8") if path.is_file() else ""
    if not svg.startswith("<svg"):
        raise InputError(f"{path}: expected a figure of this probe: run chronotope probe again")
    return ProbeFigure(of.title, of.words, svg)


def _sees(tables: Tables, cluster: str) -> ProbeColumn | None:
    rows = tables.get("measures", ())
    measure = next((name for name in _SEEN if any(row["measure"] == name for row in rows)), None)
    rows = [row for row in rows if row["measure"] == measure]
    several = len({row["roles"] for row in rows}) > 1
    cells: dict[str, list[ProbeValue]] = {}
    for row in rows:
        name = f"{row['level']}, {row['roles']}" if several else row["level"]
        value = in_percent(name, row["value"], row["low"], row["high"], row["chance"])
        if row["null_low"] is not None:
            null = f"{percent(row['null_low'])} to {percent(row['null_high'])} %"
            value = replace(value, chance=f"{value.chance}, with permuted labels {null}")
        cells.setdefault(row["task"], []).append(value)
    if measure is None:
        return None
    of_all = [row for row in rows if row["task"] == ALL]
    note = f" {of_all[0]['note'].capitalize()}." if of_all and of_all[0]["note"] else ""
    media = "every two media" if several else rows[0]["roles"]
    words = f"{measure} at the output of the vision encoder and of the projector; {media}"
    reading = f"{HOW_TO_READ['representation']}{note} {size_words(of_all, cluster)}"
    return _column("Sees it", words, reading, cells)


def _keeps(tables: Tables, cluster: str) -> ProbeColumn | None:
    rows = tables.get("means", ())
    last = max((row["depth"] for row in rows), default=0)
    cells: dict[str, list[ProbeValue]] = {}
    for row in _first_condition(rows):
        if row["depth"] == last and row["modality"] not in NO_MEDIUM:
            value = plain_value(row["modality"], row["mean"], row["low"], row["high"])
            cells.setdefault(row["task"], []).append(value)
    words = f"influence on the last hidden state (cosine) after {last} layers{_asked(rows)}"
    reading = f"{HOW_TO_READ['hidden']} {size_words([row for row in rows if row['task'] == ALL], cluster)}"
    return _column("Keeps it", words, reading, cells)


def _uses(tables: Tables, cluster: str) -> ProbeColumn | None:
    rows = tables.get("means", ())
    cells: dict[str, list[ProbeValue]] = {}
    for row in _first_condition(rows):
        if row["layer"] == OVER_LAYERS and row["name"] not in NO_MEDIUM:
            value = in_percent(row["name"], row["mean"], row["low"], row["high"], row["chance"])
            cells.setdefault(row["task"], []).append(value)
    reading = f"{HOW_TO_READ['attention']} {size_words([row for row in rows if row['task'] == ALL], cluster)}"
    words = f"share of the last token's attention, mean over layers and heads{_asked(rows)}"
    return _column("Uses it", words, reading, cells)


def _answers(manifest: ProbeManifest, compared: Sequence[Compared]) -> ProbeColumn | None:
    cells: dict[str, list[ProbeValue]] = {}
    for one in compared:
        card = one.run.card
        if (card.model, card.benchmark.content_hash) == (manifest.model, manifest.content_hash) and one.replied:
            for task, of in {ALL: one.scores.overall, **one.scores.tasks}.items():
                cells.setdefault(task, []).append(in_percent(one.name, of.value, of.low, of.high, of.chance))
    reading = "High: more questions are answered correctly. Chance is that of a random guess."
    return _column("Answers it", "accuracy of the runs of this report", reading, cells)


_COLUMNS: Mapping[str, Callable[[Tables, str], ProbeColumn | None]] = {
    "representation": _sees, "hidden": _keeps, "attention": _uses
}  # fmt: skip


def _column(title: str, words: str, reading: str, cells: Mapping[str, Sequence[ProbeValue]]) -> ProbeColumn | None:
    return ProbeColumn(title, words, reading, {task: tuple(of) for task, of in cells.items()}) if cells else None


def _first_condition(rows: Rows) -> Rows:
    return [row for row in rows if row["condition"] == rows[0]["condition"]]


def _asked(rows: Rows) -> str:
    """Name the first condition, if there are several."""
    return f"; {rows[0]['condition']}" if len({row["condition"] for row in rows}) > 1 else ""


def probe_data(part: ProbePart) -> dict[str, Any]:
    """Return a probe as plain values for programs."""
    return {
        "folder": str(part.folder),
        "model": part.manifest.model,
        "benchmark": part.manifest.benchmark,
        "columns": [
            {
                "title": column.title,
                "words": column.words,
                "reading": column.reading,
                "tasks": {task: list(map(asdict, of)) for task, of in column.cells.items()},
            }
            for column in part.columns
        ],
        "published": [asdict(one) for one in part.published],
        "pairs": [asdict(one) for one in part.pairs],
        "changes": [asdict(one) for one in part.changes],
        "answers": None if part.answers is None else asdict(part.answers),
        "unfinished": list(part.unfinished),
        "warnings": list(part.warnings),
    }
