"""The layer ``lens``: the option letters that the model would choose at each depth."""

from collections.abc import Sequence

from chronotope.errors import InputError
from chronotope.models.transformers import LocalModel
from chronotope.probe.capture import depths_of
from chronotope.probe.figures import Band, band_figure
from chronotope.probe.layers import Drawing, ProbeJob, Row, Summary, Unit
from chronotope.probe.lens import letter_lens
from chronotope.probe.prompts import Prompted, letters_of
from chronotope.probe.residual import stream_of
from chronotope.probe.tables import ALL, change_rows, mean_rows, values_of
from chronotope.protocol import option_letters

__all__ = ["LAYER", "letter_tokens"]

_BLANKS = ("", " ", "\n")  # what may stand before a letter in one token
VALUES = {"margin": "margin of the correct letter, nats", "share": "probability among the letters"}


def letter_tokens(local: LocalModel, letters: Sequence[str]) -> list[list[int]]:
    """Return the tokens of each letter, with or without a blank before it.

    Raises:
        InputError: If a letter is no token of the model.
    """
    found: list[list[int]] = []
    for letter in letters:
        encoded = [local.tokenizer(f"{blank}{letter}", add_special_tokens=False)["input_ids"] for blank in _BLANKS]
        ids = {ids[-1] for ids in encoded if ids and local.tokenizer.decode([ids[-1]]).strip() == letter}
        if not ids:
            raise InputError(f"the tokenizer has no token for the letter {letter}", where=local.sources.place)
        found.append(sorted(ids))
    return found


def has_one_letter(prompted: Prompted) -> bool:
    """Check whether exactly one of several letters is correct."""
    return len(prompted.ask.placement) > 1 and len(letters_of(prompted)) == 1


class _Lens:
    name = "lens"

    def units(self, job: ProbeJob) -> list[Unit]:
        """Return one unit for each prompt with one correct letter.

        Raises:
            InputError: If no prompt has one.
        """
        units = [Unit(one.id, one.question.id, one) for one in job.prompts if has_one_letter(one)]
        if not units:
            raise InputError("lens: no selected question has exactly one correct letter: select other questions")
        return units

    def measure(self, job: ProbeJob, unit: Unit) -> list[Row]:
        """Read the letters at each depth of one prompt."""
        prompted: Prompted = unit.of
        stream, inputs = stream_of(job.local, job.encode(prompted))
        letters = option_letters(len(prompted.ask.placement))
        lens = letter_lens(stream, inputs, letter_tokens(job.local, letters))
        right = letters.index(letters_of(prompted)[0])
        question, margins, decided = prompted.question, lens.margins(right), lens.decided(right)
        about = {"question": question.id, "task": question.task, "cluster": question.cluster}
        about |= {"condition": prompted.condition, "right": letters[right], "decided": decided}
        return [
            about
            | {"depth": depth, "margin": float(margins[depth]), "share": float(lens.shares[depth, right])}
            | {"mass": float(lens.mass[depth]), "letter": letters[int(lens.logits[depth].argmax())]}
            for depth in range(len(margins))
        ]

    def summarize(self, job: ProbeJob, rows: Sequence[Row]) -> Summary:
        """Compute means by depth, and changes between conditions."""
        means = {value: mean_rows(rows, ("depth",), value) for value in VALUES}
        changes = change_rows(rows, ("depth",), "margin", list(job.plans))
        figures = [self._figure(job, value, means[value]) for value in VALUES]
        return Summary({"margins": means["margin"], "shares": means["share"], "changes": changes}, figures)

    def _figure(self, job: ProbeJob, value: str, means: Sequence[Row]) -> Drawing:
        bands: list[Band] = []
        for condition in job.plans:
            for task in values_of(means, "task"):
                of = sorted(
                    (one for one in means if (one["condition"], one["task"]) == (condition, task)),
                    key=lambda one: one["depth"],
                )
                if of and (task == ALL or len(job.plans) == 1):
                    name = task if len(job.plans) == 1 else condition
                    columns = ([one[key] for one in of] for key in ("depth", "mean", "low", "high"))
                    bands.append(Band(name, *columns))
        return band_figure(
            value,
            f"Logit lens: {VALUES[value]}",
            "The last token's states, read through the final norm and the head after each layer of the decoder (0: "
            f"before the first; {depths_of(job.local.family)}: the reply). Shaded: 95 % intervals by cluster.",
            "depth",
            VALUES[value],
            bands,
        )


LAYER = _Lens()
