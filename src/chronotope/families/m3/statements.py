"""What the paper's tables show about its 16 models, compared with the scores of a run.

Each statement is counted from the published tables. Findings that need several runs, such as the effect of a model's
size or of the number of frames, are not here.
"""

from collections.abc import Sequence

from chronotope.families import CheckedStatement, Statement, above, check_statements, columns_of, extreme
from chronotope.families.m3.tables import HALLUCINATION, tables
from chronotope.families.m3.tasks import CAPABILITIES
from chronotope.protocol import Scored

__all__ = ["STATEMENTS", "statements"]

SOURCE = "counted from Tables 2 and 3 of the paper (arXiv 2512.18735)"
CHANCE = "chance"
_INTRA, _INTER = ([f"{state} {capability}" for capability in CAPABILITIES] for state in ("Intra", "Inter"))

STATEMENTS = (
    Statement("The score is above that of random guesses (15 of 16 models).", above("Overall", CHANCE)),
    Statement("Questions about both videos score higher than about one (14 of 16).", above("Inter avg", "Intra avg")),
    Statement(
        "With one video, attribute is the strongest capability (11 of 16).", extreme("Intra attribute", _INTRA, True)
    ),
    Statement(
        "With one video, reasoning is the weakest capability (16 of 16).", extreme("Intra reasoning", _INTRA, False)
    ),
    Statement(
        "With both videos, attribute is the strongest capability (9 of 16).", extreme("Inter attribute", _INTER, True)
    ),
    Statement("Questions about missing things score lower than others (12 of 16).", above("Fac", "Hall")),
)


def statements(scored: Sequence[Scored]) -> list[CheckedStatement]:
    """Compare each statement with the scores of a run.

    Only base questions count. A statement has the result None if the run lacks the required scores.
    """
    base = [one for one in scored if one.question.variant == "base"]
    made = {table.key: table for table in tables(base)}
    cells = columns_of(made["by-state"]) | columns_of(made[HALLUCINATION])
    cells[CHANCE] = columns_of(made["chance-by-state"])["Overall"]
    return check_statements(STATEMENTS, cells, SOURCE)
