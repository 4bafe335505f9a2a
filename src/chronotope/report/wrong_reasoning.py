"""The failure analysis: the reasoning of wrong answers to the questions of the highest level."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from chronotope.report.asked_question import AskedQuestion, asked_of, prompt_strip
from chronotope.report.compared_runs.opened_runs import Compared
from chronotope.view.question_browser import Browser

LEVEL = "L3"
MOST, FRAMES = 12, 8  # traces of a run that are listed, and frames of each
LONG = 200  # characters of a reply that is more than an answer


@dataclass(frozen=True)
class WrongTrace:
    """A wrong answer with its reasoning, and some frames (file and label) of its prompt."""

    asked: AskedQuestion
    kind: str
    reasoning: str
    frames: tuple[tuple[str, str | None], ...]


@dataclass(frozen=True)
class RunFailures:
    """The wrong answers of a run.

    ``wrong`` counts the questions of the level with a wrong answer, ``kept`` those with its reasoning, and ``traces``
    are the first of these.
    """

    run: str
    wrong: int
    kept: int
    traces: tuple[WrongTrace, ...]


def make_failures(browser: Browser, compared: Sequence[Compared]) -> list[RunFailures]:
    """List the reasoning of wrong answers to base questions, run by run; runs without any are left out.

    If a question was asked several times, its first wrong answer with reasoning counts. A reply of some length counts
    as reasoning if the service states none.
    """
    found: list[RunFailures] = []
    for place, run in enumerate(compared):
        wrong: set[int] = set()
        traces: dict[int, WrongTrace] = {}
        for item in browser.items:
            number, answer = item["question"], item["answers"][place]
            if answer is None or answer["state"] != "wrong" or not _is_meant(browser.questions[number]):
                continue
            wrong.add(number)
            reasoning = _reasoning(answer)
            if reasoning and number not in traces:
                kind = " ".join(browser.questions[number]["tags"].get("type", ()))
                asked = asked_of(browser, compared, item, [place])
                traces[number] = WrongTrace(asked, kind, reasoning, _frames(browser, item))
        if traces:
            found.append(RunFailures(run.name, len(wrong), len(traces), tuple(traces.values())[:MOST]))
    return found


def _is_meant(question: dict[str, Any]) -> bool:
    return question["variant"] == "base" and LEVEL in question["tags"].get("level", ())


def _reasoning(answer: dict[str, Any]) -> str:
    reply = answer["reply"] or ""
    return answer["reasoning"] or (reply if len(reply) > LONG else "")


def _frames(browser: Browser, item: dict[str, Any]) -> tuple[tuple[str, str | None], ...]:
    """Return some frames of the prompt, evenly spaced."""
    every = (prompt_strip(browser, item) or {"frames": []})["frames"]
    steps = {round(k * (len(every) - 1) / (FRAMES - 1)) for k in range(FRAMES)} if every else ()
    return tuple((every[k][0], every[k][1]) for k in sorted(steps))
