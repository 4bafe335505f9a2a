"""Chronotope: benchmarks of how vision-language models understand space and time in video.

``import chronotope as ct`` offers a function for each step, such as ``ct.build``, ``ct.run`` and ``ct.compare`` (see
``chronotope.api``). Each function is imported when it is first used.

The packages, from the lowest layer up: ``geometry`` and ``media``; ``recording``; ``question``; ``protocol`` and
``ledger``; ``models``; ``families``; ``make`` and ``evaluate``; ``report``; ``api``; ``cli``. Each package imports only
from packages in lower layers (see ``docs/architecture.md``).
"""

import sys

TYPE_CHECKING = False  # not imported from `typing`, which loads slowly: Ctrl-C is not handled during this time
if TYPE_CHECKING:
    from types import ModuleType
    from typing import Any

    from chronotope.api import *  # noqa: F403 - the names are listed only in `chronotope.api`

__version__ = "0.1.0"

_BOTH = ("audit", "probe", "report", "world")  # packages that can also be called as functions

if not TYPE_CHECKING:
    ModuleType = type(sys)  # not imported from `types`, which loads other modules


class _Called(ModuleType):
    """A package that can be called like a function, such as ``chronotope.report``."""

    def __call__(self, *args: "Any", **kwargs: "Any") -> "Any":
        """Call the function of ``chronotope.api`` that has the name of this package."""
        return _of_api(self.__name__.rpartition(".")[2])(*args, **kwargs)


class _Door(ModuleType):
    """The class of this package; it makes the subpackages in ``_BOTH`` callable."""

    def __setattr__(self, name: str, value: "Any") -> None:
        """Set an attribute; the import system also sets imported subpackages."""
        if name in _BOTH and isinstance(value, ModuleType):
            value.__class__ = _Called
        super().__setattr__(name, value)


sys.modules[__name__].__class__ = _Door


def __getattr__(name: str) -> "Any":
    """Import a public name when it is first used."""
    if name in _BOTH:
        from importlib import import_module

        return import_module(f"{__name__}.{name}")
    if name == "__all__":  # a star import must not replace Python's own `open`
        return [*(one for one in _of_api("__all__") if one != "open"), "__version__"]
    if name.startswith("_") or name not in _of_api("__all__"):
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return globals().setdefault(name, _of_api(name))


def _of_api(name: str) -> "Any":
    import chronotope.api as api  # `from chronotope import api` would call `__getattr__` of this module

    return getattr(api, name)


def __dir__() -> list[str]:
    """List the public names."""
    return sorted([*_of_api("__all__"), "__version__"])
