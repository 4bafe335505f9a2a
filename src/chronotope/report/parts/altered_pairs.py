"""Original questions and their altered twins: both right, and whether the answers follow the clip or only the words."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from chronotope.evaluate.score import Estimate, estimate
from chronotope.io.packed import by_key, select
from chronotope.protocol import Scored
from chronotope.question import Question
from chronotope.recording import ALTERATIONS
from chronotope.report.compared_runs.run_marks import BASE
from chronotope.report.compared_runs.run_rows import RunRow
from chronotope.report.section import Section
from chronotope.report.table import Cell, Fold, Part, run_table, score_cell
from chronotope.view.words import CLUSTER

PLACE = 25
ALL = "all"

_WORDS = (
    "Each twin asks the same question about an altered clip (see `chronotope vary`). “Both right” counts pairs whose "
    "two answers are correct; a run that only knows usual answers can be right on the original, but not on both. Below "
    f"each share are its 95 % interval by {CLUSTER}, and the numbers of pairs and {CLUSTER}s. “Chance of both” is the "
    "share of two independent guesses.",
    "In some pairs, the alteration changes the chosen option, and the old words are still offered: a choice of “left” "
    "becomes “right”. “Follows the clip” counts answers that changed in this way, and “same words again” counts those "
    "that did not change. A run that looks follows the clip even where it errs.",
    "“Only follows the words” is the share of twins with a wrong answer that the words alone give: the answer of the "
    "same model without pictures (`--input blind`), if the report has that run, or else the same words again.",
)


def make(section: Section) -> Part | None:
    """Compare the answers about original and altered clips, if a run has both."""
    found = [(row, one) for row in section.rows for one in pairs_of(row, section.rows)]
    if not found:
        return None
    columns = ["alteration", "original right", "twin right", "both right", "chance of both"]
    columns += ["follows the clip", "same words again", "only follows the words"]
    rows = [(row, _cells(one)) for row, one in found]
    table = run_table(section.label("Pairs of original and twin"), columns, rows, _WORDS)
    return Part((Fold("Altered twins", (table,), "does the answer follow the clip?"),))


@dataclass(frozen=True)
class Pairs:
    """The pairs of a run for one alteration, or for all.

    An `Estimate` is None if no pair has a known value.

    - ``original``, ``twin`` and ``both`` are shares of correct answers over the same pairs. The chance of ``both``
      assumes independent guesses.
    - ``follows`` and ``kept`` are shares of pairs in which the answer follows the clip, or keeps its words.
    - ``only_words`` is the share of twins with a wrong answer that the words alone give.
    """

    alteration: str
    original: Estimate | None
    twin: Estimate | None
    both: Estimate | None
    follows: Estimate | None
    kept: Estimate | None
    only_words: Estimate | None


@dataclass(frozen=True)
class _Pair:
    """One pair of questions with the correctness (0 to 1) and the choices of both; a choice is None if unknown."""

    alteration: str
    original: Question
    twin: Question
    right: tuple[float, float]
    chance: float | None
    chosen: tuple[int | None, int | None]
    blind: int | None

    @property
    def same_words(self) -> int | None:
        """Return the twin's option with the words that were chosen for the original.

        The result is None if there is no such option, or if the alteration leaves these words at their place.
        """
        first = self.chosen[0]
        if first is None:
            return None
        words = self.original.options[first].text
        places = [place for place, option in enumerate(self.twin.options) if option.text == words and words]
        return places[0] if len(places) == 1 and places[0] != first else None


def pairs_of(row: RunRow, rows: Sequence[RunRow]) -> list[Pairs]:
    """Return the shares of a run for each alteration, and for all if there are several.

    ``rows`` are the runs in which a blind run of the same model is looked for.
    """
    pairs = list(_pairs(row, _blind_choices(row, rows)))
    by_name = {name: [one for one in pairs if one.alteration == name] for name in ALTERATIONS}
    found = [_shares(name, some) for name, some in by_name.items() if some]
    return [*found, _shares(ALL, pairs)] if len(found) > 1 else found


def _pairs(row: RunRow, blind: Mapping[str, int]) -> Iterator[_Pair]:
    if not row.counts(BASE):
        return
    scores = row.scores
    own = select(scores.scored, lambda one: one.strategy == scores.strategy)
    if not any(one.question.variant in ALTERATIONS for one in own):
        return
    scored = by_key(own, lambda one: one.question.id)
    choices = _choices(row)
    for one in scored.values():
        first = scored.get(one.question.base or "")
        if one.question.variant not in ALTERATIONS or first is None:
            continue
        right = (_strict(first), _strict(one))
        if right[0] is None or right[1] is None:
            continue
        chances = None if first.chance is None or one.chance is None else first.chance * one.chance
        chosen = (choices.get(first.question.id), choices.get(one.question.id))
        yield _Pair(
            one.question.variant,
            first.question,
            one.question,
            (right[0], right[1]),
            chances,
            chosen,
            blind.get(one.question.id),
        )


def _strict(scored: Scored) -> float | None:
    return scored.metrics.get("strict")


def _choices(row: RunRow) -> dict[str, int]:
    """Return the chosen option of each question with one chosen option; the published order of options counts."""
    found: dict[str, int] = {}
    for one in row.compared.run.answered:
        options = list(one.reading.options or ()) if one.reading is not None else []
        if one.ask.strategy == row.scores.strategy and len(options) == 1:
            [option] = options
            if one.ask.placement == tuple(sorted(one.ask.placement)):
                found[one.question.id] = option
            else:
                found.setdefault(one.question.id, option)
    return found


def _blind_choices(row: RunRow, rows: Sequence[RunRow]) -> dict[str, int]:
    """Return the choices of the same model without pictures, by question.

    The result is empty if the report has no such run.
    """
    for other in rows:
        same = other.compared.run.card.model == row.compared.run.card.model
        if same and other is not row and _input(other) == "blind" and _input(row) != "blind":
            return _choices(other)
    return {}


def _input(row: RunRow) -> str:
    return str(row.compared.run.card.protocol.settings.get("input"))


def _shares(name: str, pairs: Sequence[_Pair]) -> Pairs:
    def share(of: Sequence[tuple[_Pair, float]], chances: Sequence[float | None] = ()) -> Estimate | None:
        return estimate([value for _, value in of], [pair.original.cluster for pair, _ in of], chances)

    moved = [(pair, again) for pair in pairs if (again := pair.same_words) is not None]
    # The answer that the words give: that of a blind run, or the same words again.
    worded = [(pair, word) for pair in pairs if (word := _word_choice(pair)) is not None]
    return Pairs(
        name,
        original=share([(pair, pair.right[0]) for pair in pairs]),
        twin=share([(pair, pair.right[1]) for pair in pairs]),
        both=share([(pair, min(pair.right)) for pair in pairs], [pair.chance for pair in pairs]),
        follows=share([(pair, float(pair.chosen[1] == pair.chosen[0])) for pair, _ in moved]),
        kept=share([(pair, float(pair.chosen[1] == again)) for pair, again in moved]),
        only_words=share([(pair, float(pair.chosen[1] == word and pair.right[1] == 0)) for pair, word in worded]),
    )


def _word_choice(pair: _Pair) -> int | None:
    return pair.blind if pair.blind is not None else pair.same_words


def _cells(one: Pairs) -> list[Cell]:
    chance = one.both.chance if one.both is not None else None
    return [
        Cell(one.alteration.replace("_", " ")),
        score_cell(one.original, "pairs"),
        score_cell(one.twin, "pairs"),
        score_cell(one.both, "pairs", strong=True),
        Cell() if chance is None else Cell(f"{100 * chance:.1f}", chance),
        *(score_cell(of, "pairs") for of in (one.follows, one.kept, one.only_words)),
    ]
