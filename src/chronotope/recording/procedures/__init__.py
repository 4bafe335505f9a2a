"""Readers of procedures; the modules in this folder are found automatically, one for each form of source.

``read_procedures`` reads a source of any form. ``save_procedure`` writes a procedure to a folder, and
``load_procedure`` reads a procedure from a folder.
"""

import importlib
import pkgutil
from pathlib import Path
from typing import cast

from chronotope.errors import InputError
from chronotope.recording.procedures._document import load_procedure, save_procedure
from chronotope.recording.procedures._types import Entry, Form, ReadProcedures

__all__ = ["FORMS", "ReadProcedures", "load_procedure", "read_procedures", "save_procedure"]

FORMS: dict[str, Form] = {
    name: cast(Form, importlib.import_module(f"{__name__}.{name}"))
    for name in sorted(module.name for module in pkgutil.iter_modules(__path__))
    if not name.startswith("_")
}


def read_procedures(path: Path, *, form: str | None = None, keep_going: bool = False) -> ReadProcedures:
    """Read every product of a source.

    ``form`` selects one form by the name of its module. If ``keep_going`` is True, a product that cannot be read is
    recorded as a failure, and the other products are still read.

    Raises:
        InputError: If the source has no known form or has two forms, or if a product cannot be read and
            ``keep_going`` is False.
    """
    if form is not None and form not in FORMS:
        raise InputError(f"--source {form}: there is no such format of manuals; expected one of {', '.join(FORMS)}")
    if not path.exists():
        raise InputError(f"{path}: no such file or folder")
    names = [name for name, module in FORMS.items() if form in (None, name) and module.matches(path)]
    if not names:
        looked_for = "; ".join(f"{name} ({module.TITLE})" for name, module in FORMS.items() if form in (None, name))
        raise InputError(f"{path}: contains no manuals of a known format. The supported formats are: {looked_for}")
    if len(names) > 1:
        raise InputError(f"{path}: contains manuals of the formats {' and '.join(names)}: choose one with --source")
    entries, notes = FORMS[names[0]].entries(path)
    return _read(entries, list(notes), keep_going)


def _read(entries: list[Entry], notes: list[str], keep_going: bool) -> ReadProcedures:
    results = []
    failures: list[tuple[str, str]] = []
    for entry in entries:
        try:
            result = entry.read()
        except InputError as error:
            if not keep_going:
                raise
            failures.append((entry.name, str(error)))
        else:
            results.append(result.procedure)
            notes += result.notes
    return ReadProcedures(tuple(results), tuple(notes), tuple(failures))
