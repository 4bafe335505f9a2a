"""Providers of models that come from other packages, by the entry point ``chronotope.models``."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from importlib.metadata import EntryPoint, entry_points
from typing import Any

from chronotope.errors import InputError
from chronotope.models.function import Answer, as_model
from chronotope.models.model import Model

__all__ = ["ModelProvider", "provided", "providers"]

GROUP = "chronotope.models"


@dataclass(frozen=True)
class ModelProvider:
    """What answers to the names ``<name>/<model>``.

    ``open`` gets the part after the slash and returns a model, or a function as `FunctionModel` takes it. It raises
    InputError for a model that it does not have.
    """

    name: str
    open: Callable[[str], Model | Answer]


@cache
def providers() -> dict[str, ModelProvider]:
    """Find every installed provider by its name.

    Raises:
        InputError: If an entry point cannot be loaded or names something else, or if two providers have one name.
    """
    found: dict[str, ModelProvider] = {}
    for point in entry_points(group=GROUP):
        provider = _loaded(point)
        if not isinstance(provider, ModelProvider):
            raise InputError(f"entry point {point.name!r} of {GROUP} is not a ModelProvider: it must name one")
        if provider.name in found:
            raise InputError(f"two installed providers are called {provider.name!r}: uninstall one of them")
        found[provider.name] = provider
    return found


def provided(name: str) -> Model | None:
    """Open the model of a name whose provider is installed.

    None if no such provider is. The model is known by its whole name, whatever the provider's function is called.
    """
    provider, _, model = name.partition("/")
    if provider not in providers() or not model.strip():
        return None
    opened = as_model(providers()[provider].open(model))
    opened.name = name
    return opened


def _loaded(point: EntryPoint) -> Any:
    try:
        return point.load()
    except (ImportError, AttributeError) as error:
        raise InputError(
            f"the installed provider {point.name!r} cannot be loaded from {point.value} ({error}): mend or uninstall it"
        ) from error
