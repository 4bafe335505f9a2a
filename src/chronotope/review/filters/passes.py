"""The passes, in the order of the M3-Verse paper: each drops, rewrites or tags questions.

The capabilities, which the authors' code asks for, come last.
"""

from chronotope.errors import InputError
from chronotope.review.filters.capabilities import Capabilities
from chronotope.review.filters.checks import AMBIGUITY, TEXT_ONLY
from chronotope.review.filters.item import Pass
from chronotope.review.filters.rewriting import Rewriting
from chronotope.review.filters.trials import Trials

__all__ = ["PASSES", "find_pass", "order_of"]

PASSES: dict[str, Pass] = {one.name: one for one in (TEXT_ONLY, AMBIGUITY, Rewriting(), Trials(), Capabilities())}


def find_pass(name: str) -> Pass:
    """Return the pass with this name.

    Raises:
        InputError: If there is no such pass. The message lists all passes.
    """
    if name not in PASSES:
        raise InputError(f"there is no pass {name!r}", expected=f"one of {', '.join(PASSES)}")
    return PASSES[name]


def order_of(name: str) -> int:
    """Return the position of a pass in the order of all passes."""
    return list(PASSES).index(name)
