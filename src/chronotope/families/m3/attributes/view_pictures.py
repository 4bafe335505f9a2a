"""The two pictures of a view: the frame with the object's outline, and the object alone."""

from collections.abc import Mapping

import numpy as np
from PIL import Image, ImageFilter

from chronotope.errors import InputError
from chronotope.families.m3.attributes.views import Place, Subject
from chronotope.media import Encoded, decode_frames, encode_picture
from chronotope.recording import read_identities

GROUND = (128, 128, 128)  # sRGB, behind an object that is shown alone
SIDE = 448  # px, the longer side of an object that is shown alone; larger ones keep their size
_MARGIN = 0.08  # of the longer side of the object's box
_LINE = 1 / 200  # width of the outline as a share of the height of the frame
_LEAST_LINE = 2  # px; JPEG would blur a thinner red line
_RED = (255, 0, 0)

Shown = tuple[Encoded, Encoded]
"""The pictures of a view: the frame with the outline, and the object alone."""


def show(places: Mapping[str, Place], subject: Subject) -> list[Shown]:
    """Make the pictures of all views of a subject, in their order.

    ``places`` has the recordings by id.

    Raises:
        InputError: If a frame or an identity map cannot be read, or has another object than before.
    """
    frames: dict[tuple[str, int], np.ndarray] = {}
    for name in dict.fromkeys(view.recording for view in subject.views):
        clip = places[name].recording.clip
        assert clip is not None, "views are of recordings with a clip"
        wanted = [view.frame for view in subject.views if view.recording == name]
        frames |= {(name, frame): picture for frame, picture in decode_frames(clip.path, wanted)}
    made: list[Shown] = []
    for view in subject.views:
        place, picture = places[view.recording], frames[view.recording, view.frame]
        file = (place.recording.identities or ())[view.frame]
        assert file is not None, "views are of frames with an identity map"
        mask = _fitted(read_identities(place.folder / file) == view.number, picture)
        if not mask.any():
            raise InputError(f"{place.folder / file}: shows nothing of {view.entity}: was it changed meanwhile?")
        made.append((outlined(picture, mask), cut_out(picture, mask)))
    return made


def _fitted(mask: np.ndarray, picture: np.ndarray) -> np.ndarray:
    """Return a mask (H, W) in the size of the picture."""
    height, width = picture.shape[:2]
    if mask.shape == (height, width):
        return mask
    return np.asarray(Image.fromarray(mask).resize((width, height), Image.Resampling.NEAREST))


def outlined(picture: np.ndarray, mask: np.ndarray) -> Encoded:
    """Draw a red line around an object, outside its own pixels.

    ``picture`` is RGB uint8 (H, W, 3) and ``mask`` bool (H, W).
    """
    reach = max(_LEAST_LINE, round(picture.shape[0] * _LINE))
    grown = Image.fromarray(mask.astype(np.uint8) * 255).filter(ImageFilter.MaxFilter(2 * reach + 1))
    drawn = picture.copy()
    drawn[(np.asarray(grown) > 0) & ~mask] = _RED
    return encode_picture(drawn)


def cut_out(picture: np.ndarray, mask: np.ndarray) -> Encoded:
    """Show an object alone on a grey ground.

    A small object is enlarged.
    ``picture`` is RGB uint8 (H, W, 3) and ``mask`` bool (H, W). The picture is PNG, so that the ground is exactly
    ``GROUND``.
    """
    rows, columns = np.flatnonzero(mask.any(axis=1)), np.flatnonzero(mask.any(axis=0))
    top, bottom, left, right = int(rows[0]), int(rows[-1]) + 1, int(columns[0]), int(columns[-1]) + 1
    margin = max(1, round(_MARGIN * max(bottom - top, right - left)))
    box = (slice(max(0, top - margin), bottom + margin), slice(max(0, left - margin), right + margin))
    colours, alone = Image.fromarray(picture[box]), Image.fromarray(mask[box])
    if (larger := SIDE / max(colours.size)) > 1:
        size = (max(1, round(colours.width * larger)), max(1, round(colours.height * larger)))
        colours, alone = colours.resize(size, Image.Resampling.BICUBIC), alone.resize(size, Image.Resampling.NEAREST)
    shown = np.where(np.asarray(alone)[..., None], np.asarray(colours), np.array(GROUND, np.uint8))
    return encode_picture(shown, "png")
