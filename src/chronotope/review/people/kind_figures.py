"""The figures of rankings, labels, rounds and practice, read from the storage."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from statistics import median
from typing import Any

from sqlalchemy import select
from sqlalchemy.orm import Session, selectinload

from chronotope.families import family
from chronotope.review.store import DONE, DROPPED, KEPT, OPEN, Assignment, Item, StudyRow, decided
from chronotope.review.studies import Calibration, CaseLabels, FilterRounds, Ranking
from chronotope.review.studies.figure_table import FigureTable, Interval, KindFigures, share, share_words
from chronotope.review.studies.labelling import Labelled, label_figures
from chronotope.review.studies.ranking import Ranked, ranking_figures
from chronotope.review.studies.rounds import INSPECTION, number_of

FIGURE = "Figure 7"  # of STI-Bench: shares of errors by class
Given = Sequence[Assignment]


def kind_figures(
    session: Session, study: StudyRow, declared: Ranking | CaseLabels | FilterRounds | Calibration, family_name: str
) -> KindFigures:
    """Compute the figures of a study that is neither quality control nor a baseline."""
    rows = select(Assignment).join(Item).where(Item.study_id == study.id).order_by(Item.id, Assignment.position)
    loaded = rows.options(
        selectinload(Assignment.entries),
        selectinload(Assignment.person),
        selectinload(Assignment.item).selectinload(Item.after),
    )
    given = session.scalars(loaded).all()
    if isinstance(declared, Ranking):
        return ranking_figures(study.name, _ranked(given), declared.sources, declared.axes, len(given))
    if isinstance(declared, CaseLabels):
        names = [label.name for label in declared.labels]
        published = published_errors(family_name) if declared.kind == "error-labels" else {}
        known = {name: value for name, value in published.items() if name in names}
        return label_figures(study.name, labelled_cases(given), names, known, FIGURE)
    if isinstance(declared, Calibration):
        return _practice_figures(study.name, given)
    return _round_figures(study.name, declared, given)


def published_errors(family_name: str) -> dict[str, float]:
    """Return the shares of errors by class (percent) that the paper of a family prints, or none."""
    read = family(family_name).paper.reference
    tables = () if read is None else read().tables
    found = next((one for one in tables if one.source == FIGURE and one.title.startswith("Errors")), None)
    return {} if found is None else {row.model: float(row.values[0] or 0) for row in found.rows}


def _ranked(given: Given) -> list[Ranked]:
    known = [(row, data) for row in given if row.state == DONE and (data := decided(row)) is not None]
    return [Ranked(row.item.target, row.person.name, data["ranks"], data["fake"]) for row, data in known]


def labelled_cases(given: Given) -> list[Labelled]:
    """Return the cases of a study with their labels so far."""
    cases: dict[int, tuple[Item, list[str]]] = {}
    for row in given:
        labels = cases.setdefault(row.item_id, (row.item, []))[1]
        if row.state == DONE and (data := decided(row)) is not None:
            labels.append(data["label"])
    return [
        Labelled(item.target, item.task, item.facts.get("scene", ""), tuple(labels), item.facts.get("judge"))
        for item, labels in cases.values()
    ]


def _practice_figures(name: str, given: Given) -> KindFigures:
    """Compare the first verdicts of each person with the right ones."""
    by_person: dict[str, dict[str, int]] = {}
    missed: dict[str, int] = defaultdict(int)
    for row in given:
        counts = by_person.setdefault(
            row.person.name, {"given": 0, "done": 0, "right": 0, "missed": 0, "false_alarms": 0}
        )
        counts["given"] += 1
        data = decided(row)
        if row.state != DONE or data is None:
            continue
        right = row.item.facts["right"]
        counts["done"] += 1
        counts["right"] += data["verdict"] == right
        counts["missed"] += right == "reject" and data["verdict"] != right
        counts["false_alarms"] += right == "accept" and data["verdict"] != right
        missed[row.item.target] += data["verdict"] != right
    rows = [
        (person, f"{of['done']} of {of['given']}", share_words(share(of["right"], of["done"])), str(of["missed"]),
         str(of["false_alarms"]))
        for person, of in sorted(by_person.items())
    ]  # fmt: skip
    hard = [(target, str(count)) for target, count in sorted(missed.items(), key=lambda pair: -pair[1]) if count]
    columns = ("person", "done", "right, %", "faults missed", "false alarms")
    tables = [FigureTable("Practice", columns, tuple(rows))]
    if hard:
        tables.append(FigureTable("Items that people got wrong", ("item", "people"), tuple(hard)))
    return KindFigures(name, tuple(tables), {"people": by_person, "wrong": dict(missed)})


def _round_figures(name: str, declared: FilterRounds, given: Given) -> KindFigures:
    reached = [row for row in given if row.item.after is None or row.item.after.state == KEPT]
    stages: dict[str, list[Assignment]] = {}
    for row in reached:
        stages.setdefault(row.item.stage, []).append(row)
    values: dict[str, Any] = {
        "stages": {stage: _stage_counts(of) for stage, of in stages.items()},
        "cells": _cells(declared, reached),
        "reasons": _reasons(reached),
        "people": _work(reached),
    }
    stage_rows = [
        (stage, f"{of['done']} of {of['items']}", str(of["rejected"]), share_words(of["share"]))
        for stage, of in values["stages"].items()
    ]
    cell_rows = [
        (cell, str(of["left"]), str(of["inspected"]), str(of["failed"]), of["state"])
        for cell, of in values["cells"].items()
    ]
    people_rows = [
        (person, str(of["done"]), str(of["rejected"]), "–" if of["seconds"] is None else f"{of['seconds']:.1f}")
        for person, of in values["people"].items()
    ]
    limit = f"A cell goes through the last round again if more than {100 * declared.tolerated:g} % of its sample fail."
    tables = (
        FigureTable("Rounds", ("stage", "decided", "rejected", "rejected, %"), tuple(stage_rows)),
        FigureTable(
            "Cells: a task in one kind of scene", ("cell", "left", "last sample", "of it rejected", "state"),
            tuple(cell_rows), (limit,),
        ),
        FigureTable("Reasons", ("reason", "times"), tuple((one, str(n)) for one, n in values["reasons"].items())),
        FigureTable("Reviewers", ("reviewer", "decided", "rejected", "median time, s"), tuple(people_rows)),
    )  # fmt: skip
    return KindFigures(name, tuple(table for table in tables if table.rows), values)


def _stage_counts(of: Given) -> dict[str, Any]:
    done = [row for row in of if row.item.state != OPEN]
    rejected = sum(row.item.state == DROPPED for row in done)
    found: Interval | None = share(rejected, len(done))
    return {"items": len(of), "done": len(done), "rejected": rejected, "share": found}


def _cells(declared: FilterRounds, reached: Given) -> dict[str, dict[str, Any]]:
    """Return the state of each cell: under review, under inspection, or passed."""
    cells: dict[str, list[Item]] = defaultdict(list)
    for row in reached:
        scene = row.item.facts.get("scene", "")
        cells[f"{row.item.task}, {scene}" if scene else row.item.task].append(row.item)
    return {cell: _cell(declared, items) for cell, items in sorted(cells.items())}


def _cell(declared: FilterRounds, items: Sequence[Item]) -> dict[str, Any]:
    dropped = {item.target for item in items if item.state == DROPPED}
    samples: dict[int, list[Item]] = defaultdict(list)
    for item in items:
        if item.stage.startswith(INSPECTION):
            samples[number_of(item.stage)].append(item)
    last = samples[max(samples)] if samples else []
    failed = sum(item.state == DROPPED for item in last)
    is_open = any(item.state == OPEN for item in items)
    state = "under review" if is_open or not samples else "passed"
    if state == "passed" and failed > declared.tolerated * len(last):
        state = "ended"  # nothing was left besides the sample
    return {
        "left": len({item.target for item in items} - dropped), "inspected": len(last), "failed": failed,
        "samples": len(samples), "state": state,
    }  # fmt: skip


def _reasons(given: Given) -> dict[str, int]:
    counts: dict[str, int] = defaultdict(int)
    for row in given:
        data: Mapping[str, Any] = (decided(row) if row.state == DONE else None) or {}
        for reason in data.get("reasons", ()):
            counts[reason] += 1
    return dict(sorted(counts.items(), key=lambda pair: -pair[1]))


def _work(given: Given) -> dict[str, dict[str, Any]]:
    people: dict[str, list[Mapping[str, Any]]] = defaultdict(list)
    for row in given:
        if row.state == DONE and (data := decided(row)) is not None:
            people[row.person.name].append(data)
    return {
        name: {
            "done": len(of), "rejected": sum(one["verdict"] == "reject" for one in of),
            "seconds": median(times) if (times := [one["seconds"] for one in of if one.get("seconds")]) else None,
        }
        for name, of in sorted(people.items())
    }  # fmt: skip
