"""Text about the check that a run makes before its first question."""

from collections.abc import Mapping
from typing import Any

from chronotope.evaluate.score import ASKED, RunResults


def check_words(run: RunResults) -> list[str]:
    """Describe the check of a run in lines of text.

    The lines describe the pictures and the replies. If no check was made, one line states this.
    """
    found = run.card.check
    if found is None:
        return ["none was made"]
    lines: list[str] = []
    if found.get("pictures", "?"):
        lines.append(f"{found.get('pictures', '?')} pictures of {found.get('width', '?')} × {found.get('height', '?')}")
    if found.get("videos"):
        lines.append("a video")
    if not found.get("accepted", True):
        lines.append("not accepted")
    if (arrived := found.get("arrived")) is not None:
        lines.append("all of them arrived" if arrived else "not all of them arrived")
    if (arrived := found.get("video_arrived")) is not None:
        lines.append("the video arrived whole" if arrived else "the video did not arrive whole")
    if (kept := found.get("order_kept")) is not None:
        lines.append("text stays between the pictures" if kept else "text does not stay between the pictures")
    lines += [f"{words}: {_answered(found, name)}" for name, words in ASKED.items() if name in found.get("right", {})]
    if (tokens := found.get("tokens_per_picture")) is not None:
        lines.append(f"{tokens:.0f} tokens per picture")
    if (cached := found.get("reports_cached_tokens")) is not None:
        lines.append("reports cached tokens" if cached else "does not report cached tokens")
    if (letters := found.get("log_probabilities")) is not None:
        lines.append("gives log-probabilities" if letters else "gives no log-probabilities")
    return lines


def check_concerns(run: RunResults) -> tuple[str, ...]:
    """Return the sentences of the check to print next to the scores."""
    found = run.card.check or {}
    problem = found.get("problem")
    return (*([problem] if problem else []), *found.get("warnings", ()))


def _answered(found: Mapping[str, Any], name: str) -> str:
    right, reply = found["right"][name], found.get("replies", {}).get(name)
    words = {True: "right", False: "wrong", None: "not known"}[right]
    return words if right or not reply else f"{words} (“{reply}”)"
