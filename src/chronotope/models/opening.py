"""The models with names of the form ``provider/name``."""

import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from pydantic import SecretStr

from chronotope.errors import InputError
from chronotope.models.baselines import FORMS, baseline
from chronotope.models.model import Decoding, Limits, Model
from chronotope.models.providers import HOSTED, forms, provided, providers
from chronotope.models.services.in_flight import WAIT
from chronotope.models.services.wire import Wire
from chronotope.models.services.wires.chat import CHAT
from chronotope.models.spec import Credentials, ModelSpec

if TYPE_CHECKING:
    from chronotope.models.services.endpoint import Endpoint
    from chronotope.models.services.servers import Servers

# The beginnings of models' names, by the provider of the models.
_HOSTED = {
    "openai": r"gpt-|chatgpt|o\d(?:-|$)",
    "google": r"gemini|models/gemini|gemma-\d.*-it$",
    "anthropic": r"claude",
}
_SERVERS = ("vllm", "sglang", "ollama", "llamacpp", "llama.cpp", "lmstudio", "tgi", "litellm", "hosted_vllm", "local")
AZURE = "https://NAME.openai.azure.com/openai/deployments/{}?api-version=2024-10-21"
_RUN_TOGETHER = r"gpt(?=\d)"  # gpt4o
_BASELINE = r"random|constant(?:-[A-Z])?|option-shape(?::\w+)?"


def suggestion(name: str) -> str:
    """Return the start of advice, such as ``did you mean openai/gpt-4o? ``.

    The text is empty if no similar name is known.
    """
    provider, slash, model = name.strip().partition("/")
    if not slash:
        model = provider
    model = re.sub(_RUN_TOGETHER, "gpt-", model, count=1) if re.match(_RUN_TOGETHER, model) else model
    if not model.strip():
        return ""
    if slash and provider.casefold() in _SERVERS:
        return _meant(f"endpoint/{model}", with_url=True)
    if slash and provider.casefold() == "azure":
        return f'did you mean azure/{model} with --base-url "{AZURE.format(model)}"? '
    if re.fullmatch(_BASELINE, model):
        return _meant(f"baseline/{model}")
    for known, begins in _HOSTED.items():
        if re.match(begins, model, re.IGNORECASE):
            return _meant(f"{known}/{model}") if not slash or provider.casefold() in (known, "models") else ""
    return _meant(f"endpoint/{name}", with_url=True)


def _meant(name: str, *, with_url: bool = False) -> str:
    return f"did you mean {name}{' with --base-url URL' if with_url else ''}? "


OWN_VARIABLE = "CHRONOTOPE_API_KEY"
PLACES = ("on", "workers")  # settings that name the workers of a model
NO_INFLUENCE = ("device", "batch", *PLACES)  # settings of a model in this process that change no answer


@dataclass(frozen=True)
class Service:
    """A service and one of its models: the model's name at the service, the URL, and the wire format."""

    model: str
    base_url: str
    key: SecretStr | None
    headers: tuple[str, ...] = field(default=(), repr=False)
    limits: Limits = field(default_factory=Limits)
    wire: Wire = CHAT

    def connect(self, name: str, **how: Any) -> "Endpoint":
        """Make the endpoint that asks this model; no request is sent.

        ``name`` is the name of the model in runs. ``how`` are further parameters of `Endpoint`.

        Raises:
            InputError: If the URL, the key or a header cannot be used.
        """
        from chronotope.models.services.endpoint import (
            Endpoint,  # imported here so that other commands load no HTTP client
        )

        how |= {"headers": self.headers, "limits": self.limits, "wire": self.wire}
        return Endpoint(name, self.model, self.base_url, self.key, **how)

    def connect_all(self, name: str, further_urls: Sequence[str], **how: Any) -> "Servers":
        """Make the model behind several servers, with the parameters of `connect`.

        Raises:
            InputError: If a URL, the key or a header cannot be used.
        """
        from chronotope.models.services.servers import Servers  # imported late: loads the HTTP client

        how |= {"headers": self.headers, "limits": self.limits, "wire": self.wire}
        return Servers(name, self.model, [self.base_url, *further_urls], self.key, **how)


_OWN_URL = [f"{provider}/NAME" for provider, service in HOSTED.items() if service.base_url]
KNOWN = f"endpoint/NAME or azure/NAME with --base-url, transformers/PATH-OR-HUB-NAME, {', '.join(_OWN_URL)}, {FORMS}"


