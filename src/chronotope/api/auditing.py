"""Audit a benchmark: what it reveals without its videos, and a version without these defects."""

from __future__ import annotations  # `help` shows short names of types

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from chronotope.api.checked_settings import as_path
from chronotope.api.telling import Advance, advance_of
from chronotope.errors import InputError
from chronotope.question import Benchmark, open_benchmark

if TYPE_CHECKING:
    from chronotope.audit.findings import Audit


def audit(
    bench: Benchmark | Path | str,
    *,
    out: Path | str | None = None,
    fix: Path | str | None = None,
    clips: bool = True,
    seed: int = 0,
    runs: Sequence[Path | str] = (),
    progress: Advance | bool = False,
) -> Audit:
    """Check what a benchmark reveals without its videos; no model is called.

    The result has the ``findings``, each with a ``verdict``, a sentence (``said``) and the ids of its questions
    (``items``). ``defects`` are the findings with the verdict "defect", and ``undecided`` are checks for which the
    benchmark is too small: each says how many clusters it needs (``needed``).

    - ``out`` is the folder of a page about the findings.
    - ``fix`` is the folder of a version without the defects: options are shuffled if positions reveal answers, and
      the fewest questions are left out after which no guess of the audit differs from chance. ``fixed`` of the result
      says what this changed.
    - Without ``clips``, clips are not decoded to find similar ones.
    - ``runs`` are runs on this benchmark: those with the input "blind" are held beside chance, and runs that saw less
      than all pictures beside runs of the same model that saw all.
    - ``seed`` is for the divisions of the classifier, and for shuffled options.

    Raises:
        InputError: If the benchmark cannot be read or has no question with options, if a run is about another
            benchmark, if ``out`` or ``fix`` exists, or if a repair would leave no question.
    """
    from chronotope.audit.auditing import audit as make

    places = {name: None if path is None else as_path(path, name) for name, path in (("out", out), ("fix", fix))}
    for name, place in places.items():
        if place is not None and place.exists():
            raise InputError(f"{place}: exists already: choose another --{name}, or delete it")
    opened = bench if isinstance(bench, Benchmark) else open_benchmark(as_path(bench, "bench"))
    named = [as_path(run, "runs") for run in runs]
    found = make(opened, clips=clips, seed=seed, runs=named, advance=advance_of(progress, "auditing"))
    if (place := places["fix"]) is not None:
        from chronotope.audit.repair import repair

        found = replace(found, fixed=repair(opened, found, place, seed))
    if (place := places["out"]) is not None:
        from chronotope.audit.audit_page import write_audit

        write_audit(place, found, opened)
    return found
