"""The released M3-Verse set: questions and paired videos, read unchanged."""

from chronotope.families.m3.release.read import read_release

__all__ = ["read_release"]
