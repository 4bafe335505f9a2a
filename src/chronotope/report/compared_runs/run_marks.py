"""The marks next to the name of a run: warnings for comparisons with other runs."""

import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

from chronotope.evaluate.score import RunResults
from chronotope.io.packed import Keys, PackedList

ELSEWHERE = "asked elsewhere"
BLIND = "asked without pictures"
BY_STRATEGY = "with this strategy"
# The inputs with pictures other than those of the protocol, and their pictures in words.
ABLATED = {
    "first": "only the first frame of each clip",
    "middle": "only the middle frame of each clip",
    "last": "only the last frame of each clip",
    "shuffled": "the frames in random order",
    "frozen": "the middle frame in place of every frame",
    "swapped": "the media of another scene",
}
DIRECT = "direct"  # the name of the strategy in families without strategies
BASE = "base"  # the variant of the unchanged questions
PLACEMENTS = {
    "rotate": ("every rotation", "options in every rotation"),
    "swap": ("swapped", "the correct option under every letter in turn"),
}
_PLACED = re.compile(r"#(rotate|swap)-\d+")  # the part of an ask's id that names another order of the options


@dataclass(frozen=True)
class Mark:
    """A few words next to the name of a run.

    ``why`` is the sentence that explains these words.
    """

    words: str
    why: str

    @property
    def short(self) -> str:
        """Return the beginning of the mark, up to the colon."""
        return self.words.partition(":")[0]


def by_method(name: str) -> str:
    """Return the reason for the mark of a method."""
    return f"answered with the method {name}, not by asking about the videos"


def strategy_words(name: str) -> str:
    """Return the name of a strategy as words."""
    return name.replace("_", " ")


class _Asks:
    """What the asks of a run tell about it, found by reading them once."""

    def __init__(self, run: RunResults) -> None:
        self.replied, self.inputs, self.variants = False, Counter[str](), set[str]()
        strategies: dict[str, None] = {}
        self.placed: dict[str, Keys] = {}  # questions by the way in which their options were shown
        for one in run.answered:
            self.replied = self.replied or one.reading is not None
            self.inputs[one.ask.input] += 1
            self.variants.add(one.question.variant)
            strategies[one.ask.strategy] = None
            if match := _PLACED.search(one.ask.id):
                self.placed.setdefault(match[1], Keys()).add(one.question.id)
        self.strategies = [*strategies]


def _placed(run: RunResults, placed: Mapping[str, Keys]) -> list[Mark]:
    """Describe the orders in which options were shown.

    If not all questions were shown in these orders, the text states the number of questions.
    """
    every = len(Keys(one.question.id for one in run.answered if one.question.answer)) if placed else 0
    found: list[Mark] = []
    for name, questions in sorted(placed.items()):
        words, why = PLACEMENTS[name]
        part = "" if len(questions) == every else f" of {len(questions)} questions"
        found.append(Mark(words + part, f"{why}{part and f': {part[4:]} of {every}'}"))
    return found


def marks(run: RunResults) -> tuple[Mark, ...]:
    """Return the warnings for the comparison of this run with others."""
    asks, found = _Asks(run), list[Mark]()
    if not asks.replied:
        found.append(Mark("no replies", "this run has no replies, so it has no accuracy"))
    if run.card.layout != "published":
        why = "pictures first, question last, so that prompts share a prefix: not the prompts of the authors"
        found.append(Mark(f"layout {run.card.layout}: not among published rows", why))
    if run.card.elsewhere is not None:
        found.append(Mark(ELSEWHERE, f"the replies were made with another tool: {run.card.elsewhere.file}"))
        if (whole := run.card.elsewhere.subset_of) is not None:
            count = len(Keys(one.question.id for one in run.answered))
            found.append(Mark("a subset", f"the run has {count} of {whole} questions: those in the file of replies"))
    if (run.card.check or {}).get("order_kept") is False:
        why = (
            "the service moves text from before or between pictures (found by the check): not the prompts of the "
            "authors"
        )
        found.append(Mark("order of text lost", why))
    if blind := asks.inputs["blind"]:
        found.append(Mark("blind" if blind == len(run.answered) else "partly blind", BLIND))
    found += [
        Mark(f"{name}: media changed", f"asked with {ABLATED[name]}: not the prompts of the authors")
        for name in asks.inputs
        if name in ABLATED
    ]
    if (why := _against_the_guard(run)) is not None:
        found.append(Mark("self-evaluation", why))
    if run.card.method is not None:
        found.append(Mark(f"method {run.card.method.name}", by_method(run.card.method.name)))
    if asks.variants and BASE not in asks.variants:
        why = "no base questions were asked: the figures belong to this variant"
        found.append(Mark(f"variant {min(asks.variants).replace('_', ' ')}: no base question", why))
    found += _placed(run, asks.placed)
    strategies = asks.strategies
    if strategies and strategies[0] != DIRECT:
        more = f", the first of {len(strategies)} strategies" if len(strategies) > 1 else ""
        found.append(Mark(strategy_words(strategies[0]) + more, BY_STRATEGY))
    return tuple(found)


def _against_the_guard(run: RunResults) -> str | None:
    """Return the reason why the family forbids this model.

    Returns None if the family permits this model.
    """
    if run.family.guard is None:
        return None
    judge = run.card.judge.model if run.card.judge is not None else None
    plain = run.family.RunSettings.model_validate({})
    return run.family.guard(run.card.model, judge, plain, PackedList(one.question for one in run.answered))
