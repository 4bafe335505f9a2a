"""Whether a recording with depth and identities agrees with itself, found out from its files alone.

Nothing here is shared with what simulates, renders and writes: a recording that passes has been measured a second time
by other means.
"""

from chronotope.world.verify.outcome import Check, Verification
from chronotope.world.verify.verification import verify

__all__ = ["Check", "Verification", "verify"]
