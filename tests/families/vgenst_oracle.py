"""A second opinion about VGenST-Bench: reads a question as text, and answers it by running the scene's script again.

It knows nothing of the writer but the wordings of its stems, and nothing of the ground truth of a graph.
"""

import vgenst_oracle_people
import vgenst_oracle_roads
import vgenst_oracle_tables
import vgenst_oracle_ways
from vgenst_oracle_cases import ORACLES, case_of

from chronotope.question import Question
from chronotope.world.kinds.stage.graph import SceneGraph

PARTS = (vgenst_oracle_people, vgenst_oracle_roads, vgenst_oracle_tables, vgenst_oracle_ways)


def right_options(graph: SceneGraph, question: Question) -> list[int]:
    """Return the numbers of all options that are true in the scene of a graph."""
    template, case = case_of(graph, question)
    claim = ORACLES[template](case)
    if isinstance(claim, str):
        claim = [claim]
    if not callable(claim):
        claim = {text.casefold() for text in claim}.__contains__
    return [number for number, text in enumerate(case.options) if claim(text)]


def disagreement(graph: SceneGraph, question: Question) -> str:
    """Say how the marked option of a question differs from what is true, or return ""."""
    found = right_options(graph, question)
    if found == list(question.answer):
        return ""
    texts = [option.text for option in question.options]
    [template] = question.tags["template"]
    return f"{template}: {question.stem} {texts}: marked {question.answer}, true {found}"
