"""The command ``chronotope probe``."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

import chronotope.api as ct
from chronotope.api.vocabulary import QUESTIONS, ProbeSettings
from chronotope.cli.console import command, emit_json, note, out, progress_bar, table
from chronotope.cli.flags import body_fields, checked_fields, validated, variants_of, with_flags
from chronotope.cli.paths import existing
from chronotope.cli.service import Workers

if TYPE_CHECKING:
    from chronotope.api.probing import Probe

_ASK, _HOW, _WHERE = "What to ask", "What to measure", "Where to measure"
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

    Example: chronotope probe bench --model transformers/qwen --layer lens --on ray --workers 4 --out probe
    """
    opened = ct.open(existing(benchmark))
    placed = validated(Workers, {name: fields.pop(name) for name in Workers.model_fields}, "chronotope probe").placed
    options = checked_fields(ProbeSettings, fields, "chronotope probe") | placed
    options |= {"tasks": task or (), "variants": variants_of(variant), "limit": limit}
    with progress_bar(f"probing {layer}") as advance:
        probed = ct.probe(
            opened, model, layer, out_folder, set=body_fields(set_field or []), progress=advance, **options
        )
    if as_json:
        emit_json(_result(probed))
    else:
        _tell(probed)


def _result(probed: "Probe") -> dict[str, Any]:
    return {
        "folder": str(probed.folder),
        "measured": probed.measured,
        "kept": probed.kept,
        "tables": {name: probed.rows(name) for name in probed.tables},
        "figures": list(map(str, _figures(probed))),
    }


def _figures(probed: "Probe") -> list[Path]:
    return [probed.folder / one.path for one in probed.entry.figures]


def _tell(probed: "Probe") -> None:
    """Print the main table of a layer, and all paths.

    A warning comes first if there are too few clusters.
    """
    if not probed.tables:
        note("nothing can be compared: the questions show too few different clips or pictures", "yellow")
    if (words := probed.doubt) is not None:
        note(words, "yellow")
    for name, path in list(probed.tables.items())[:1]:
        rows = [row for row in probed.rows(name) if row.get("task", "all") == "all"]
        columns = [
            column for column in (rows[0] if rows else ()) if column not in ("task", "deviation", "note", "roles")
        ]
        last = max((row["depth"] for row in rows if "depth" in row), default=None)
        deepest = [row for row in rows if row.get("depth") == last][:_SHOWN]  # it is nearest to the answer
        shown = rows if len(rows) <= _SHOWN else deepest
        words = [place for place, column in enumerate(columns) if rows and isinstance(rows[0][column], str)]
        table(name, columns, [[_cell(row[column]) for column in columns] for row in shown], words=words, names=1)
        if len(shown) < len(rows):
            note(f"{len(rows) - len(shown)} more rows are in {path}", "dim")
    if probed.kept:
        note(f"{probed.kept} earlier measurements are kept", "dim")
    for path in (*probed.tables.values(), *_figures(probed)):
        out.print(str(path), markup=False)


def _cell(value: Any) -> str:
    if value is None:
        return "–"
    return f"{value:.3f}" if isinstance(value, float) else str(value)


probe_command = command(
    with_flags(_probe, {_HOW: ProbeSettings, _WHERE: Workers}),
    "the measurements so far are kept: run the same command again",
)
