"""Readers of data sets; the modules in this folder are found automatically, one for each form of source.

The reader of a form is a module with a function ``matches``. Readers are in this folder, or in the package of their
data set. The package ``shared`` has the common code of all readers. ``resolve`` finds the sources at a path, and
``load`` reads one source.

If the files of a source lack a fact, such as the frame rate, the fact is taken from the command line (``Given``),
from chronotope.yaml in the source's folder, or from the data set's convention. A note reports each convention that
was used.
"""

import importlib
import os
import pkgutil
from pathlib import Path
from typing import cast

from chronotope.errors import InputError
from chronotope.recording.sources.shared.source_settings import parse_gravity
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
    """Map the name of each reader module to the module."""
    modules = [importlib.import_module(found.name) for found in pkgutil.walk_packages(__path__, f"{__name__}.")]
    forms = {module.__name__.rpartition(".")[2]: module for module in modules if hasattr(module, "matches")}
    return {name: cast(Source, forms[name]) for name in sorted(forms)}


SOURCES: dict[str, Source] = _list_forms()


def resolve(path: Path, source: str | None = None) -> list[Found]:
    """Find the sources at a path.

    If the path itself has a known form, it is the only source. Otherwise the sources are all files and folders of a
    known form directly in the path, sorted by name. If ``source`` names a form, only this form is used. If neither the
    path nor anything directly in it has this form, the path itself is returned, and the reader of the form then reports
    the fault.

    Raises:
        InputError: If no form is found, or if a path matches two forms.
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
        return [Found(path, source)]  # the reader of this form reports the fault precisely
    if deeper := next((child for child in children if child.is_dir() and _holds_sources(child, source)), None):
        raise InputError(f"{path}: its recordings are one folder too deep: use {deeper} as the source")
    looked_for = "; ".join(f"{name} ({module.EXPECTED})" for name, module in SOURCES.items())
    inside = ", and no such source directly in this folder" if path.is_dir() else ""
    raise InputError(
        f"{path}: no source of a known format{inside}. The known formats are: {looked_for}. Use --source NAME to "
        "choose one"
    )


def passed_over(path: Path, source: str | None = None) -> tuple[str, ...]:
    """Return a sentence for each folder that ``resolve`` skips.

    Only folders directly in ``path`` are reported. Skipped files are not reported, because folders of recordings
    usually contain other files, such as licences and notes.
    """
    if not path.is_dir() or _forms(path, source):
        return ()
    notes: list[str] = []
    for child in _children(path):
        if not child.is_dir() or _forms(child, source):
            continue
        deeper = f"its files are one folder too deep: use {child} as the source"
        told = deeper if _holds_sources(child, source) else "its format is unknown"
        notes.append(f"folder skipped: {child.name}: {told}")
    return tuple(notes)


def _holds_sources(folder: Path, source: str | None) -> bool:
    """Check whether sources are directly in a folder."""
    return any(_forms(child, source) for child in _children(folder) if os.access(child, os.R_OK))


def _children(path: Path) -> list[Path]:
    """List the visible children of a folder, sorted by name.

    A file has no children.

    Raises:
        InputError: If the folder cannot be listed.
    """
    try:
        children = sorted(path.iterdir(), key=lambda child: child.name) if path.is_dir() else []
    except OSError as error:
        raise InputError(f"{path}: cannot be listed ({error.strerror})") from error
    return [child for child in children if not child.name.startswith(".")]


def _refuse_closed(path: Path) -> None:
    """Check that a file or folder can be read.

    Without this check, an unreadable folder would be skipped silently, because its form cannot be recognised.

    Raises:
        InputError: If there is no permission to read the file or folder.
    """
    if not os.access(path, os.R_OK | (os.X_OK if path.is_dir() else 0)):
        raise InputError(f"{path}: no permission to read it: get permission, or remove it from the source")


def _at(path: Path, source: str | None) -> list[Found]:
    """Return the source at a path, or all recordings that it contains.

    The result is empty if the path matches no form.

    Raises:
        InputError: If the path matches two forms.
    """
    names = _forms(path, source)
    if len(names) > 1:
        raise InputError(
            f"{path}: matches the formats {' and '.join(names)}; choose one of these formats with --source NAME"
        )
    if not names:
        return []
    form = SOURCES[names[0]]
    if isinstance(form, SourceOfParts):
        return [Found(path, names[0], part) for part in form.parts(path)]
    return [Found(path, names[0])]


def _forms(path: Path, source: str | None) -> list[str]:
    """Return the names of the forms that a path matches.

    ``source`` limits the search to one form.
    """
    return [name for name, module in SOURCES.items() if source in (None, name) and module.matches(path)]


def load(found: Found, given: Given | None = None) -> Loaded:
    """Read a source, with the facts stated on the command line.

    Raises:
        InputError: If the source cannot be read.
    """
    which = [] if found.part is None else [found.part]
    return SOURCES[found.source].load(found.path, given or Given(), *which)


def companions(found: Found) -> list[Path]:
    """Return the files outside a source's path that its reader uses."""
    form = SOURCES[found.source]
    return sorted(form.companions(found.path)) if isinstance(form, SourceWithCompanions) else []
