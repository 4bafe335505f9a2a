"""What a person gives to be let in at a service."""

from dataclasses import dataclass, field

__all__ = ["Credentials"]


@dataclass(frozen=True)
class Credentials:
    """What lets one in at a service, as a person gives it.

    ``key_variable`` names the environment variable with the key, None: the usual one. ``headers`` are further headers
    of every request, each as ``Name: value``. ``own`` is false of a second service of a command, which
    CHRONOTOPE_API_KEY does not belong to. ``flag`` is what names the variable, for sentences.
    """

    key_variable: str | None = None
    headers: tuple[str, ...] = field(default=(), repr=False)
    own: bool = True
    flag: str = "--key-variable"
