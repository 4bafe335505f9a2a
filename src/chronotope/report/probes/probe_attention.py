"""The attention of a probe under correct and under wrong answers.

The authors of IKEA-Bench compare both on questions of medium difficulty, which 5 to 12 of their 17 models answer
correctly.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq

from chronotope.errors import InputError
from chronotope.families import Family, family
from chronotope.io.parquet import arrow_path, reading_table
from chronotope.probe.folder import LayerEntry, ProbeManifest
from chronotope.probe.measures.answered import Contrast, contrast
from chronotope.probe.reading import HOW_TO_READ, too_few
from chronotope.probe.settings import Condition, ProbeSettings, read_conditions
from chronotope.report.compared_runs.opened_runs import Compared
from chronotope.report.probes.probe_tables import ALL, NO_MEDIUM

_LAYER = "attention"
_MEDIUM = (5 / 17, 12 / 17)  # shares of the models that answer a question correctly, in the authors' code
FEWEST_MODELS = 3  # with fewer, the difficulty of a question is unknown
_BASELINE = "baseline/"
_MEAN = -1  # in the column ``head``: the mean over heads
_COLUMNS = ("unit", "question", "task", "cluster", "condition", "strategy", "name", "tokens", "tokens_in_prompt")


@dataclass(frozen=True)
class AnswerRow:
    """The attention to some tokens under correct and wrong answers.

    All shares are fractions of the attention, as means over heads and layers. ``even`` is the difference that equal
    attention to all tokens would give, because prompts differ in length.
    """

    task: str
    condition: str
    name: str
    shares: Contrast
    even: float


@dataclass(frozen=True)
class AnswersPart:
    """The comparison of one probe, with words that explain it.

    ``warning`` tells that there are few clusters. ``rows`` is empty if nothing can be compared; ``words`` then gives
    the reason.
    """

    rows: tuple[AnswerRow, ...]
    words: str
    warning: str | None = None


def make_answers(folder: Path, manifest: ProbeManifest, compared: Sequence[Compared]) -> AnswersPart | None:
    """Compare the attention under correct answers with that under wrong answers.

    Whether an answer is correct is taken from a run of the same model, with the prompts of the probe. Returns None if
    the probe has no attention, or if no run of the report is about its benchmark.

    Raises:
        InputError: If a file of the probe is missing or damaged.
    """
    entry = manifest.layers.get(_LAYER)
    about = [one for one in compared if one.replied and one.benchmark == manifest.content_hash]
    if entry is None or not entry.complete or not about:
        return None
    of = family(manifest.family)
    runs = {
        condition.name: run
        for condition in _conditions(entry, of)
        if (run := _run_of(condition, manifest, about)) is not None
    }
    if not runs:
        return AnswersPart((), _no_run(manifest.model))
    difficulty = _Difficulty(about)
    asked = _asked(_shares(folder), runs, difficulty)
    rows = tuple(_rows(asked))
    if not rows:
        return AnswersPart(
            (), "Nothing can be compared: no task has both correct and wrong answers. " + difficulty.words
        )
    told = ", ".join(dict.fromkeys(run.name for run in runs.values()))
    most = max(rows, key=lambda row: row.shares.clusters).shares
    size = (
        f"From {most.rights} correct and {most.wrongs} wrong answers about {most.clusters} "
        f"{of.cluster}{'s' if most.clusters != 1 else ''}, which are from {told}; a reply without an answer is wrong."
    )
    words = f"{HOW_TO_READ['answers']} {difficulty.words} {size}"
    few = too_few(_LAYER, [{"clusters": most.clusters}], of.cluster)
    return AnswersPart(rows, words, few)


def _no_run(model: str) -> str:
    return (
        "Right against wrong needs the answers of this model: run the same questions with the prompts of the probe "
        f"(chronotope run --model {model}), and name the run in the report."
    )


def _conditions(entry: LayerEntry, of: Family) -> list[Condition]:
    try:
        return read_conditions(ProbeSettings.model_validate({"condition": entry.settings.get("condition", [])}), of)
    except InputError:
        return []  # a setting that this version no longer has: no run can have the same prompts


def _run_of(condition: Condition, manifest: ProbeManifest, about: Sequence[Compared]) -> Compared | None:
    """Return the run of the probed model for a condition.

    Its prompts are those of the probe.

    The settings of imported replies are unknown; they count if the condition changes no setting but the strategy.
    """
    plain = family(manifest.family).RunSettings.model_validate({})
    for one in about:
        card = one.run.card
        if not _same_weights(card.model, manifest.model) or card.method is not None:
            continue
        settings = plain if card.elsewhere is not None else one.run.settings
        if card.layout == "published" and settings.identified() == condition.settings.identified():
            return one
    return None


def _same_weights(run: str, probed: str) -> bool:
    """Check whether a run has the model of a probe.

    The name after the provider must be equal. Imported replies can also have the whole name there.
    """
    name = run.partition("/")[2]
    return run == probed or name in (probed, probed.partition("/")[2])


class _Difficulty:
    """The number of models that answer a question correctly, among the models of the report."""

    def __init__(self, about: Sequence[Compared]) -> None:
        self._right: dict[tuple[str, str], dict[str, bool]] = {}
        for one in about:
            model = one.run.card.model
            if model.startswith(_BASELINE) or one.run.card.method is not None:
                continue
            for scored in one.scores.scored:
                of = self._right.setdefault((scored.question.id, scored.strategy), {})
                of.setdefault(model, scored.metrics.get("strict") == 1.0)
        self.models = len({model for of in self._right.values() for model in of})

    @property
    def known(self) -> bool:
        """Check whether there are enough models."""
        return self.models >= FEWEST_MODELS

    @property
    def words(self) -> str:
        """Say which questions are compared."""
        if not self.known:
            return (
                "Questions of all difficulties are compared within their task, because this report has only "
                f"{self.models} model{'s' if self.models != 1 else ''} that can be counted: with {FEWEST_MODELS} or "
                "more, only questions of medium difficulty are compared."
            )
        return (
            f"Only questions of medium difficulty are compared, which 5/17 to 12/17 of the {self.models} models of "
            "this report answer correctly (the authors: 5 to 12 of 17), and each only with questions of its task that "
            "as many other models answer correctly."
        )

    def stratum(self, question: str, strategy: str, model: str) -> int | None:
        """Return the number of other models that answer a question correctly.

        The number is always 0 if there are too few models. Returns None if the difficulty is not medium, or if a model
        was not asked.
        """
        if not self.known:
            return 0
        of = self._right.get((question, strategy), {})
        if len(of) < self.models or not _MEDIUM[0] <= sum(of.values()) / len(of) <= _MEDIUM[1]:
            return None
        return sum(well for name, well in of.items() if name != model)


def _shares(folder: Path) -> list[dict[str, Any]]:
    """Return the mean shares over heads and layers.

    There is one row for each prompt and modality.
    """
    path = folder / f"{_LAYER}.parquet"
    wanted = [("head", "=", _MEAN), ("kind", "=", "modality")]
    with reading_table(path, remedy="run chronotope probe again"):
        rows = pq.read_table(arrow_path(path), columns=[*_COLUMNS, "share"], filters=wanted)
    means = rows.group_by(list(_COLUMNS), use_threads=False).aggregate([("share", "mean")])
    return means.to_pylist()


def _asked(
    shares: Sequence[Mapping[str, Any]], runs: Mapping[str, Compared], difficulty: _Difficulty
) -> list[dict[str, Any]]:
    """Add whether each prompt was answered correctly, and its stratum.

    Rows of prompts without a reply are left out.
    """
    right = {
        f"{condition} {one.ask.id}": one.reading.options == frozenset(one.question.answer)
        for condition, run in runs.items()
        for one in run.run.answered
        if one.reading is not None and one.question.answer
    }
    found: list[dict[str, Any]] = []
    for row in shares:
        if row["unit"] in right:
            model = runs[row["condition"]].run.card.model
            stratum = difficulty.stratum(row["question"], row["strategy"], model)
            if stratum is not None:
                found.append({**row, "right": right[row["unit"]], "stratum": (row["task"], stratum)})
    return found


def _rows(asked: Sequence[Mapping[str, Any]]) -> list[AnswerRow]:
    groups: dict[tuple[str, str, str], list[Mapping[str, Any]]] = {}
    for row in asked:
        for task in (ALL, row["task"]):
            groups.setdefault((task, row["condition"], row["name"]), []).append(row)
    found: list[AnswerRow] = []
    for (task, condition, name), of in groups.items():
        right, strata = [row["right"] for row in of], [row["stratum"] for row in of]
        clusters = [row["cluster"] for row in of]
        shares = contrast([row["share_mean"] for row in of], right, strata, clusters)
        even = contrast(
            [row["tokens"] / row["tokens_in_prompt"] for row in of], right, strata, clusters, resamples=0
        )  # fmt: skip
        if shares is not None and even is not None:
            found.append(AnswerRow(task, condition, name, shares, even.difference))
    places = {one: place for place, one in enumerate(dict.fromkeys((row.condition, row.task) for row in found))}
    return sorted(found, key=lambda row: (places[row.condition, row.task], row.name in NO_MEDIUM))
