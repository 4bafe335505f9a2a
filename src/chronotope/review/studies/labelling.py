"""The figures of labels: shares beside published ones, and the agreement of people with each other and a judge."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from chronotope.review.studies.agreement import cohen, fleiss
from chronotope.review.studies.figure_table import FigureTable, Interval, KindFigures, kappa_words, share, share_words


@dataclass(frozen=True)
class Labelled:
    """A case with the labels that people gave it, in the order of the ring, and that of a judge model, or None."""

    case: str
    task: str
    scene: str
    labels: tuple[str, ...]
    judge: str | None = None


def label_shares(labels: Sequence[Sequence[str]], names: Sequence[str]) -> dict[str, Interval | None]:
    """Return the share of each label over cases; several labels of a case share it equally."""
    counts: dict[str, float] = defaultdict(float)
    known = [of for of in labels if of]
    for of in known:
        for label in of:
            counts[label] += 1 / len(of)
    return {name: share(round(counts[name], 9), len(known)) for name in names}


def label_figures(
    name: str, cases: Sequence[Labelled], names: Sequence[str], published: Mapping[str, float], source: str = ""
) -> KindFigures:
    """Compute the figures of labelled cases.

    ``published`` maps labels to published shares (percent) of ``source``; it may be empty.
    """
    people = label_shares([one.labels for one in cases], names)
    judged = [one for one in cases if one.judge is not None]
    of_judge = label_shares([[one.judge] for one in judged if one.judge], names)
    columns = ["label", *(["people, %"] if any(one.labels for one in cases) else [])]
    columns += ["judge model, %"] if judged else []
    columns += [f"{source}, %"] if published else []
    rows: list[tuple[str, ...]] = []
    for label in names:
        cells = {"people, %": share_words(people[label]), "judge model, %": share_words(of_judge[label])}
        cells[f"{source}, %"] = f"{published[label]:.2f}" if label in published else "–"
        rows.append((label, *(cells[column] for column in columns[1:])))
    done = sum(bool(one.labels) for one in cases)
    notes = [f"{done} of {len(cases)} cases have a label of a person."]
    if published:
        notes.append(f"The shares of {source} are about another model, so they are no aim.")
    tables = [FigureTable("Labels", tuple(columns), tuple(rows), tuple(notes))]
    by = {"task": _by(cases, names, "task"), "scene": _by(cases, names, "scene")}
    tables += [_grouped(key, groups, names) for key, groups in by.items() if len(groups) > 1]
    values: dict[str, Any] = {"cases": len(cases), "labelled": done, "people": people, "judge": of_judge}
    values |= {"published": dict(published), "by": by} | _agreement(cases, tables)
    return KindFigures(name, tuple(tables), values)


def _by(cases: Sequence[Labelled], names: Sequence[str], key: str) -> dict[str, dict[str, Interval | None]]:
    """Return the shares in each group: those of people, or those of the judge where nobody has decided."""
    groups: dict[str, list[Sequence[str]]] = defaultdict(list)
    for one in cases:
        groups[getattr(one, key)].append(one.labels or ([one.judge] if one.judge else ()))
    return {group: label_shares(of, names) for group, of in sorted(groups.items()) if group and any(of)}


def _grouped(key: str, groups: Mapping[str, Mapping[str, Interval | None]], names: Sequence[str]) -> FigureTable:
    rows = [(group, *(share_words(of[name]) for name in names)) for group, of in groups.items()]
    return FigureTable(f"Labels by {key}, %", (key, *names), tuple(rows))


def _agreement(cases: Sequence[Labelled], tables: list[FigureTable]) -> dict[str, Any]:
    """Add the agreement of people with each other, and with the judge; return its values."""
    rows: list[tuple[str, ...]] = []
    values: dict[str, Any] = {}
    several = [one.labels for one in cases if len(one.labels) > 1]
    if several:
        alike = sum(len(set(of)) == 1 for of in several)
        kappa = fleiss(several)
        values["people_agree"] = {"share": share(alike, len(several)), "fleiss": asdict(kappa)}
        rows.append(
            ("people with each other", str(len(several)), share_words(share(alike, len(several))), kappa_words(kappa))
        )
    pairs = [(label, one.judge) for one in cases if one.judge is not None for label in one.labels]
    if pairs:
        alike = sum(first == second for first, second in pairs)
        kappa = cohen(pairs)
        values["judge_agrees"] = {
            "pairs": len(pairs), "share": share(alike, len(pairs)), "cohen": asdict(kappa),
            "confusion": _confusion(pairs),
        }  # fmt: skip
        rows.append(
            ("judge model with people", str(len(pairs)), share_words(share(alike, len(pairs))), kappa_words(kappa))
        )
    if rows:
        tables.append(FigureTable("Agreement", ("who", "pairs", "agree, %", "kappa"), tuple(rows)))
    if pairs:
        counted = [(f"people: {one}, judge: {two}", str(count)) for (one, two), count in _counted(pairs).items()]
        tables.append(FigureTable("What people and the judge model say", ("labels", "pairs"), tuple(counted)))
    return values


def _counted(pairs: Sequence[tuple[str, str]]) -> dict[tuple[str, str], int]:
    counts: dict[tuple[str, str], int] = defaultdict(int)
    for pair in sorted(pairs):
        counts[pair] += 1
    return dict(counts)


def _confusion(pairs: Sequence[tuple[str, str]]) -> dict[str, dict[str, int]]:
    table: dict[str, dict[str, int]] = {}
    for (of_people, of_judge), count in _counted(pairs).items():
        table.setdefault(of_people, {})[of_judge] = count
    return table
