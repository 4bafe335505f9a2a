"""Findings of the paper about its models, as comparisons that a report makes on your own runs.

The numbers in brackets are counted from the published tables (specification, section 11.1).
"""

from chronotope.families import AboveChance, Contrast, PaperFinding, QuestionKind, Varied
from chronotope.families.m3.tables import FORMAT_KEPT
from chronotope.families.m3.tasks import CAPABILITIES, INTER, INTRA
from chronotope.question import Question

_TABLES = "M3-Verse specification, section 11.1"


def _tagged(words: str, **tags: str) -> QuestionKind:
    """Return the questions that have all tags."""

    def has(question: Question) -> bool:
        return all(value in question.tags.get(key, ()) for key, value in tags.items())

    return QuestionKind(words, has)


_ONE, _BOTH = _tagged("one video", state_type=INTRA), _tagged("both videos", state_type=INTER)
_HALL, _FAC = _tagged("Hall", hallucination="yes"), _tagged("Fac", hallucination="no")
_SEVERAL = QuestionKind("several correct options", lambda question: question.multiple)
_SINGLE = QuestionKind("one correct option", lambda question: not question.multiple)


def _extreme(state: str, capability: str, *, above: bool) -> Contrast:
    """Compare a capability with all others in one type of state."""
    kinds = {name: _tagged(name, state_type=state, capability=name) for name in CAPABILITIES}
    return Contrast(kinds.pop(capability), tuple(kinds.values()), above)


FINDINGS = (
    PaperFinding("The score is above that of random guesses (15 of 16 models).", _TABLES, AboveChance()),
    PaperFinding(
        "A larger model of a series is not always better (with videos, 8B is below 4B in both series).",
        _TABLES,
        Varied("size", above=False),
    ),
    PaperFinding(
        "A model scores higher with the videos than without (7 of 16 models are above the best text model).",
        f"{_TABLES}, and section 10.5",
        Varied("input"),
    ),
    PaperFinding(
        "Questions about both videos score higher than about one (14 of 16 models).", _TABLES, Contrast(_BOTH, (_ONE,))
    ),
    PaperFinding(
        "With one video, attribute is the strongest capability (11 of 16 models).",
        _TABLES,
        _extreme(INTRA, "attribute", above=True),
    ),
    PaperFinding(
        "With one video, reasoning is the weakest capability (16 of 16 models).",
        _TABLES,
        _extreme(INTRA, "reasoning", above=False),
    ),
    PaperFinding(
        "With both videos, attribute is the strongest capability (9 of 16 models).",
        _TABLES,
        _extreme(INTER, "attribute", above=True),
    ),
    PaperFinding(
        "Replies keep the form that was asked for less often if several options are correct: letters, and the right "
        "number of them (one, or at least two).",
        "M3-Verse specification, sections 10.2 and 10.3",
        Contrast(_SEVERAL, (_SINGLE,), above=False, metric=FORMAT_KEPT),
    ),
    PaperFinding(
        "Questions about missing things score lower than others (12 of 16 models).", _TABLES, Contrast(_FAC, (_HALL,))
    ),
    PaperFinding(
        "Scores rise with the number of frames, up to 1,000.",
        "M3-Verse specification, section 10.1",
        Varied("frames"),
    ),
    PaperFinding(
        "Answering from captions and summaries (HCTR) scores higher than asking directly (9 of 9 rows of Table 7).",
        _TABLES,
        Varied("method"),
    ),
    PaperFinding(
        "HCTR gains in questions about both videos (9 of 9 rows of Table 7).", _TABLES, Varied("method", among=_BOTH)
    ),
)
