"""Baselines that see all questions of a cluster together, but no picture."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from chronotope.errors import InputError
from chronotope.models.baselines import Baseline, draw_letter
from chronotope.models.study import Study, Unsolved
from chronotope.protocol import Option


@dataclass(frozen=True)
class Found:
    """The option found for a question: its index, and the reason as a text."""

    option: int
    how: str


# Returns a mapping from ids of questions to found options; questions without a found option are missing.
Solver = Callable[[Study], Mapping[str, Found]]


def reply_text(letter: str, how: str) -> str:
    """Return a reply with the letter and the reason.

    Every reader finds the letter in this reply.
    """
    return f"Answer: {letter}\n{how}"


class StudiedBaseline(Baseline):
    """A model that solves a cluster when the first of its questions is asked.

    If the solver does not answer an ask, the reply is the letter of baseline/random.
    """

    def __init__(self, name: str, solver: Solver) -> None:
        super().__init__(name, lambda options, seed: self.answer(seed, options))
        self.solver = solver
        self._studies: dict[str, Study] = {}
        self._questions: Mapping[str, str] | None = None
        self._unsolved: dict[str, Unsolved] = {}
        self._solved: dict[str, Mapping[str, Found]] = {}

    def study(self, studies: Sequence[Study], questions: Mapping[str, str]) -> None:
        """Keep the questions; nothing is solved yet."""
        self._studies = {study.cluster: study for study in studies}
        self._unsolved = {one.id: one for study in studies for one in study.asked}
        self._questions, self._solved = dict(questions), {}

    def answer(self, ask: str, options: Sequence[Option]) -> str:
        """Return the reply to an ask with these options.

        For a variant, the answer is the option with the text that was found for the base question. If this option is
        not offered, the answer is "None of these".

        Raises:
            InputError: If the questions were not studied.
        """
        question = self._question(ask)
        base = self._unsolved.get(question.base or question.id, question)
        if base.cluster not in self._solved:
            self._solved[base.cluster] = self.solver(self._studies[base.cluster])
        found = self._solved[base.cluster].get(base.id)
        if found is None or options[0].multiple:
            return draw_letter(options, ask)
        texts = {option.text: option.letter for option in options}
        letter = texts.get(base.options[found.option])
        if letter is None and question.variant == "base":
            return draw_letter(options, ask)
        return reply_text(letter or options[-1].letter, found.how)

    def _question(self, ask: str) -> Unsolved:
        if self._questions is None or ask not in self._questions:
            raise InputError(
                f"{self.name} answers only questions that it has seen before the first ask: run it with "
                "chronotope run or chronotope.evaluate.run"
            )
        return self._unsolved[self._questions[ask]]
