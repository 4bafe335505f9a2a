"""A sentence about the missing answers of a run."""

from chronotope.report.runs.opened_runs import Compared


def missing_words(one: Compared) -> str | None:
    """Describe the number of asks without an answer, and the reasons.

    The sentence also gives the remedy. Returns None if all asks have an answer.
    """
    missing = {state: count for state, count in one.scores.states.items() if state != "replied"}
    if not missing:
        return None
    asks = f"{sum(missing.values())} of {len(one.run.answered)} asks"
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
