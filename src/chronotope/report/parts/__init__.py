"""The parts of a report about one benchmark: each module is one part, found by listing this folder.

A module has two names: ``PLACE``, a number that orders the parts, and ``make``, which returns the tables and plots
(`chronotope.report.table.Part`) of a section, or None if there is nothing to say.
"""

import pkgutil
from importlib import import_module
from types import ModuleType


def part_names() -> list[str]:
    """Return the names of all parts, sorted; no part is imported."""
    return sorted(module.name for module in pkgutil.iter_modules(__path__))


def list_parts() -> dict[str, ModuleType]:
    """Return the modules of all parts by name, in the order of the page."""
    found = {name: import_module(f"{__name__}.{name}") for name in part_names()}
    return dict(sorted(found.items(), key=lambda of: (of[1].PLACE, of[0])))
