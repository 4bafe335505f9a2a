"""HDR clips beside their usual twins, and pixels that are not square."""

from fractions import Fraction
from pathlib import Path

import av
import numpy as np
import pytest

from chronotope.media import decode_frames, plan_frames, probe
from chronotope.media.decoding import decode

PQ, HLG = 16, 18
FORM = "yuv420p10le"


def clip(path: Path, planes: tuple[int, int, int], transfer: int | None) -> Path:
    """Write four equal frames of one colour: its Y, Cb and Cr (10 bits)."""
    with av.open(f"file:{path}", "w") as container:
        stream = container.add_stream("libx264", rate=10, options={"qp": "1"})
        stream.width, stream.height, stream.pix_fmt = 64, 48, FORM
        if transfer is not None:
            context = stream.codec_context
            context.color_trc, context.color_primaries = transfer, 9
            context.colorspace, context.color_range = 9, 1
        for number in range(4):
            frame = av.VideoFrame(64, 48, FORM)
            for plane, value in zip(frame.planes, planes, strict=True):
                plane.update(np.full(plane.buffer_size // 2, value, np.uint16).tobytes())
            frame.pts = number
            container.mux(stream.encode(frame))
        container.mux(stream.encode())
    return path


def level(signal: float) -> int:
    return round(64 + 876 * signal)


# Signals of grey light as printed in ITU-R BT.2408 (table 1): 26 cd/m2 is a card of 18 %, and 203 cd/m2 is white.
@pytest.mark.parametrize(
    ("transfer", "signal", "light"),
    [(PQ, 0.58, 1.0), (PQ, 0.38, 26 / 203), (HLG, 0.75, 1.0), (HLG, 0.38, 26 / 203), (PQ, 0.75, 5.0), (HLG, 1.0, 5.0)],
)
def test_grey_light_of_hdr_clips_is_as_bright_as_in_usual_ones(tmp_path, transfer, signal, light):
    path = clip(tmp_path / "a.mp4", (level(signal), 512, 512), transfer)
    [(_, picture)] = decode_frames(path, [2])
    shown = 255 * (1.055 * min(light, 1) ** (1 / 2.4) - 0.055)
    assert picture.dtype == np.uint8 and np.ptp(picture) <= 2
    assert picture.mean() == pytest.approx(shown, abs=8)


def test_a_clip_without_hdr_tags_keeps_its_values(tmp_path):
    path = clip(tmp_path / "a.mp4", (level(0.58), 512, 512), None)
    [(_, picture)] = decode_frames(path, [2])
    assert picture.mean() == pytest.approx(0.58 * 255, abs=2)


def test_hdr_clips_are_like_their_twin(test_data):
    folder = test_data / "reports" / "hdr-clip"
    shown = [dict(decode_frames(folder / f"{name}.mp4", [10]))[10].astype(int) for name in ("sdr", "pq", "hlg")]
    for other in shown[1:]:
        assert np.abs(np.median(np.abs(other - shown[0]), axis=(0, 1))).max() <= 3
        assert np.abs(other[100, [25, 80, 130, 190, 240, 300]] - shown[0][100, [25, 80, 130, 190, 240, 300]]).max() <= 6


@pytest.mark.parametrize(("ratio", "width"), [(Fraction(3, 2), 96), (Fraction(8, 9), 57), (Fraction(1000, 1), 64)])
def test_pixels_become_square(tmp_path, ratio, width):
    path = tmp_path / "a.mp4"
    with av.open(f"file:{path}", "w") as container:
        stream = container.add_stream("libx264", rate=10)
        stream.width, stream.height, stream.pix_fmt = 64, 48, "yuv420p"
        stream.codec_context.sample_aspect_ratio = ratio
        for number in range(12):
            picture = np.full((48, 64, 3), 20, np.uint8)
            picture[:, 32:] = 200
            frame = av.VideoFrame.from_ndarray(picture, format="rgb24")
            frame.pts = number
            container.mux(stream.encode(frame))
        container.mux(stream.encode())
    facts = probe(path)
    assert (facts.width, facts.height) == (width, 48)
    [(_, picture)] = decode_frames(path, [5])
    assert picture.shape == (48, width, 3)
    bright = picture[24, :, 0] > 110
    assert abs(int(np.argmax(bright)) - width / 2) <= 1
    plan = plan_frames(facts, "endpoints", count=2)
    assert {shown.shape for _, _, shown in decode(path, [plan])} == {(48, width, 3)}
