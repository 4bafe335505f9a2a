"""The writer of M3-Verse: makes questions about a home in two states."""

from chronotope.families.m3.write.writer import write

__all__ = ["write"]
