"""Providers of models: known hosted services, and the providers in other packages.

Other packages declare their providers with the entry point ``chronotope.models``.
"""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import cache

from chronotope.errors import InputError
from chronotope.models.function import Answer, as_model
from chronotope.models.model import Limits, Model
from chronotope.models.services.wire import Wire
from chronotope.models.services.wires.chat import CHAT, ChatForm
from chronotope.models.services.wires.generate import GENERATE
from chronotope.models.services.wires.messages import MESSAGES
from chronotope.models.spec import ModelSpec
from chronotope.plugins import installed


@dataclass(frozen=True)
class HostedService:
    """A hosted service: its URL, key variables, limits and form.

    ``base_url`` is empty if each customer has a separate URL, which the user must then give. ``without`` lists pairs:
    the beginning of models' names, and the fields of the body that these models refuse. If ``wire`` is not the
    chat-completions form, ``chat_url`` is the URL of the service for this form.
    """

    base_url: str
    variables: tuple[str, ...]
    limits: Limits = field(default_factory=Limits)
    wire: Wire = CHAT
    without: tuple[tuple[str, tuple[str, ...]], ...] = ()
    chat_url: str | None = None


HOSTED = {
    # OpenAI's newer models refuse max_tokens. Reasoning models accept no temperature, according to the service's guide
    # and reports of refusals (2025-08 to 2026-06); the chat models of the 5 family accept it.
    "openai": HostedService(
        "https://api.openai.com/v1",
        ("OPENAI_API_KEY",),
        Limits(takes_video=False),
        ChatForm("max_completion_tokens"),
        ((r"o\d(?!\w)", ("temperature",)), (r"gpt-5(?!\d)(?!.*chat)", ("temperature",))),
    ),
    "azure": HostedService(
        "",
        ("AZURE_OPENAI_API_KEY",),
        Limits(takes_video=False),
        ChatForm("max_completion_tokens", key_header="api-key"),
    ),
    "google": HostedService(
        "https://generativelanguage.googleapis.com/v1beta",
        ("GEMINI_API_KEY", "GOOGLE_API_KEY"),
        Limits(takes_video=True, takes_video_of_frames=False),
        GENERATE,
        chat_url="https://generativelanguage.googleapis.com/v1beta/openai",
    ),
    # The service's guide to vision allows 600 pictures in a request, and 100 for models with a context of 200,000
    # tokens, which names do not reveal. From 4.7 on, models accept no temperature (the service's notes of 2026-04 to
    # 2026-11). Tokens written to the cache cost a quarter more.
    "anthropic": HostedService(
        "https://api.anthropic.com/v1",
        ("ANTHROPIC_API_KEY",),
        Limits(pictures=600, takes_video=False, dearest_input=1.25),
        MESSAGES,
        (
            (r"claude-opus-4[.-]([7-9]|\d\d)(?!\d)", ("temperature",)),
            (r"claude-(opus|sonnet)-[5-9](?!\d)", ("temperature",)),
            (r"claude-haiku-(5[.-]5|[6-9])(?!\d)", ("temperature",)),
            (r"claude-(fable|mythos)-", ("temperature",)),
        ),
        chat_url="https://api.anthropic.com/v1",
    ),
    "openrouter": HostedService("https://openrouter.ai/api/v1", ("OPENROUTER_API_KEY",)),
}


@dataclass(frozen=True)
class ModelProvider:
    """A provider of the models named ``<name>/<model>``.

    ``open`` is called with the text after the slash, and returns a model or a function for `FunctionModel`. ``open``
    raises InputError if the provider does not have the model. ``open_spec`` is for providers whose models have a
    device, a number format or settings. ``open_spec`` is called with the whole description of a model, in which
    ``name`` is the text after the slash. ``models`` are the texts after the slash, if there are only a few; messages
    list them.
    """

    name: str
    open: Callable[[str], Model | Answer]
    open_spec: Callable[[ModelSpec], Model | Answer] | None = None
    models: tuple[str, ...] = ()


def forms(provider: ModelProvider) -> list[str]:
    """Return the names of a provider's models for messages.

    If they cannot be listed, ``<name>/NAME`` stands for them.
    """
    return [f"{provider.name}/{model}" for model in provider.models or ("NAME",)]


@cache
def providers() -> dict[str, ModelProvider]:
    """Return all installed providers, as a mapping from their names.

    Raises:
        InputError: If an entry point cannot be loaded or is not a provider, or if two providers have the same name.
    """
    return installed("chronotope.models", ModelProvider, ("provider", "providers"))


def provided(name: str, spec: ModelSpec | None = None) -> Model | None:
    """Open a model from an installed provider of another package.

    Returns None if the provider is not installed. The name of the model is always the whole ``name``, even if the
    provider returns a function with another name. ``spec`` has the device, the number format and the settings of the
    model.

    Raises:
        InputError: If the provider takes no device, number format or settings, and ``spec`` has some.
    """
    provider, _, model = name.partition("/")
    if provider not in providers() or not model.strip():
        return None
    found = providers()[provider]
    if found.open_spec is not None:
        opened = as_model(found.open_spec(replace(spec or ModelSpec(name), name=model)))
    elif spec is not None and (spec.local or spec.settings):
        given = ", ".join([*spec.local, *(["settings"] if spec.settings else [])])
        raise InputError(f"the installed provider {provider!r} does not take {given}", where=name, fix="omit it")
    else:
        opened = as_model(found.open(model))
    opened.name = name
    return opened
