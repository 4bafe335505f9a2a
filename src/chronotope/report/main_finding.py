"""The finding of a benchmark: the sentences at the top of a report, computed from the scores."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from chronotope.evaluate.score import Estimate, Pair
from chronotope.report.compared_runs.run_differences import tells_apart
from chronotope.report.compared_runs.run_marks import BASE
from chronotope.report.compared_runs.run_rows import RunRow
from chronotope.report.section import Section
from chronotope.view.words import difference_interval, points

Verdict = Literal["better", "worse", "open", "too few", "unknown"]
NOTHING = "No run has an accuracy, because there are no replies."


@dataclass(frozen=True)
class Finding:
    """The main result of a benchmark, in sentences.

    - ``said`` is the first sentence: the accuracy of the best run that got pictures, of runs without pictures, and of
      a random guess.
    - ``more`` are the sentences that limit or support it.
    - ``best`` is the run that the first sentence is about, or None if no run has an accuracy.
    - ``unlike`` states the numbers of questions of the runs, if these differ.
    """

    benchmark: str
    said: str
    more: tuple[str, ...] = ()
    best: RunRow | None = None
    unlike: str | None = None

    @property
    def clear(self) -> bool:
        """Check whether the run differs from a random guess.

        The difference must be beyond the choice of clusters.
        """
        return self.best is not None and verdict(self.best.scores.overall) in ("better", "worse")


def findings(sections: Sequence[Section]) -> list[Finding]:
    """Return the finding of each benchmark.

    The first finding is a clear one with the most clusters, if there is one. All others are in the order of the report.
    """
    found = [_finding(section) for section in sections]
    clear = [one for one in found if one.clear and one.best is not None]
    first = max(clear, key=_clusters, default=None)
    return found if first is None else [first, *(one for one in found if one is not first)]


def verdict(of: Estimate) -> Verdict:
    """Compare an accuracy with chance.

    Without an interval, too few clusters were asked to say more.
    """
    if of.chance is None:
        return "unknown"
    if of.low is None or of.high is None:
        return "too few"
    return "better" if of.low > of.chance else "worse" if of.high < of.chance else "open"


def _clusters(one: Finding) -> int:
    return 0 if one.best is None else one.best.scores.overall.clusters


def _finding(section: Section) -> Finding:
    form = section.forms[0]
    if not form.own:
        return Finding(section.name, NOTHING)
    # Runs without pictures are the comparison, so that the finding is about a run that could see. Of these, a high
    # accuracy over a few questions says little about the other questions.
    blind = [row for row in form.own if row.compared.run.looked is False]
    seeing = [row for row in form.own if row not in blind] or blind
    best = max(seeing, key=lambda row: (row.scores.overall.items, row.scores.overall.value))
    # Accuracies over other questions would not be comparable.
    others = [row for row in blind if row is not best and row.scores.overall.items == best.scores.overall.items]
    # The best of runs without pictures is no finding where it cannot be told from the others.
    alike = best in blind and bool(others) and verdict(best.scores.overall) == "too few"
    aware = best.compared.run.looked is True and bool(others)
    said = _said_alike([best, *others]) if alike else _said(best, [] if best in blind else others, aware=aware)
    more = [
        _against_chance(best.compared.here, best.scores.overall, section.cluster),
        *_single_tasks(best),
        *_given_away([] if best in blind else others),
    ]
    more += [*_lead(section, best), *_people(section, blind, best), *_one_draw(form.own)]
    return Finding(section.name, said, tuple(filter(None, more)), best, form.unlike)


def _said(best: RunRow, blind: Sequence[RunRow], *, aware: bool) -> str:
    """Return the sentence with the accuracies.

    The accuracies are those of the best run, of runs without pictures, and of a guess.
    """
    name = best.compared.here
    who = f"{name}, which sees the frames," if aware else name
    said = f"{who} is right on {_percent(best.scores.overall.value)} % of {_questions(best)}"
    if len(blind) == 1:
        said += f"; {blind[0].compared.here}, without pictures, on {_range(blind)} %"
    elif blind:
        said += f"; {len(blind)} runs without pictures on {_range(blind)} %"
    return said + _guess(best)


def _said_alike(blind: Sequence[RunRow]) -> str:
    """Return the sentence about runs without pictures that cannot be told apart."""
    said = f"{len(blind)} runs without pictures are right on {_range(blind)} % of {_questions(blind[0])}"
    return said + _guess(blind[0])


def _questions(of: RunRow) -> str:
    """Return the number of questions that were asked, and their variant."""
    items, planned, variant = of.scores.overall.items, of.scores.planned, of.scores.counted
    questions = f"{items:,} question{'' if items == 1 else 's'}"
    questions = f"the {questions} asked so far (of {planned:,})" if items < planned else questions
    return questions if variant == BASE else f"{questions} of the variant “{variant.replace('_', ' ')}”"


def _range(rows: Sequence[RunRow]) -> str:
    """Format the lowest and the highest accuracy, or one number."""
    values = sorted(row.scores.overall.value for row in rows)
    low, high = _percent(values[0]), _percent(values[-1])
    return low if low == high else f"{low} to {high}"


def _guess(of: RunRow) -> str:
    """Return the end of a sentence: the accuracy of a random guess."""
    chance = of.scores.overall.chance
    return "." if chance is None else f"; a random guess on {_percent(chance)} %."


def _against_chance(name: str, of: Estimate, cluster: str) -> str:
    many = f"{of.clusters} {cluster}{'' if of.clusters == 1 else 's'}"
    known = "" if of.low is None or of.high is None else f"{_percent(of.low)} to {_percent(of.high)} %"
    match verdict(of):
        case "unknown":
            return f"The 95 % interval by {cluster} is {known}." if known else ""
        case "too few":
            few = "is too few" if of.clusters == 1 else "are too few"
            return f"{many.capitalize()} {few} to tell this from a random guess."
        case "open":
            return f"{name} is not clearly better than a random guess: its 95 % interval over {many} is {known}."
        case kind:
            return f"{name} is clearly {kind} than a random guess: its 95 % interval over {many} is {known}."


def _single_tasks(best: RunRow) -> list[str]:
    """Name the tasks in which a run is better than a guess, if it is not over all."""
    tasks = best.scores.tasks
    better = [name for name, of in tasks.items() if verdict(of) == "better"]
    if verdict(best.scores.overall) != "open" or not better or len(tasks) < 2:
        return []
    named = better[0] if len(better) == 1 else f"{', '.join(better[:-1])} and {better[-1]}"
    return [
        f"On {len(better)} of the {len(tasks)} tasks, taken alone, it is clearly better than a guess ({named}; not "
        f"corrected for {len(tasks)} tasks)."
    ]


def _given_away(blind: Sequence[RunRow]) -> list[str]:
    """Name the run without pictures that is better than a guess."""
    better = [row for row in blind if verdict(row.scores.overall) == "better"]
    if not better:
        return []
    best = max(better, key=lambda row: row.scores.overall.value)
    low, high = (_percent(end or 0.0) for end in (best.scores.overall.low, best.scores.overall.high))
    return [f"Without pictures, {best.compared.here} is better than a random guess, too ({low} to {high} %)."]


def _people(section: Section, blind: Sequence[RunRow], best: RunRow) -> list[str]:
    """Compare runs without pictures with chance and with people, as far as their intervals allow it.

    Returns an empty list if a run without pictures differs from a guess, or has no interval, or if the questions were
    not written under the profile whose options are exchangeable.
    """
    told = {verdict(row.scores.overall) for row in blind}
    if told != {"open"} or section.benchmark.card.profile != "strict":
        return []
    ends = [end for row in blind for end in (row.scores.overall.low, row.scores.overall.high) if end is not None]
    known = f"{_percent(min(ends))} to {_percent(max(ends))} %"
    who = "The run without pictures is not" if len(blind) == 1 else f"None of the {len(blind)} runs without pictures is"
    where = "interval" if len(blind) == 1 else "intervals within"
    why = (
        f"{who} clearly better or worse than a random guess (95 % {where} {known}). The options were drawn to "
        "give nothing away; whether they do, “chronotope audit” tests."
    )
    people = [row for row in section.forms[0].own if row.compared.run.card.by_person]
    if not people:
        return [why, "To see how well a person does, run “chronotope play”."]
    if best in people:  # the first sentence is about this person
        return [why]
    person = max(people, key=lambda row: (row.scores.overall.items, row.scores.overall.value))
    percent = _percent(person.scores.overall.value)
    return [why, f"{person.compared.here}, a person, is right on {percent} % of {_questions(person)}."]


def _one_draw(rows: Sequence[RunRow]) -> list[str]:
    """Tell a run that guesses from the expected accuracy of a guess."""
    guesses = [row for row in rows if row.compared.run.card.model == "baseline/random"]
    known = guesses and guesses[0].scores.overall.chance is not None
    return (
        [f"{guesses[0].compared.here} guessed once; “a random guess” is the mean of all such guesses."] if known else []
    )


def _lead(section: Section, best: RunRow) -> list[str]:
    """Return the sentence about the difference to the next best run."""
    form = section.forms[0]
    if form.differences is None or verdict(best.scores.overall) == "too few":
        return []
    place = form.own.index(best)
    ranked = sorted(
        (other for other in range(len(form.own)) if other != place and form.differences.pairs[place][other]),
        key=lambda other: (-form.own[other].scores.overall.items, -form.own[other].scores.overall.value),
    )
    pair = form.differences.pairs[place][ranked[0]] if ranked else None
    return [] if pair is None else [_lead_words(form.own[ranked[0]].compared.here, pair, best, section.cluster)]


def _lead_words(other: str, pair: Pair, best: RunRow, cluster: str) -> str:
    of = pair.difference
    more = "more" if of.value > 0 else "less"
    said = f"It scored {points(of.value).lstrip('+−')} points {more} than {other}"
    said = f"It scored the same as {other}" if of.value == 0 else said
    if of.low is not None:
        said += f" (95 % interval of the difference {difference_interval(of)})"
    if of.items < best.scores.overall.items:
        said += f" over the {of.items:,} questions that both were asked"
    if of.low is None:
        return f"{said}: too few {cluster}s for an interval."
    if tells_apart(of):
        return f"{said}."
    open_ = "which of the two is better" if of.value == 0 else "whether that is more than luck"
    return f"{said}: {of.clusters} {cluster}s are too few to tell {open_}."


def _percent(value: float) -> str:
    """Format a fraction in whole percent.

    A fraction above 0 is never formatted as 0.
    """
    return "<1" if 0 < value < 0.005 else f"{100 * value:.0f}"
