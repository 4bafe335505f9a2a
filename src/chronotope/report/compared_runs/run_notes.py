"""The notes on a run: its missing answers, and the check of its service."""

from collections.abc import Mapping
from typing import Any

from chronotope.evaluate.score import ASKED, RunResults
from chronotope.io.packed import Keys
from chronotope.report.compared_runs.opened_runs import Compared


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


def missing_words(one: Compared) -> str | None:
    """Describe the number of asks without an answer, and the reasons.

    The sentence also gives the remedy. Returns None if all asks have an answer.
    """
    missing = {state: count for state, count in one.scores.states.items() if state != "replied"}
    if not missing:
        return None
    once = len(Keys(of.question.id for of in one.run.answered)) == len(one.run.answered)
    asks = f"{sum(missing.values())} of {len(one.run.answered)} {'questions' if once else 'asks'}"
    words = ", ".join(f"{count} {state.replace('_', ' ')}" for state, count in sorted(missing.items()))
    elsewhere = one.run.card.elsewhere
    what_to_do = (
        "the same `chronotope run` repeats only these"
        if elsewhere is None
        else "score a complete file into a new folder"
    )
    if not one.replied:
        return f"there are no replies ({words}), so there is no accuracy, plot or difference: {what_to_do}"
    if elsewhere is not None:
        return f"{elsewhere.file} has no reply to {asks}, which count as wrong: {what_to_do}"
    if set(missing) == {"not_asked"}:
        return f"{asks} were not asked yet, and do not count: {what_to_do}"
    # Questions that were not asked yet do not count, as stated by the notes next to the scores.
    wrong = "" if "not_asked" in missing else " and count as wrong"
    return f"{asks} have no answer{wrong} ({words}): {what_to_do}"