def open_model(
    name: str,
    *,
    base_url: str | None = None,
    credentials: Credentials | None = None,
    concurrency: int = 128,
    timeout: float = 300.0,
    wait: float = WAIT,
    to_ask: bool = True,
    wire: str | None = None,
    fields: Mapping[str, Any] | None = None,
    further_urls: Sequence[str] = (),
) -> Model:
    """Open the model with a name; no request is sent.

    ``endpoint/NAME`` is any service of the chat-completions form (vLLM, SGLang, llama.cpp, Ollama, ...) at
    ``base_url``, which is the URL before ``/chat/completions``. A query of this URL is sent with each request. If a key
    is needed, it is read from ``CHRONOTOPE_API_KEY``. ``openai/``, ``google/``, ``anthropic/`` and ``openrouter/`` have
    known URLs; ``azure/`` needs ``base_url``. ``base_url`` can also be the URL of a gateway that takes the own form of
    ``google/`` or ``anthropic/``. For all of them, the key is read only from the provider's own variable,
    because ``CHRONOTOPE_API_KEY`` could be the key of another service. ``google/`` and ``anthropic/`` use the services'
    own forms; with ``wire`` "chat" they use the chat-completions form, as older runs did (see `wire_of`).
    ``credentials`` names another variable, and further headers. ``baseline/...`` needs neither URL nor key.
    ``transformers/...`` is a folder or a name on the hub, which runs in this process with the settings in ``fields``
    (see `LocalSettings`); its weights are loaded when it is first asked. Other packages can add providers (see
    `ModelProvider`). ``further_urls`` are other servers of the same model (see `Servers`).

    ``concurrency`` limits the number of requests in flight at a server, ``timeout`` (s) limits the time of one attempt,
    and ``wait`` (s) limits the time until the service first responds. If ``to_ask`` is false, only the model's limits
    are needed, and no key is required.

    Raises:
        InputError: If the name, the URL, the key or a header cannot be used.
    """
    provider, _, model = name.partition("/")
    if provider == "baseline" and model.strip():
        if base_url is not None:
            raise InputError(f"{name} accepts no base URL: leave --base-url out, or use the name endpoint/{model}")
        return baseline(name)
    if is_local(name):
        if base_url is not None:
            raise InputError(f"{name} accepts no base URL, because it runs in this process: omit --base-url")
        from chronotope.models.transformers.provider import open_transformers  # imported late: needs the extra local

        return open_transformers(name, fields or {})
    if not is_service(name) and (opened := provided(name)) is not None:
        if base_url is not None:
            raise InputError(f"{name} accepts no base URL: the installed provider {provider!r} sets it")
        return opened
    if concurrency < 1 or timeout <= 0 or wait < 0:
        raise InputError(
            f"concurrency {concurrency}, time-out {timeout:g} s and wait {wait:g} s: the first two must be more than "
            "zero, the last at least zero"
        )
    service = find_service(name, base_url, credentials, to_ask=to_ask, wire=wire)
    how = {"concurrency": concurrency, "timeout": timeout, "wait": wait}
    return service.connect_all(name, further_urls, **how) if further_urls else service.connect(name, **how)


def is_service(name: str) -> bool:
    """Check whether a model of this name is behind a known service."""
    return name.partition("/")[0] in ("endpoint", *HOSTED)


def is_local(name: str) -> bool:
    """Check whether a model of this name runs in this process."""
    return name.startswith("transformers/")


def open_spec(spec: ModelSpec, **how: Any) -> Model:
    """Open the model that ``spec`` describes; no request is sent.

    ``how`` are further parameters of `open_model`. The ``settings`` of a model behind a service are not used here,
    because they are fields of each request. The device, number format and settings of a model in this process are added
    to the ``fields`` of `open_model`.

    Raises:
        InputError: If the model cannot be opened, or if ``spec`` has a device, a number format or settings that the
            model does not take.
    """
    if is_local(spec.name):
        how["fields"] = {**(how.get("fields") or {}), **spec.local, **spec.settings}
        return open_model(spec.name, base_url=spec.base_url, credentials=spec.credentials, **how)
    special = spec.local if is_service(spec.name) else spec.local | dict(spec.settings)
    ours = is_service(spec.name) or spec.name.startswith("baseline/") or spec.base_url is not None
    if special and not ours and (opened := provided(spec.name, spec)) is not None:
        return opened
    opened = open_model(
        spec.name, base_url=spec.base_url, credentials=spec.credentials, further_urls=spec.further_urls, **how
    )
    if special:
        raise InputError(
            f"takes no {', '.join(special)}, because it does not run in this process", where=spec.name, fix="omit it"
        )
    return opened


