"""Reader of the released STI-Bench data: the table and the clips, both unchanged."""

from chronotope.families.sti.release.read import read_release

__all__ = ["read_release"]
