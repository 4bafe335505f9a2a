"""Pictures of random pixels, for prompts to models in this process."""

import io

import numpy as np
from PIL import Image as Pictures

from chronotope.io import sha256_bytes
from chronotope.media import Encoded as EncodedPicture
from chronotope.protocol import Image, PictureFile


def picture(seed: int) -> EncodedPicture:
    """Encode random pixels."""
    buffer = io.BytesIO()
    pixels = np.random.default_rng(seed).integers(0, 255, (40, 60, 3), dtype=np.uint8)
    Pictures.fromarray(pixels).save(buffer, "PNG")
    return EncodedPicture(buffer.getvalue(), sha256_bytes(buffer.getvalue()), "image/png")


STORE = {f"p{number}": picture(number) for number in range(4)}


def stored(shown) -> EncodedPicture:
    return STORE[shown.path]


def image(number: int) -> Image:
    return Image(PictureFile(f"p{number}", STORE[f"p{number}"].sha256))
