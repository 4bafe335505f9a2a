"""The layer ``patch``: which layers and tokens carry the fact in which two clips differ."""

from collections.abc import Sequence
from typing import Any

from chronotope.errors import InputError
from chronotope.models.transformers import Encoded
from chronotope.probe.activation_patching import answer_margins, patch_states, token_groups
from chronotope.probe.figures import Band, band_figure
from chronotope.probe.layer import Drawing, Instrument, Layer, ProbeJob, Row, Summary, Unit
from chronotope.probe.layers.lens import letter_tokens
from chronotope.probe.prompts import letters_of
from chronotope.probe.reading import HOW_TO_READ, size_words
from chronotope.probe.residual import stream_of
from chronotope.probe.summary_tables import ALL, last_depth, mean_rows, values_of
from chronotope.probe.twins import TwinPair, find_pairs

CARRIES = 0.5  # smallest mean effect of tokens that carry a fact


class _Patch(Layer):
    name = "patch"
    place = 5

    def units(self, job: ProbeJob) -> list[Unit]:
        """Return one unit for each question whose twin has another answer.

        Raises:
            InputError: If there is no such pair, or twins differ in more than one fact.
        """
        units = [Unit.of_prompts(pair.clean, pair.corrupted, of=pair) for pair in find_pairs(job.prompts)]
        if not units:
            raise InputError(
                "patch: no two selected questions are the same question about two clips that differ in one fact "
                "(`twin` in their provenance)",
                fix="select more questions, or use a benchmark such as that of examples/train_looker.py",
            )
        return units

    def measure(self, instrument: Instrument, unit: Unit) -> list[Row]:
        """Patch the states of one clip into those of its twin.

        If the model does not answer both questions correctly, patching says nothing about the fact. The only row of
        such a pair is not used.

        Raises:
            InputError: If the prompts of the pair have different lengths.
        """
        pair: TwinPair = unit.of
        question = pair.clean.question
        about = {"question": question.id, "task": question.task, "cluster": question.cluster}
        about |= {"condition": pair.clean.condition, "fact": pair.fact}
        encoded = [instrument.encode(one) for one in (pair.clean, pair.corrupted)]
        right, wrong = letter_tokens(instrument.local, [letters_of(one)[0] for one in (pair.clean, pair.corrupted)])
        stream, clean = stream_of(instrument.local, encoded[0])
        corrupted = instrument.local.inputs(encoded[1])
        try:
            before, after = answer_margins(stream, clean, corrupted, (right, wrong))
        except InputError as error:
            raise InputError(f"questions {question.id!r} and {pair.corrupted.question.id!r}: {error}") from None
        about |= {"clean": before, "corrupted": after, "used": before > 0 > after}
        if not about["used"]:
            return [about | {"depth": 0, "group": "", "patched": None, "effect": None, "flips": None}]
        found = patch_states(stream, clean, corrupted, (right, wrong), _groups(encoded[0]))
        return [
            about
            | {"depth": depth, "group": group, "patched": float(found.patched[depth, at])}
            | {"effect": float(found.effects[depth, at]), "flips": float(found.flips[depth, at])}
            for depth in range(len(found.patched))
            for at, group in enumerate(found.groups)
        ]

    def summarize(self, job: ProbeJob, rows: Sequence[Row]) -> Summary:
        """Compute the mean effects by fact, depth and group of tokens."""
        used = [row for row in rows if row["used"]]
        keys = ("fact", "depth", "group")
        effects, flips = (mean_rows(used, keys, value) for value in ("effect", "flips"))
        tables = {"carriers": _carriers(effects), "pairs": _counts(rows), "effects": effects, "flips": flips}
        return Summary(tables, _figures(job, effects))


def _carriers(effects: Sequence[Row]) -> list[Row]:
    """Find the depths at which each group of tokens carries each fact.

    A group carries a fact at the depths ``from`` to ``to`` if its mean effect is at least half there. ``most`` is the
    largest mean effect, and ``at`` is its depth.
    """
    series: dict[tuple[str, ...], list[Row]] = {}
    for row in effects:
        series.setdefault(tuple(row[key] for key in ("task", "condition", "fact", "group")), []).append(row)
    found: list[Row] = []
    for (task, condition, fact, group), rows in series.items():
        best = max(rows, key=lambda row: row["mean"])
        carrying = [row["depth"] for row in rows if row["mean"] >= CARRIES]
        first, last = (min(carrying), max(carrying)) if carrying else (None, None)
        about = {"task": task, "condition": condition, "fact": fact, "group": group}
        found.append(about | {"most": best["mean"], "at": best["depth"], "from": first, "to": last})
    return found


def _counts(rows: Sequence[Row]) -> list[Row]:
    """Count the pairs of each fact, and those that are used."""
    found: list[Row] = []
    for fact in values_of(rows, "fact"):
        of = {(row["condition"], row["question"]): row["used"] for row in rows if row["fact"] == fact}
        found.append({"fact": fact, "pairs": len(of), "used": sum(of.values())})
    return found


def _figures(job: ProbeJob, effects: Sequence[Row]) -> list[Drawing]:
    drawn: list[Drawing] = []
    first = next(iter(job.plans))
    for number, fact in enumerate(values_of(effects, "fact")):
        of = [r for r in effects if (r["task"], r["condition"], r["fact"]) == (ALL, first, fact)]
        bands = [Band(group, *_columns([r for r in of if r["group"] == group])) for group in values_of(of, "group")]
        drawn.append(
            band_figure(
                f"effects-{number + 1}",
                f"Activation patching: {fact}",
                "Share of the margin of the other clip's answer that is restored (1: all of it) when the states of "
                f"some tokens are replaced at a depth (0: before the first layer; {last_depth(of)}: "
                f"before the final norm). Shaded: 95 % intervals by cluster. {HOW_TO_READ['patch']} "
                f"{size_words(of, job.family.cluster)}",
                "depth",
                "effect",
                bands,
            )
        )
    return drawn


def _groups(encoded: Encoded) -> dict[str, list[int]]:
    tokens = encoded.input_ids[0].tolist()
    vision = {tokens[place] for span in encoded.spans for place in span.vision}
    return token_groups(tokens, sorted(vision))


def _columns(rows: Sequence[Row]) -> list[list[Any]]:
    ordered = sorted(rows, key=lambda row: row["depth"])
    return [[row[key] for row in ordered] for key in ("depth", "mean", "low", "high")]


LAYER = _Patch()
