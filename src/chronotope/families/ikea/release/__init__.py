"""Reader of the released IKEA-Bench data, and writer of result files in the authors' format."""

from chronotope.families.ikea.release.read import read_release
from chronotope.families.ikea.release.results import export_results

__all__ = ["export_results", "read_release"]
