"""Layer 2, hidden states: how much of each modality the last hidden state keeps, at every depth."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from chronotope.probe.capture import Wanted, depths_of, run_captured
from chronotope.probe.figures import Band, band_figure
from chronotope.probe.layers import Drawing, ProbeJob, Row, Summary, Unit
from chronotope.probe.measures import modality_influence
from chronotope.probe.prompts import TEMPLATE, TEXT, places_of
from chronotope.probe.tables import change_rows, mean_rows, values_of

__all__ = ["LAYER"]

# The paper's authors count every token that is not of a picture as text. This modality has their definition.
EVERYTHING_ELSE = "text and template"


class _Hidden:
    name = "hidden"

    def units(self, job: ProbeJob) -> list[Unit]:
        """Return one unit for each prompt."""
        return [Unit(one.id, one.question.id, one) for one in job.prompts]

    def measure(self, job: ProbeJob, unit: Unit) -> list[Row]:
        """Measure the influence of each modality at each depth of one prompt."""
        encoded = job.encode(unit.of)
        places = dict(places_of(unit.of, encoded).modalities)
        places[EVERYTHING_ELSE] = sorted([*places.get(TEXT, ()), *places.get(TEMPLATE, ())])

        def reduce(depth: int, states: Any) -> dict[str, float]:
            return modality_influence(states.float().cpu().numpy(), places)

        found = run_captured(job.local, encoded, Wanted(depths="all", reduce=reduce)).states
        question = unit.of.question
        about = {"question": question.id, "task": question.task, "cluster": question.cluster}
        about |= {"condition": unit.of.condition, "strategy": unit.of.ask.strategy, "tokens_in_prompt": encoded.length}
        return [
            about | {"depth": depth, "modality": name, "tokens": len(places[name]), "influence": value}
            for depth, influence in found.items()
            for name, value in influence.items()
        ]

    def summarize(self, job: ProbeJob, rows: Sequence[Row]) -> Summary:
        """Compute means by depth, and changes between conditions."""
        keys = ("depth", "modality")
        means = mean_rows(rows, keys, "influence")
        changes = change_rows(rows, keys, "influence", list(job.plans))
        return Summary({"means": means, "changes": changes}, self._figures(job, means))

    def _figures(self, job: ProbeJob, means: Sequence[Row]) -> list[Drawing]:
        drawn: list[Drawing] = []
        for number, condition in enumerate(job.plans):
            of = [one for one in means if one["task"] == "all" and one["condition"] == condition]
            names = [name for name in values_of(of, "modality") if name != EVERYTHING_ELSE]
            bands = [Band(name, *_series([one for one in of if one["modality"] == name], "depth")) for name in names]
            drawn.append(
                band_figure(
                    f"influence-{number + 1}",
                    f"Influence on the last hidden state: {condition}",
                    "Cosine of the last token's state with the mean state of each modality, after each layer of the "
                    f"decoder (0: before the first; {depths_of(job.local.family)}: before the final norm). Shaded: "
                    "95 % intervals by cluster.",
                    "depth", "cosine", bands,
                )
            )  # fmt: skip
        return drawn


def _series(rows: Sequence[Row], key: str) -> tuple[list[float], list[float], list[float | None], list[float | None]]:
    ordered = sorted(rows, key=lambda one: one[key])
    return (
        [one[key] for one in ordered],
        [float(np.round(one["mean"], 6)) for one in ordered],
        [one["low"] for one in ordered],
        [one["high"] for one in ordered],
    )


LAYER = _Hidden()
