"""Simulated worlds: scenes whose ground truth is known by construction, rendered to clips, and verified.

``WORLDS`` are the kinds of scene by name; ``simulate`` writes one recording, or raises ``RefusedError``. What draws
needs the extra ``world`` and OpenGL; ``require_rendering`` says what is missing. ``chronotope.world.verify``
verifies any recording that has depth and identities.
"""

from chronotope.world.engine import require_rendering
from chronotope.world.quality import QUALITIES, Quality, QualityName
from chronotope.world.worlds import WORLDS, RefusedError, simulate

__all__ = ["QUALITIES", "WORLDS", "Quality", "QualityName", "RefusedError", "require_rendering", "simulate"]
