"""Writer of the questions of T2 (does a clip match a diagram?) and D1 (do two clips match?)."""

from collections.abc import Sequence
from itertools import combinations, product

from chronotope.families import Refused
from chronotope.families.ikea.refusal import Code
from chronotope.families.ikea.write.item import BINARY_WORDS, Flag, Item, diagram_flags
from chronotope.families.ikea.write.manual import Manual, Showing
from chronotope.question import MediaItem, Option

Claim = tuple[Showing, bool]
Pair = tuple[Showing, Showing]


def claims(manual: Manual) -> Sequence[Claim]:
    """Return two candidates for each video segment of a step.

    The first candidate shows the diagram of the same step. The second candidate shows another diagram.
    """
    return [(showing, positive) for showing in manual.stretches for positive in (True, False)]


def verification(manual: Manual, claim: Claim) -> Item:
    """Write a T2 question: do the clip and the diagram match?"""
    showing, positive = claim
    if len(manual.numbers) < 2:
        raise Refused(Code.FEW_STEPS)
    if fault := manual.fault(showing.step):
        raise Refused(fault)
    other = _neighbour(manual, showing) if manual.strict else _published_neighbour(manual, showing, positive)
    shown = showing.step if positive else other
    if positive:
        name = manual.name("T2+", showing.step, showing.name)
    else:
        name = manual.name("T2-", showing.step, showing.name, shown)
    flags = diagram_flags(manual, [shown], [] if positive else [showing.step])
    media = (showing.media("video"), MediaItem("diagram", "image", (manual.diagrams[shown].path,)))
    rule = "a neighbour drawn for both answers" if manual.strict else "own diagram, or one beside it"
    facts = {"takes": [showing.take], "steps": [showing.step], "shown_step": shown, "rule": rule}
    tags = {"step": str(showing.step), "polarity": _polarity(positive)}
    return Item("T2", name, media, _answers("T2", positive), (), tags, frozenset(flags), facts)


def _published_neighbour(manual: Manual, showing: Showing, positive: bool) -> int:
    """Choose one of the neighbouring diagrams at random.

    If there is no neighbouring diagram, any other diagram is chosen.
    """
    others = [number for number in manual.usable if number != showing.step]
    beside = [number for number in others if abs(number - showing.step) == 1] or others
    if positive:
        return showing.step
    if not beside:
        raise Refused(Code.FEW_DIAGRAMS)
    generator = manual.draws.of(manual.name("T2-", showing.step, showing.name), "neighbour")
    return beside[int(generator.integers(len(beside)))]


def _neighbour(manual: Manual, showing: Showing) -> int:
    """Choose the next or the previous step at random, with equal probability.

    The choice does not depend on the correct answer. A neighbour that cannot be used is not replaced by another step.
    With a replacement, some diagrams (for example, the diagram of the second step) would be wrong more often than
    correct. The diagram alone would then be a hint.

    Raises:
        Refused: If no question can be asked about the chosen step.
    """
    generator = manual.draws.of(manual.name("T2", showing.step, showing.name), "neighbour")
    number = showing.step + (1 if generator.random() < 0.5 else -1)
    if number not in manual.askable:
        raise Refused(Code.ALONE)
    return number


def pairs(manual: Manual) -> Sequence[Pair]:
    """Return all pairs of video segments for D1 questions.

    The pairs of two segments of the same step come first, then the pairs of two segments of neighbouring steps. In each
    pair, the earlier step comes first.
    """
    same = [pair for number in manual.numbers for pair in combinations(manual.showings.get(number, ()), 2)]
    different = [
        pair
        for number in manual.numbers
        for pair in product(manual.showings.get(number, ()), manual.showings.get(number + 1, ()))
    ]
    return same + different


def matching(manual: Manual, pair: Pair) -> Item:
    """Write a D1 question: do two clips show the same step?"""
    first, second = pair
    positive = first.step == second.step
    name = manual.name("D1+" if positive else "D1-", first.step, first.name, second.name, second.step)
    flags: frozenset[str] = frozenset()
    if first.take == second.take:
        if positive or manual.strict:
            raise Refused(Code.SAME_RECORDING)
        flags = frozenset({Flag.SAME_RECORDING})
    if manual.strict and manual.draws.of(name, "sides").random() < 0.5:  # clip A must not always be earlier
        first, second = second, first
    media = (first.media("clip_a", "Clip A"), second.media("clip_b", "Clip B"))
    facts = {
        "takes": [first.take, second.take],
        "steps": [first.step, second.step],
        "rule": "one step or neighbouring steps" + (", two videos, either side" if manual.strict else ""),
    }
    return Item("D1", name, media, _answers("D1", positive), (), {"polarity": _polarity(positive)}, flags, facts)


def _polarity(positive: bool) -> str:
    return "positive" if positive else "negative"


def _answers(task: str, positive: bool) -> tuple[Option, Option]:
    yes, no = (Option(word) for word in BINARY_WORDS[task])
    return (yes, no) if positive else (no, yes)
