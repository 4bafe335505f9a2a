"""The comparison of strategies: scores, effects, and their dependence on model size."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import chain
from statistics import mean
from typing import get_args

from markupsafe import Markup

from chronotope.evaluate.score import Difference, Estimate, difference, metric_mean
from chronotope.families import Family
from chronotope.io import canonical_json
from chronotope.io.packed import Keys, by_key, group, select
from chronotope.protocol import Scored
from chronotope.report.compared_runs.run_marks import DIRECT, strategy_words
from chronotope.report.compared_runs.run_rows import RunRow
from chronotope.report.plots.model_panels import Point, scaling_plot, strategy_plot
from chronotope.report.section import Section
from chronotope.report.table import (
    APART,
    Block,
    Cell,
    Column,
    Fold,
    Note,
    Part,
    Plot,
    Table,
    TableRow,
    change_cell,
    head_cell,
    number_cell,
    score_cell,
)
from chronotope.view.words import percent

PLACE = 30
OVERALL = "Overall"
# 7B, 0.5B, 500M, as a separate word; the 3 billion active parameters of "30B-A3B" are not the size.
_SIZE = re.compile(r"(?<![A-Za-z\d.])(\d+(?:\.\d+)?)([bm])(?![A-Za-z\d])", re.IGNORECASE)
_ACTIVE = re.compile(r"[-_ ]a\d+(?:\.\d+)?b(?![A-Za-z\d])", re.IGNORECASE)


def make(section: Section) -> Part | None:
    """Compare the strategies of the runs, and the sizes of their models."""
    found = make_strategies(section.rows, section.forms[0].variant, section.forms[0].tasks)
    return None if found is None else Part(tuple(_folds(section, found)), data={})


def _folds(section: Section, found: "Strategies") -> Iterator[Fold]:
    first = strategy_words(found.first)
    blocks: list[Block] = [_score_table(section, found)] if found.told else []
    if found.told and found.means:
        blocks += _effect_tables(section, found, first)
    if found.plot:
        words = (
            "Each marker is a model. Its area grows with the number of parameters in the model's name (hollow: the "
            f"name contains no number). Above the dashed line “{first}” is better."
        )
        yield Fold("By strategy", (*blocks, Plot(section.label("Plot of strategies"), found.plot, words)))
    elif blocks:
        yield Fold("By strategy", tuple(blocks))
    if found.scaling:
        by = f", by the strategy “{first}”" if found.told else ""
        words = f"Models with a number of parameters in their names{by}; lines join models of one series."
        plot = Plot(section.label("Plot by size"), found.scaling, words)
        yield Fold("By size", (plot,), "accuracy by number of parameters")


def _score_table(section: Section, found: "Strategies") -> Table:
    words = (
        "Accuracy in percent of each model with each of its strategies. The last line is the accuracy of a random "
        "guess, from the number of options of each question."
    )
    rows = [
        TableRow(
            (head_cell(model.name), Cell(strategy_words(name)), *map(score_cell, map(asked.estimates.get, found.tasks)))
        )
        for model in found.models
        for name, asked in model.by.items()
    ]
    chances = (Cell(percent(chance), chance) for chance in map(found.chance.get, found.tasks))
    rows.append(TableRow((head_cell("chance"), Cell(""), *chances)))
    columns = tuple(map(Column, ("model", "strategy", *found.tasks)))
    return Table(section.label("Scores by strategy"), columns, tuple(rows), (words,))


def _effect_tables(section: Section, found: "Strategies", first: str) -> list[Block]:
    """Return the effects of the strategies, over all models and for each model."""
    words = Markup(
        "The accuracy with the strategy minus the accuracy with “{}”, in percentage points. It is the mean over the "
        "models that were asked with both strategies, and uses the questions that all these models were asked. {} "
        "marks 95 % intervals (by clip) that exclude 0."
    ).format(first, APART)
    rows = [
        TableRow((head_cell(strategy_words(one.strategy)), number_cell(len(one.models)), *_changes(one, found.tasks)))
        for one in found.means
    ]
    columns = tuple(map(Column, ("strategy", "models", *found.tasks)))
    label = section.label("What a strategy changes")
    tables: list[Block] = [Table(label, columns, tuple(rows), (words,), "Effects of the strategies")]
    if len(found.models) > 1:
        rows = [
            TableRow((head_cell(one.models[0]), Cell(strategy_words(one.strategy)), *_changes(one, found.tasks)))
            for one in found.each
        ]
        columns = tuple(map(Column, ("model", "strategy", *found.tasks)))
        label = section.label("What a strategy changes for each model")
        tables += [Note("Each model alone", "h5"), Table(label, columns, tuple(rows))]
    return tables


def _changes(effect: "Effect", tasks: Sequence[str]) -> Iterator[Cell]:
    return map(change_cell, map(effect.tasks.get, tasks))


@dataclass(frozen=True)
class AskedBy:
    """The scores of a model with one strategy.

    ``scored`` has the score of each question. The questions belong to the variant that the overall accuracy covers.
    """

    strategy: str
    scored: Sequence[Scored]

    @cached_property
    def by_id(self) -> Mapping[str, Scored]:
        """Return the scores by the ids of their questions."""
        return by_key(self.scored, lambda one: one.question.id)

    @cached_property
    def estimates(self) -> dict[str, Estimate]:
        """Return the accuracy of each task, and of all tasks together."""
        found = {name: metric_mean(of, "strict") for name, of in self.tasks.items()}
        return {name: value for name, value in found.items() if value is not None}

    @cached_property
    def tasks(self) -> dict[str, Sequence[Scored]]:
        """Return the questions that have a score, by task.

        The key ``Overall`` has the questions of all tasks.
        """
        told = select(self.scored, lambda one: one.metrics.get("strict") is not None)
        return {OVERALL: told, **group(told, lambda one: one.question.task)}

    def strict(self, question: str) -> float:
        """Return the strict score of a question, from 0 to 1."""
        return self.by_id[question].metrics["strict"] or 0.0


@dataclass(frozen=True)
class Model:
    """A model with the scores of one or more strategies.

    The scores can come from several runs that differ only in the strategy.
    """

    name: str
    by: dict[str, AskedBy] = field(default_factory=dict[str, AskedBy])


@dataclass(frozen=True)
class Effect:
    """The effect of a strategy on each task, compared with the first strategy.

    The effect is the mean over ``models``.
    """

    strategy: str
    models: tuple[str, ...]
    tasks: dict[str, Difference]


@dataclass(frozen=True)
class Strategies:
    """The models of one benchmark, compared by strategy.

    - ``first`` is the strategy with which the other strategies are compared.
    - ``means`` are the effects of each strategy, over all models that were asked with both this strategy and the first
      strategy.
    - ``each`` has the effects of each strategy on each single model.
    - ``chance`` maps each task to the accuracy of a random guess among the options that were shown.
    - ``scaling`` is a plot over model size, or None if there are fewer than two sizes.
    - ``plot`` is a plot of two strategies, or None if no model was asked with two strategies.
    """

    models: list[Model]
    tasks: list[str]
    first: str
    chance: dict[str, float]
    means: list[Effect]
    each: list[Effect]
    scaling: str | None
    plot: str | None

    @property
    def told(self) -> bool:
        """Check whether the family has strategies to compare."""
        return self.first != DIRECT


def make_strategies(rows: Sequence[RunRow], variant: str, tasks: Sequence[str]) -> Strategies | None:
    """Compare the strategies of runs whose accuracy covers this variant.

    Returns None if there is no such run.
    """
    own = [row for row in rows if row.counts(variant)]
    if not own:
        return None
    models = _models(own, variant)
    order = _order(own[0].compared.run.family, models)
    for model in models:
        model.by.update({name: model.by.pop(name) for name in order if name in model.by})
    first, others = order[0], order[1:]
    effects = [
        (name, asked)
        for name in others
        if (asked := [model for model in models if first in model.by and name in model.by])
    ]
    every = [*tasks, OVERALL]
    shown = [asked for model in models for asked in model.by.values()]
    chance = {task: value for task in every if (value := _chance(shown, task)) is not None}
    of_first = [_point(model, first) for model in models if first in model.by]
    kinds = list(dict.fromkeys(series(_short(model)) for model in models))
    plot = None
    if effects:
        last, both = effects[-1]
        sides = [(strategy_words(name), [_point(model, name) for model in both]) for name in (last, first)]
        plot = strategy_plot(tasks, sides[0], sides[1], kinds)
    return Strategies(
        models=models,
        tasks=every,
        first=first,
        chance=chance,
        means=[_effect(name, asked, first, every) for name, asked in effects],
        each=[_effect(name, [model], first, every) for model in models for name, asked in effects if model in asked],
        scaling=scaling_plot(tasks, of_first, chance, kinds),
        plot=plot,
    )


def _models(rows: Sequence[RunRow], variant: str) -> list[Model]:
    """Join runs that differ only in their strategies.

    For imported replies, only the name of the model is compared, because the settings are unknown.
    """
    found: dict[str, list[Model]] = {}
    for row in rows:
        card = row.compared.run.card
        key = card.model if card.elsewhere is not None else canonical_json(card.identified())
        by = group(select(row.scores.scored, lambda one: one.question.variant == variant), lambda one: one.strategy)
        alike = found.setdefault(key, [])
        model = next((model for model in alike if not by.keys() & model.by.keys()), None)
        if model is None:
            model = Model(card.model if not alike else row.compared.name)
            alike.append(model)
        model.by.update({name: AskedBy(name, scored) for name, scored in by.items()})
    models = [model for alike in found.values() for model in alike]
    return [model for model in models if any(asked.estimates for asked in model.by.values())]


def _order(family: Family, models: Sequence[Model]) -> list[str]:
    """Return the strategies of the runs, in the order of the family."""
    setting = family.RunSettings.model_fields.get("strategy")
    known = [name for name in get_args(setting.annotation) if isinstance(name, str)] if setting is not None else []
    asked = list(dict.fromkeys(name for model in models for name in model.by))
    return sorted(asked, key=lambda name: known.index(name) if name in known else len(known)) or [DIRECT]


def _short(model: Model) -> str:
    return model.name.rpartition("/")[2]


def _point(model: Model, strategy: str) -> Point:
    name = _short(model)
    return Point(series(name), size_of(name), model.by[strategy].estimates)


def _effect(name: str, models: Sequence[Model], first: str, tasks: Sequence[str]) -> Effect:
    """Compute the mean gain of a strategy over the first strategy.

    The mean is computed over the models. Only questions that were asked of all models with both strategies are used.
    """
    found: dict[str, Difference] = {}
    for task in tasks:
        every = (model.by[of].tasks.get(task, ()) for model in models for of in (name, first))
        shared = sorted(set.intersection(*({one.question.id for one in asked} for asked in every)))
        clusters = [models[0].by[first].by_id[one].question.cluster for one in shared]
        after, before = ([mean(model.by[of].strict(one) for model in models) for one in shared] for of in (name, first))
        if (value := difference(after, before, clusters)) is not None:
            found[task] = value
    return Effect(name, tuple(model.name for model in models), found)


def _chance(shown: Sequence[AskedBy], task: str) -> float | None:
    """Return the mean chance of a task's questions.

    If several models or strategies show a question, the last one counts.
    """
    keys, chances = Keys(), list[float | None]()
    shared: dict[float | None, float | None] = {}  # equal chances are one object
    for one in chain.from_iterable(asked.tasks.get(task, ()) for asked in shown):
        chance = shared.setdefault(one.chance, one.chance)
        if (number := keys.numbered(one.question.id)) == len(chances):
            chances.append(chance)
        else:
            chances[number] = chance
    known = [chance for chance in chances if chance is not None]
    return mean(known) if known else None


def size_of(name: str) -> float | None:
    """Read the size of a model from its name.

    The size is in billions of parameters. For example, ``Qwen3-VL-8B`` has the size 8. Returns None if the name
    contains no size.
    """
    found = _SIZE.search(name)
    if found is None:
        return None
    return float(found[1]) / (1 if found[2] in "bB" else 1000)


def series(name: str) -> str:
    """Return the name of a model without its size.

    Models of one series share this name.
    """
    kept = _SIZE.sub("", _ACTIVE.sub("", name), count=1)
    return re.sub(r"([-_. /])[-_. ]+", r"\1", kept).strip("-_. ")
