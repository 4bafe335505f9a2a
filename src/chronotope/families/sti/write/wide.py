"""The rule that half of the sizes and distances of a clip have wide spacings.

People can tell the options of wide spacings apart.

Sizes of things with one name vary little, and so do distances in one kind of room; therefore few of them fit wide
spacings. Without this rule, most answers about dimensions would differ by less than anybody can see.
"""

from collections import Counter
from collections.abc import Sequence

from chronotope.families.sti.refusal import Code
from chronotope.question import Question, item_generator

LEAST_WIDE = 1.2  # least ratio of neighbouring options that people can tell apart
TASK = "Dimensional Measurement"


def half_wide(questions: Sequence[Question], seed: int) -> tuple[tuple[Question, ...], dict[str, dict[str, int]]]:
    """Leave out the surplus of questions with narrow spacings.

    In the result, at most as many questions have narrow spacings as have wide spacings. Questions with the narrowest
    spacings are left out first; a random number chooses among equally narrow ones. The choice depends on the spacings
    only, so it reveals no answer. Returns the remaining questions in their order, and the refusals as {kind: {code:
    count}}.
    """
    ratios = {question.id: float(question.tags["spacing"][0]) for question in questions if question.task == TASK}
    narrow = [name for name, ratio in ratios.items() if ratio < LEAST_WIDE]
    surplus = max(0, 2 * len(narrow) - len(ratios))
    narrow.sort(key=lambda name: (ratios[name], item_generator(seed, "sti", name, "narrow").random()))
    left_out = frozenset(narrow[:surplus])
    counts = Counter(question.tags["variant"][0] for question in questions if question.id in left_out)
    kept = tuple(question for question in questions if question.id not in left_out)
    return kept, {kind: {Code.TOO_MANY_NARROW.value: count} for kind, count in counts.items()}
