"""Layer 3, attention: the share that the last token gives to each modality, picture and option."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from chronotope.models.transformers import Encoded, LocalModel
from chronotope.probe.capture import Wanted, attention_layers, check_attention, run_captured, spread
from chronotope.probe.figures import Band, band_figure, heat_figure
from chronotope.probe.layer import Drawing, Instrument, Layer, ProbeJob, Row, Summary, Unit
from chronotope.probe.measures import attention_shares
from chronotope.probe.prompts import TEMPLATE, TEXT, Places, letters_of, places_of, published_sets
from chronotope.probe.reading import HOW_TO_READ, size_words
from chronotope.probe.settings import read_layers
from chronotope.probe.summary_tables import ALL, change_rows, mean_rows, values_of
from chronotope.protocol import Image, PictureFile, Text
from chronotope.question import Question

_LONGEST_TEST = 400  # tokens of the self-test, whose plain implementation needs memory for all pairs of tokens
_CLIPS = ("clip_a", "clip_b")  # the roles of two clips that a question compares (D1 of IKEA-Bench)
MEAN = -1  # in the column ``head``: the mean over heads; in ``layer``: the mean over layers


class _Attention(Layer):
    name = "attention"
    place = 3

    def units(self, job: ProbeJob) -> list[Unit]:
        """Return one unit for each prompt."""
        return [Unit.of_prompts(prompt) for prompt in job.prompts]

    def check(self, instrument: Instrument) -> None:
        """Compare recorded attention with the model's own weights on a short prompt.

        Raises:
            InputError: If the weights differ, or a layer of the settings does not exist.
        """
        check_attention(instrument.local, _short_prompt(instrument.local), self.layers(instrument))

    def layers(self, instrument: Instrument) -> list[int]:
        """Return the decoder layers that are measured."""
        there = attention_layers(instrument.local.family)
        return read_layers(instrument.settings.at, there, spread(there))

    def measure(self, instrument: Instrument, unit: Unit) -> list[Row]:
        """Measure the shares of one prompt by layer and head.

        Modalities have a row for each head; pictures, options and the authors' sets of tokens (kind ``published``) have
        the mean over the heads.
        """
        encoded = instrument.encode(unit.of)
        places = places_of(unit.of, encoded)
        weights = run_captured(instrument.local, encoded, Wanted(attention=self.layers(instrument))).attention
        question = unit.of.question
        about = {"question": question.id, "task": question.task, "cluster": question.cluster}
        about |= {"condition": unit.of.condition, "strategy": unit.of.ask.strategy, "tokens_in_prompt": encoded.length}
        right, published = (
            set(letters_of(unit.of)),
            published_sets(places, encoded.input_ids[0].tolist(), instrument.local.model.config),
        )
        rows: list[Row] = []
        for layer, row in weights.items():
            for kind, name, at, share in _shares(row.numpy(), places, published):
                told = about | {"layer": layer, "kind": kind, "name": name, "tokens": len(at)}
                told |= {"correct": name in right if kind == "option" else None}
                rows.append(told | {"head": MEAN, "share": float(share.mean())})
                if kind == "modality":
                    rows += [told | {"head": head, "share": float(one)} for head, one in enumerate(share)]
        return rows

    def summarize(self, job: ProbeJob, rows: Sequence[Row]) -> Summary:
        """Compute means by layer, and changes between conditions."""
        of_heads = [row for row in rows if row["head"] != MEAN]
        both, published = (_with_mean_layer(rows, kind) for kind in ("modality", "published"))
        keys = ("layer", "name")
        shares = mean_rows(both, keys, "share")
        per_token = {
            (one["task"], one["condition"], one["layer"], one["name"]): one["mean"]
            for one in mean_rows(
                [row | {"each": row["share"] / row["tokens"]} for row in both], keys, "each", resamples=0
            )
        }
        uniform = {
            (one["task"], one["condition"], one["layer"], one["name"]): one["mean"]
            for one in mean_rows(
                [row | {"each": row["tokens"] / row["tokens_in_prompt"]} for row in both], keys, "each", resamples=0
            )
        }
        for row in shares:
            at = row["task"], row["condition"], row["layer"], row["name"]
            row["share_per_token"], row["chance"] = per_token[at], uniform[at]
        options = [row | {"name": "correct" if row["correct"] else "wrong"} for row in rows if row["kind"] == "option"]
        return Summary(
            {
                "means": shares,
                "changes": change_rows(both, keys, "share", list(job.plans)),
                "published-means": mean_rows(published, keys, "share"),
                "published-changes": change_rows(published, keys, "share", list(job.plans)),
                "balance": _balance(job, published),
                "options": mean_rows(_by_question(options), keys, "share"),
                "heads": mean_rows(of_heads, ("layer", "head", "name"), "share", resamples=0),
            },
            _figures(job, shares, of_heads),
        )


def _shares(
    row: np.ndarray, places: Places, published: Mapping[str, Sequence[int]]
) -> list[tuple[str, str, Sequence[int], np.ndarray]]:
    """Return kind, name, positions and shares (heads,) of every part."""
    found: list[tuple[str, str, Sequence[int], np.ndarray]] = []
    pictures = {f"{number} {role}": at for number, (role, at) in enumerate(places.pictures, 1)}
    parts: dict[str, Mapping[str, Sequence[int]]] = {
        "modality": places.modalities, "published": published, "picture": pictures, "option": places.options
    }  # fmt: skip
    for kind, of in parts.items():
        found += [(kind, name, of[name], share) for name, share in attention_shares(row, of).items()]
    return found


def _with_mean_layer(rows: Sequence[Row], kind: str) -> list[Row]:
    """Return the means over heads of one kind.

    The means are given at each layer and over all layers.
    """
    of = [row for row in rows if row["head"] == MEAN and row["kind"] == kind]
    return [*of, *_over_layers(of)]


def _over_layers(rows: Sequence[Row]) -> list[Row]:
    """Return the mean over layers of each question, condition and modality."""
    groups: dict[tuple[Any, ...], list[Row]] = {}
    for row in rows:
        groups.setdefault((row["question"], row["condition"], row["name"]), []).append(row)
    return [of[0] | {"layer": MEAN, "share": float(np.mean([row["share"] for row in of]))} for of in groups.values()]


def _balance(job: ProbeJob, rows: Sequence[Row]) -> list[Row]:
    """Compute the share of the first clip in the attention.

    Only questions that compare two clips have it.

    The mean is over layers and heads, for pairs of the same thing, of different things, and for both. ``chance`` is the
    share of the first clip in the tokens of both.
    """
    both: dict[tuple[str, str], dict[str, Row]] = {}
    for row in rows:
        if row["layer"] == MEAN and row["name"] in _CLIPS:
            both.setdefault((row["question"], row["condition"]), {})[row["name"]] = row
    same = {question.id: _shows_one_thing(job, question) for question in job.benchmark.questions}
    found: list[Row] = []
    for (question, _), of in both.items():
        if len(of) == len(_CLIPS):
            first, second = (of[name] for name in _CLIPS)
            about = first | {"balance": first["share"] / (first["share"] + second["share"])}
            about["even"] = first["tokens"] / (first["tokens"] + second["tokens"])
            found += [about | {"pairs": words} for words in ("all", "same" if same[question] else "different")]
    means = mean_rows(found, ("pairs",), "balance")
    even = {_key(row): row["mean"] for row in mean_rows(found, ("pairs",), "even", resamples=0)}
    return [row | {"chance": even[_key(row)]} for row in means if row["task"] != ALL]


def _key(row: Row) -> tuple[str, str, str]:
    return row["task"], row["condition"], row["pairs"]


def _shows_one_thing(job: ProbeJob, question: Question) -> bool:
    return len({one.thing for one in job.family.depicts(question) if one.role in _CLIPS}) == 1


def _by_question(rows: Sequence[Row]) -> list[Row]:
    """Average the correct options, and the wrong options, of each question."""
    groups: dict[tuple[Any, ...], list[Row]] = {}
    for row in rows:
        groups.setdefault((row["question"], row["condition"], row["layer"], row["name"]), []).append(row)
    return [of[0] | {"share": float(np.mean([row["share"] for row in of]))} for of in groups.values()]


def _figures(job: ProbeJob, shares: Sequence[Row], heads: Sequence[Row]) -> list[Drawing]:
    drawn: list[Drawing] = []
    for number, condition in enumerate(job.plans, 1):
        of = [
            share
            for share in shares
            if share["task"] == ALL and share["condition"] == condition and share["layer"] != MEAN
        ]
        bands = []
        for name in values_of(of, "name"):
            at = sorted((one for one in of if one["name"] == name), key=lambda one: one["layer"])
            limits = [[None if one[key] is None else 100 * one[key] for one in at] for key in ("low", "high")]
            bands.append(Band(name, [one["layer"] for one in at], [100 * one["mean"] for one in at], *limits))
        drawn.append(
            band_figure(
                f"shares-{number}", f"Attention of the last token: {condition}",
                "Share of attention by decoder layer, as the mean over heads and questions. Shaded: 95 % intervals by "
                f"cluster. {HOW_TO_READ['attention']} {size_words(of, job.family.cluster)}", "layer", "share, %", bands,
            )
        )  # fmt: skip
        for name in values_of(of, "name"):
            if name not in (TEXT, TEMPLATE):
                at_heads = [one for one in of if one["name"] == name]
                grid = _grid([row for row in heads if row["condition"] == condition and row["name"] == name])
                drawn.append(
                    heat_figure(
                        f"heads-{number}-{name}", f"Attention to {name} by head: {condition}",
                        f"Share of attention to {name}, %, by layer and head. Bright: this head reads much of it. "
                        f"{size_words(at_heads, job.family.cluster)}", *grid,
                    )
                )  # fmt: skip
    return drawn


def _grid(rows: Sequence[Row]) -> tuple[list[int], np.ndarray]:
    """Return the layers, and the mean shares in percent (layers, heads)."""
    layers, heads = sorted(values_of(rows, "layer")), sorted(values_of(rows, "head"))
    total, count = np.zeros((len(layers), len(heads))), np.zeros((len(layers), len(heads)))
    for row in rows:
        at = layers.index(row["layer"]), heads.index(row["head"])
        total[at] += 100 * row["share"]
        count[at] += 1
    return layers, total / np.maximum(count, 1)


def _short_prompt(local: LocalModel) -> Encoded:
    """Return a short prompt, with a picture if its tokens are few."""
    from chronotope.media import encode_picture

    noise = np.random.default_rng(0).integers(0, 256, (56, 84, 3), dtype=np.uint8)
    picture = encode_picture(noise, "png")
    words = Text("Which option is shown? Answer with a letter.")
    shown = local.encode([Image(PictureFile("self-test", picture.sha256)), words], lambda _: picture)
    return shown if shown.length <= _LONGEST_TEST else local.encode([words], lambda _: picture)


LAYER = _Attention()
