"""The settings of a model in this process."""

from collections.abc import Mapping
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator

from chronotope.errors import InputError
from chronotope.models.model import LENGTH_FIELDS
from chronotope.pool import check_on

# Fields of every model's requests; `Decoding` has their meaning.
_OF_DECODING = ("temperature", "top_p", *LENGTH_FIELDS)


class LocalSettings(BaseModel):
    """How a model in this process is loaded and asked.

    - ``device`` is a name of PyTorch, such as ``cuda:1``. By default, the first GPU is used, if there is one.
    - ``dtype`` is the number format of weights. The default is bfloat16 on a GPU and float32 on a CPU.
    - ``remote_code`` runs the Python code that comes with the weights. The code can do everything that you can do.
    - ``batch`` is the maximum number of questions that are answered together.
    - ``processor`` are settings of the processor, such as the maximum size of a picture.
    - ``chat_template_kwargs`` are values for the chat template, such as ``enable_thinking``.
    - ``revision`` is a branch, tag or commit of weights on the hub.
    - ``on`` is ``ray`` or ``ray://HOST:PORT``: workers of a Ray cluster load the weights and answer. ``workers`` is
      their number, by default one for each GPU, or for each node without GPUs.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    device: str | None = None
    dtype: Literal["float32", "bfloat16", "float16"] | None = None
    remote_code: bool = False
    batch: int = Field(16, ge=1)
    processor: dict[str, Any] = Field(default_factory=dict)
    chat_template_kwargs: dict[str, Any] = Field(default_factory=dict)
    revision: str | None = None
    on: str | None = None
    workers: int | None = Field(None, ge=1)

    @field_validator("on")
    @classmethod
    def _check_on(cls, on: str | None) -> str | None:
        check_on(on, "--on")
        return on


def local_settings(name: str, fields: Mapping[str, Any]) -> LocalSettings:
    """Read the settings of a model in this process from ``--set`` fields.

    Raises:
        InputError: If a field is unknown, or its value cannot be used.
    """
    own = {key: value for key, value in fields.items() if key not in _OF_DECODING}
    try:
        settings = LocalSettings.model_validate(own)
        if settings.workers is not None and settings.on is None:
            raise InputError("--workers: is the number of workers of a cluster", fix="add --on ray, or omit it")
        return settings
    except ValidationError as error:
        first = error.errors()[0]
        field = str(first["loc"][0])
        if first["type"] == "extra_forbidden":
            known = ", ".join([*LocalSettings.model_fields, *_OF_DECODING])
            raise InputError(f"--set {field}: {name} does not have this setting", expected=f"one of {known}") from None
        raise InputError(f"--set {field}: {first['msg']}, found {first['input']!r}", where=name) from None
