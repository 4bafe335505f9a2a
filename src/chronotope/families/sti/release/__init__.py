"""The released STI-Bench set: its table and its clips, read unchanged."""

from chronotope.families.sti.release.read import read_release

__all__ = ["read_release"]
