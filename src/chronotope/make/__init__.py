"""Functions that make benchmark folders: build from a source, import released data, add variants of questions.

The names of this package are imported when they are used, because each worker of a build loads only what it needs.
Therefore no module here may have the name of a function, such as ``build``: it would hide the function.
"""

from typing import TYPE_CHECKING

from chronotope.lazy import public_names

if TYPE_CHECKING:
    from chronotope.make.jobs.assemble import Failure, NoQuestionError
    from chronotope.make.jobs.building import Built, build
    from chronotope.make.jobs.request import BuildRequest
    from chronotope.make.jobs.trial import BuildTrial, TriedPart, try_build
    from chronotope.make.publication.publishing import Published, publish
    from chronotope.make.publication.result_file import publish_result_file, result_file
    from chronotope.make.rewording.describing import (
        DescribingForeseen,
        DescribingOutcome,
        DescribingRequest,
        describe_recordings,
        foresee_describing,
    )
    from chronotope.make.rewording.varying import Unvaried, Varied, vary
    from chronotope.make.sources.origin import source_name
    from chronotope.make.transfer.exports import export_release
    from chronotope.make.transfer.hub import Fetched, fetch, is_address
    from chronotope.make.transfer.imports import Imported, import_release

__all__ = [
    "BuildRequest",
    "BuildTrial",
    "Built",
    "DescribingForeseen",
    "DescribingOutcome",
    "DescribingRequest",
    "Failure",
    "Fetched",
    "Imported",
    "NoQuestionError",
    "Published",
    "TriedPart",
    "Unvaried",
    "Varied",
    "build",
    "describe_recordings",
    "export_release",
    "fetch",
    "foresee_describing",
    "import_release",
    "is_address",
    "publish",
    "publish_result_file",
    "result_file",
    "source_name",
    "try_build",
    "vary",
]

__getattr__, __dir__ = public_names(
    __name__,
    {
        ".jobs.assemble": ("Failure", "NoQuestionError"),
        ".jobs.building": ("Built", "build"),
        ".publication.publishing": ("Published", "publish"),
        ".publication.result_file": ("publish_result_file", "result_file"),
        ".rewording.describing": (
            "DescribingForeseen",
            "DescribingOutcome",
            "DescribingRequest",
            "describe_recordings",
            "foresee_describing",
        ),
        ".transfer.exports": ("export_release",),
        ".transfer.hub": ("Fetched", "fetch", "is_address"),
        ".transfer.imports": ("Imported", "import_release"),
        ".jobs.request": ("BuildRequest",),
        ".jobs.trial": ("BuildTrial", "TriedPart", "try_build"),
        ".sources.origin": ("source_name",),
        ".rewording.varying": ("Unvaried", "Varied", "vary"),
    },
)
