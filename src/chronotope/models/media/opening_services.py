"""The generation services by name: described ones, google-genai, and diffusers in this process."""

import os
from pathlib import Path

from pydantic import SecretStr

from chronotope.errors import InputError
from chronotope.models.media.description import HttpDescription, known_descriptions, read_description
from chronotope.models.media.http_service import HttpMediaService
from chronotope.models.media.request import MediaService

OWN = ("google", "diffusers")  # providers with code of their own


def open_media_service(
    name: str,
    description: Path | None = None,
    *,
    key_variable: str | None = None,
    price: float | None = None,
    to_ask: bool = True,
) -> MediaService:
    """Open a generation service; nothing is sent, and no weights are loaded.

    ``name`` has the form ``service/model``. ``description`` is a file that describes a service of the user's own.
    ``key_variable`` names the environment variable with the key, if it is not that of the description. ``price`` is the
    price of a second of a clip, or of a picture, if it is not in the description. No key is needed if ``to_ask`` is
    false.

    Raises:
        InputError: If there is no such service or model, or its key is missing.
    """
    provider, _, model = name.partition("/")
    if description is None and provider in OWN and model:
        if provider == "google":
            from chronotope.models.media.google_service import GoogleMediaService  # needs google-genai

            return GoogleMediaService(model, _key(name, key_variable or "GOOGLE_API_KEY") if to_ask else None, price)
        from chronotope.models.media.diffusion import DiffusionService  # needs diffusers

        return DiffusionService(model)
    described = _described(provider, description)
    if described.name != provider or not model:
        raise InputError(f"there is no generation service {name!r}", expected=f"{described.name}/MODEL")
    key = _key(name, key_variable or described.key_variable) if to_ask else None
    return HttpMediaService(described, model, key, price)


def named_service(text: str) -> tuple[str, Path | None]:
    """Return the name of a service that a user wrote, and the file that describes it or None.

    The text is ``service/model``, or ``FILE.yaml:MODEL``; a file with one model needs no ``:MODEL``.

    Raises:
        InputError: If the file is not a description, or has several models and none is named.
    """
    file, _, model = text.partition(":")
    if not file.lower().endswith((".yaml", ".yml")):
        return text, None
    described = read_description(Path(file))
    if not model and len(described.models) > 1:
        raise InputError(f"{file}: has several models", expected=f"{file}:MODEL, one of {', '.join(described.models)}")
    return f"{described.name}/{model or next(iter(described.models))}", Path(file)


def _described(provider: str, description: Path | None) -> HttpDescription:
    if description is not None:
        return read_description(description)
    known = known_descriptions()
    if provider not in known:
        raise InputError(
            f"there is no generation service {provider!r}",
            expected=f"one of {', '.join([*known, *OWN])}, or a file that describes a service",
        )
    return read_description(known[provider])


def _key(name: str, variable: str) -> SecretStr:
    value = os.environ.get(variable, "").strip()
    if not value:
        raise InputError(f"{name} needs an API key: set the environment variable {variable}")
    return SecretStr(value)
