"""Packages whose public names are imported when they are first used.

`lazy-loader` does the same, but it imports `ast` and `inspect`, and a command has no time for them when it starts.
"""

from importlib import import_module

TYPE_CHECKING = False  # not imported from `typing`, which loads slowly
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import Any


def public_names(
    package: str, places: "Mapping[str, Sequence[str]]"
) -> "tuple[Callable[[str], Any], Callable[[], list[str]]]":
    """Return the functions ``__getattr__`` and ``__dir__`` of a package.

    ``places`` maps modules to the names that they define. A module that begins with a dot is relative to ``package``.
    """
    module_of = {name: module for module, names in places.items() for name in names}

    def find(name: str) -> "Any":
        if name not in module_of:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        value = getattr(import_module(module_of[name], package), name)
        vars(import_module(package))[name] = value  # the next use finds it there
        return value

    def names() -> list[str]:
        here = vars(import_module(package))
        return sorted({name for name in here if not name.startswith("_")} | set(module_of))

    return find, names
