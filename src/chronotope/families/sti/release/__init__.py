"""The released STI-Bench set (specification, sections 2, 3 and 13): its table and its clips, read as they are."""

from chronotope.families.sti.release.read import read_release

__all__ = ["read_release"]
