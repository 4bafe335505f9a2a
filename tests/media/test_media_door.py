"""One door for pictures: which formats are read, how large they may be, and that no program is started."""

import io
import struct
import warnings
import zlib
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from chronotope.api.html import picture
from chronotope.errors import InputError
from chronotope.io import sha256_bytes
from chronotope.media import Encoded, read_picture
from chronotope.models.function import Asked
from chronotope.models.model import Decoding
from chronotope.models.structured import _tokens
from chronotope.world.forge.wavefront import read_model


def _encoded(data: bytes) -> Encoded:
    return Encoded(data, sha256_bytes(data), "image/png")


def _with_texture(data: bytes) -> None:
    files = {"a.obj": b"mtllib a.mtl\nusemtl m\nv 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n", "p.png": data}
    files["a.mtl"] = b"newmtl m\nmap_Kd p.png\n"
    read_model("a.obj", files.__getitem__, files.__contains__)


def _asked(data: bytes) -> None:
    Asked("ask", "", (), (_encoded(data),), Decoding()).frames()


DOORS = {
    "a texture": _with_texture,
    "a notebook": lambda data: picture(_encoded(data), "words"),
    "a function": _asked,
    "a structured call": lambda data: _tokens(_encoded(data)),
}


def postscript() -> bytes:
    buffer = io.BytesIO()
    Image.new("RGB", (32, 24), "red").save(buffer, "EPS")
    return buffer.getvalue()


def large_png(side: int) -> bytes:
    chunks = {
        b"IHDR": struct.pack(">IIBBBBB", side, side, 8, 2, 0, 0, 0),
        b"IDAT": zlib.compress(bytes(1000)),
        b"IEND": b"",
    }
    packed = (struct.pack(">I", len(c)) + k + c + struct.pack(">I", zlib.crc32(k + c)) for k, c in chunks.items())
    return b"\x89PNG\r\n\x1a\n" + b"".join(packed)


@pytest.fixture
def no_ghostscript(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    program, told = tmp_path / "bin" / "gs", tmp_path / "called"
    program.parent.mkdir()
    program.write_text(f'#!/bin/sh\necho "$@" >> "{told}"\nexit 1\n')
    program.chmod(0o755)
    monkeypatch.setenv("PATH", str(program.parent), prepend=":")
    monkeypatch.setattr("PIL.EpsImagePlugin.gs_binary", None)  # it looks for the program again
    return told


@pytest.mark.parametrize("door", DOORS)
def test_no_picture_starts_ghostscript(no_ghostscript: Path, door: str) -> None:
    with pytest.raises((InputError, OSError)):
        DOORS[door](postscript())
    assert not no_ghostscript.exists()


@pytest.mark.parametrize("door", DOORS)
@pytest.mark.parametrize("side", [13_000, 60_000])
def test_a_picture_of_too_many_pixels_is_refused_without_a_warning(door: str, side: int) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(ValueError, match=f"{side} x {side} px, expected at most 80 million"):
            DOORS[door](large_png(side))


def test_the_limit_of_pillow_stays_as_it_was(tmp_path: Path) -> None:
    before = Image.MAX_IMAGE_PIXELS
    Image.fromarray(np.zeros((4, 5, 3), np.uint8)).save(tmp_path / "a.png")
    assert read_picture(tmp_path / "a.png").shape == (4, 5, 3)
    assert before == Image.MAX_IMAGE_PIXELS
