"""Agreement between a model that writes, rules that code checks, and a model that judges what code cannot.

A generator proposes a candidate. Deterministic rules judge it first, then a validator model. What either finds goes
back to the generator as JSON, and the generator proposes again. Every call is in the ledger of its job, and a prompt
with other findings is another call, so a repeated command makes no call twice.
"""

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Generic, NamedTuple, TypeVar

from pydantic import BaseModel

from chronotope.models.structured_job import Asker, Parts, Stage

TRIES = 3  # maximum number of candidates
UNREADABLE = "FORM"  # rule of a reply that is not an object of the requested form
UNJUDGED = "UNJUDGED"  # rule of a candidate about which the validator gave no readable verdict

Candidate = TypeVar("Candidate")


class Objection(NamedTuple):
    """A fault of a candidate: the rule, the path in the candidate, what was found and expected there, and a hint."""

    rule: str
    path: str
    found: str
    expected: str
    hint: str

    def told(self) -> dict[str, str]:
        """Return the fault as JSON, for the generator."""
        return {"rule_id": self.rule, **{name: getattr(self, name) for name in ("path", "found", "expected", "hint")}}


@dataclass(frozen=True)
class Unfit:
    """A reply that is not a candidate, with the reasons."""

    objections: tuple[Objection, ...]


@dataclass(frozen=True)
class Generator(Generic[Candidate]):
    """The model that proposes candidates.

    ``parts`` are the parts of its prompt without feedback. ``read`` makes a candidate of a reply, or says why the reply
    is not a candidate.
    """

    asker: Asker
    stage: Stage
    parts: Parts
    form: type[BaseModel]
    read: Callable[[BaseModel], Candidate | Unfit]


@dataclass(frozen=True)
class Validator(Generic[Candidate]):
    """The model that judges candidates that satisfy all rules.

    ``parts`` returns the parts of its prompt about a candidate. ``read`` returns the faults in its verdict, which are
    none if it accepts the candidate.
    """

    asker: Asker
    stage: Stage
    parts: Callable[[Candidate], Parts]
    form: type[BaseModel]
    read: Callable[[BaseModel], Sequence[Objection]]


@dataclass(frozen=True)
class Agreed(Generic[Candidate]):
    """The best candidate, or None if no reply was a candidate.

    ``validated`` is true if all rules are satisfied and the validator, if any, accepted the candidate. ``objections``
    are what was found in this candidate, and ``tried`` are the objections to all candidates in order. ``judged`` is
    true if a validator model gave a verdict about the best candidate.
    """

    candidate: Candidate | None
    validated: bool
    objections: tuple[Objection, ...] = ()
    tried: tuple[tuple[Objection, ...], ...] = field(default=())
    judged: bool = False

    @property
    def attempts(self) -> int:
        """Return the number of replies of the generator."""
        return len(self.tried)


async def agree(
    name: str,
    generator: Generator[Candidate],
    rules: Callable[[Candidate], Sequence[Objection]],
    validator: Validator[Candidate] | None = None,
    *,
    attempts: int = TRIES,
) -> Agreed[Candidate]:
    """Ask for candidates until one satisfies the rules and the validator.

    Objections go into the next prompt as JSON. After ``attempts`` candidates, the best one is returned with
    ``validated`` false: a candidate that satisfies all rules is better than any other, and fewer objections are better.
    Of equally good candidates, the later one is returned. ``name`` names the calls in the ledger.

    Raises:
        OverBudgetError: If the next call could exceed the limit on the cost.
        UnansweredError: If a call failed without a reply, so that a later command may succeed.
        InputError: If the service refuses every call.
    """
    best: tuple[tuple[bool, int], Candidate, tuple[Objection, ...], bool] | None = None
    tried: list[tuple[Objection, ...]] = []
    while len(tried) < attempts:
        number = len(tried) + 1
        parts = [*generator.parts, *_feedback(tried)]
        reply = await generator.asker.ask(generator.stage, f"{name}--write {number}", parts, generator.form)
        if reply is None:
            generator.asker.require_answers()  # a call that failed is no attempt: a later command makes it again
        candidate = Unfit((_unreadable(),)) if reply is None else generator.read(reply)
        if isinstance(candidate, Unfit):
            tried.append(candidate.objections)
            continue
        found, judged = tuple(rules(candidate)), False
        is_ruled = not found
        if is_ruled and validator is not None:
            found, judged = await _judged(f"{name}--validate {number}", validator, candidate)
        tried.append(found)
        if not found:
            return Agreed(candidate, True, (), tuple(tried), judged)
        quality = (is_ruled, -len(found))
        if best is None or quality >= best[0]:
            best = (quality, candidate, found, judged)
    if best is None:
        return Agreed(None, False, tried[-1], tuple(tried))
    _, candidate, found, judged = best
    return Agreed(candidate, False, found, tuple(tried), judged)


async def _judged(
    name: str, validator: Validator[Candidate], candidate: Candidate
) -> tuple[tuple[Objection, ...], bool]:
    """Ask the validator about a candidate; a missing verdict does not accept it."""
    verdict = await validator.asker.ask(validator.stage, name, validator.parts(candidate), validator.form)
    if verdict is None:
        validator.asker.require_answers()
        missing = Objection(UNJUDGED, "", "no readable verdict", "a verdict of the validator", "write it more clearly")
        return (missing,), False
    return tuple(validator.read(verdict)), True


def _unreadable() -> Objection:
    return Objection(UNREADABLE, "", "no object of the requested form", "one JSON object", "reply with JSON only")


def _feedback(tried: Sequence[Sequence[Objection]]) -> list[str]:
    """Return the part of the prompt with the objections to the last candidate.

    The number of the attempt is told, so that equal objections make another prompt.
    """
    if not tried:
        return []
    told = json.dumps([objection.told() for objection in tried[-1]], ensure_ascii=False, indent=1)
    return [
        f"Attempt {len(tried)} was rejected. Mend everything that this list names, and change nothing else that is "
        f"right:\n{told}"
    ]
