"""Reader of the released M3-Verse data: questions and pairs of videos, both unchanged."""

from chronotope.families.m3.release.read import read_release

__all__ = ["read_release"]
