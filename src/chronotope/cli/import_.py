"""The command ``chronotope import``."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from chronotope.api.making import import_release
from chronotope.api.published import reference_of
from chronotope.api.vocabulary import families
from chronotope.cli.beside_paper import tell_counts
from chronotope.cli.console import PROBLEM, command, emit_json, note, out, progress_bar
from chronotope.errors import InputError

if TYPE_CHECKING:
    from chronotope.api.vocabulary import Imported

EXAMPLES = 3  # maximum number of rows that are listed for each defect
_FAMILIES = ", ".join(f"{name} ({one.title.partition(':')[0]})" for name, one in families().items() if one.release.read)


@command
def import_command(
    family: Annotated[str, typer.Argument(help=f"family of the released data: {_FAMILIES}")],
    out_folder: Annotated[Path, typer.Option("--out", help="the benchmark folder to make")],
    path: Annotated[
        str | None,
        typer.Argument(
            help="the released data: a folder, a .zip, .parquet, .jsonl, .json or .tsv file, or hf://OWNER/NAME (with "
            "@REVISION for a certain revision); archives are unpacked into the cache folder"
        ),
    ] = None,
    questions: Annotated[
        Path | None, typer.Option(help="the file of questions, instead of the folder of the released data")
    ] = None,
    clips: Annotated[
        Path | None,
        typer.Option(
            "--clips",
            "--videos",
            help="the folder of the clips, or its parent folder, if the folder of the released data has no clips",
        ),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="print the result as JSON")] = False,
) -> None:
    """Make a benchmark folder from the released data of a paper, and list every defect found in the data.

    Rows without a clip or without a correct option are omitted and listed, and the exit code is 1. Rows with any other
    defect are kept and marked.

    Example: chronotope import sti STI-Bench --out sti-bench

    Example: chronotope import m3 --questions questions.jsonl --videos videos --out m3-verse

    Example: chronotope import ikea hf://Ryenhails/ikea-bench --out ikea-bench
    """
    if (path is None) == (questions is None):
        raise InputError("import: expected either the path of the released data or --questions FILE")
    with progress_bar("importing") as advance:
        imported = import_release(family, path or questions or "", out_folder, clips=clips, progress=advance)
    if as_json:
        _emit(imported)
    else:
        _tell(imported)
    if imported.left_out:
        raise typer.Exit(PROBLEM)


def _emit(imported: "Imported") -> None:
    reference = reference_of(imported.benchmark)
    published = None if reference is None else reference.released
    emit_json(
        {
            "folder": str(imported.benchmark.folder),
            "card": imported.benchmark.card.model_dump(mode="json"),
            "notes": list(imported.notes),
            "counts": None if published is None else published.count(imported.benchmark.questions),
            "published": None if published is None else published.questions,
            "variants": None if published is None else published.count_variants(imported.benchmark.questions),
            "published_variants": None if published is None else published.variants,
            "left_out": imported.left_out,
            "findings": [
                {"code": one.code, "what": one.words, "left_out": one.left_out, "rows": list(one.rows)}
                for one in imported.findings
            ],
        }
    )


def _tell(imported: "Imported") -> None:
    """Print the result of an import.

    Remarks and defects go to standard error, and counts go to standard output.
    """
    for text in imported.notes:
        note(text, "dim")
    for one in imported.findings:
        more = f" and {len(one.rows) - EXAMPLES} more" if len(one.rows) > EXAMPLES else ""
        rows = f"{len(one.rows)} row{'s' if len(one.rows) > 1 else ''}: {', '.join(one.rows[:EXAMPLES])}{more}"
        note(f"{'left out' if one.left_out else 'kept, with a flag'}, {one.words}: {rows}", "yellow")
    card = imported.benchmark.card
    if (reference := reference_of(imported.benchmark)) is not None:
        same = tell_counts(imported.benchmark, reference.released)
        told = (
            "the same numbers of questions"
            if same
            else ("different numbers of questions, so runs of this set are not compared with published rows")
        )
        out.print(told, markup=False)
    out.print(f"{imported.benchmark.folder} is ready: {card.counts.questions} questions", markup=False)
