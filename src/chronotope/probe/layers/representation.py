"""Layer 1, representations: does the vision encoder tell things apart, and match two media of one thing?"""

import itertools
from collections.abc import Sequence
from typing import Any

import numpy as np

from chronotope.probe.capture import Wanted, run_captured
from chronotope.probe.figures import Point, point_figure
from chronotope.probe.gallery import Gallery, compare_pairs, shared
from chronotope.probe.layer import Drawing, Instrument, Layer, ProbeJob, Row, Summary, Unit
from chronotope.probe.measures import Population, measure_pairs, retrieval, similarity
from chronotope.probe.reading import HOW_TO_READ, PAPER_SPLIT, size_words
from chronotope.probe.settings import read_roles
from chronotope.probe.shown import Shown, roles_of, shown_of
from chronotope.probe.summary_tables import ALL
from chronotope.protocol import Image

LEVELS = ("vision", "projector")
PERMUTATIONS = 10  # fits with permuted labels; only for all tasks together, because each costs as much as a measure


class _Representation(Layer):
    name = "representation"
    place = 1

    def units(self, job: ProbeJob) -> list[Unit]:
        """Return one unit for each set of pictures."""
        shown = shown_of(job.prompts, job.plans)
        roles = _roles(job, shown)
        found = {one.id: one for one in shown if one.depicted.medium in roles}
        return [Unit(name, f"{one.group}: {one.depicted.role}", one, one.pictures) for name, one in found.items()]

    def measure(self, instrument: Instrument, unit: Unit) -> list[Row]:
        """Compute the mean vectors of each picture at both levels."""
        rows: list[Row] = []
        for place, picture in enumerate(unit.of.pictures):
            encoded = instrument.local.encode([Image(picture)], instrument.pictures)
            found = run_captured(instrument.local, encoded, Wanted(vision=True, features=True, stop_early=True))
            vectors = {"vision": found.vision[0], "projector": found.features[0]}
            row = {"pictures": unit.id, "place": place, "file": instrument.pictures(picture).sha256}
            row |= {f"{level}_tokens": len(states) for level, states in vectors.items()}
            rows.append(row | {level: states.mean(0).numpy().tolist() for level, states in vectors.items()})
        return rows

    def summarize(self, job: ProbeJob, rows: Sequence[Row]) -> Summary:
        """Measure both levels, for all tasks together and for each task."""
        every = shown_of(job.prompts, job.plans)
        roles = _roles(job, every)
        shown = [one for one in every if one.depicted.medium in roles]
        tasks = list(dict.fromkeys(task for one in shown for task in sorted(one.tasks)))
        found: list[Row] = []
        costs: list[Row] = []
        for task in [ALL, *(tasks if len(tasks) > 1 else ())]:
            chosen = [one for one in shown if task == ALL or task in one.tasks]
            for level in LEVELS:
                vectors: dict[str, list[Any]] = {}
                for row in sorted(rows, key=lambda row: row["place"]):
                    vectors.setdefault(row["pictures"], []).append(row[level])
                gallery = Gallery.of(chosen, vectors)
                about = {"task": task, "level": level}
                found += [about | one for one in _measured(gallery, roles, PERMUTATIONS if task == ALL else 0)]
                costs += [about | one for one in compare_pairs(gallery, roles)]
        return Summary({"measures": found, "pairs": costs}, _figures(found, job.family.cluster))


def _roles(job: ProbeJob, shown: Sequence[Shown]) -> tuple[str, ...]:
    return read_roles(job.settings.roles, roles_of(shown))


def _measured(gallery: Gallery, roles: tuple[str, ...], permutations: int) -> list[Row]:
    """Measure one level.

    Of every two media, the things that all named media show are compared. The linear probe uses the medium with the
    most pictures.
    """
    parts = {role: gallery.part(role) for role in roles}
    largest = max(parts.values(), key=lambda part: len(part.media))
    only = " and ".join(roles) if len(roles) < 3 else largest.media[0]
    separated = [{"roles": only} | row for row in _separation(largest, permutations)]
    if len(roles) > 2:
        parts = shared(parts)
    rows: list[Row] = []
    for pair in itertools.combinations(roles, 2):
        one, other, name = parts[pair[0]], parts[pair[1]], {"roles": " and ".join(pair)}
        rows += [name | row for row in _similarity(one, other)]
        rows, separated = [*rows, *separated], []
        rows += [name | row for row in _retrieval(one, other)]
    return rows or separated


