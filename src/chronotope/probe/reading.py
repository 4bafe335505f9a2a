"""How the values of a layer are read: what a high value means, what chance is, and when there are too few clusters."""

from collections.abc import Mapping, Sequence
from typing import Any

from chronotope.evaluate.score import FEWEST_CLUSTERS

PAPER_SPLIT = "probe accuracy (1:4), the paper's split"  # a measure of the layer of representations

HOW_TO_READ: Mapping[str, str] = {
    "representation": "High: the vectors tell things apart (probe), or a picture is near to the other pictures of its "
    "thing (CKA, R@K). A value at chance means that this stage does not have the information in this form.",
    "hidden": "1: the state from which the answer is read points to the mean state of these tokens; 0: it has nothing "
    "in common with it. There is no chance level: compare tokens, depths or conditions with each other.",
    "attention": "High: the answer is read more from these tokens. Chance is the share of these tokens in the prompt, "
    "which equal attention to all tokens would give.",
    "answers": "Above 0: with a correct answer, more is read from these tokens than with a wrong answer to a similar "
    "question. Chance is 0, or the difference that the lengths of the prompts explain (equal attention to all tokens).",
    "lens": "Margin above 0: the correct letter leads at this depth. Chance is 0 for the margin, and one of the "
    "options for accuracy and probability.",
    "patch": "1: these tokens carry the whole difference at this depth; 0: they carry nothing of it, which is chance.",
}


def size_words(rows: Sequence[Mapping[str, Any]], cluster: str) -> str:
    """Say from how many items and clusters the rows come.

    ``cluster`` is the family's word for a cluster. The result is empty if there are no rows.
    """
    sizes = [(row.get("clusters", 0), row.get("questions", row.get("items", 0))) for row in rows]
    if not sizes:
        return ""
    clusters, items = max(sizes)
    name = "questions" if any("questions" in row for row in rows) else "pairs or pictures"
    return f"From {items:,} {name} of {clusters} {cluster}{'s' if clusters != 1 else ''}."


def too_few(layer: str, rows: Sequence[Mapping[str, Any]], cluster: str) -> str | None:
    """Return a warning if there are too few clusters for intervals."""
    clusters = max((row["clusters"] for row in rows if "clusters" in row), default=None)
    if clusters is None or clusters >= FEWEST_CLUSTERS:
        return None
    return (
        f"Layer {layer} is from only {clusters} {cluster}{'s' if clusters != 1 else ''}. With fewer than "
        f"{FEWEST_CLUSTERS} there are no intervals, and one {cluster} can decide a value: do not compare these numbers."
    )
