"""The released VGenST-Bench set: tables and clips, read as they are."""

from chronotope.families.vgenst.release.read import read_release

__all__ = ["read_release"]
