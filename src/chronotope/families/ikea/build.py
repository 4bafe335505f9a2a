"""From a procedure to the questions of a benchmark: its diagrams made ready, then its questions."""

from collections.abc import Iterator
from dataclasses import replace

from chronotope.families import WriteContext, Written
from chronotope.families.ikea.diagrams import show_diagrams
from chronotope.families.ikea.refusal import MEANINGS, Code
from chronotope.families.ikea.write import write
from chronotope.recording import Procedure

__all__ = ["write_procedure"]


def write_procedure(procedure: Procedure, context: WriteContext) -> Written:
    """Put the diagrams that are shown into the context's folder and write all candidate questions about them.

    Raises InputError, naming the procedure, where a diagram cannot be read.
    """
    shown = show_diagrams(procedure, context, clean=context.options.clean)
    written = write(shown.procedure, replace(context, media={**context.media, **shown.media}))
    return replace(
        written,
        media=(*written.media, *shown.media.values()),
        descriptions=shown.descriptions,
        notes=(*written.notes, *_refused_windows(written)),
    )


def _refused_windows(written: Written) -> Iterator[str]:
    """What the diagrams alone lost: the one task that needs no video."""
    for code, count in written.refusals.get("D2", {}).items():
        yield f"D2 not asked of {count} windows of three steps: {MEANINGS[Code(code)]}"
