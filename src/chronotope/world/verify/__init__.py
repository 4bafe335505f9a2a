"""Checks of the consistency of a recording with depth and identities, based on its files only.

The checks share no code with simulation, rendering and writing. So the ground truth of a recording that passes was
measured twice, by independent code.
"""

from chronotope.world.verify.outcome import Check, Verification
from chronotope.world.verify.states import verify_states
from chronotope.world.verify.verification import verify

__all__ = ["Check", "Verification", "verify", "verify_states"]
