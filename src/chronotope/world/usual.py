"""The quality and the assets of a simulated world if no flag chooses them: the best that are installed."""

import os
from importlib.util import find_spec
from pathlib import Path

import platformdirs

from chronotope.world.kinds import world_kinds
from chronotope.world.quality import QualityName

ASSETS_VARIABLE = "CHRONOTOPE_ASSETS"
NO_EMBREE = (
    "drawn with --quality full: for light as in a photograph (--quality photo, the default where it can be baked), "
    "install Embree with pip install 'chronotope[world]' where it has a package for this machine"
)


def usual_quality(world: str) -> QualityName:
    """Return the usual quality of a kind of world.

    The usual quality is ``photo`` if the kind has it and the ray caster Embree is installed, else ``full``.
    """
    return "photo" if "photo" in world_kinds()[world].qualities and find_spec("embreex") else "full"


def assets_place() -> Path:
    """Return the usual folder of assets.

    ``chronotope forge`` puts assets there, and builds of homes look for them there.

    The environment variable ``CHRONOTOPE_ASSETS`` names this folder. Without this variable, the folder is in the user's
    data folder.
    """
    given = os.environ.get(ASSETS_VARIABLE)
    return Path(given) if given else Path(platformdirs.user_data_dir("chronotope", appauthor=False)) / "assets"


def usual_assets(world: str) -> Path | None:
    """Return the usual folder of assets, or None if a build of the world cannot use it."""
    place = assets_place()
    return place if world_kinds()[world].takes_assets and (place / "index.json").is_file() else None
