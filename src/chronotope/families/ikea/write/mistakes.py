"""Writer of questions about mistakes: E1 (done as drawn?), E2 (which mistake?), E3 (what has to be undone?)."""

from collections import Counter
from collections.abc import Mapping, Sequence

from chronotope.families import Refused
from chronotope.families.ikea.refusal import Code
from chronotope.families.ikea.write.item import BINARY_WORDS, Item, diagram_flags
from chronotope.families.ikea.write.manual import Manual, Showing
from chronotope.question import MediaItem, Option
from chronotope.recording.procedure import Mistake, MistakeKind

Slip = tuple[Mistake, tuple[Showing, ...]]  # a mistake, and the segments of its take
Check = tuple[Slip, Showing | None, bool]  # a mistake, how the step is done without it, and whether that is shown

KINDS: Mapping[MistakeKind, str] = {
    "wrong_part": "A wrong part is used: it takes the place of the part that is drawn.",
    "wrong_side": "A part is put on the wrong side, or the wrong way round.",
    "wrong_order": "A step is done too early, before the step that comes before it.",
    "left_out": "A step, or a part that belongs to a step, is left out.",
}
UNDOINGS = ("Neither of them", "Only the first of them", "Only the second of them", "Both of them")


def slips(manual: Manual) -> Sequence[Slip]:
    """Return all takes with a mistake."""
    return manual.slips


def checks(manual: Manual) -> Sequence[Check]:
    """Return two candidates for each mistake within a step: with it, and without it.

    Both show the same diagram, so the diagram gives no hint.
    """
    used: Counter[int] = Counter()
    found: list[Check] = []
    for slip in manual.slips:
        step = slip[0].step
        if slip[0].kind == "wrong_order" or not any(one.step == step for one in slip[1]):
            continue
        right = manual.showings.get(step, ())
        partner = right[used[step]] if used[step] < len(right) else None
        used[step] += 1
        found += [(slip, partner, False), (slip, partner, True)]
    return found


def done_as_drawn(manual: Manual, check: Check) -> Item:
    """Write an E1 question: is a step done as it is drawn?"""
    (mistake, segments), partner, positive = check
    if fault := manual.fault(mistake.step):
        raise Refused(fault)
    if partner is None:
        raise Refused(Code.NO_PARTNER)
    wrong = next(one for one in segments if one.step == mistake.step)
    shown = partner if positive else wrong
    name = manual.name("E1+" if positive else "E1-", mistake.step, wrong.name, shown.name)
    media = (shown.media("video"), MediaItem("diagram", "image", (manual.diagrams[mistake.step].path,)))
    words = tuple(Option(word) for word in BINARY_WORDS["E1"])
    facts = {"takes": [shown.take], "steps": [mistake.step], "shown_step": mistake.step,
             "rule": "the same step with and without a mistake"}  # fmt: skip
    tags = {"step": str(mistake.step), "polarity": "positive" if positive else "negative", "mistake": mistake.kind}
    options = words if positive else (words[1], words[0])
    return Item("E1", name, media, options, (), tags, frozenset(diagram_flags(manual, [mistake.step])), facts)


def which_mistake(manual: Manual, slip: Slip) -> Item:
    """Write an E2 question: which mistake is it?"""
    kind = slip[0].kind
    options = [Option(KINDS[kind]), *(Option(words) for other, words in KINDS.items() if other != kind)]
    return _about_both(manual, "E2", slip, options, kind)


def what_to_undo(manual: Manual, slip: Slip) -> Item:
    """Write an E3 question: which of the two shown steps have to be undone?"""
    mistake, segments = slip
    if mistake.undo is None:
        raise Refused(Code.NOTHING_WRONG)
    right = sum(2**place for place, one in enumerate(segments) if one.step in mistake.undo)
    options = [Option(UNDOINGS[right]), *(Option(words) for at, words in enumerate(UNDOINGS) if at != right)]
    return _about_both(manual, "E3", slip, options, UNDOINGS[right])


def _about_both(manual: Manual, task: str, slip: Slip, options: Sequence[Option], answer: str) -> Item:
    """Write a question about two steps with a mistake, which shows all diagrams."""
    mistake, segments = slip
    if len(segments) != 2:
        raise Refused(Code.FEW_STEPS)
    for number in manual.numbers:
        if fault := manual.fault(number):
            raise Refused(fault)
    first, last = segments
    name = manual.name(task, mistake.step, first.name)
    clip = MediaItem("video", "video", (first.clip,), None, first.start, last.end)
    sequence = tuple(
        MediaItem("diagram", "image", (manual.diagrams[number].path,), f"Step {number + 1}")
        for number in manual.numbers
    )
    facts = {"takes": [first.take], "mistake_step": mistake.step, "shown_steps": [first.step, last.step],
             "mistake_start": mistake.start, "mistake_end": mistake.end,
             "rule": "all options, each equally often right"}  # fmt: skip
    tags = {"mistake": mistake.kind, "right": answer}
    return Item(task, name, (clip, *sequence), tuple(options), (), tags, frozenset(), facts)
