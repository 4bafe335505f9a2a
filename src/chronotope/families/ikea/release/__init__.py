"""The released IKEA-Bench set and the authors' result files."""

from chronotope.families.ikea.release.read import read_release
from chronotope.families.ikea.release.results import export_results

__all__ = ["export_results", "read_release"]
