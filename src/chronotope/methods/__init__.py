"""Ways to get answers besides asking: the interface of a method, and the search for installed methods."""

from functools import cache

from chronotope.methods.method import Method, MethodAsk, MethodSettings, Stages, Step, StepKind
from chronotope.plugins import installed, named, own_parts

__all__ = ["Method", "MethodAsk", "MethodSettings", "Stages", "Step", "StepKind", "find_method", "methods"]


@cache
def methods() -> dict[str, Method]:
    """Return all installed methods by name.

    The methods in the folder ``chronotope/methods`` come first, then the methods of the entry point group
    ``chronotope.methods``.

    Raises:
        InputError: If an entry point cannot be loaded, if it is not a method, or if two methods have the same name.
    """
    own = own_parts(__name__, __path__, "METHOD")
    return installed("chronotope.methods", Method, ("method", "methods"), own)


def find_method(name: str) -> Method:
    """Return the method with this name.

    Raises:
        InputError: If there is no method with this name. The message lists the names of all methods.
    """
    return named(methods(), name, "method")
