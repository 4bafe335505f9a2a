"""The values of a probe beside the published tables of its layers."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from chronotope.families import PublishedTable, family
from chronotope.probe.folder import ProbeManifest
from chronotope.probe.reading import PAPER_SPLIT
from chronotope.view.words import UNKNOWN

Rows = Sequence[Mapping[str, Any]]
Tables = Mapping[str, Rows]  # the tables of one layer

ALL = "all"  # the task of rows that have the questions of all tasks
NO_MEDIUM = ("text", "template")  # modalities that are no pictures
OVER_LAYERS = -1  # in the column ``layer``: the mean over layers
_PAIR = "diagram and video"
_BESIDE = "probe-"  # ``beside`` of a published table names the layer of a probe with this prefix


@dataclass(frozen=True)
class ProbeTable:
    """A table of a paper with the values of this probe, which are the last rows.

    ``own`` has the names and the cells of the rows of the probe.
    """

    source: str
    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, tuple[str, ...]], ...]
    own: tuple[tuple[str, tuple[str, ...]], ...]
    notes: tuple[str, ...]


@dataclass(frozen=True)
class _Own:
    """The rows of the probe for one published table, and a sentence that says what they measure."""

    rows: Mapping[str, Mapping[str, float]]
    words: str


def beside_published(manifest: ProbeManifest, tables: Mapping[str, Tables]) -> tuple[ProbeTable, ...]:
    """Return the published tables of the layers, with this probe."""
    read = family(manifest.family).paper.reference
    found: list[ProbeTable] = []
    for table in read().tables if read is not None else ():
        layer = (table.beside or "").removeprefix(_BESIDE)
        if table.beside == f"{_BESIDE}{layer}" and layer in tables:
            found.append(_against(table, _OWN[layer](manifest.model, tables[layer], table.task)))
    return tuple(found)


def _against(table: PublishedTable, own: _Own) -> ProbeTable:
    def cell(value: Any, decimals: int | None) -> str:
        return UNKNOWN if value is None else f"{value:.{table.decimals if decimals is None else decimals}f}"

    return ProbeTable(
        source=table.source,
        title=table.title,
        columns=tuple(column.name for column in table.columns),
        rows=tuple(
            (row.model, tuple(cell(one, of.decimals) for one, of in zip(row.values, table.columns, strict=True)))
            for row in table.rows
        ),
        own=tuple(
            (name, tuple(cell(values.get(of.name), of.decimals) for of in table.columns))
            for name, values in own.rows.items()
        ),
        notes=(*table.notes, own.words),
    )


def _own_representation(model: str, tables: Tables, task: str | None) -> _Own:
    """Return the values of the paper's measures, and their chance."""
    rows, words = _of_task(tables["measures"], task)
    # Of several pairs of media, the paper has one; the linear probe is measured once.
    several = len({row.get("roles") for row in rows if row["measure"] == "CKA"}) > 1
    fitting = [row for row in rows if not several or row["roles"] == _PAIR or row["measure"] == PAPER_SPLIT]
    at = {(row["level"], row["measure"]): row for row in fitting}
    named = {
        "CKA, ViT": ("vision", "CKA", 1), "CKA, merger": ("projector", "CKA", 1),
        "probe, ViT (%)": ("vision", PAPER_SPLIT, 100),
        "probe, merger (%)": ("projector", PAPER_SPLIT, 100),
        "R@1 (%)": ("projector", "R@1", 100), "R@10 (%)": ("projector", "R@10", 100),
    }  # fmt: skip
    own: dict[str, dict[str, float]] = {model: {}, f"{model}: chance": {}}
    for column, (level, measure, scale) in named.items():
        if (row := at.get((level, measure))) is not None:
            own[model][column] = scale * row["value"]
            if row["chance"] is not None:
                own[f"{model}: chance"][column] = scale * row["chance"]
    pairs = at.get(("vision", "CKA"))
    if pairs is not None:
        words = f"{words} CKA has {pairs['items']} pairs of {_products(pairs['clusters'])}."
    return _Own(own, words)


def _own_hidden(model: str, tables: Tables, task: str | None) -> _Own:
    """Return the relative changes of the diagrams' influence on the deepest state."""
    rows, words = _of_task(tables.get("published-changes", ()), task)
    rows = [row for row in rows if row["modality"] == "diagram"]
    last = max((row["depth"] for row in rows), default=0)
    own = {
        f"{model}: {row['from']} to {row['to']}": {"change": 100 * row["difference"] / row["first"]}
        for row in rows
        if row["depth"] == last and row["first"]
    }
    return _Own(own, f"{words} {_TOKENS}{_size(rows, 'items')}")


def _own_attention(model: str, tables: Tables, task: str | None) -> _Own:
    """Return the mean shares in percent, and their relative changes."""
    means, words = _of_task(tables.get("published-means", ()), task)
    own: dict[str, dict[str, float]] = {}
    for row in means:
        if row["layer"] == OVER_LAYERS:
            own.setdefault(f"{model}: {row['condition']}", {})[row["name"]] = 100 * row["mean"]
    for row in _of_task(tables.get("published-changes", ()), task)[0]:
        if row["layer"] == OVER_LAYERS and row["first"]:
            of = own.setdefault(f"{model}: relative change to {row['to']}", {})
            of[row["name"]] = 100 * row["difference"] / row["first"]
    return _Own(own, f"{words} {_TOKENS}{_size([row for row in means if row['name'] == 'diagram'], 'questions')}")


_OWN: Mapping[str, Callable[[str, Tables, str | None], _Own]] = {
    "representation": _own_representation, "hidden": _own_hidden, "attention": _own_attention
}  # fmt: skip
_TOKENS = (
    "They count tokens as the authors do: the two marks around a picture belong to the picture (Qwen), and every other "
    "token is text."
)


def _of_task(rows: Rows, task: str | None) -> tuple[Rows, str]:
    """Return the rows of the task that the paper measured.

    A sentence names the task.

    If this task was not measured, the rows of all tasks are returned.
    """
    there = [name for name in dict.fromkeys(row["task"] for row in rows) if name != ALL]
    if task is not None and task in there:
        return [row for row in rows if row["task"] == task], f"The rows of this probe are of {task}, as in the paper."
    of_all = [row for row in rows if row["task"] == ALL]
    if task is None:
        return of_all, "The rows of this probe are of all tasks that were measured."
    names = ", ".join(there) or "unknown tasks"
    return (
        of_all,
        f"The rows of this probe are of {names}, and not of {task}: measure it with --task {task} --limit 100.",
    )


def _size(rows: Rows, questions: str) -> str:
    """Say how many questions and products the rows have."""
    if not rows:
        return ""
    most = max(rows, key=lambda row: row[questions])
    return f" They have {most[questions]} questions of {_products(most['clusters'])}."


def _products(count: int) -> str:
    return f"{count} product{'s' if count != 1 else ''}"
