"""A course: the steps of a product as a person does them, with at most one mistake."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from chronotope.recording import MistakeKind
from chronotope.world.furniture.product import AssemblyStep, Entry, Group, Joining, Product


@dataclass(frozen=True)
class Slip:
    """What a person does otherwise than the manual says.

    ``step`` is the step that is not done as drawn, and ``parts`` are those that are wrong, left out, or too early.
    ``undo`` are the steps that have to be undone, at least in part, before the mistake can be put right; it is None if
    both steps of a wrong order are done in the end.
    """

    kind: MistakeKind
    step: int
    parts: Group
    undo: tuple[int, ...] | None = None


@dataclass(frozen=True, eq=False)
class Course:
    """What a person builds, and in which order.

    ``product`` has the parts where the person puts them. Its steps have the numbers of the manual, and those that are
    left out have no joinings. ``order`` are the steps that are done, of which the last two show the slip.
    """

    product: Product
    order: tuple[int, ...]
    slip: Slip | None = None

    @property
    def shown(self) -> tuple[int, ...]:
        """Return the steps that a take shows: all of them, or the two with the slip."""
        return self.order if self.slip is None else self.order[-2:]


def straight(product: Product) -> Course:
    """Return the course without a mistake."""
    return Course(product, tuple(range(len(product.steps))))


def rewritten(
    steps: Sequence[AssemblyStep], gone: Sequence[int] = (), others: Mapping[int, int] | None = None
) -> tuple[AssemblyStep, ...] | None:
    """Return steps without the parts that are gone, and with ``others`` in place of some parts.

    The result is None if a base consists only of parts that are gone.
    """
    others = others or {}

    def kept(group: Group) -> Group:
        return tuple(sorted(others.get(part, part) for part in group if part not in gone))

    made: list[AssemblyStep] = []
    for step in steps:
        joinings: list[Joining] = []
        for joining in step.joinings:
            entries = tuple(replace(entry, parts=parts) for entry in joining.entries if (parts := kept(entry.parts)))
            base = kept(joining.base)
            if not base:
                return None
            if entries:
                joinings.append(replace(joining, base=base, entries=entries))
        made.append(AssemblyStep(tuple(joinings)))
    return tuple(made)


def entries_of(step: AssemblyStep) -> list[tuple[Joining, Entry]]:
    """Return the groups that a step brings in, with their joinings."""
    return [(joining, entry) for joining in step.joinings for entry in joining.entries]
