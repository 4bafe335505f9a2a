"""Jobs that make benchmark folders: build from recordings, import released data, vary an existing one."""

from chronotope.make.assemble import Failure
from chronotope.make.build import Built, build
from chronotope.make.imports import Imported, import_release
from chronotope.make.request import BuildRequest
from chronotope.make.vary import vary

__all__ = ["BuildRequest", "Built", "Failure", "Imported", "build", "import_release", "vary"]
