"""Claims of the paper's text about its 17 open-source models, compared with the scores of a run."""

from collections.abc import Callable, Mapping, Sequence

from chronotope.families import CheckedStatement, Statement, Verdict, check_statements, points, said
from chronotope.io.packed import by_key, group
from chronotope.protocol import Scored, percent, strict

SOURCE = "section 5.1 of the paper (arXiv 2604.00913)"
NEAR_CHANCE = 53.0  # percent; the paper's limit for D1, whose chance is 50 %

_Asked = Mapping[tuple[str, str], Mapping[str, Scored]]  # strategy and task -> the questions by id


def statements(scored: Sequence[Scored]) -> list[CheckedStatement]:
    """Compare each claim of the paper with the scores of a run.

    Two strategies are compared on the questions that were asked with both. A claim has the result None if the run
    lacks the required scores.
    """
    cells = group(scored, lambda one: (one.strategy, one.question.task))
    asked = {cell: by_key(of, lambda one: one.question.id) for cell, of in cells.items()}
    return check_statements(STATEMENTS, asked, SOURCE)


def _accuracy(asked: Mapping[str, Scored]) -> float | None:
    return percent([strict(one) for one in asked.values()])


def _changes(task: str, strategy: str, rises: bool) -> Callable[[_Asked], Verdict]:
    """Return a function that decides about a strategy.

    The function tells whether the strategy raises the accuracy of a task over Visual, or lowers it.
    """

    def decide(asked: _Asked) -> Verdict:
        visual, other = asked.get(("visual", task), {}), asked.get((strategy, task), {})
        both = [name for name in visual if name in other]
        before, after = (percent([strict(of[name]) for name in both]) for of in (visual, other))
        if before is None or after is None:
            return None, f"needs questions of {task} with --strategy all"
        words = f"visual {said(before)}, {strategy} {said(after)}: {points(after - before)}"
        return (after > before if rises else after < before), f"{words} ({len(both)} questions)"

    return decide


def _near_chance(asked: _Asked) -> Verdict:
    accuracy = _accuracy(asked.get(("visual", "D1"), {}))
    if accuracy is None:
        return None, "needs questions of D1 with --strategy visual"
    return accuracy < NEAR_CHANCE, f"D1 {said(accuracy)} (chance 50 %)"


def _falls(asked: _Asked) -> Verdict:
    first, last = (_accuracy(asked.get(("visual", task), {})) for task in ("T1", "T4"))
    if first is None or last is None:
        return None, "needs questions of T1 and T4 with --strategy visual"
    return last < first, f"T1 {said(first)}, T4 {said(last)}: {points(last - first)}"


STATEMENTS: tuple[Statement[_Asked], ...] = (
    Statement("Descriptions beside the diagrams raise D2 (17 of 17 models).", _changes("D2", "visual_text", True)),
    Statement("Descriptions in place of the diagrams raise D2 (17 of 17 models).", _changes("D2", "text_only", True)),
    Statement("Descriptions beside the diagrams lower T1 (12 of 17 models).", _changes("T1", "visual_text", False)),
    Statement("D1 is below 53 %, near chance (11 of 17 models).", _near_chance),
    Statement("Naming the next step (T4) is harder than naming the shown one (T1; 17 of 17 models).", _falls),
)
