"""The engines that can film homes: our own, and AI2-THOR with its scenes."""

from importlib.util import find_spec
from typing import Literal

from chronotope.errors import InputError

EngineName = Literal["own", "thor"]

THOR_SCENES = tuple(f"FloorPlan{first + number}" for number in range(1, 31) for first in (0, 200, 300, 400))
"""The hand-built scenes of AI2-THOR: kitchens, living rooms, bedrooms and bathrooms in turn."""


def require_thor() -> None:
    """Check that AI2-THOR is installed.

    Raises:
        InputError: If it is missing. The message states the command that installs it.
    """
    if find_spec("ai2thor") is None:
        raise InputError("AI2-THOR is not installed", fix="pip install 'chronotope[thor]'")
