"""What a run has no answer to, in a sentence."""

from chronotope.report.compared import Compared

__all__ = ["missing_words"]


def missing_words(one: Compared) -> str | None:
    """A sentence where a run has asks without an answer: how many, why, and what to do about it."""
    missing = {state: count for state, count in one.scores.states.items() if state != "replied"}
    if not missing:
        return None
    asks = f"{sum(missing.values())} of {len(one.run.answered)} asks"
    words = ", ".join(f"{count} {state.replace('_', ' ')}" for state, count in sorted(missing.items()))
    elsewhere = one.run.card.elsewhere
    what_to_do = (
        "the same `chronotope run` again asks only these"
        if elsewhere is None
        else "score a file that has them into a new folder"
    )
    if not one.replied:
        return f"nothing was replied ({words}), so there is no accuracy, and no plot or difference: {what_to_do}"
    if elsewhere is not None:
        return f"{elsewhere.file} has no reply to {asks}, which count as wrong: {what_to_do}"
    # Where some asks of a question were made and others not yet, the notes beside the scores say what counts.
    made = {answered.question.id for answered in one.run.answered if answered.line is not None}
    begun = any(answered.line is None and answered.question.id in made for answered in one.run.answered)
    return f"{asks} have no answer{'' if begun else ' and count as wrong'} ({words}): {what_to_do}"
