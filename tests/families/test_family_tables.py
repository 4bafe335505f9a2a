"""Figures and published tables name tables of the protocol by key; every key that they cite exists."""

from collections.abc import Iterator

import pytest

from chronotope.families import Family, families
from chronotope.probe.layers import LAYERS
from chronotope.protocol import Ask, ModeTables, Reading, Scored, Table
from chronotope.question import Option, Question

TEXTS = ("red", "green", "blue", "grey")
# What a family's tables ask of a question besides its task, and the ways in which its questions may be put.
TAGS = {"vgenst": {"type": ("L1-OE",)}}
STRATEGIES = {"ikea": ("visual", "visual_text", "text_only", "routed")}
VARIANTS = {"vgenst": ("base", "none_distractor", "none_answer", "open")}


def scored(family: Family) -> Iterator[Scored]:
    """A question of each task, in each form and by each strategy, rightly answered in every placement."""
    for task in family.tasks:
        for variant in VARIANTS.get(family.name, ("base",)):
            base = None if variant == "base" else task
            named = f"{task}-{variant}" if base else task
            options = () if variant == "open" else tuple(map(Option, TEXTS))
            answer, expected = ((), "red") if variant == "open" else ((0,), None)
            question = Question(
                id=named,
                family=family.name,
                task=task,
                cluster=task,
                stem="What colour is it?",
                options=options,
                answer=answer,
                expected=expected,
                variant=variant,
                base=base,
                tags=TAGS.get(family.name, {}),
            )
            orders = [tuple((place + n) % 4 for place in range(4)) for n in range(4)] if options else [()]
            right = Reading(frozenset(answer) if answer else None, "letter", expected, right=True if expected else None)
            for strategy in STRATEGIES.get(family.name, ("direct",)):
                asks = [Ask(f"{named}#{n}", named, order, (), strategy) for n, order in enumerate(orders)]
                yield family.protocol.score(question, [(ask, right) for ask in asks])


def tables(family: Family) -> list[Table]:
    every = list(scored(family))
    bases = [one for one in every if one.question.variant == "base"]
    of_modes = family.protocol.mode_tables(every) if isinstance(family.protocol, ModeTables) else []
    return [*family.protocol.tables(bases), *of_modes]


OWN = [family for family in families().values() if family.paper.reference is not None or family.paper.figures]


@pytest.mark.parametrize("family", OWN, ids=lambda family: family.name)
def test_every_key_that_is_cited_exists(family: Family) -> None:
    made = tables(family)
    by_key = {table.key: table for table in made}
    assert len(by_key) == len(made), "two tables of one run have the same key"
    for figure in family.paper.figures:
        table = by_key[figure.table]
        assert {point.column for point in figure.points} <= set(table.columns)
        assert {point.row for point in figure.points} - {None} <= {row[0] for row in table.rows}
    for published in family.paper.reference().tables if family.paper.reference is not None else ():
        if published.own is not None:
            assert {column.name for column in published.columns} <= set(by_key[published.own].columns)
        if published.beside is not None and published.beside.startswith("probe-"):
            assert published.beside.removeprefix("probe-") in LAYERS
        elif published.beside is not None:
            assert {column.name for column in published.columns} & set(by_key[published.beside].columns)


def test_each_family_of_ours_is_held_against_something() -> None:
    assert {"sti", "ikea", "m3", "vgenst"} <= {family.name for family in OWN}
