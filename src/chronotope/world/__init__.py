"""Simulated worlds: scenes whose ground truth is known by construction, rendered to clips, and verified.

``world_kinds`` returns the kinds of world by name. ``simulate`` makes one scene, or raises ``RefusedError``. Rendering
needs the extra ``world`` and OpenGL; ``require_rendering`` names the missing packages, and ``require_embree`` those of
baked light. ``simulate_thor`` makes a scene with AI2-THOR, if it is installed (``require_thor``). ``assets_hash``
hashes a folder of the asset forge, and ``code_hash`` the code of a kind of another package.
``chronotope.world.verify`` verifies any recording that has depth and identities. ``usual_quality`` and ``usual_assets``
return the quality and the assets of homes if no others are chosen.

The names are imported when they are first used, so that the tables of colours load without Arrow and SciPy.
"""

from typing import TYPE_CHECKING

from chronotope.lazy import public_names

if TYPE_CHECKING:
    from chronotope.world.engine import require_embree, require_rendering
    from chronotope.world.engines import THOR_SCENES, EngineName, require_thor
    from chronotope.world.kinds import WorldKind, world_kinds
    from chronotope.world.outside_code import code_hash
    from chronotope.world.quality import QUALITIES, Quality, QualityName
    from chronotope.world.refused import RefusedError
    from chronotope.world.usual import NO_EMBREE, assets_place, usual_assets, usual_quality
    from chronotope.world.worlds import assets_hash, number_in_set, plan_scene, simulate, simulate_thor

__all__ = [
    "NO_EMBREE",
    "QUALITIES",
    "THOR_SCENES",
    "EngineName",
    "Quality",
    "QualityName",
    "RefusedError",
    "WorldKind",
    "assets_hash",
    "assets_place",
    "code_hash",
    "number_in_set",
    "plan_scene",
    "require_embree",
    "require_rendering",
    "require_thor",
    "simulate",
    "simulate_thor",
    "usual_assets",
    "usual_quality",
    "world_kinds",
]

__getattr__, __dir__ = public_names(
    __name__,
    {
        ".engine": ("require_embree", "require_rendering"),
        ".engines": ("THOR_SCENES", "EngineName", "require_thor"),
        ".kinds": ("WorldKind", "world_kinds"),
        ".outside_code": ("code_hash",),
        ".quality": ("QUALITIES", "Quality", "QualityName"),
        ".usual": ("NO_EMBREE", "assets_place", "usual_assets", "usual_quality"),
        ".refused": ("RefusedError",),
        ".worlds": ("assets_hash", "number_in_set", "plan_scene", "simulate", "simulate_thor"),
    },
)
