"""Models by name: ``provider/name``."""

import os
from dataclasses import dataclass, field

from pydantic import SecretStr

from chronotope.errors import InputError
from chronotope.models.baselines import FORMS, baseline
from chronotope.models.endpoint import Endpoint
from chronotope.models.model import LengthField, Limits, Model

__all__ = ["Service", "find_service", "open_model"]

OWN_VARIABLE = "CHRONOTOPE_API_KEY"


@dataclass(frozen=True)
class _Preset:
    """A hosted service: its URL of the chat-completions form, the variables that may hold its key, what it takes."""

    base_url: str
    variables: tuple[str, ...]
    limits: Limits = field(default_factory=Limits)
    length_field: LengthField = "max_tokens"


@dataclass(frozen=True)
class Service:
    """A service of the chat-completions form, and what one of its models is called there."""

    model: str
    base_url: str
    key: SecretStr | None
    limits: Limits = field(default_factory=Limits)
    length_field: LengthField = "max_tokens"


PRESETS = {
    # The newer models there refuse max_tokens.
    "openai": _Preset(
        "https://api.openai.com/v1", ("OPENAI_API_KEY",), Limits(takes_video=False), "max_completion_tokens"
    ),
    "google": _Preset("https://generativelanguage.googleapis.com/v1beta/openai", ("GEMINI_API_KEY", "GOOGLE_API_KEY")),
    # 600 pictures a request, as the service's guide to vision says; 100 for models with a context of 200,000 tokens,
    # which a name does not tell.
    "anthropic": _Preset(
        "https://api.anthropic.com/v1", ("ANTHROPIC_API_KEY",), Limits(pictures=600, takes_video=False)
    ),
    "openrouter": _Preset("https://openrouter.ai/api/v1", ("OPENROUTER_API_KEY",)),
}

KNOWN = f"endpoint/NAME with --base-url, {', '.join(f'{provider}/NAME' for provider in PRESETS)}, {FORMS}"


def open_model(
    name: str, *, base_url: str | None = None, concurrency: int = 128, timeout: float = 300.0, to_ask: bool = True
) -> Model:
    """The model of a name; nothing is sent yet.

    ``endpoint/NAME`` is any service of the chat-completions form (vLLM, SGLang, llama.cpp, Ollama, ...) at
    ``base_url``, the URL before ``/chat/completions``; its key, if it needs one, is in ``CHRONOTOPE_API_KEY``.
    ``openai/``, ``google/``, ``anthropic/`` and ``openrouter/`` know their URL and look for the key in
    ``CHRONOTOPE_API_KEY`` first, then in the provider's own variable. ``baseline/...`` needs nothing.
    ``concurrency`` is requests in flight at most, ``timeout`` seconds for one attempt. Where it is not opened
    ``to_ask``, but for its limits, no key is needed.

    Raises InputError for a name, a URL or a key that cannot be used.
    """
    provider, _, model = name.partition("/")
    if provider == "baseline" and model.strip():
        if base_url is not None:
            raise InputError(f"{name} takes no base URL: leave --base-url out, or name the model endpoint/{model}")
        return baseline(name)
    if concurrency < 1 or timeout <= 0:
        raise InputError(f"concurrency {concurrency} and time-out {timeout:g} s: both must be more than zero")
    service = find_service(name, base_url, to_ask=to_ask)
    return Endpoint(
        name,
        service.model,
        service.base_url,
        service.key,
        concurrency=concurrency,
        timeout=timeout,
        limits=service.limits,
        length_field=service.length_field,
    )


def find_service(name: str, base_url: str | None, *, to_ask: bool = True) -> Service:
    """The service that a model's name stands for; no key is needed where it is not to be asked.

    Raises InputError for a name, a URL or a key that cannot be used.
    """
    provider, _, model = name.partition("/")
    if provider == "transformers":
        raise InputError(
            f"{name}: in-process models come with the extra 'local' of a later version: until then serve the model "
            "with vLLM, SGLang or llama.cpp and name it endpoint/NAME with --base-url"
        )
    if provider not in ("endpoint", *PRESETS) or not model.strip():
        raise InputError(f"no model is called {name!r}: expected one of {KNOWN}")
    if provider in PRESETS:
        if base_url is not None:
            raise InputError(f"{name} takes no base URL: leave --base-url out, or name the model endpoint/{model}")
        preset = PRESETS[provider]
        key = _key(name, preset.variables) if to_ask else None
        return Service(model, preset.base_url, key, preset.limits, preset.length_field)
    if base_url is None:
        raise InputError(f"{name} needs --base-url, the URL before /chat/completions, such as http://localhost:8000/v1")
    return Service(model, base_url, _from_environment(OWN_VARIABLE))


def _from_environment(variable: str) -> SecretStr | None:
    return SecretStr(value) if (value := os.environ.get(variable, "").strip()) else None


def _key(name: str, variables: tuple[str, ...]) -> SecretStr:
    for variable in (OWN_VARIABLE, *variables):
        if (key := _from_environment(variable)) is not None:
            return key
    raise InputError(
        f"{name} needs an API key: set the environment variable {' or '.join(variables)} ({OWN_VARIABLE} also does)"
    )
