"""The writer of IKEA-Bench: makes questions from a procedure and its takes.

`write` makes all candidate questions about one procedure. `select` then chooses the questions that a benchmark keeps.
"""

from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any

from chronotope.errors import InputError
from chronotope.families import Refused, WriteContext, Written
from chronotope.families.ikea.refusal import Code
from chronotope.families.ikea.tasks import MISTAKE_TASKS
from chronotope.families.ikea.write.binary import claims, matching, pairs, verification
from chronotope.families.ikea.write.choice import next_step, progress, recognition, stretches
from chronotope.families.ikea.write.item import Flag, Item, question_of
from chronotope.families.ikea.write.manual import Manual, manual_of
from chronotope.families.ikea.write.mistakes import checks, done_as_drawn, slips, what_to_undo, which_mistake
from chronotope.families.ikea.write.ordering import ordering, windows
from chronotope.families.ikea.write.select import select
from chronotope.question import Question, RefusalCode
from chronotope.recording.procedure import Procedure

__all__ = ["Flag", "select", "write"]

_WRITERS: dict[str, tuple[Callable[[Manual], Sequence[Any]], Callable[[Manual, Any], Item]]] = {
    "T1": (stretches, recognition),
    "T2": (claims, verification),
    "T3": (stretches, progress),
    "T4": (stretches, next_step),
    "D1": (pairs, matching),
    "D2": (windows, ordering),
    "E1": (checks, done_as_drawn),
    "E2": (slips, which_mistake),
    "E3": (slips, what_to_undo),
}


def write(procedure: Procedure, context: WriteContext) -> Written:
    """Write all candidate questions about a procedure.

    The result also has the number of refused candidates: {task: {code: number}}. ``context.media`` maps each clip and
    each diagram to its path inside the benchmark. The profile ``strict`` uses the ``diagram`` of a step, the profile
    ``paper`` uses its ``published_diagram``; ``extended`` is ``strict`` with three more tasks, about mistakes. The
    files of the diagrams are read. Rules about the whole benchmark are applied later by ``select``.

    Raises:
        InputError: If a task needs the profile ``extended``, or a diagram cannot be read as a picture.
    """
    wanted = context.options.wanted(extended=context.profile == "extended")
    if context.profile != "extended" and (others := [task for task in wanted if task in MISTAKE_TASKS]):
        raise InputError(
            f"--tasks {others[0]}: only --profile extended has questions about mistakes: choose it, or leave out this "
            "task"
        )
    manual = manual_of(procedure, context)
    questions: list[Question] = []
    refusals: dict[str, dict[str, int]] = {}
    for task in wanted:
        candidates, item = _WRITERS[task]
        counts: Counter[RefusalCode] = Counter()
        if manual.unseen and task not in ("D1", "D2", *MISTAKE_TASKS):
            counts[Code.NO_CLIP] = manual.unseen
        for candidate in candidates(manual):
            try:
                questions.append(question_of(manual, item(manual, candidate)))
            except Refused as refused:
                counts[refused.code] += 1
        refusals[task] = {code.value: n for code, n in sorted(counts.items())}
    return Written(tuple(questions), refusals)
