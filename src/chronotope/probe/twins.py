"""Pairs of questions about two clips that differ in one fact.

The provenance of a question names its ``twin``: the same question about a clip that differs in one ``fact``. It can
also list all ``facts`` of the clip; then it is checked that only one of them differs.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from chronotope.errors import InputError
from chronotope.probe.prompts import Prompted, has_one_letter, letters_of

TWIN, FACT, FACTS = "twin", "fact", "facts"  # names in the provenance of a question


@dataclass(frozen=True)
class TwinPair:
    """Two prompts of one question about two clips, with different answers.

    ``fact`` names the fact in which the clips differ. States of ``clean`` are put into ``corrupted``.
    """

    clean: Prompted
    corrupted: Prompted
    fact: str


def find_pairs(prompts: Iterable[Prompted]) -> list[TwinPair]:
    """Find the prompts whose twin has another answer.

    Each pair is found in both directions.

    Raises:
        InputError: If twins differ in more than the fact, or in the number of frames.
    """
    there = {
        (prompt.condition, prompt.ask.placement, prompt.question.id): prompt
        for prompt in prompts
        if has_one_letter(prompt)
    }
    found: list[TwinPair] = []
    for (condition, placement, _), one in there.items():
        twin = there.get((condition, placement, str(one.question.provenance.get(TWIN))))
        if twin is not None and letters_of(one) != letters_of(twin):
            _refuse_unlike(one, twin)
            found.append(TwinPair(one, twin, str(one.question.provenance.get(FACT, "one fact"))))
    return found


def _refuse_unlike(one: Prompted, other: Prompted) -> None:
    first, second = one.question, other.question
    about = f"questions {first.id!r} and {second.id!r} are twins"
    if (back := second.provenance.get(TWIN)) != first.id:
        raise InputError(f"{about}, but {second.id!r} has the twin {back!r}: correct `twin` in their provenance")
    for name, differ in (
        ("stems", first.stem != second.stem),
        ("options", first.options != second.options),
        ("facts", first.provenance.get(FACT) != second.provenance.get(FACT)),
    ):
        if differ:
            raise InputError(f"{about} with different {name}: patching needs the same question about two clips")
    differing = _differing(first.provenance.get(FACTS), second.provenance.get(FACTS))
    if differing is not None and len(differing) != 1:
        raise InputError(
            f"{about}, but their clips differ in {' and '.join(differing) or 'no fact'}: patching needs clips that "
            "differ in one fact"
        )
    shown = [[None if plan is None else len(plan.indices) for plan in of.ask.plans] for of in (one, other)]
    if shown[0] != shown[1]:
        numbers = " and ".join(", ".join(str(count) for count in of if count is not None) or "no" for of in shown)
        raise InputError(
            f"{about}, but show {numbers} frames: patching needs the same number of frames",
            fix="use --condition frames=N",
        )


def _differing(one: Any, other: Any) -> list[str] | None:
    """Return the names of the facts that differ.

    Returns None if one of the two questions states no facts.
    """
    if not isinstance(one, dict) or not isinstance(other, dict):
        return None
    return [str(name) for name in sorted({*one, *other}) if one.get(name) != other.get(name)]
