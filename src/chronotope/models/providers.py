"""Providers of models: known hosted services, and the providers in other packages.

Other packages declare their providers with the entry point ``chronotope.models``.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cache

from chronotope.models.function import Answer, as_model
from chronotope.models.model import LengthField, Limits, Model
from chronotope.plugins import installed

__all__ = ["HOSTED", "HostedService", "ModelProvider", "provided", "providers"]


@dataclass(frozen=True)
class HostedService:
    """A hosted service in the chat-completions format: its URL, key variables and limits.

    ``without`` maps the beginning of a model's name to the fields of the body that such models refuse.
    """

    base_url: str
    variables: tuple[str, ...]
    limits: Limits = field(default_factory=Limits)
    length_field: LengthField = "max_tokens"
    without: tuple[tuple[str, tuple[str, ...]], ...] = ()


HOSTED = {
    # The newer models there refuse max_tokens. Those that think take no temperature, by the service's guide to
    # reasoning models and reports of refusals (2025-08 to 2026-06); the chat models of the 5 family do.
    "openai": HostedService(
        "https://api.openai.com/v1",
        ("OPENAI_API_KEY",),
        Limits(takes_video=False),
        "max_completion_tokens",
        ((r"o\d(?!\w)", ("temperature",)), (r"gpt-5(?!\d)(?!.*chat)", ("temperature",))),
    ),
    "google": HostedService(
        "https://generativelanguage.googleapis.com/v1beta/openai", ("GEMINI_API_KEY", "GOOGLE_API_KEY")
    ),
    # 600 pictures a request, as the service's guide to vision says; 100 for models with a context of 200,000 tokens,
    # which a name does not tell. Opus 4.7 and later take no temperature, by the service's notes on 4.7 (2026-04).
    "anthropic": HostedService(
        "https://api.anthropic.com/v1",
        ("ANTHROPIC_API_KEY",),
        Limits(pictures=600, takes_video=False),
        without=((r"claude-opus-4[.-]([7-9]|\d\d)(?!\d)", ("temperature",)),),
    ),
    "openrouter": HostedService("https://openrouter.ai/api/v1", ("OPENROUTER_API_KEY",)),
}


@dataclass(frozen=True)
class ModelProvider:
    """A provider of the models named ``<name>/<model>``.

    ``open`` gets the text after the slash, and returns a model or a function for `FunctionModel`. ``open`` raises
    InputError if the provider does not have the model.
    """

    name: str
    open: Callable[[str], Model | Answer]


@cache
def providers() -> dict[str, ModelProvider]:
    """Find every installed provider, by name.

    Raises:
        InputError: If an entry point cannot be loaded or is not a provider, or if two providers have the same name.
    """
    return installed("chronotope.models", ModelProvider, ("provider", "providers"))


def provided(name: str) -> Model | None:
    """Open a model from an installed provider of another package.

    Returns None if the provider is not installed. The name of the model is always the whole ``name``, even if the
    provider returns a function with another name.
    """
    provider, _, model = name.partition("/")
    if provider not in providers() or not model.strip():
        return None
    opened = as_model(providers()[provider].open(model))
    opened.name = name
    return opened
