"""The credentials for a service."""

from dataclasses import dataclass, field

__all__ = ["Credentials"]


@dataclass(frozen=True)
class Credentials:
    """The credentials for a service, as a person gives them.

    ``key_variable`` names the environment variable with the key; None means the usual one. ``headers`` are further
    headers of every request, each as ``Name: value``. ``own`` is false for the second service of a command, to which
    CHRONOTOPE_API_KEY does not belong. ``flag`` is the flag that names the variable, for errors.
    """

    key_variable: str | None = None
    headers: tuple[str, ...] = field(default=(), repr=False)
    own: bool = True
    flag: str = "--key-variable"
