"""``chronotope import``."""

from pathlib import Path
from typing import Annotated, Any

import typer

from chronotope.cli.console import PROBLEM, command, emit_json, note, out, progress_bar, table
from chronotope.families import ReleasedSet
from chronotope.make import Imported, import_release

__all__ = ["import_command"]

EXAMPLES = 3  # rows named of each defect


@command
def import_command(
    family: Annotated[str, typer.Argument(help="whose released data it is, such as sti")],
    path: Annotated[Path, typer.Argument(help="the release's folder, or its .parquet, .jsonl or .json file")],
    out_folder: Annotated[Path, typer.Option("--out", help="the benchmark folder to make")],
    clips: Annotated[
        Path | None, typer.Option(help="where the clips are, if neither beside the file nor in video, videos or clips")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="print the outcome as JSON")] = False,
) -> None:
    """Make a benchmark folder of the data that a paper's authors released, and name every defect found in it.

    Rows that cannot be asked as released, for want of their clip or of a right option, are left out and named, and the
    exit code is 1; every other defect stays, with a flag.

    Example: chronotope import sti STI-Bench --out sti-bench
    """
    with progress_bar("measuring clips") as advance:
        imported = import_release(family, path, out_folder, clips, advance)
    if as_json:
        _emit(imported)
    else:
        _tell(imported)
    if imported.left_out:
        raise typer.Exit(PROBLEM)


def _emit(imported: Imported) -> None:
    published = imported.family.reference().released if imported.family.reference is not None else None
    emit_json(
        {
            "folder": str(imported.benchmark.folder),
            "card": imported.benchmark.card.model_dump(mode="json"),
            "notes": list(imported.notes),
            "counts": None if published is None else published.count(imported.benchmark.questions),
            "published": None if published is None else published.questions,
            "left_out": imported.left_out,
            "findings": [
                {"code": one.code, "what": one.words, "left_out": one.left_out, "rows": list(one.rows)}
                for one in imported.findings
            ],
        }
    )


def _tell(imported: Imported) -> None:
    """Remarks and defects to the terminal, the counts to standard output."""
    for text in imported.notes:
        note(text, "dim")
    for one in imported.findings:
        more = f" and {len(one.rows) - EXAMPLES} more" if len(one.rows) > EXAMPLES else ""
        rows = f"{len(one.rows)} row{'s' if len(one.rows) > 1 else ''}: {', '.join(one.rows[:EXAMPLES])}{more}"
        note(f"{'left out' if one.left_out else 'kept, with a flag'}, {one.words}: {rows}", "yellow")
    card = imported.benchmark.card
    if imported.family.reference is not None:
        _compare(imported, imported.family.reference().released)
    out.print(f"{imported.benchmark.folder} is ready: {card.counts.questions} questions", markup=False)


def _compare(imported: Imported, published: ReleasedSet) -> None:
    """How many questions there are of each task, by scene, next to the paper's."""
    counts = published.count(imported.benchmark.questions)
    values = list(dict.fromkeys(value for of in (*published.questions.values(), *counts.values()) for value in of))
    rows: list[list[Any]] = []
    for task, here in counts.items():
        paper = published.questions.get(task, {})
        pairs = [(here.get(value, 0), paper.get(value, 0)) for value in values]
        rows.append([task, *(pair for both in [*pairs, _added(pairs)] for pair in both)])
    sums = ["all", *(sum(column) for column in zip(*(row[1:] for row in rows), strict=True))]
    columns = [name for value in [*(value or "unknown" for value in values), "all"] for name in (value, "paper")]
    total, clips = imported.benchmark.card.counts.questions, imported.benchmark.card.counts.clips
    cells = sum(n > 0 for of in counts.values() for n in of.values())
    all_cells = len(published.questions) * len(next(iter(published.questions.values())))
    populated = sum(n > 0 for of in published.questions.values() for n in of.values())
    table(
        f"{imported.benchmark.card.name}: questions here and in the paper",
        ["task", *columns],
        [[str(cell) for cell in row] for row in [*rows, sums]],
    )
    same = counts == published.questions
    out.print(
        f"{total:,} questions on {clips} clips in {cells} cells; the paper has {published.total:,} on "
        f"{published.clips} clips in {populated} of {all_cells}: "
        f"{'the same numbers of questions' if same else 'not the same, so runs of it are not compared with its rows'}",
        markup=False,
    )


def _added(pairs: list[tuple[int, int]]) -> tuple[int, int]:
    return sum(here for here, _ in pairs), sum(paper for _, paper in pairs)
