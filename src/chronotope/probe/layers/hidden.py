"""Layer 2, hidden states: how much of each modality the last hidden state keeps, at every depth."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from chronotope.probe.capture import Wanted, run_captured
from chronotope.probe.figures import Band, band_figure
from chronotope.probe.layer import Drawing, Instrument, Layer, ProbeJob, Row, Summary, Unit
from chronotope.probe.measures import modality_influence
from chronotope.probe.prompts import places_of, published_sets
from chronotope.probe.reading import HOW_TO_READ, size_words
from chronotope.probe.summary_tables import change_rows, last_depth, mean_rows, values_of


class _Hidden(Layer):
    name = "hidden"
    place = 2

    def units(self, job: ProbeJob) -> list[Unit]:
        """Return one unit for each prompt."""
        return [Unit.of_prompts(prompt) for prompt in job.prompts]

    def measure(self, instrument: Instrument, unit: Unit) -> list[Row]:
        """Measure the influence of each modality at each depth of one prompt."""
        encoded = instrument.encode(unit.of)
        places = places_of(unit.of, encoded)
        kinds = {
            "modality": places.modalities,
            "published": published_sets(places, encoded.input_ids[0].tolist(), instrument.local.model.config),
        }
        sets = {(kind, name): at for kind, of in kinds.items() for name, at in of.items()}

        def reduce(depth: int, states: Any) -> dict[tuple[str, str], float]:
            return modality_influence(states.float().cpu().numpy(), sets)

        found = run_captured(instrument.local, encoded, Wanted(depths="all", reduce=reduce)).states
        question = unit.of.question
        about = {"question": question.id, "task": question.task, "cluster": question.cluster}
        about |= {"condition": unit.of.condition, "strategy": unit.of.ask.strategy, "tokens_in_prompt": encoded.length}
        return [
            about
            | {"depth": depth, "kind": kind, "modality": name, "tokens": len(sets[kind, name]), "influence": value}
            for depth, influence in found.items()
            for (kind, name), value in influence.items()
        ]

    def summarize(self, job: ProbeJob, rows: Sequence[Row]) -> Summary:
        """Compute means by depth, and changes between conditions."""
        keys = ("depth", "modality")
        own, published = ([row for row in rows if row["kind"] == kind] for kind in ("modality", "published"))
        means = mean_rows(own, keys, "influence")
        return Summary(
            {
                "means": means,
                "changes": change_rows(own, keys, "influence", list(job.plans)),
                "published-means": mean_rows(published, keys, "influence"),
                "published-changes": change_rows(published, keys, "influence", list(job.plans)),
            },
            self._figures(job, means),
        )

    def _figures(self, job: ProbeJob, means: Sequence[Row]) -> list[Drawing]:
        drawn: list[Drawing] = []
        for number, condition in enumerate(job.plans):
            of = [mean for mean in means if mean["task"] == "all" and mean["condition"] == condition]
            names = values_of(of, "modality")
            bands = [Band(name, *_series([one for one in of if one["modality"] == name], "depth")) for name in names]
            drawn.append(
                band_figure(
                    f"influence-{number + 1}",
                    f"Influence on the last hidden state: {condition}",
                    "Cosine of the last token's state with the mean state of each modality, after each layer of the "
                    f"decoder (0: before the first; {last_depth(of)}: before the final norm). Shaded: "
                    f"95 % intervals by cluster. {HOW_TO_READ['hidden']} {size_words(of, job.family.cluster)}",
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
