"""The data with which a model is opened: its name, service, credentials and settings."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol, runtime_checkable


@dataclass(frozen=True)
class Credentials:
    """The credentials for a service, as given by the user.

    ``key_variable`` is the name of the environment variable with the API key; None means the default variable of the
    provider. ``headers`` are further headers of every request, each as ``Name: value``. ``own`` is false for the second
    service of a command, which must not get the key in CHRONOTOPE_API_KEY. ``flag`` is the flag that sets the variable,
    for error messages; None means ``--key-variable``.
    """

    key_variable: str | None = None
    headers: tuple[str, ...] = field(default=(), repr=False)
    own: bool = True
    flag: str | None = None

    @property
    def setter(self) -> str:
        """Return what sets the variable, for error messages."""
        return self.flag or "--key-variable"


@dataclass(frozen=True)
class ModelSpec:
    """A model that is not open yet.

    - ``name`` has the form ``provider/name``.
    - ``base_url`` is the URL of the service, without ``/chat/completions``. ``further_urls`` are other servers of the
      same model, which share the clips with it (see `urls_of`).
    - ``device`` and ``dtype`` are for models in this process, such as ``cuda:0`` and ``bfloat16``.
    - ``on`` is ``ray`` or ``ray://HOST:PORT``, the cluster whose ``workers`` have such a model in memory.
    - ``settings`` are fields of the request body, or settings of a provider in another package.
    - ``credentials`` are for the service. They are never stored.

    ``run.yaml`` contains everything on which answers depend: ``name``, ``device``, ``dtype`` and ``settings``.
    ``run.yaml`` does not contain the URL, because the same model may later be served at another URL.
    """

    name: str
    base_url: str | None = None
    device: str | None = None
    dtype: str | None = None
    settings: Mapping[str, Any] = field(default_factory=dict[str, Any])
    credentials: Credentials | None = field(default=None, repr=False)
    further_urls: tuple[str, ...] = ()
    on: str | None = None
    workers: int | None = None

    @property
    def placed(self) -> dict[str, Any]:
        """Return the settings of models in this process that have no influence on answers."""
        given = {"device": self.device, "on": self.on, "workers": self.workers}
        return {name: value for name, value in given.items() if value is not None}

    @property
    def local(self) -> dict[str, Any]:
        """Return the settings that only models in this process have."""
        return self.placed if self.dtype is None else self.placed | {"dtype": self.dtype}


def urls_of(base_url: str | Sequence[str] | None) -> dict[str, Any]:
    """Return the fields of `ModelSpec` for one URL or several."""
    urls = (base_url,) if isinstance(base_url, str) else tuple(base_url or ())
    return {"base_url": urls[0] if urls else None, "further_urls": urls[1:]}


@runtime_checkable
class Identified(Protocol):
    """A model whose answers depend on more than its name."""

    identity: Mapping[str, Any]


def identity_of(model: object) -> dict[str, Any]:
    """Return the values, besides the model's name, that influence answers."""
    return dict(model.identity) if isinstance(model, Identified) else {}
