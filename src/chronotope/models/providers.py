"""Providers of models that come from other packages, by the entry point ``chronotope.models``."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache

from chronotope.models.function import Answer, as_model
from chronotope.models.model import Model
from chronotope.plugins import installed

__all__ = ["ModelProvider", "provided", "providers"]


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
    """Find every installed provider, by name.

    Raises:
        InputError: If an entry point cannot be loaded or names something else, or if two providers have one name.
    """
    return installed("chronotope.models", ModelProvider, ("provider", "providers"))


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
