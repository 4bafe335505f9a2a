"""The tables of IKEA-Bench: accuracy by task, chance, bias of yes-no replies, and questions by product."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence

from chronotope.families.ikea.protocol.route import ROUTED
from chronotope.families.ikea.tasks import BINARY, MISTAKE_TASKS, STRATEGIES, TASKS
from chronotope.io.packed import Keys, PackedList, by_key, group, select
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
    mistakes = select(scored, lambda one: one.question.task in MISTAKE_TASKS)
    scored = select(scored, lambda one: one.question.task not in MISTAKE_TASKS)
    strategies = group(scored, lambda one: one.strategy)
    asked = {name: strategies[name] for name in (*STRATEGIES, ROUTED) if name in strategies}
    once = _once(scored)
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


def _once(scored: Sequence[Scored]) -> Sequence[Scored]:
    """Return each question once, with its last strategy."""
    return PackedList(by_key(scored, lambda one: one.question.id).values())


def _about_mistakes(scored: Sequence[Scored]) -> list[Table]:
    """Make a table of the tasks about mistakes, and of chance; the paper has no such table."""
    if not scored:
        return []
    strategies = group(scored, lambda one: one.strategy)
    names = [name for name in (*STRATEGIES, ROUTED) if name in strategies]

    def row(
        label: str, ones: Sequence[Scored], value: Callable[[Scored], float | None]
    ) -> tuple[str | float | None, ...]:
        by_task = (percent([value(one) for one in ones if one.question.task == task]) for task in MISTAKE_TASKS)
        return (label, *by_task)

    rows = [row(name.replace("_", " "), strategies[name], strict) for name in names]
    rows.append(row("chance", _once(scored), lambda one: one.chance))
    return [Table("mistakes", "Accuracy of the tasks about mistakes (%)", ("Strategy", *MISTAKE_TASKS), tuple(rows))]


def _differences(asked: Mapping[str, Sequence[Scored]]) -> list[Table]:
    """Compute the gain of each strategy over ``visual`` (Table 5).

    Only questions that were asked with both strategies are used.
    """
    rows: list[tuple[str | float | None, ...]] = []
    visual = by_key(asked.get("visual", ()), lambda one: one.question.id)
    for name, ones in asked.items():
        both = select(ones, lambda one: one.question.id in visual)
        if name != "visual" and both:
            before = _means(PackedList(visual[one.question.id] for one in both), strict)
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
    by_id = [by_key(ones, lambda one: one.question.id) for ones in asked.values()]
    shared = [name for name in by_id[0] if all(name in of for of in by_id)] if len(by_id) > 1 else []
    routed = PackedList[Scored]()
    chosen: dict[str, Counter[str]] = {task: Counter() for task in TASKS}
    by_task: dict[str, list[tuple[str, str, list[float]]]] = {}  # product, question, and its score by each strategy
    for name in shared:
        every = [of[name] for of in by_id]
        question, scores = every[0].question, [strict(one) or 0.0 for one in every]
        by_task.setdefault(question.task, []).append((question.cluster, name, scores))
    for task, product in sorted({(task, product) for task, of in by_task.items() for product, _, _ in of}):
        here = [name for of, name, _ in by_task[task] if of == product]
        others = [scores for of, _, scores in by_task[task] if of != product]
        if others:
            best = max(range(len(by_id)), key=lambda at: sum(scores[at] for scores in others))
            for name in here:
                routed.append(by_id[best][name])
            chosen[task][list(asked)[best]] += len(here)
    if not routed:
        return []
    kept = Keys(one.question.id for one in routed)
    rows: list[tuple[str | float | None, ...]] = [
        (name.replace("_", " "), *_means(select(ones, lambda one: one.question.id in kept), strict))
        for name, ones in asked.items()
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
        ones = select(scored, lambda one, task=task: one.question.task == task and _SAID_A in one.metrics)
        sides = [select(ones, lambda one, side=side: _is_positive(one.question) is side) for side in (True, False)]
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
    tasks = Counter((one.question.cluster, one.question.task) for one in scored)
    products = sorted({product for product, _ in tasks})
    rows = [(name, *_counts({task: count for (of, task), count in tasks.items() if of == name})) for name in products]
    columns = ("Product", *TASKS, "all")
    every = Counter[str]()
    for (_, task), count in tasks.items():
        every[task] += count
    return Table("by-product", "Questions by product", columns, (*rows, ("all", *_counts(every))))


def _counts(of: Mapping[str, int]) -> tuple[int, ...]:
    return (*(of.get(task, 0) for task in TASKS), sum(of.values()))


def _is_positive(question: Question) -> bool:
    return "positive" in question.tags.get("polarity", ())