def find_service(
    name: str,
    base_url: str | None,
    credentials: Credentials | None = None,
    *,
    to_ask: bool = True,
    wire: str | None = None,
) -> Service:
    """Find the service of the model with a name.

    No key is needed if ``to_ask`` is false. ``wire`` has the same meaning as in `open_model`.

    Raises:
        InputError: If the name, the URL or the key cannot be used.
    """
    credentials = credentials or Credentials()
    provider, _, model = name.partition("/")
    if provider not in ("endpoint", *HOSTED) or not model.strip():
        known = ", ".join([KNOWN, *(form for provider in providers().values() for form in forms(provider))])
        meant = suggestion(name).strip()
        raise InputError(f"there is no model {name!r}{meant and f': {meant}'}", expected=f"one of {known}")
    preset = HOSTED.get(provider)
    if preset is not None and preset.base_url:
        if base_url is not None and preset.wire.name == CHAT.name:
            raise InputError(f"{name} accepts no base URL: leave --base-url out, or use the name endpoint/{model}")
        key = _key(name, preset.variables, credentials) if to_ask else None
        if wire == CHAT.name and preset.chat_url is not None:
            return Service(model, base_url or preset.chat_url, key, credentials.headers, preset.limits)
        return Service(model, base_url or preset.base_url, key, credentials.headers, preset.limits, preset.wire)
    if base_url is None:
        example = "http://localhost:8000/v1" if preset is None else AZURE.format(model)
        raise InputError(f"{name} needs --base-url, the URL without /chat/completions, such as {example}")
    if preset is not None:
        key = _key(name, preset.variables, credentials) if to_ask else None
        return Service(model, base_url, key, credentials.headers, preset.limits, preset.wire)
    return Service(model, base_url, _endpoint_key(credentials) if to_ask else None, credentials.headers)


def wire_of(name: str) -> str:
    """Return the form of requests for a model of this name.

    The form is part of a run's identity. ``chat`` is the chat-completions form, also for models without a service.
    """
    provider = name.partition("/")[0]
    return HOSTED[provider].wire.name if provider in HOSTED else CHAT.name


def fitting(name: str, decoding: Decoding) -> Decoding:
    """Remove the default temperature if the model is known to refuse temperatures.

    The default is 0. A chosen temperature, or a field of ``extra``, is kept. Anthropic's models accept no temperature
    if thinking is on. For a model in this process, the fields without influence on answers are removed: the device, the
    cluster, and the number of questions in a batch.
    """
    if is_local(name):
        kept = {key: value for key, value in decoding.extra.items() if key not in NO_INFLUENCE}
        return decoding.model_copy(update={"extra": kept})
    provider, _, model = name.partition("/")
    without = HOSTED[provider].without if provider in HOSTED else ()
    fields = {one for beginning, fields in without if re.match(beginning, model) for one in fields}
    if provider == "anthropic" and decoding.extra.get("thinking") not in (None, False, 0, {"type": "disabled"}):
        fields.add("temperature")
    untouched = {one: None for one in fields - set(decoding.extra) if not getattr(decoding, one)}
    return decoding.model_copy(update={"extra": decoding.extra | untouched}) if untouched else decoding


def place_of(name: str, base_url: str | None) -> tuple[str, str] | None:
    """Return scheme and host (with port) of a model's service.

    Returns None if the model has no service.
    """
    provider = name.partition("/")[0]
    url = base_url or (HOSTED[provider].base_url if provider in HOSTED else "")
    parts = urlsplit((url or "").strip())
    return (parts.scheme.lower(), parts.netloc.lower()) if url else None


def _from_environment(variable: str) -> SecretStr | None:
    return SecretStr(value) if (value := os.environ.get(variable, "").strip()) else None


def _named_key(variable: str, flag: str) -> SecretStr:
    """Read the key from a named variable.

    Error messages do not repeat a text that is not a valid name of a variable, because this text could be a key.
    """
    if not re.fullmatch("[A-Za-z_][A-Za-z0-9_]*", variable):
        raise InputError(f"{flag}: expected the name of an environment variable, such as MY_KEY, not the key")
    if (key := _from_environment(variable)) is None:
        raise InputError(f"{flag} {variable}: that environment variable is not set: put the key into it")
    return key


def _endpoint_key(credentials: Credentials) -> SecretStr | None:
    if credentials.key_variable is not None:
        return _named_key(credentials.key_variable, credentials.setter)
    return _from_environment(OWN_VARIABLE) if credentials.own else None


def _key(name: str, variables: tuple[str, ...], credentials: Credentials) -> SecretStr:
    if credentials.key_variable is not None:
        return _named_key(credentials.key_variable, credentials.setter)
    for variable in variables:
        if (key := _from_environment(variable)) is not None:
            return key
    raise InputError(
        f"{name} needs an API key: set the environment variable {' or '.join(variables)}, or name another variable "
        f"with {credentials.setter} ({OWN_VARIABLE} is only for endpoint/ models)"
    )
