"""The command ``chronotope probe``."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from chronotope.cli.console import command, emit_json, note, out, progress_bar, table
from chronotope.cli.flags import body_fields, validated, with_flags
from chronotope.cli.paths import existing
from chronotope.evaluate.plan import Selection
from chronotope.families import family
from chronotope.probe.settings import QUESTIONS, ProbeSettings, most_questions
from chronotope.question import open_benchmark

if TYPE_CHECKING:
    from chronotope.probe import Probed

_ASK, _HOW = "What to ask", "What to measure"
_SHOWN = 24  # rows of a table in the terminal


def _probe(
    benchmark: Annotated[Path, typer.Argument(help="a benchmark folder")],
    model: Annotated[str, typer.Option(help="transformers/FOLDER or transformers/HUB-NAME, a model in this process")],
    layer: Annotated[
        str,
        typer.Option(
            help="representation: does the vision encoder see it? hidden: does the language model keep it? attention: "
            "does the answer use it? lens: which letter after each layer? patch: which layers and tokens carry a fact?"
        ),
    ],
    out_folder: Annotated[Path, typer.Option("--out", help="the folder of the probe; it can have several layers")],
    task: Annotated[list[str] | None, typer.Option(help="only this task; repeatable", rich_help_panel=_ASK)] = None,
    variant: Annotated[
        str, typer.Option(help="all, or one or more of base, none_distractor, none_answer, open", rich_help_panel=_ASK)
    ] = "base",
    limit: Annotated[
        int | None,
        typer.Option(
            min=1,
            help=f"maximum number of questions, balanced over clips, products or scenes (default: {QUESTIONS}; "
            "representation and patch: all)",
            rich_help_panel=_ASK,
        ),
    ] = None,
    set_field: Annotated[
        list[str] | None,
        typer.Option("--set", help="key=value: a setting of the model, such as device=cuda; can be repeated"),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="print the result as JSON")] = False,
    **fields: Any,
) -> None:
    """Measure where an open model loses information. Tables and figures go to the folder; the report shows them.

    Example: chronotope probe bench --model transformers/qwen --layer representation --out probe

    Example: chronotope probe bench --model transformers/qwen --layer attention --at 0,7,15 --out probe

    Example: chronotope probe bench --model transformers/qwen --layer hidden --condition input=blind --out probe
    """
    from chronotope.probe import ProbeRequest, probe

    opened = open_benchmark(existing(benchmark))
    settings = validated(ProbeSettings, fields, "chronotope probe")
    variants = () if variant == "all" else tuple(one.strip() for one in variant.split(","))
    selection = Selection(tuple(task or ()), most_questions(layer, limit), variants)
    with progress_bar(f"probing {layer}") as advance:
        request = ProbeRequest(
            opened, family(opened.card.family), model, layer, out_folder, settings, selection,
            body_fields(set_field or []), advance,
        )  # fmt: skip
        probed = probe(request)
    if as_json:
        emit_json(_result(probed))
    else:
        _tell(probed, layer, opened.card.family)


def _result(probed: "Probed") -> dict[str, Any]:
    from chronotope.probe import read_table

    return {
        "folder": str(probed.folder),
        "measured": probed.measured,
        "kept": probed.kept,
        "tables": {name: read_table(probed.folder, path) for name, path in probed.entry.tables.items()},
        "figures": [str(probed.folder / one.path) for one in probed.entry.figures],
    }


def _tell(probed: "Probed", layer: str, named: str) -> None:
    """Print the main table of a layer, and all paths.

    A warning comes first if there are too few clusters.
    """
    from chronotope.probe import read_table
    from chronotope.probe.reading import too_few

    if not probed.entry.tables:
        note("nothing can be compared: the questions show too few different clips or pictures", "yellow")
    every = [row for path in probed.entry.tables.values() for row in read_table(probed.folder, path)]
    if (words := too_few(layer, every, family(named).cluster)) is not None:
        note(words, "yellow")
    for name, path in list(probed.entry.tables.items())[:1]:
        rows = [row for row in read_table(probed.folder, path) if row.get("task", "all") == "all"]
        columns = [
            column for column in (rows[0] if rows else ()) if column not in ("task", "deviation", "note", "roles")
        ]
        last = max((row["depth"] for row in rows if "depth" in row), default=None)
        deepest = [row for row in rows if row.get("depth") == last][:_SHOWN]  # it is nearest to the answer
        shown = rows if len(rows) <= _SHOWN else deepest
        words = [place for place, column in enumerate(columns) if rows and isinstance(rows[0][column], str)]
        table(name, columns, [[_cell(row[column]) for column in columns] for row in shown], words=words, names=1)
        if len(shown) < len(rows):
            note(f"{len(rows) - len(shown)} more rows are in {probed.folder / path}", "dim")
    if probed.kept:
        note(f"{probed.kept} earlier measurements are kept", "dim")
    for path in (*probed.entry.tables.values(), *(one.path for one in probed.entry.figures)):
        out.print(str(probed.folder / path), markup=False)


def _cell(value: Any) -> str:
    if value is None:
        return "–"
    return f"{value:.3f}" if isinstance(value, float) else str(value)


probe_command = command(
    with_flags(_probe, {_HOW: ProbeSettings}), "the measurements so far are kept: run the same command again"
)
