"""Jobs that make benchmark folders: build from recordings, import released data, vary an existing one."""

from chronotope.make.build import BuildRequest, Built, Failure, build
from chronotope.make.imports import Imported, import_release
from chronotope.make.vary import vary

__all__ = ["BuildRequest", "Built", "Failure", "Imported", "build", "import_release", "vary"]
