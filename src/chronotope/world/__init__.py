"""Simulated worlds: scenes whose ground truth is known by construction, rendered to clips, and verified.

``WORLDS`` are the kinds of scene by name; each writes one recording. What draws needs the extra ``world`` and OpenGL;
``require_rendering`` says in one sentence what is missing.
"""

from chronotope.world.engine import require_rendering
from chronotope.world.quality import QUALITIES, Quality, QualityName
from chronotope.world.simulate import simulate_table
from chronotope.world.verify import Verification, require_verified, verify

__all__ = [
    "QUALITIES",
    "WORLDS",
    "Quality",
    "QualityName",
    "Verification",
    "require_rendering",
    "require_verified",
    "verify",
]

WORLDS = {"table": simulate_table}