def _row(
    measure: str, value: float, limits: tuple[float | None, float | None] | None = None, chance: float | None = None,
    null: tuple[float, float] | None = None, items: int = 0, clusters: int = 0, note: str = "",
) -> Row:  # fmt: skip
    (low, high), (null_low, null_high) = limits or (None, None), null or (None, None)
    about = {"low": low, "high": high, "chance": chance, "null_low": null_low, "null_high": null_high}
    return {"measure": measure, "value": value, **about, "items": items, "clusters": clusters, "note": note}


def _similarity(first: Gallery, second: Gallery) -> list[Row]:
    there = set(second.things)
    things = [thing for thing in dict.fromkeys(first.things) if thing in there]
    if not things:
        return []
    x, y = (np.array([part.mean_of(thing) for thing in things]) for part in (first, second))
    found = similarity(x, y, [group for group, _ in things])
    if found is None:
        return []
    size = (found.items, found.clusters)
    within = "" if found.p_within is None else f"; p {found.p_within:.3f} if shuffled within clusters"
    return [
        _row(
            "CKA", found.cka, (found.low, found.high), found.null, None, *size,
            note=f"chance: mean of shuffled pairings, 95 % below {found.null_high:.3f}; p {found.p:.3f}{within}; "
            "interval of the paper: resampled things repeat, which raises both limits, even above the value",
        ),
        _row("unbiased CKA", found.unbiased, (found.unbiased_low, found.unbiased_high), 0.0, None, *size),
    ]  # fmt: skip


def _separation(part: Gallery, permutations: int) -> list[Row]:
    population = Population(
        tuple(f"{group}: {thing}" for group, thing in part.things), tuple(group for group, _ in part.things), part.takes
    )
    rows: list[Row] = []
    for negatives, words in ((4, "1:4"), (1, "1:1")):
        null = permutations if negatives == 4 else 0
        found = measure_pairs(part.vectors, population, negatives=negatives, permutations=null)
        if found is None:
            continue
        size: dict[str, Any] = {"items": found.test, "clusters": found.test_groups}
        size["note"] = (
            f"same to different things 1 : {found.ratio:.1f}; {found.train} training pairs; pairs of {part.media[0]} "
            "pictures"
        )
        rows += [
            _row(f"probe accuracy ({words})", found.accuracy, found.accuracy_limits, found.majority, **size),
            _row(
                f"probe balanced accuracy ({words})",
                found.balanced,
                found.balanced_limits,
                0.5,
                found.balanced_null,
                **size,
            ),
            _row(f"probe AUROC ({words})", found.auroc, found.auroc_limits, 0.5, found.auroc_null, **size),
        ]
        if found.across is not None:
            rows.append(_row(f"probe balanced accuracy across takes ({words})", found.across, None, 0.5, **size))
        if found.published is not None and negatives == 4:
            rows.append(_row(PAPER_SPLIT, found.published, None, found.published_majority, **size))
    return rows


def _retrieval(first: Gallery, second: Gallery) -> list[Row]:
    rows: list[Row] = []
    for within, words in ((False, ""), (True, " in its cluster")):
        found = retrieval(first.vectors, second.vectors, first.things, second.things, within=within)
        rows += [
            _row(f"R@{one.k}{words}", one.recall, (one.low, one.high), one.chance, None, one.queries, one.clusters)
            for one in found
        ]
    return rows


def _figures(rows: Sequence[Row], cluster: str) -> list[Drawing]:
    several = len({row["roles"] for row in rows}) > 1
    wanted = ("unbiased CKA", "probe balanced accuracy (1:4)", "R@1 in its cluster", "R@10")
    if several:  # the names of points are long
        wanted = ("unbiased CKA", "R@1 in its cluster")
    points = [
        Point(
            row["measure"],
            f"{row['level']}, {row['roles']}" if several else row["level"],
            row["value"],
            row["low"],
            row["high"],
            row["chance"],
        )
        for name in wanted
        for row in rows
        if row["task"] == ALL and row["measure"] == name
    ]
    if not points:
        return []
    words = (
        "Each measure at the output of the vision encoder and of the projector, with 95 % intervals by cluster. "
        f"Crosses: chance. {HOW_TO_READ['representation']} "
        f"{size_words([row for row in rows if row['measure'] in wanted], cluster)}"
    )
    return [point_figure("measures", "Representations", words, points)]


LAYER = _Representation()
