"""Readers of data sets, found by listing this folder: one module for each form.

A form is a module with ``matches``, either here or in the package of its data set; ``shared`` has the common code of
readers. ``resolve`` finds the sources at a path, ``load`` reads one. A fact that the format lacks comes from flags
(``Given``), or from chronotope.yaml in the folder, or from the data set's convention, which is noted.
"""

import importlib
import os
import pkgutil
from pathlib import Path
from typing import cast

from chronotope.errors import InputError
from chronotope.recording.sources.shared.settings import parse_gravity
from chronotope.recording.sources.shared.text import may_hold_rows
from chronotope.recording.sources.shared.types import Found, Given, Loaded, Source, SourceOfParts, SourceWithCompanions

__all__ = [
    "SOURCES",
    "Found",
    "Given",
    "Loaded",
    "Source",
    "companions",
    "load",
    "parse_gravity",
    "passed_over",
    "resolve",
]


def _list_forms() -> dict[str, Source]:
    """List the modules with ``matches``, by their own name."""
    modules = [importlib.import_module(found.name) for found in pkgutil.walk_packages(__path__, f"{__name__}.")]
    forms = {module.__name__.rpartition(".")[2]: module for module in modules if hasattr(module, "matches")}
    return {name: cast(Source, forms[name]) for name in sorted(forms)}


SOURCES: dict[str, Source] = _list_forms()


def resolve(path: Path, source: str | None = None) -> list[Found]:
    """Find the sources at a path.

    They are the path itself, or the direct children of the folder that are sources, by name. ``source`` selects one
    form: the path is then read as that form unless it is a folder with children of that form.

    Raises:
        InputError: If no form is found, or a path has two forms.
    """
    if source is not None and source not in SOURCES:
        raise InputError(f"--source {source}: there is no such source format; expected one of {', '.join(SOURCES)}")
    if not path.exists():
        raise InputError(f"{path}: no such file or folder")
    _refuse_closed(path)
    if own := _at(path, source):
        return own
    children = _children(path)
    for child in children:
        if child.is_dir() or (child.is_file() and may_hold_rows(child)):
            _refuse_closed(child)
    found = [one for child in children for one in _at(child, source)]
    if found:
        return found
    if source is not None:
        return [Found(path, source)]  # its reader says best what is missing
    looked_for = "; ".join(f"{name} ({module.EXPECTED})" for name, module in SOURCES.items())
    inside = " nor in the folders and files directly in it" if path.is_dir() else ""
    raise InputError(
        f"{path}: no source of a known format{inside}. Looked for: {looked_for}. Use --source NAME to choose a format"
    )


def passed_over(path: Path, source: str | None = None) -> tuple[str, ...]:
    """Return a sentence for each folder that ``resolve`` skips.

    The folders are directly in ``path``, beside the sources that are found. Files are not mentioned, because licences
    and notes are usual beside recordings.
    """
    if not path.is_dir() or _forms(path, source):
        return ()
    notes: list[str] = []
    for child in _children(path):
        if not child.is_dir() or _forms(child, source):
            continue
        deeper = any(_forms(one, source) for one in _children(child) if os.access(one, os.R_OK))
        told = f"its files are one folder too deep: build from {child}" if deeper else "its format is unknown"
        notes.append(f"passed over: {child.name}: {told}")
    return tuple(notes)


def _children(path: Path) -> list[Path]:
    """List the content of a folder, by name; a file has none.

    Raises:
        InputError: If the folder cannot be listed.
    """
    try:
        children = sorted(path.iterdir(), key=lambda child: child.name) if path.is_dir() else []
    except OSError as error:
        raise InputError(f"{path}: cannot be listed ({error.strerror})") from error
    return [child for child in children if not child.name.startswith(".")]


def _refuse_closed(path: Path) -> None:
    """Refuse a folder without permission to read.

    Its form could not be recognised, so it would be skipped silently.

    Raises:
        InputError: If there is no permission to read it.
    """
    if not os.access(path, os.R_OK | (os.X_OK if path.is_dir() else 0)):
        raise InputError(f"{path}: no permission to read it: get permission, or remove it from the source")


def _at(path: Path, source: str | None) -> list[Found]:
    """Return the source at a path in its only form.

    The result is empty if the path has no form.

    Raises:
        InputError: If the path has two forms.
    """
    names = _forms(path, source)
    if len(names) > 1:
        raise InputError(f"{path}: could be {' or '.join(names)}; choose with --source NAME")
    if not names:
        return []
    form = SOURCES[names[0]]
    if isinstance(form, SourceOfParts):
        return [Found(path, names[0], part) for part in form.parts(path)]
    return [Found(path, names[0])]


def _forms(path: Path, source: str | None) -> list[str]:
    """Return the forms that a path matches.

    All forms are tried, or only the selected one.
    """
    return [name for name, module in SOURCES.items() if source in (None, name) and module.matches(path)]


def load(found: Found, given: Given | None = None) -> Loaded:
    """Read a source, with the facts that flags state.

    Raises:
        InputError: If it cannot be read.
    """
    which = [] if found.part is None else [found.part]
    return SOURCES[found.source].load(found.path, given or Given(), *which)


def companions(found: Found) -> list[Path]:
    """Return the files outside a source's path that its reader uses."""
    form = SOURCES[found.source]
    return sorted(form.companions(found.path)) if isinstance(form, SourceWithCompanions) else []
