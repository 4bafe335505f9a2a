"""Checks that a recording with depth and identities is consistent, from its files alone.

The checks share no code with simulating, rendering and writing: a recording that passes was measured a second time by
independent code.
"""

from chronotope.world.verify.outcome import Check, Verification
from chronotope.world.verify.verification import verify

__all__ = ["Check", "Verification", "verify"]
