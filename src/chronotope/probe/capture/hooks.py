"""Hooks at the depths of a decoder.

A hook after a layer would miss the vision features that some models (deepstack) add after the layer. `hidden_states` of
Transformers misses them, too, and its last entry is after the final norm. Therefore the states at depth k are taken
from the input of the next module: layer k, or the final norm.
"""

from collections.abc import Callable, Generator
from contextlib import contextmanager
from typing import Any

from chronotope.models.transformers import Resolved

# Gets the states (1, s, d), and returns other states in their place, or None.
StatesFunction = Callable[[Any], Any]


def depths_of(family: Resolved) -> int:
    """Return the last depth: the number of decoder layers."""
    return len(family.layers)


@contextmanager
def depth_hook(family: Resolved, depth: int, function: StatesFunction) -> Generator[None]:
    """Call a function with the states at a depth of the decoder.

    If the function returns states, they replace the states from this depth on.

    Raises:
        ValueError: If there is no such depth.
    """
    last = depths_of(family)
    if not 0 <= depth <= last:
        raise ValueError(f"depth {depth}: expected 0 to {last}")
    module = family.norm if depth == last else family.layers[depth]

    def before(_: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        given = args[0] if args else kwargs["hidden_states"]
        other = function(given)
        if other is None:
            return None
        return ((other, *args[1:]), kwargs) if args else (args, kwargs | {"hidden_states": other})

    handle = module.register_forward_pre_hook(before, with_kwargs=True)
    try:
        yield
    finally:
        handle.remove()
