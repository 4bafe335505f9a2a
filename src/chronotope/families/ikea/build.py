"""Preparation of a procedure's diagrams, and writing of questions about the procedure."""

from collections.abc import Iterator
from dataclasses import replace

from chronotope.families import WriteContext, Written
from chronotope.families.ikea.descriptions import Cleaned, clean_descriptions
from chronotope.families.ikea.diagrams import show_diagrams
from chronotope.families.ikea.refusal import Code
from chronotope.families.ikea.write import write
from chronotope.recording import Procedure


def write_procedure(procedure: Procedure, context: WriteContext) -> Written:
    """Write all candidate questions about a procedure.

    The diagrams of the procedure are copied into ``context.folder``.

    Raises:
        InputError: If a diagram cannot be read. The message names the file.
    """
    shown = show_diagrams(procedure, context, clean=context.options.clean)
    written = write(shown.procedure, replace(context, media={**context.media, **shown.media}))
    cleaned = clean_descriptions(shown.descriptions, context.profile)
    return replace(
        written,
        media=(*written.media, *shown.media.values()),
        descriptions=cleaned.descriptions,
        notes=(*written.notes, *_refused_windows(written), *_order_told(cleaned)),
    )


def _order_told(cleaned: Cleaned) -> Iterator[str]:
    """Yield notes about descriptions that revealed the order of the steps."""
    if cleaned.rewritten:
        yield f"{cleaned.rewritten} texts revealed the order of the steps and were rewritten (the originals are kept)"
    for leak in cleaned.left:
        yield f"{leak.image}, {leak.dimension}: {leak.words!r} may reveal the order of the steps: reword it"


def _refused_windows(written: Written) -> Iterator[str]:
    """Yield notes about the steps for which questions of D2 were refused."""
    for code, count in written.refusals.get("D2", {}).items():
        yield f"D2: {count} sequences of three steps were refused: {Code(code).meaning}"
