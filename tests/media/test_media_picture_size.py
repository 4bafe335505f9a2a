"""The size of a picture, without the work of decoding it in full."""

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image

from chronotope.errors import InputError
from chronotope.media import picture_size, read_picture


def save(path: Path, width: int, height: int, orientation: int = 1, mode: str = "RGB") -> Path:
    exif = Image.Exif()
    exif[0x0112] = orientation
    noise = np.random.default_rng(width).integers(0, 256, (height, width, 3), np.uint8)
    Image.fromarray(noise).convert(mode).save(path, exif=exif)
    return path


@pytest.mark.parametrize("suffix", ["jpg", "png", "webp"])
@pytest.mark.parametrize("orientation", range(1, 9))
def test_it_is_that_of_the_picture_read(tmp_path: Path, suffix: str, orientation: int) -> None:
    path = save(tmp_path / f"a.{suffix}", 37, 20, orientation)
    height, width = read_picture(path).shape[:2]
    assert picture_size(path) == (width, height) == ((37, 20) if orientation < 5 else (20, 37))


@pytest.mark.parametrize("mode", ["L", "CMYK", "RGB"])
@pytest.mark.parametrize("size", [(1, 1), (3, 1), (8, 9), (300, 200)])
def test_any_jpeg(tmp_path: Path, mode: str, size: tuple[int, int]) -> None:
    assert picture_size(save(tmp_path / "a.jpg", *size, mode=mode)) == size


@settings(max_examples=40, deadline=None)
@given(st.floats(0, 0.999), st.sampled_from(["jpg", "png"]))
def test_what_is_cut_short_is_found_as_when_it_is_read(
    tmp_path_factory: pytest.TempPathFactory, share: float, suffix: str
) -> None:
    path = save(tmp_path_factory.getbasetemp() / f"cut.{suffix}", 90, 70)
    data = path.read_bytes()
    path.write_bytes(data[: int(share * len(data))])
    told: list[str | None] = []
    for read in (read_picture, picture_size):
        try:
            read(path)
            told.append(None)
        except InputError as error:
            told.append(str(error))
    assert told[0] == told[1]


def test_no_picture_is_one_sentence(tmp_path: Path) -> None:
    (tmp_path / "a.jpg").write_bytes(b"no picture")
    for path in (tmp_path / "a.jpg", tmp_path / "nowhere.jpg"):
        with pytest.raises(InputError, match="cannot be read as a picture"):
            picture_size(path)
