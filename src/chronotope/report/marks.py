"""The marks beside a run's name: what somebody must know before comparing it with others."""

import re
from dataclasses import dataclass

from chronotope.evaluate import RunResults

__all__ = ["BASE", "ELSEWHERE", "PLACEMENTS", "Mark", "marks"]

ELSEWHERE = "asked elsewhere"
BASE = "base"  # the variant of questions in their first form
PLACEMENTS = {
    "rotate": ("every rotation", "the options are shown in every rotation"),
    "swap": ("swapped", "the right option is shown under every letter in turn"),
}
_PLACED = re.compile(r"#(rotate|swap)-\d+")  # how protocols name the asks of further placements


@dataclass(frozen=True)
class Mark:
    """A few words beside a run's name, and the sentence that explains them."""

    words: str
    why: str

    @property
    def short(self) -> str:
        """The words without what follows from them."""
        return self.words.partition(":")[0]


def marks(run: RunResults) -> tuple[Mark, ...]:
    """What somebody must know before comparing this run with others."""
    found: list[Mark] = []
    if not any(one.reading is not None for one in run.answered):
        found.append(Mark("nothing was replied", "no call of this run brought a reply: it has no accuracy"))
    if run.card.layout != "published":
        why = "pictures first, question last, so that prompts share a beginning: not what the authors asked"
        found.append(Mark(f"layout {run.card.layout}: not among published rows", why))
    if run.card.elsewhere is not None:
        found.append(Mark(ELSEWHERE, f"the replies were made with another tool: {run.card.elsewhere.file}"))
    blind = sum(one.ask.input == "blind" for one in run.answered)
    if blind:
        found.append(Mark("blind" if blind == len(run.answered) else "partly blind", "asked without pictures"))
    variants = {one.question.variant for one in run.answered}
    if variants and BASE not in variants:
        why = "none of the questions in their first form was asked: its figures are of this variant"
        found.append(Mark(f"variant {min(variants).replace('_', ' ')}: no base question", why))
    placed = {match[1] for one in run.answered if (match := _PLACED.search(one.ask.id))}
    found += [Mark(*PLACEMENTS[name]) for name in sorted(placed)]
    strategies = {one.ask.strategy for one in run.answered} - {"direct"}
    found += [Mark(name.replace("_", " "), "not asked directly") for name in sorted(strategies)]
    return tuple(found)
