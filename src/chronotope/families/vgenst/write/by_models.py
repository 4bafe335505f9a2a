"""Questions that agents have written about a scene: they stand beside its recording, and follow those of the cells."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from chronotope.errors import InputError
from chronotope.families.vgenst.write.authorship import UNVALIDATED, about
from chronotope.io import read_json
from chronotope.io.fields import first_fault
from chronotope.question import NEEDS_OPTIONS, MediaItem, Question
from chronotope.world.kinds.stage.graph import SceneGraph

QUESTIONS = "questions.json"
"""The file of the drafted works beside a recording."""

MODEL_WRITTEN = "model_written"
"""The flag of questions whose answer comes from a model, and not from the script of the scene."""


def model_questions(
    path: Path, graph: SceneGraph, name: str, seed: int, media: tuple[MediaItem, ...]
) -> Iterator[Question]:
    """Yield the questions of a file of drafted works; none if there is no such file.

    Code draws the order of their options. Works that no judge accepted have the flag ``unvalidated``.

    Raises:
        InputError: If the file cannot be read.
    """
    from chronotope.families.vgenst.agents import Draft
    from chronotope.families.vgenst.agents.questions import Written, placed

    if not path.is_file():
        return
    try:
        drafts = [Draft.model_validate(work) for work in _works(path)]
        works = [(draft, Written.model_validate(draft.value)) for draft in drafts]
    except ValidationError as error:
        raise InputError(f"{path}: {first_fault(error)}: draft the questions again") from None
    for draft, written in works:
        for place, asked in enumerate(written.questions, 1):
            suffix = f"-model-{place}"
            options, answer = placed(asked, seed, f"{name}-{draft.part.lower()}{suffix}")
            yield about(
                graph,
                name,
                draft.part,
                asked.question,
                options,
                answer,
                media,
                template="model",
                flags=[NEEDS_OPTIONS, MODEL_WRITTEN, *([] if draft.validated else [UNVALIDATED])],
                provenance={"written_by": draft.models.get("qa_generator", "model")},
                suffix=suffix,
            )


def _works(path: Path) -> list[Any]:
    read = read_json(path)
    if not isinstance(read, list):
        raise InputError(f"{path}: is not a list of drafted works: draft the questions again")
    return list(read)
