"""Tables of M3-Verse: the paper's Tables 2 and 3, chance, and means by category and other tags."""

from collections.abc import Callable, Iterable, Sequence

from chronotope.families.m3.subtasks import SUBTASKS
from chronotope.families.m3.tasks import CAPABILITIES, INTER, INTRA, NONE, TASKS
from chronotope.io.packed import Keys, group
from chronotope.protocol import Scored, Table, percent, strict

HALLUCINATION, NONE_CHOSEN = "hallucination", "none-chosen"  # keys of the tables for the figures
CHOSE_NONE = "chose_none"  # the metric of a question that offers "No correct option is listed."
FORMAT_KEPT = "format_kept"  # the metric of a reply with as many letters as the prompt asks for

_GROUPS = {"Intra": INTRA, "Inter": INTER}
_HALL, _FAC, _GAP = "Hall", "Fac", "Fac - Hall"

Value = Callable[[Scored], float | None]


def _columns() -> dict[str, tuple[str, str | None]]:
    """Return the columns of Table 2 after the first column.

    The result maps the name of each column to a type of state and a capability. The capability None means all
    capabilities.
    """
    columns: dict[str, tuple[str, str | None]] = {}
    for name, state in _GROUPS.items():
        columns[f"{name} avg"] = (state, None)
        columns |= {f"{name} {capability}": (state, capability) for capability in CAPABILITIES}
    return columns


STATE_COLUMNS = ("Overall", *_columns())


def tables(scored: Sequence[Scored]) -> list[Table]:
    """Make the tables of M3-Verse, with means over questions in percent.

    A question with several capabilities counts for each of its capabilities.
    """
    return [
        Table("by-state", "Score by state and capability (%)", STATE_COLUMNS, (_by_state(scored, strict),)),
        Table(HALLUCINATION, "Hallucination (%)", (_HALL, _FAC, _GAP), (_hallucination(scored),)),
        _none_chosen(scored),
        Table("chance-by-state", "Chance by state and capability (%)", STATE_COLUMNS, (_by_state(scored, _chance),)),
        _breakdown("category", scored, lambda one: one.question.task, TASKS),
        _breakdown("subtask", scored, lambda one: _tag(one, "subtask"), SUBTASKS),
        _breakdown("options", scored, lambda one: str(len(one.question.options)), map(str, range(27))),
        _breakdown("answers", scored, lambda one: "multiple" if one.question.multiple else "single", ()),
    ]


def _by_state(scored: Sequence[Scored], value: Value) -> tuple[float | None, ...]:
    cells = (
        percent(
            value(one)
            for one in scored
            if state in one.question.tags.get("state_type", ())
            and (capability is None or capability in one.question.tags.get("capability", ()))
        )
        for state, capability in _columns().values()
    )
    return (percent(map(value, scored)), *cells)


def _hallucination(scored: Sequence[Scored]) -> tuple[float | None, ...]:
    hall, fac = (percent(strict(one) for one in scored if _tag(one, "hallucination") == told) for told in ("yes", "no"))
    return hall, fac, None if hall is None or fac is None else fac - hall


def _none_chosen(scored: Sequence[Scored]) -> Table:
    """Compare how often replies choose that no correct option is listed.

    A calibrated model often chooses this option only in hallucination questions.
    """

    def kind(one: Scored) -> str:
        if _tag(one, "hallucination") == "yes":
            return "hallucination"
        if _tag(one, "hallucination") != "no":
            return ""
        offers = any(option.text == NONE for option in one.question.options)
        return "factual, offered" if offers else "factual, not offered"

    found = group(scored, kind)
    groups = {name: found.get(name, ()) for name in ("hallucination", "factual, offered", "factual, not offered")}
    rows = (
        (
            name,
            len(Keys(one.question.id for one in of)),
            percent(map(strict, of)),
            percent(map(_chance, of)),
            percent(one.metrics.get(CHOSE_NONE) for one in of),
        )
        for name, of in groups.items()
        if scored
    )
    columns = ("Questions about", "Questions", "Score", "Chance", "Chose none")
    return Table(NONE_CHOSEN, f"Replies that choose “{NONE}” (%)", columns, tuple(rows))


def _breakdown(by: str, scored: Sequence[Scored], key: Callable[[Scored], str], usual: Iterable[str]) -> Table:
    """Make a table with one row for each value of ``key``.

    A row has the number of questions, the score, chance, and the share of replies from which no answer could be read.
    ``usual`` lists the known values in the order of the rows.
    """
    there = group(scored, lambda one: key(one) or "unknown")
    order = [*(value for value in usual if value in there)]
    order += sorted(set(there) - set(order))
    rows = (
        (
            value,
            len(Keys(one.question.id for one in there[value])),
            percent(map(strict, there[value])),
            percent(map(_chance, there[value])),
            percent(float(one.metrics.get("covered") is None) for one in there[value]),
        )
        for value in order
    )
    columns = (by.capitalize(), "Questions", "Score", "Chance", "Not read")
    return Table(f"by-{by}", f"Score by {by} (%)", columns, tuple(rows))


def _tag(one: Scored, key: str) -> str:
    return next(iter(one.question.tags.get(key, ())), "")


def _chance(one: Scored) -> float | None:
    return one.chance
