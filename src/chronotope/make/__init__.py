"""Functions that make benchmark folders: build from a source, import released data, add variants of questions.

The names of this package are imported when they are used, because each worker of a build loads only what it needs.
Therefore no module here may have the name of a function, such as ``build``: it would hide the function.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from chronotope.make.assemble import Failure, NoQuestionError
    from chronotope.make.building import Built, build
    from chronotope.make.describing import (
        DescribingForeseen,
        DescribingOutcome,
        DescribingRequest,
        describe_recordings,
        foresee_describing,
    )
    from chronotope.make.exports import export_release
    from chronotope.make.hub import Fetched, fetch, is_address
    from chronotope.make.imports import Imported, import_release
    from chronotope.make.request import BuildRequest
    from chronotope.make.varying import Unvaried, Varied, vary

__all__ = [
    "BuildRequest",
    "Built",
    "DescribingForeseen",
    "DescribingOutcome",
    "DescribingRequest",
    "Failure",
    "Fetched",
    "Imported",
    "NoQuestionError",
    "Unvaried",
    "Varied",
    "build",
    "describe_recordings",
    "export_release",
    "fetch",
    "foresee_describing",
    "import_release",
    "is_address",
    "vary",
]

_PLACES = {
    "assemble": ("Failure", "NoQuestionError"),
    "building": ("Built", "build"),
    "describing": (
        "DescribingForeseen",
        "DescribingOutcome",
        "DescribingRequest",
        "describe_recordings",
        "foresee_describing",
    ),
    "exports": ("export_release",),
    "hub": ("Fetched", "fetch", "is_address"),
    "imports": ("Imported", "import_release"),
    "request": ("BuildRequest",),
    "varying": ("Unvaried", "Varied", "vary"),
}


def __getattr__(name: str) -> Any:
    """Import a name of this package when it is first used."""
    for module, names in _PLACES.items():
        if name in names:
            return globals().setdefault(name, getattr(import_module(f"{__name__}.{module}"), name))
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    """List the public names."""
    return __all__
