"""Functions that make benchmark folders: build from a source, import released data, add variants of questions.

The names of this package are imported when they are used, because each worker of a build loads only what it needs.
Therefore no module here may have the name of a function, such as ``build``: it would hide the function.
"""

from typing import TYPE_CHECKING

from chronotope.lazy import public_names

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

__getattr__, __dir__ = public_names(
    __name__,
    {
        ".assemble": ("Failure", "NoQuestionError"),
        ".building": ("Built", "build"),
        ".describing": (
            "DescribingForeseen",
            "DescribingOutcome",
            "DescribingRequest",
            "describe_recordings",
            "foresee_describing",
        ),
        ".exports": ("export_release",),
        ".hub": ("Fetched", "fetch", "is_address"),
        ".imports": ("Imported", "import_release"),
        ".request": ("BuildRequest",),
        ".varying": ("Unvaried", "Varied", "vary"),
    },
)
