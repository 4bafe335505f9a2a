"""The distribution of the questions of a set, with the shares that the paper prints."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from chronotope.families import Share
from chronotope.families.m3.subtasks import SUBTASKS
from chronotope.families.m3.tasks import CAPABILITIES, INTER, INTRA, PUBLISHED_INTER, PUBLISHED_SHARE, TASKS
from chronotope.question import Question

# In percent of all questions. The share of hallucinations is printed. The shares by state are not printed; they follow
# from Table 2, whose overall scores are means of the scores by state, weighted by these shares.
_PAPER = {
    ("state", INTRA): round(100 * (1 - PUBLISHED_INTER), 2),
    ("state", INTER): round(100 * PUBLISHED_INTER, 2),
    ("hallucination", "yes"): round(100 * PUBLISHED_SHARE, 2),
    ("hallucination", "no"): round(100 * (1 - PUBLISHED_SHARE), 2),
}
_BY_STATE, _BY_CATEGORY = "capability, {}", "hallucination, by category"
# Groups whose shares stand in a figure of the paper, which prints no numbers.
_FIGURES = {
    "options": "Figure 8",
    **{_BY_STATE.format(state): "Figures 3b, 9" for state in (INTRA, INTER)},
    _BY_CATEGORY: "Figure 10",
}


def composition(questions: Sequence[Question]) -> tuple[Share, ...]:
    """Count base questions by state, answer, options and content.

    A question with several capabilities counts for each of them. Capabilities are counted over all questions, and over
    those of each type of state (Figure 9). Hallucinations are counted over the questions of each category (Figure 10).
    """
    base = [question for question in questions if question.variant == "base"]
    return (
        *_shares("state", base, (_tags(one, "state_type") for one in base), (INTRA, INTER)),
        *_shares("hallucination", base, (_tags(one, "hallucination") for one in base), ("yes", "no")),
        *_shares(
            "answers", base, (("multiple" if one.multiple else "single",) for one in base), ("single", "multiple")
        ),
        *_shares("options", base, ((str(len(one.options)),) for one in base), map(str, range(27))),
        *_shares("capability", base, (_tags(one, "capability") for one in base), CAPABILITIES),
        *(
            share
            for state in (INTRA, INTER)
            if (of := [one for one in base if state in _tags(one, "state_type")])
            for share in _shares(_BY_STATE.format(state), of, (_tags(one, "capability") for one in of), CAPABILITIES)
        ),
        *_hallucinations(base),
        *_shares("category", base, ((one.task,) for one in base), TASKS),
        *_shares("subtask", base, (_tags(one, "subtask") for one in base), SUBTASKS),
    )


def _shares(group: str, base: Sequence[Question], values: Iterable[Sequence[str]], usual: Iterable[str]) -> list[Share]:
    """Return the share of each value that a question has.

    ``usual`` lists the known values in their order.
    """
    counts = Counter(value for of in values for value in of)
    order = [value for value in usual if value in counts or (group, value) in _PAPER]
    order += sorted(set(counts) - set(order))
    figure = _FIGURES.get(group)
    return [Share(group, value, counts[value], len(base), _PAPER.get((group, value)), figure) for value in order]


def _hallucinations(base: Sequence[Question]) -> Iterator[Share]:
    """Yield the share of hallucination questions in each category."""
    for task in TASKS:
        told = [_tags(one, "hallucination") for one in base if one.task == task]
        if told:
            count = sum("yes" in of for of in told)
            yield Share(_BY_CATEGORY, task, count, len(told), figure=_FIGURES[_BY_CATEGORY])


def _tags(question: Question, key: str) -> Sequence[str]:
    return question.tags.get(key) or ("unknown",)
