"""The command ``chronotope audit``."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from chronotope.api.auditing import audit
from chronotope.cli.console import command, emit_json, note, out, progress_bar
from chronotope.cli.paths import existing

if TYPE_CHECKING:
    from chronotope.api.vocabulary import Audit, Verdict

_STYLES: "dict[Verdict, str]" = {
    "defect": "red",
    "slight": "yellow",
    "undecided": "magenta",
    "pass": "green",
    "not tested": "dim",
}


@command
def audit_command(
    benchmark: Annotated[Path, typer.Argument(help="a benchmark folder", metavar="DIR")],
    page: Annotated[Path | None, typer.Option("--out", help="write a page about the findings into this folder")] = None,
    fix: Annotated[
        Path | None, typer.Option("--fix", help="write a version of the benchmark without the defects into this folder")
    ] = None,
    runs: Annotated[
        list[Path] | None,
        typer.Option("--run", help="a run on this benchmark, such as one with --input blind; repeat it for more"),
    ] = None,
    gate: Annotated[bool, typer.Option("--gate", help="exit with 1 if there is a defect")] = False,
    clips: Annotated[bool, typer.Option(help="decode three pictures of each clip to find similar clips")] = True,
    seed: Annotated[int, typer.Option(help="for the divisions of the classifier, and for shuffled options")] = 0,
    as_json: Annotated[bool, typer.Option("--json", help="print the findings as JSON")] = False,
) -> None:
    """Check what a benchmark reveals without its videos: cues, usual answers, leaks, duplicates. No model is asked.

    Of 100 benchmarks with randomly drawn answers, on average at most 5 get a finding of the tested rules. A check is
    undecided if the benchmark is too small for it; it then says how many clips it needs. With --gate, a defect ends the
    command with exit code 1; an undecided check does not, but is named.

    --fix shuffles options if their positions reveal answers, and leaves out as few questions as possible.

    Example: chronotope audit bench --out audit

    Example: chronotope audit bench --run runs/blind --run runs/full

    Example: chronotope audit bench --gate --json

    Example: chronotope audit bench --fix bench-fixed
    """
    with progress_bar("auditing") as advance:
        found = audit(existing(benchmark), out=page, fix=fix, clips=clips, seed=seed, runs=runs or (), progress=advance)
    if as_json:
        emit_json(found.as_json())
    else:
        for one in found.in_order():
            out.print(f"{one.verdict:10}", style=_STYLES[one.verdict], end=" ")
            out.print(f"{one.title}: {one.said}", markup=False)
            if one.advice:
                out.print(f"{'':10} {one.advice}", style="dim", markup=False)
        for text in found.notes:
            note(text, "dim")
        for verdict, meaning in found.meanings().items():
            note(f"{verdict}: {meaning}", "dim")
        out.print(_total(found), markup=False)
        for text in () if found.fixed is None else (f"{fix} is ready.", *found.fixed.said):
            out.print(text, markup=False)
    if gate and found.undecided:
        names = ", ".join(one.title for one in found.undecided)
        note(f"--gate lets pass what is undecided, because the benchmark is too small: {names}", "dim")
    if gate and found.defects:
        raise typer.Exit(1)


def _total(found: "Audit") -> str:
    """Count the verdicts."""
    counts = [(verdict, len(found.having(verdict))) for verdict in _STYLES if verdict not in ("defect", "undecided")]
    told = ", ".join(f"{count} {'passed' if verdict == 'pass' else verdict}" for verdict, count in counts)
    about = f"{found.clusters:,} {found.cluster}{'' if found.clusters == 1 else 's'}"
    return f"{found.heading()} ({told}; {found.questions:,} questions about {about})"
