"""Reader of the released VGenST-Bench data: tables and clips, both unchanged."""

from chronotope.families.vgenst.release.read import read_release

__all__ = ["read_release"]
