"""Print the figures of studies with people."""

from typing import TYPE_CHECKING, Any

from chronotope.cli.console import note, table

if TYPE_CHECKING:
    from chronotope.api.vocabulary import KindFigures, StageFigures

_SHOWN = 10  # undecided items


def tell_figures(one: "StageFigures | KindFigures") -> None:
    """Print the figures of a stage, or of a study of another kind."""
    if not hasattr(one, "tables"):
        _tell_stage(one)  # type: ignore[arg-type]
        return
    for of in one.tables:  # type: ignore[union-attr]
        for words in of.notes:
            note(words, "dim")
        table(of.title, list(of.columns), [list(row) for row in of.rows])


def _tell_stage(stage: "StageFigures") -> None:
    rows = [("all", stage.overall), *(stage.tasks.items() if len(stage.tasks) > 1 else ())]
    columns = ["task", "items", "retained, %", "raw agreement, %", "split", "Cohen's kappa", "Fleiss' kappa"]
    cells = [
        [
            name,
            str(of.items),
            _percent(of.retention),
            _percent(of.raw),
            str(of.split),
            _kappa(of.cohen),
            _kappa(of.fleiss),
        ]
        for name, of in rows
    ]
    table(f"Stage {stage.name}", columns, cells)
    people = [
        [
            one.name,
            str(one.decided),
            str(one.rejected),
            _seconds(one.seconds),
            f"{one.as_key} of {one.answered}" if one.answered else "–",
        ]
        for one in stage.reviewers
    ]
    columns = ["reviewer", "decided", "rejected", "median time, s", "answered as the key"]
    table(f"Reviewers of stage {stage.name}", columns, people)
    if stage.against_key:
        rows_ = [list(row) for row in stage.against_key]
        table("Answered otherwise than the key", ["question", "answers", "key", "state"], rows_)
    if stage.waiting or stage.splits:
        note(f"{stage.waiting} items lack a verdict, and {stage.splits} splits wait for a decision", "yellow")
        for item, why in [*stage.undecided.items()][:_SHOWN]:
            note(f"  {item}: {why}", "dim")
        if len(stage.undecided) > _SHOWN:
            note(f"  and {len(stage.undecided) - _SHOWN} more, which --json and --out list", "dim")


def _percent(value: float | None) -> str:
    return "–" if value is None else f"{100 * value:.1f}"


def _seconds(value: float | None) -> str:
    return "–" if value is None else f"{value:.1f}"


def _kappa(of: Any) -> str:
    if of.value is None:
        return "–"
    return f"{of.value:.2f}" if of.low is None else f"{of.value:.2f} ({of.low:.2f} to {of.high:.2f})"
