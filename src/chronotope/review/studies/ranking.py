"""The figures of a ranking: mean ranks by source and axis, and shares of clips that were judged fake."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from statistics import mean, stdev
from typing import Any

from chronotope.review.studies.agreement import Kappa, fleiss
from chronotope.review.studies.figure_table import FigureTable, KindFigures, kappa_words, share, share_words
from chronotope.review.studies.study_kinds import Source


@dataclass(frozen=True)
class Ranked:
    """The decision of one person about one set.

    ``ranks`` maps each axis to the rank of each source (1 is best), and ``fake`` each source to the judgement.
    """

    set: str
    person: str
    ranks: Mapping[str, Mapping[str, int]]
    fake: Mapping[str, bool]


def ranking_figures(
    name: str, ranked: Sequence[Ranked], sources: Sequence[Source], axes: Sequence[str], given: int
) -> KindFigures:
    """Compute the figures of a ranking; ``given`` is the number of sets that were given to people.

    The standard deviation is that of a sample. Shares have the interval by Wilson. The kappa of a source is that of
    Fleiss over its clips, and the pooled one is over the clips of all sources.
    """
    ranks = {
        source.name: {axis: _spread([one.ranks[axis][source.name] for one in ranked]) for axis in axes}
        for source in sources
    }
    fakes = {source.name: _judged(ranked, source.name) for source in sources}
    pooled = _kappa(ranked, [source.name for source in sources])
    missing = (f"{given - len(ranked)} of {given} rankings are missing.",) if len(ranked) < given else ()
    rows = [(source.name, *(_words(ranks[source.name][axis]) for axis in axes)) for source in sources]
    fake_rows = [
        (source.name, source.truth, share_words(fakes[source.name]["share"]), _counts(fakes[source.name]["by_person"]),
         kappa_words(fakes[source.name]["kappa"]))
        for source in sources
    ]  # fmt: skip
    fake_rows.append(("all", "", "", "", kappa_words(pooled)))
    tables = (
        FigureTable("Mean rank (1 is best) ± standard deviation", ("source", *axes), tuple(rows), missing),
        FigureTable(
            "Judged fake", ("source", "truth", "judged fake, %", "by person", "Fleiss’ kappa"), tuple(fake_rows)
        ),
    )
    values = {"ranks": ranks, "fake": {key: _plain(of) for key, of in fakes.items()}, "pooled_kappa": asdict(pooled)}
    return KindFigures(name, tables, values | {"rankings": len(ranked), "given": given})


def _spread(values: Sequence[int]) -> dict[str, float | None]:
    return {
        "mean": mean(values) if values else None,
        "deviation": stdev(values) if len(values) > 1 else None,
    }


def _judged(ranked: Sequence[Ranked], source: str) -> dict[str, Any]:
    by_person: dict[str, int] = defaultdict(int)
    for one in ranked:
        by_person[one.person] += one.fake[source]
    found = share(sum(by_person.values()), len(ranked))
    return {"share": found, "by_person": dict(sorted(by_person.items())), "kappa": _kappa(ranked, [source])}


def _kappa(ranked: Sequence[Ranked], sources: Sequence[str]) -> Kappa:
    clips: dict[tuple[str, str], list[bool]] = defaultdict(list)
    for one in ranked:
        for source in sources:
            clips[one.set, source].append(one.fake[source])
    return fleiss(list(clips.values()))


def _words(of: Mapping[str, float | None]) -> str:
    if of["mean"] is None:
        return "–"
    return f"{of['mean']:.2f}" if of["deviation"] is None else f"{of['mean']:.2f} ± {of['deviation']:.2f}"


def _counts(of: Mapping[str, int]) -> str:
    return ", ".join(f"{name} {count}" for name, count in of.items())


def _plain(of: Mapping[str, Any]) -> dict[str, Any]:
    return {**of, "kappa": asdict(of["kappa"])}
