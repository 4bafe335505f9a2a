"""A baseline that answers from the frames of a prompt by classical vision; it needs the extra ``sight``."""

from typing import TYPE_CHECKING

from chronotope.errors import InputError

if TYPE_CHECKING:
    from chronotope.models.function import FunctionModel

__all__ = ["open_sight"]


def open_sight(name: str) -> "FunctionModel":
    """Return the baseline ``sight``.

    Raises:
        InputError: If OpenCV is not installed.
    """
    try:
        import cv2  # noqa: F401 (the modules below need it)
    except ImportError as error:
        raise InputError(f"{name} needs OpenCV ({error}): pip install 'chronotope[sight]'") from error
    from chronotope.audit.attacks.sight.sight import Sight
    from chronotope.models.function import FunctionModel
    from chronotope.models.model import Limits

    return FunctionModel(Sight().answer, name, limits=Limits(takes_video=True, needs_check=False))
