"""Plugins: families, kinds of world and providers of models, from this and other packages."""

import importlib
import pkgutil
from collections.abc import Iterable, Iterator
from importlib.metadata import EntryPoint, entry_points
from typing import Any, TypeVar

from chronotope.errors import InputError

__all__ = ["installed", "own_parts"]

T = TypeVar("T")


def own_parts(package: str, path: Iterable[str], attribute: str) -> Iterator[tuple[str, Any]]:
    """Yield the ``attribute`` of each package inside ``package``, by name.

    ``path`` is its ``__path__``.
    """
    for name in sorted(module.name for module in pkgutil.iter_modules(path) if module.ispkg):
        yield name, getattr(importlib.import_module(f"{package}.{name}"), attribute)


def installed(group: str, kind: type[T], what: tuple[str, str], own: Iterable[tuple[str, Any]] = ()) -> dict[str, T]:
    """Find our own parts, then those of an entry point group.

    ``kind`` has a ``name``, by which they are returned. ``what`` has its noun in singular and plural, for errors.

    Raises:
        InputError: If an entry point cannot be loaded or has another type, or if two parts have the same name.
    """
    one, several = what
    found: dict[str, T] = {}
    others = ((point.name, _loaded(point, one)) for point in entry_points(group=group))
    for name, part in (*own, *others):
        if not isinstance(part, kind):
            raise InputError(f"entry point {name!r} of {group} is not a {kind.__name__}: correct the entry point")
        called: str = getattr(part, "name")  # noqa: B009 - every kind has one
        if called in found:
            raise InputError(f"two installed {several} have the name {called!r}: uninstall one of them")
        found[called] = part
    return found


def _loaded(point: EntryPoint, what: str) -> Any:
    try:
        return point.load()
    except (ImportError, AttributeError) as error:
        raise InputError(
            f"the installed {what} {point.name!r} cannot be loaded from {point.value} ({error}): repair or uninstall it"
        ) from error
