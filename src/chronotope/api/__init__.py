"""All of Chronotope for Python: ``import chronotope as ct`` offers the names of this package.

``open``, ``build`` and ``score`` begin with a benchmark, ``run`` and ``arun`` ask a model, ``compare`` and ``report``
show runs. The names are imported when they are first used, so importing ``chronotope`` loads no library.
"""

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from chronotope.api.benchmarks import Benchmark, build, open, world  # noqa: A004 - users write `ct.open`
    from chronotope.api.checking import check
    from chronotope.api.comparing import compare, report
    from chronotope.api.filtering import filter_pass, write_filtered
    from chronotope.api.opened_run import Run, runs
    from chronotope.api.probing import probe
    from chronotope.api.recordings import load_recording
    from chronotope.api.running import arun, run, score
    from chronotope.errors import InputError
    from chronotope.models import Asked, FunctionModel, Model, ModelSpec

__all__ = [
    "Asked",
    "Benchmark",
    "FunctionModel",
    "InputError",
    "Model",
    "ModelSpec",
    "Run",
    "arun",
    "build",
    "check",
    "compare",
    "filter_pass",
    "load_recording",
    "open",
    "probe",
    "report",
    "run",
    "runs",
    "score",
    "world",
    "write_filtered",
]

_PLACES = {
    "chronotope.api.benchmarks": ("Benchmark", "build", "open", "world"),
    "chronotope.api.checking": ("check",),
    "chronotope.api.comparing": ("compare", "report"),
    "chronotope.api.filtering": ("filter_pass", "write_filtered"),
    "chronotope.api.recordings": ("load_recording",),
    "chronotope.api.running": ("arun", "run", "score"),
    "chronotope.api.probing": ("probe",),
    "chronotope.api.opened_run": ("Run", "runs"),
    "chronotope.errors": ("InputError",),
    "chronotope.models": ("Asked", "FunctionModel", "Model", "ModelSpec"),
}


def __getattr__(name: str) -> Any:
    """Import a public name when it is first used."""
    for place, names in _PLACES.items():
        if name in names:
            return globals().setdefault(name, getattr(importlib.import_module(place), name))
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    """List the public names."""
    return __all__
