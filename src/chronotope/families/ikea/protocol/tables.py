"""The tables of IKEA-Bench: accuracy by task, chance, bias of yes-no replies, and questions by product."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence

from chronotope.families.ikea.protocol.route import ROUTED
from chronotope.families.ikea.tasks import BINARY, MISTAKE_TASKS, STRATEGIES, TASKS
from chronotope.protocol import Ask, Reading, Scored, Table, mean, percent, strict
from chronotope.question import Question

_SAID_A, _SAID_YES = "said_a", "said_yes"
_MEANS = (*TASKS, "Avg", "Micro")


def binary_metrics(question: Question, readings: Sequence[tuple[Ask, Reading | None]]) -> dict[str, float | None]:
    """Compute the shares of replies that chose A or Yes.

    For task D1, "Same" counts as Yes. Only readable replies are counted. If there are none, the shares are None. Only
    questions of T2 and D1 with two options have these metrics. The tag ``polarity`` shows whether Yes is the correct
    option.
    """
    if question.task not in BINARY or not question.tags.get("polarity"):
        return {}
    if len(question.options) != 2 or len(question.answer) != 1:
        return {}
    chosen = [
        (ask.placement.index(option), option)
        for ask, reading in readings
        if reading is not None and reading.options is not None and len(reading.options) == 1
        for option in reading.options
    ]
    yes = question.answer[0] if _is_positive(question) else 1 - question.answer[0]
    return {
        _SAID_A: mean([float(place == 0) for place, _ in chosen]),
        _SAID_YES: mean([float(option == yes) for _, option in chosen]),
    }


def tables(scored: Sequence[Scored]) -> list[Table]:
    """Make tables for each strategy that was asked, and common tables.

    The common tables show chance, the numbers of questions, and the differences between strategies.
    """
    mistakes = [one for one in scored if one.question.task in MISTAKE_TASKS]
    scored = [one for one in scored if one.question.task not in MISTAKE_TASKS]
    strategies = {name: [one for one in scored if one.strategy == name] for name in (*STRATEGIES, ROUTED)}
    asked = {name: ones for name, ones in strategies.items() if ones}
    once = list({one.question.id: one for one in scored}.values())
    return [
        *(
            Table(f"by-task-{name}", f"Accuracy by task (%), {name}", _MEANS, (_means(ones, strict),))
            for name, ones in asked.items()
        ),
        Table("chance", "Chance by task (%)", _MEANS, (_means(once, lambda one: one.chance),)),
        *(_binary(name, ones) for name, ones in asked.items()),
        _by_product(once),
        *_differences(asked),
        *_routed({name: ones for name, ones in asked.items() if name != ROUTED}),
        *_read(asked),
        *_about_mistakes(mistakes),
    ]


def _about_mistakes(scored: Sequence[Scored]) -> list[Table]:
    """Make a table of the tasks about mistakes, and of chance; the paper has no such table."""
    if not scored:
        return []
    names = [name for name in (*STRATEGIES, ROUTED) if any(one.strategy == name for one in scored)]

    def row(
        label: str, ones: Sequence[Scored], value: Callable[[Scored], float | None]
    ) -> tuple[str | float | None, ...]:
        by_task = (percent([value(one) for one in ones if one.question.task == task]) for task in MISTAKE_TASKS)
        return (label, *by_task)

    rows = [row(name.replace("_", " "), [one for one in scored if one.strategy == name], strict) for name in names]
    once = list({one.question.id: one for one in scored}.values())
    rows.append(row("chance", once, lambda one: one.chance))
    return [Table("mistakes", "Accuracy of the tasks about mistakes (%)", ("Strategy", *MISTAKE_TASKS), tuple(rows))]


def _differences(asked: Mapping[str, Sequence[Scored]]) -> list[Table]:
    """Compute the gain of each strategy over ``visual`` (Table 5).

    Only questions that were asked with both strategies are used.
    """
    rows: list[tuple[str | float | None, ...]] = []
    visual = {one.question.id: one for one in asked.get("visual", ())}
    for name, ones in asked.items():
        both = [one for one in ones if one.question.id in visual]
        if name != "visual" and both:
            before = _means([visual[one.question.id] for one in both], strict)
            pairs = zip(_means(both, strict), before, strict=True)
            gained = tuple(None if of is None or base is None else of - base for of, base in pairs)
            rows.append((name.replace("_", " "), *gained[: len(TASKS)]))
    title, columns = "Difference to visual (points)", ("Strategy", *TASKS)
    return [Table("difference-to-visual", title, columns, tuple(rows))] if rows else []


def _routed(asked: Mapping[str, Sequence[Scored]]) -> list[Table]:
    """Score the best strategy of each task.

    The best strategy is chosen for each product on the questions of all other products.

    Only questions that were asked with every strategy of the run are used. Of equally good strategies, the first one is
    chosen. A task needs questions of two products.
    """
    by_id = [{one.question.id: one for one in ones} for ones in asked.values()]
    shared = [name for name in by_id[0] if all(name in of for of in by_id)] if len(by_id) > 1 else []
    routed: list[Scored] = []
    chosen: dict[str, Counter[str]] = {task: Counter() for task in TASKS}
    questions = {name: by_id[0][name].question for name in shared}
    for task, product in sorted({(one.task, one.cluster) for one in questions.values()}):
        of_task = [name for name in shared if questions[name].task == task]
        here, others = ([n for n in of_task if (questions[n].cluster == product) is own] for own in (True, False))
        if others:
            best = max(range(len(by_id)), key=lambda at: sum(strict(by_id[at][name]) or 0.0 for name in others))
            routed += [by_id[best][name] for name in here]
            chosen[task][list(asked)[best]] += len(here)
    if not routed:
        return []
    kept = {one.question.id for one in routed}
    rows: list[tuple[str | float | None, ...]] = [
        (name.replace("_", " "), *_means([of[one] for one in of if one in kept], strict))
        for name, of in zip(asked, by_id, strict=True)
    ]
    names = (counts.most_common(1)[0][0].replace("_", " ") if counts else None for counts in chosen.values())
    rows += [("best of other products", *_means(routed, strict)), ("most often chosen", *names, None, None)]
    title = "Best strategy of each task, chosen on other products (%)"
    return [Table("routed", title, ("Strategy", *_MEANS), tuple(rows))]


def _read(asked: Mapping[str, Sequence[Scored]]) -> list[Table]:
    """Make a table of the share of readable replies.

    The table has the lowest and the highest share of all strategies.
    """
    shares = [percent([float(one.metrics.get("covered") is not None) for one in ones]) for ones in asked.values()]
    known = [share for share in shares if share is not None]
    columns = ("lowest of its runs", "highest of its runs")
    return [Table("read", "Replies read (%)", columns, ((min(known), max(known)),))] if known else []


def _means(scored: Sequence[Scored], value: Callable[[Scored], float | None]) -> tuple[float | None, ...]:
    """Return means over tasks and over questions, in percent.

    The result has the mean of each task, then the mean of these six means (None if a task is missing), and finally the
    mean over all questions.
    """
    by_task = [percent([value(one) for one in scored if one.question.task == task]) for task in TASKS]
    known = [mean for mean in by_task if mean is not None]
    macro = mean(known) if len(known) == len(TASKS) else None
    return (*by_task, macro, percent([value(one) for one in scored]))


def _binary(strategy: str, scored: Sequence[Scored]) -> Table:
    """Make a table of the shares of A and Yes among replies.

    For task D1, "Same" counts as Yes. The balanced accuracy is the mean of two accuracies: over questions whose correct
    answer is Yes, and over the other questions.
    """
    columns = ("Task", "Questions", "A is right", "A said", "Yes is right", "Yes said", "Balanced accuracy")
    rows: list[tuple[str | float | int | None, ...]] = []
    for task in BINARY:
        ones = [one for one in scored if one.question.task == task and _SAID_A in one.metrics]
        sides = [[one for one in ones if _is_positive(one.question) is side] for side in (True, False)]
        accuracies = [percent([strict(one) for one in side]) for side in sides]
        known = [accuracy for accuracy in accuracies if accuracy is not None]
        rows.append(
            (
                task,
                len(ones),
                percent([float(one.question.answer[0] == 0) for one in ones]),
                percent([one.metrics[_SAID_A] for one in ones]),
                percent([float(_is_positive(one.question)) for one in ones]),
                percent([one.metrics[_SAID_YES] for one in ones]),
                mean(known) if len(known) == 2 else None,
            )
        )
    return Table(f"yes-no-{strategy}", f"Yes-no answers (%), {strategy}", columns, tuple(rows))


def _by_product(scored: Sequence[Scored]) -> Table:
    """Make a table of the number of questions by product and task."""
    questions = [one.question for one in scored]
    products = sorted({question.cluster for question in questions})
    rows = [(name, *_counts([q for q in questions if q.cluster == name])) for name in products]
    columns = ("Product", *TASKS, "all")
    return Table("by-product", "Questions by product", columns, (*rows, ("all", *_counts(questions))))


def _counts(questions: Sequence[Question]) -> tuple[int, ...]:
    return (*(sum(question.task == task for question in questions) for task in TASKS), len(questions))


def _is_positive(question: Question) -> bool:
    return "positive" in question.tags.get("polarity", ())
