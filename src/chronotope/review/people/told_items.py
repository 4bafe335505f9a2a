"""What became of each item of a study: answers, verdicts, its resolution, and who is missing."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from chronotope.review.people.decisions import Reviewed
from chronotope.review.store import KEPT, OPEN, SPLIT
from chronotope.review.studies.items import BETWEEN, CLIP


def matches_key(answer: Mapping[str, Any] | None) -> bool | None:
    """Check whether an answer was the key.

    Returns None if there is no answer, or the question has no options.
    """
    if answer is None or not answer.get("key"):
        return None
    return answer["reply"].split(", ") == list(answer["key"])


def item_lines(items: Iterable[Reviewed]) -> list[dict[str, Any]]:
    """Return a line for each item: state, answers and verdicts, who settled it and why."""
    return [
        {
            "item": one.item.target.split(BETWEEN) if one.item.kind == CLIP else one.item.target,
            "stage": one.item.stage,
            "task": one.item.task,
            "state": one.item.state,
            "reviews": [
                _review(*of) for of in zip(one.people, one.answers, one.verdicts, strict=True) if of[1] or of[2]
            ],
            "settled": settled(one),
            "missing": list(missing(one)),
        }
        for one in items
    ]


def _review(
    person: str, answer: Mapping[str, Any] | None, verdict: Mapping[str, Any] | None
) -> dict[str, str | bool | list[str] | float | None]:
    answer, verdict = answer or {}, verdict or {}
    return {
        "by": person, "answer": answer.get("reply"), "as_key": matches_key(answer or None),
        "verdict": verdict.get("verdict"), "reasons": verdict.get("reasons", []), "note": verdict.get("note", ""),
        "seconds": verdict.get("seconds"),
    }  # fmt: skip


def settled(one: Reviewed) -> dict[str, str] | None:
    """Return who settled a split, how and why; None if nobody did."""
    if one.resolution is None:
        return None
    return {"by": one.resolution.person.name, "verdict": one.resolution.verdict, "note": one.resolution.note}


def missing(one: Reviewed) -> tuple[str, ...]:
    """Return the names of the reviewers who have not decided about an item."""
    return tuple(name for name, verdict in zip(one.people, one.verdicts, strict=True) if verdict is None)


def undecided(items: Iterable[Reviewed]) -> dict[str, str]:
    """Return the items without a final decision, each with the reason in words."""
    told: dict[str, str] = {}
    for one in items:
        name = one.item.target.replace(BETWEEN, ", ")
        if one.item.state == OPEN:
            told[name] = f"no verdict of {' and '.join(missing(one))}"
        elif one.item.state == SPLIT:
            told[name] = "a split that nobody has settled"
    return told


def against_key(items: Iterable[Reviewed]) -> list[tuple[str, str, str, str]]:
    """Return the questions that somebody answered otherwise than the key.

    A row has the question, the answers, the key and the state. Questions to which all gave the same answer come first.
    """
    rows: list[tuple[int, tuple[str, str, str, str]]] = []
    for one in items:
        given = [answer for answer in one.answers if answer is not None]
        if any(matches_key(answer) is False for answer in given):
            key = next(answer["key"] for answer in given if answer.get("key"))
            said = [
                f"{person}: {answer['reply']}"
                for person, answer in zip(one.people, one.answers, strict=True)
                if answer is not None
            ]
            alike = len({answer["reply"] for answer in given}) if len(given) > 1 else 2
            rows.append((alike, (one.item.target, "; ".join(said), ", ".join(key), one.item.state)))
    return [row for _, row in sorted(rows, key=lambda pair: pair[0])]


def decisions_about(items: Sequence[Reviewed], clips: Mapping[str, str]) -> dict[str, Reviewed]:
    """Return the item that decided about each question.

    The item is the question itself or, if it was not reached, its clip. ``clips`` maps each question to its clips.
    """
    by_target = {(one.item.kind, one.item.target): one for one in items}
    found = {
        question: by_target.get(("question", question)) or by_target.get((CLIP, shown))
        for question, shown in clips.items()
    }
    return {question: one for question, one in found.items() if one is not None}


def count_outside(items: Sequence[Reviewed], clips: Mapping[str, str]) -> int:
    """Count the questions that nobody reviews, such as those beyond the limit of a study.

    ``clips`` maps each question to its clips. A study of clips alone decides about all questions of a clip.
    """
    about = decisions_about(items, clips)
    asks = any(one.item.kind != CLIP for one in items)
    unseen = sum(asks and one.item.kind == CLIP and one.item.state == KEPT for one in about.values())
    return len(clips) - len(about) + unseen
