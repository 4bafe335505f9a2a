"""Jobs that make benchmark folders: build from recordings, vary an existing one."""

from chronotope.make.build import BuildRequest, Built, Failure, build
from chronotope.make.vary import vary

__all__ = ["BuildRequest", "Built", "Failure", "build", "vary"]
