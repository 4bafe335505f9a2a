"""The question at the top of a report: the most telling one, with some of its frames."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from chronotope.report.asked_question import AskedQuestion, asked_of, prompt_strip
from chronotope.report.compared_runs.opened_runs import Compared
from chronotope.report.main_finding import Finding
from chronotope.report.parts.calls import STATES
from chronotope.view.question_browser import Browser

SHOWN = 6  # largest number of small frames
LONG = 420  # characters of a question that would fill the top of a page
BESIDE = 0.051  # s; stems state tenths of a second
# The corners that each edge of a box joins; corner i has x, y, z negative where bit 2, 1, 0 of i is zero.
_EDGES = [(i, i | bit) for bit in (4, 2, 1) for i in range(8) if not i & bit]
_CHOSEN = (
    "An example, chosen because only the best run answers it correctly.",
    "An example, chosen because the best run answers it correctly, and another run does not.",
    "An example, chosen because one run answers it correctly, and another does not.",
    "An example, chosen because a run answers it wrongly.",
    "An example.",
)
_NOT_ANSWERED = {name.replace("_", " ") for name in STATES[1:]}


@dataclass(frozen=True)
class LeadFrame:
    """A frame: its file, its label, and the outlines of its boxes.

    ``boxes`` has the name and the path (SVG, in thousandths of the picture) of each box. ``number`` is its position
    in the prompt, counted from 1.
    """

    file: str
    label: str
    number: int
    boxes: tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class Lead(AskedQuestion):
    """A question with its options, answers and frames.

    ``large`` is the frame to show large, and ``chosen`` says why this question was chosen.
    """

    large: LeadFrame
    frames: tuple[LeadFrame, ...]
    pictures: int
    licence: str | None
    chosen: str


def make_lead(browser: Browser, compared: Sequence[Compared], finding: Finding) -> Lead | None:
    """Choose the most telling question of a finding's benchmark.

    Some of its frames are made, too.

    The most telling question is one that the best run answers correctly and all others do not; without such a
    question, one that some runs answer correctly; without any of these, the first with a wrong answer. Of several, a
    short question with boxes is chosen, then the first. Returns None if the report shows no frames of this benchmark.
    """
    benchmark = finding.benchmark
    places = [place for place, one in enumerate(compared) if one.asked == benchmark]
    best = None if finding.best is None else finding.best.compared
    own = next((place for place in places if compared[place] is best), None)
    shown = [
        item
        for item in browser.items
        if browser.questions[item["question"]]["benchmark"] == benchmark and prompt_strip(browser, item) is not None
    ]
    if not shown:
        return None
    item = min(shown, key=lambda one: _rank(browser, one, places, own))
    question, strip = browser.questions[item["question"]], prompt_strip(browser, item) or {}
    asked = _asked(question, strip)
    large = max(asked, key=lambda place: (_drawn(question, strip, place), -abs(place - asked[len(asked) // 2])))
    every = sorted({asked[round(step * (len(asked) - 1) / max(1, SHOWN - 1))] for step in range(SHOWN)})
    return Lead(
        **vars(asked_of(browser, compared, item, sorted(places, key=lambda place: place != own))),
        large=_frame(question, strip, large),
        frames=tuple(_frame(question, strip, place) for place in every),
        pictures=len(strip["frames"]),
        licence=strip["licence"],
        chosen=_CHOSEN[_rank(browser, item, places, own)[0]],
    )


def _rank(browser: Browser, item: dict[str, Any], places: Sequence[int], best: int | None) -> tuple[int, bool, bool]:
    """Return the sort key of a question.

    The most telling question has the lowest key.
    """
    states = {place: answer["state"] for place in places if (answer := item["answers"][place]) is not None}
    right = [place for place, state in states.items() if state == "right"]
    wrong = [place for place, state in states.items() if state != "right" and state not in _NOT_ANSWERED]
    question, strip = browser.questions[item["question"]], prompt_strip(browser, item) or {}
    boxed = any(_drawn(question, strip, place) for place in _asked(question, strip))
    kind = (
        0
        if right == [best] and wrong
        else 1
        if best in right and wrong
        else 2
        if right and wrong
        else 3
        if wrong
        else 4
    )
    long = len(question["stem"]) + sum(map(len, item["options"])) > LONG
    return kind, long, not boxed


def _asked(question: dict[str, Any], strip: dict[str, Any]) -> list[int]:
    """Return the pictures in the time of the question, or all pictures."""
    window, moment = question["window"], question["at"]
    start, end = (moment, moment) if window is None else window
    every = list(range(len(strip["frames"])))
    if start is None:
        return every
    inside = [
        place
        for place in every
        if (time := strip["times"][place]) is not None and start - BESIDE <= time <= end + BESIDE
    ]
    return inside or every


def _drawn(question: dict[str, Any], strip: dict[str, Any], place: int) -> int:
    """Return the number of boxes in a picture."""
    return sum(bool(strip["boxes"].get(name) and strip["boxes"][name][place]) for name in question["names"])


def _frame(question: dict[str, Any], strip: dict[str, Any], place: int) -> LeadFrame:
    boxes = [
        (words, "".join(f"M{at[2 * a]} {at[2 * a + 1]}L{at[2 * b]} {at[2 * b + 1]}" for a, b in _EDGES))
        for name, words in question["names"].items()
        if (of := strip["boxes"].get(name)) and (at := of[place])
    ]
    file, label = strip["frames"][place]
    return LeadFrame(file, label, place + 1, tuple(boxes))
