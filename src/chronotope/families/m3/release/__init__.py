"""Reader and writer of M3-Verse data in the authors' layout: questions, pairs of videos, and their ground truth."""

from chronotope.families.m3.release.read import read_release
from chronotope.families.m3.release.write import write_release

__all__ = ["read_release", "write_release"]
