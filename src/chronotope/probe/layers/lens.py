"""The layer ``lens``: the option letters that the model would choose at each depth."""

from collections.abc import Sequence

from chronotope.errors import InputError
from chronotope.models.transformers import LocalModel
from chronotope.probe.figures import Band, band_figure
from chronotope.probe.layer import Drawing, Instrument, Layer, ProbeJob, Row, Summary, Unit
from chronotope.probe.logit_lens import letter_lens
from chronotope.probe.prompts import Prompted, has_one_letter, letters_of
from chronotope.probe.reading import HOW_TO_READ, size_words
from chronotope.probe.residual import stream_of
from chronotope.probe.summary_tables import ALL, change_rows, last_depth, mean_rows, values_of
from chronotope.protocol import option_letters

# What is measured at each depth: column, table, title, and the label of the axis.
VALUES = (
    ("margin", "margins", "margin of the correct letter", "nats"),
    ("correct", "correct", "questions whose likeliest letter is correct", "share"),
    ("share", "shares", "probability of the correct letter among the letters", "probability"),
    ("mass", "masses", "probability of all letters among all tokens", "probability"),
)


def letter_tokens(local: LocalModel, letters: Sequence[str]) -> list[tuple[int, ...]]:
    """Return the tokens of each letter.

    A blank can be part of a token.

    Raises:
        InputError: If a letter is not a token of the model.
    """
    tokens = local.letter_tokens
    for letter in letters:
        if not tokens.get(letter):
            raise InputError(f"the tokenizer has no token for the letter {letter}", where=local.sources.place)
    return [tokens[letter] for letter in letters]


class _Lens(Layer):
    name = "lens"
    place = 4

    def units(self, job: ProbeJob) -> list[Unit]:
        """Return one unit for each prompt with one correct letter.

        Raises:
            InputError: If no prompt has one.
        """
        units = [Unit.of_prompts(prompt) for prompt in job.prompts if has_one_letter(prompt)]
        if not units:
            raise InputError("lens: no selected question has exactly one correct letter: select other questions")
        return units

    def measure(self, instrument: Instrument, unit: Unit) -> list[Row]:
        """Read the letters at each depth of one prompt."""
        prompted: Prompted = unit.of
        stream, inputs = stream_of(instrument.local, instrument.encode(prompted))
        letters = option_letters(len(prompted.ask.placement))
        lens = letter_lens(stream, inputs, letter_tokens(instrument.local, letters))
        right = letters.index(letters_of(prompted)[0])
        question, margins, decided = prompted.question, lens.margins(right), lens.decided(right)
        about = {"question": question.id, "task": question.task, "cluster": question.cluster}
        about |= {"condition": prompted.condition, "right": letters[right], "decided": decided}
        chosen = [letters[at] for at in lens.logits.argmax(axis=1)]
        return [
            about
            | {"depth": depth, "margin": float(margins[depth]), "share": float(lens.shares[depth, right])}
            | {"mass": float(lens.mass[depth]), "letter": letter, "correct": float(letter == letters[right])}
            for depth, letter in enumerate(chosen)
        ]

    def summarize(self, job: ProbeJob, rows: Sequence[Row]) -> Summary:
        """Compute means by depth, and changes in margin between conditions."""
        tables = {table: mean_rows(rows, ("depth",), value) for value, table, _, _ in VALUES}
        figures = [_figure(job, value, title, axis, tables[table]) for value, table, title, axis in VALUES]
        tables["changes"] = change_rows(rows, ("depth",), "margin", list(job.plans))
        return Summary(tables, figures)


def _figure(job: ProbeJob, value: str, title: str, axis: str, means: Sequence[Row]) -> Drawing:
    """Draw a line for each condition.

    If there is only one condition, draw a line for each task.
    """
    tasks, alone = values_of(means, "task"), len(job.plans) == 1
    bands: list[Band] = []
    for condition in job.plans:
        for task in tasks if alone and len(tasks) > 2 else (ALL,):
            of = [mean for mean in means if (mean["condition"], mean["task"]) == (condition, task)]
            columns = ([one[key] for one in of] for key in ("depth", "mean", "low", "high"))
            bands.append(Band(task if alone else condition, *columns))
    return band_figure(
        value,
        f"Logit lens: {title}",
        "The last token's states, read through the final norm and the head after each layer of the decoder (0: "
        f"before the first; {last_depth(means)}: the reply). Shaded: 95 % intervals by cluster. "
        f"{HOW_TO_READ['lens']} {size_words(means, job.family.cluster)}",
        "depth",
        axis,
        bands,
    )


LAYER = _Lens()
