"""The accuracy of a person beside other runs, on the questions that the person has answered."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from chronotope.errors import InputError
from chronotope.evaluate.plan import read_manifest
from chronotope.evaluate.score import Estimate, RunResults, estimate, open_run, score_run
from chronotope.protocol import Scored

ALL = "all questions"


@dataclass(frozen=True)
class Standing:
    """The accuracies of one run: over all common questions (`ALL`), and by task."""

    model: str
    values: Mapping[str, Estimate]


def beside_runs(own: RunResults, others: Sequence[RunResults]) -> list[Standing]:
    """Compute accuracies on the questions that ``own`` has answered.

    The first row is ``own``. The other rows are sorted, the best first. A run without any of these questions is left
    out. Returns an empty list if ``own`` has no scored answer.
    """
    mine = _scored(own)
    rows = [Standing(own.card.model, _by_task(mine))] if mine else []
    found = [(one.card.model, {key: of for key, of in _scored(one).items() if key in mine}) for one in others]
    beside = [Standing(model, _by_task(scored)) for model, scored in found if scored]
    return [*rows, *sorted(beside, key=lambda row: (-row.values[ALL].value, row.model))]


def _scored(run: RunResults) -> dict[str, Scored]:
    """Return the answered questions of a run that its overall score covers, by id."""
    answered = {one.question.id for one in run.answered if one.reading is not None}
    with suppress(InputError):  # a run without any scored question
        counted = score_run(run).counted_questions
        return {key: one for key, one in counted.items() if key in answered and one.metrics.get("strict") is not None}
    return {}


def _by_task(scored: Mapping[str, Scored]) -> dict[str, Estimate]:
    groups: dict[str, list[Scored]] = {ALL: list(scored.values())}
    for one in scored.values():
        groups.setdefault(one.question.task, []).append(one)
    made = {name: _estimate(of) for name, of in groups.items()}
    return {name: of for name, of in made.items() if of is not None}


def _estimate(scored: Sequence[Scored]) -> Estimate | None:
    return estimate(
        [one.metrics["strict"] or 0.0 for one in scored],
        [one.question.cluster for one in scored],
        [one.chance for one in scored],
    )


def runs_of_benchmark(content_hash: str, places: Sequence[Path], without: Path) -> Iterator[RunResults]:
    """Open the runs of a benchmark in some folders, except the run ``without``.

    A run that cannot be opened is left out, because it must not stop a person from answering.
    """
    seen = {without.resolve()}
    for place in places:
        for card in sorted(place.glob("*/run.yaml")):
            folder = card.parent.resolve()
            if folder in seen:
                continue
            seen.add(folder)
            with suppress(InputError):
                if read_manifest(folder).benchmark.content_hash == content_hash:
                    yield open_run(folder)
