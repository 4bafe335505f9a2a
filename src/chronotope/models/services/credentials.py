"""The credentials for a service."""

from dataclasses import dataclass, field


@dataclass(frozen=True)
class Credentials:
    """The credentials for a service, as given by the user.

    ``key_variable`` is the name of the environment variable with the API key; None means the default variable of the
    provider. ``headers`` are further headers of every request, each as ``Name: value``. ``own`` is false for the second
    service of a command, which must not get the key in CHRONOTOPE_API_KEY. ``flag`` is the flag that sets the variable,
    for error messages.
    """

    key_variable: str | None = None
    headers: tuple[str, ...] = field(default=(), repr=False)
    own: bool = True
    flag: str = "--key-variable"
