"""What the paper's tables show about its ten models, compared with the scores of a run.

Each statement is counted from the published tables of accuracy by task and by scene.
"""

from collections.abc import Sequence

from chronotope.families import CheckedStatement, Statement, above, check_statements, columns_of, extreme
from chronotope.families.sti.protocol import STIProtocol
from chronotope.families.sti.tasks import SCENES, TASKS
from chronotope.io.packed import select
from chronotope.protocol import Scored

SOURCE = "counted from Tables 2 and 3 of the paper (arXiv 2503.23765)"

STATEMENTS = (
    Statement("Outdoor scenes score higher than indoor scenes (10 of 10 models).", above("Outdoor", "Indoor")),
    Statement("Desktop scenes score lowest (9 of 10).", extreme("Desktop", SCENES, False)),
    Statement("Pose Estimation is the easiest task (6 of 10).", extreme("Pose Estimation", TASKS, True)),
    Statement(
        "Displacement & Path Length is the hardest task (6 of 10).",
        extreme("Displacement & Path Length", TASKS, False),
    ),
    Statement(
        "Spatial Relation scores higher than Dimensional Measurement (10 of 10).",
        above("Spatial Relation", "Dimensional Measurement"),
    ),
    Statement(
        "Spatial Relation scores higher than 3D Video Grounding (10 of 10).",
        above("Spatial Relation", "3D Video Grounding"),
    ),
)


def statements(scored: Sequence[Scored]) -> list[CheckedStatement]:
    """Compare each statement with the scores of a run.

    Only base questions count. A statement has the result None if the run lacks the required scores.
    """
    base = select(scored, lambda one: one.question.variant == "base")
    made = {table.key: table for table in STIProtocol().tables(base)}
    return check_statements(STATEMENTS, columns_of(made["by-scene"]) | columns_of(made["by-task"]), SOURCE)
