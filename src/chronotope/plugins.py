"""Search for plugins (families, kinds of world, stages, model providers) in Chronotope and other packages."""

import importlib
import pkgutil
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cached_property
from importlib.metadata import EntryPoint, entry_points
from typing import Any, TypeVar

from chronotope.errors import InputError

T = TypeVar("T")


class Registry(Mapping[str, T]):
    """A mapping of plugins by name, which is filled when it is first used.

    A plugin can therefore import the module that defines the mapping.
    """

    def __init__(self, load: Callable[[], Mapping[str, T]]) -> None:
        """Keep the function that finds the plugins."""
        self._load = load

    @cached_property
    def _found(self) -> Mapping[str, T]:
        return self._load()

    def __getitem__(self, name: str) -> T:
        return self._found[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._found)

    def __len__(self) -> int:
        return len(self._found)


def installed_names(group: str) -> tuple[str, ...]:
    """Return the sorted names of the entry points of a group; none of them is loaded."""
    return tuple(sorted(entry_points(group=group).names))


def own_parts(package: str, path: Iterable[str], attribute: str) -> Iterator[tuple[str, Any]]:
    """Yield the name of each subpackage and the value of its ``attribute``.

    ``package`` is the name of the parent package, and ``path`` is its ``__path__``. The subpackages are sorted by name.
    """
    for name in sorted(module.name for module in pkgutil.iter_modules(path) if module.ispkg):
        yield name, getattr(importlib.import_module(f"{package}.{name}"), attribute)


def installed(group: str, kind: type[T], what: tuple[str, str], own: Iterable[tuple[str, Any]] = ()) -> dict[str, T]:
    """Collect Chronotope's own plugins and the plugins of other packages.

    ``own`` yields Chronotope's plugins; all other plugins come from the entry points of ``group``. Every plugin is an
    object of type ``kind`` with a ``name``; the result maps names to plugins. ``what`` is the noun for a plugin in
    singular and plural, for error messages.

    Raises:
        InputError: If an entry point cannot be loaded, if an object is not of type ``kind``, or if two plugins have the
            same name.
    """
    one, several = what
    found: dict[str, T] = {}
    others = ((point.name, _loaded(point, one)) for point in entry_points(group=group))
    for name, part in (*own, *others):
        if not isinstance(part, kind):
            raise InputError(f"entry point {name!r} of {group} is not a {kind.__name__}: correct the entry point")
        called: str = getattr(part, "name")  # noqa: B009 - every kind of plugin has a name
        if called in found:
            raise InputError(f"two installed {several} have the name {called!r}: uninstall one of them")
        found[called] = part
    return found


def named(parts: Mapping[str, T], name: str, what: str) -> T:
    """Return the plugin with a name.

    ``what`` is the noun for a plugin.

    Raises:
        InputError: If there is no plugin with this name. The message lists all names.
    """
    try:
        return parts[name]
    except KeyError:
        raise InputError(f"there is no {what} {name!r}: expected one of {', '.join(parts)}") from None


def _loaded(point: EntryPoint, what: str) -> Any:
    try:
        return point.load()
    except (ImportError, AttributeError) as error:
        raise InputError(
            f"the installed {what} {point.name!r} cannot be loaded from {point.value} ({error}): repair or uninstall it"
        ) from error
