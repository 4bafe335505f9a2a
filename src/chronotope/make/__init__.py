"""Functions that make benchmark folders: build from a source, import released data, add variants of questions."""

from chronotope.make.assemble import Failure
from chronotope.make.build import Built, build
from chronotope.make.describing import (
    DescribingForeseen,
    DescribingOutcome,
    DescribingRequest,
    describe_recordings,
    foresee_describing,
)
from chronotope.make.hub import Fetched, fetch, is_address
from chronotope.make.imports import Imported, import_release
from chronotope.make.request import BuildRequest
from chronotope.make.vary import Unvaried, Varied, vary

__all__ = [
    "BuildRequest",
    "Built",
    "DescribingForeseen",
    "DescribingOutcome",
    "DescribingRequest",
    "Failure",
    "Fetched",
    "Imported",
    "Unvaried",
    "Varied",
    "build",
    "describe_recordings",
    "fetch",
    "foresee_describing",
    "import_release",
    "is_address",
    "vary",
]
