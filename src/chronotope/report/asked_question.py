"""A question with its options and the answers of runs, as parts of a report's page show it outside the browser."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from chronotope.protocol import option_letters
from chronotope.report.compared_runs.opened_runs import Compared
from chronotope.view.question_browser import Browser


@dataclass(frozen=True)
class GivenAnswer:
    """The answer of one run: its state, such as ``wrong``, and the letters that it chose."""

    run: str
    state: str
    letters: str


@dataclass(frozen=True)
class AskedQuestion:
    """A question with its options and answers.

    ``options`` has the letter, the text and the correctness of each option.
    """

    id: str
    benchmark: str
    task: str
    stem: str
    options: tuple[tuple[str, str, bool], ...]
    answers: tuple[GivenAnswer, ...]


def asked_of(
    browser: Browser, compared: Sequence[Compared], item: dict[str, Any], places: Iterable[int]
) -> AskedQuestion:
    """Return the question of an item of the browser, with the answers of the runs at ``places``."""
    question, letters = browser.questions[item["question"]], option_letters(len(item["options"]))
    return AskedQuestion(
        id=item["id"],
        benchmark=question["benchmark"],
        task=question["task"],
        stem=question["stem"],
        options=tuple((letters[i], text, i in item["right"]) for i, text in enumerate(item["options"])),
        answers=tuple(
            GivenAnswer(compared[place].here, answer["state"], "".join(letters[i] for i in answer["chosen"] or ()))
            for place in places
            if (answer := item["answers"][place]) is not None
        ),
    )


def prompt_strip(browser: Browser, item: dict[str, Any]) -> dict[str, Any] | None:
    """Return the pictures of the first prompt with pictures."""
    return next((browser.strips[p["strip"]] for p in item["prompts"] if p["strip"] is not None), None)
