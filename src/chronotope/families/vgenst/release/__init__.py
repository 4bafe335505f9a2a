"""The released VGenST-Bench set (specification, sections 8 and 11): its tables and its clips, read as they are."""

from chronotope.families.vgenst.release.read import read_release

__all__ = ["read_release"]
