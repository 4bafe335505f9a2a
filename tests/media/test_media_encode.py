"""Pictures and clips come back as what was put in."""

import hashlib
import io
from fractions import Fraction
from pathlib import Path

import av
import numpy as np
import pytest
from PIL import Image

from chronotope.errors import InputError
from chronotope.media import clip_encoding, decode_frames, encode_clip, encode_picture, frame_times, probe, read_picture


def test_png_is_lossless_and_jpeg_is_close(picture) -> None:
    shown = picture(1234)
    png, jpeg = encode_picture(shown, "png"), encode_picture(shown, "jpeg", 95)
    assert (png.media_type, jpeg.media_type) == ("image/png", "image/jpeg")
    assert png.sha256 == hashlib.sha256(png.data).hexdigest()
    assert np.array_equal(np.asarray(Image.open(io.BytesIO(png.data))), shown)
    opened = Image.open(io.BytesIO(jpeg.data))
    assert (opened.format, opened.mode) == ("JPEG", "RGB")
    assert np.abs(np.asarray(opened).astype(int) - shown).mean() < 3
    assert encode_picture(shown, "jpeg", 95) == jpeg


def test_quality_is_what_was_asked_for(picture) -> None:
    """The quantisation tables are those that the JPEG library uses for this quality."""
    for quality in (50, 75, 85, 95):
        reference = io.BytesIO()
        Image.fromarray(picture(7)).save(reference, "JPEG", quality=quality)
        ours = Image.open(io.BytesIO(encode_picture(picture(7), quality=quality).data))
        assert ours.quantization == Image.open(reference).quantization


def test_jpeg_of_a_view_that_is_not_contiguous(picture) -> None:
    shown = picture(99)
    assert encode_picture(shown[:, ::-1]) == encode_picture(shown[:, ::-1].copy())
    with pytest.raises(InputError, match="choose jpeg or png"):
        encode_picture(shown, "webp")  # pyright: ignore[reportArgumentType]


@pytest.mark.parametrize("colour", [(255, 0, 0), (0, 255, 0), (0, 0, 255), (255, 255, 255), (0, 0, 0), (200, 120, 40)])
def test_colours_survive(tmp_path: Path, colour: tuple[int, int, int]) -> None:
    """Red stays red, for readers that honour the tags and for those that take BT.601 for granted."""
    path = tmp_path / "colour.mp4"
    encode_clip([np.full((64, 96, 3), colour, np.uint8)] * 3, path, 10)
    for _, shown in decode_frames(path, range(3)):
        assert np.abs(shown.astype(int) - colour).max() <= 4
    with av.open(str(path)) as container:
        frame = next(container.decode(video=0))
        assert (frame.colorspace, frame.color_range) == (6, 1)
        context = container.streams.video[0].codec_context
        assert (context.color_primaries, context.color_trc) == (1, 1)
        # By hand: BT.601, limited range.
        y, u, v = (int(plane[16, 16]) for plane in _planes(frame))
        by_hand = 1.164 * (y - 16) + np.array(
            [1.596 * (v - 128), -0.392 * (u - 128) - 0.813 * (v - 128), 2.017 * (u - 128)]
        )
        assert np.abs(by_hand - colour).max() <= 4


def _planes(frame: av.VideoFrame) -> list[np.ndarray]:
    return [np.frombuffer(p, np.uint8).reshape(p.height, p.line_size)[:, : p.width] for p in frame.planes]


def test_a_clip_holds_its_pictures_in_order(tmp_path: Path, picture, read_number) -> None:
    path = tmp_path / "clip.mp4"
    facts = encode_clip((picture(number) for number in range(100)), path, Fraction(30000, 1001))
    assert facts == probe(path)
    assert (facts.width, facts.height, facts.frames) == (96, 64, 100)
    assert facts.fps == 30000 / 1001
    assert frame_times(path) == pytest.approx(np.arange(100) * 1001 / 30000, abs=1e-4)
    assert [read_number(shown) for _, shown in decode_frames(path, range(100))] == list(range(100))
    with av.open(str(path)) as container:
        keys = [i for i, p in enumerate(container.demux(video=0)) if p.size and p.is_keyframe]
    assert max(np.diff(keys)) <= 30
    content = path.read_bytes()
    assert content.index(b"moov") < content.index(b"mdat"), "the index is at the front"


@pytest.mark.parametrize(("width", "height"), [(240, 176), (480, 360)])
def test_the_same_pictures_give_the_same_bytes(tmp_path: Path, monkeypatch, width: int, height: int) -> None:
    """On any processor, and where memory is not as it was: with AVX-512 the encoder read what nobody had written."""
    noise = np.random.default_rng(1).integers(0, 256, (height // 8, width // 8, 3), np.uint8)
    texture = noise.repeat(8, axis=0).repeat(8, axis=1)
    written = set()
    parameters = clip_encoding.SAME_EVERYWHERE
    for number, processor in enumerate(("", "", "", ":asm=sse2", ":asm=0")):
        held = [np.full(size, number + 1, np.uint8) for size in range(1000, 200_000, 997 * (number + 1))]
        del held[:: number + 2]
        monkeypatch.setattr(clip_encoding, "SAME_EVERYWHERE", parameters + processor)
        encode_clip((np.roll(texture, 3 * shift, axis=1) for shift in range(15)), tmp_path / "clip.mp4", 5)
        written.add((tmp_path / "clip.mp4").read_bytes())
    assert len(written) == 1


@pytest.mark.parametrize("fps", [10, 12.5, 23.976, 29.97, 30000 / 1001, 60.0, 1.0, 0.5])
def test_rates_survive(tmp_path: Path, picture, fps: float) -> None:
    assert encode_clip([picture(n) for n in range(5)], tmp_path / "clip.mp4", fps).fps == pytest.approx(fps, rel=1e-9)


def test_odd_sizes_are_padded_at_the_right_and_bottom(tmp_path: Path, picture) -> None:
    shown = picture(2730, 97, 65)
    facts = encode_clip([shown] * 2, tmp_path / "odd.mp4", 10, crf=5)
    assert (facts.width, facts.height) == (98, 66)
    _, back = next(decode_frames(tmp_path / "odd.mp4", [1]))
    assert np.abs(back[:65, :97].astype(int) - shown).mean() < 4
    assert np.abs(back[:, 97].astype(int) - back[:, 96]).mean() < 6


def forms_of(grey: np.ndarray) -> dict[str, np.ndarray]:
    """One picture in every form that is taken."""
    rgb = grey[..., None].repeat(3, axis=2)
    opaque = np.full_like(grey, 255)[..., None]
    return {
        "grey": grey,
        "grey with a channel": grey[..., None],
        "rgb": rgb,
        "rgba": np.concatenate([rgb, opaque], axis=2),
        "16-bit grey": grey.astype(np.uint16) * 257,
        "16-bit rgb": rgb.astype(np.uint16) * 257,
    }


def test_every_form_of_picture_is_taken(tmp_path: Path, picture, read_number) -> None:
    grey = picture(1365)[..., 0]
    for name, form in forms_of(grey).items():
        path = tmp_path / "form.mp4"
        encode_clip([form], path, 10)
        _, back = next(decode_frames(path, [0]))
        assert read_number(back) == 1365, name
        assert np.abs(back.astype(int) - grey[..., None]).mean() < 4, name


def test_files_of_every_form_are_read_alike(tmp_path: Path, picture) -> None:
    grey = picture(2457)[..., 0]
    rgb = grey[..., None].repeat(3, axis=2)
    paths = {name: tmp_path / name for name in ("L.png", "RGB.png", "16.png", "P.png", "LA.png", "RGBA.png", "RGB.jpg")}
    Image.fromarray(grey).save(paths["L.png"])
    Image.fromarray(rgb).save(paths["RGB.png"])
    Image.fromarray(grey.astype(np.uint16) * 257).save(paths["16.png"])
    Image.fromarray(grey).quantize(256).save(paths["P.png"])
    Image.fromarray(grey).convert("LA").save(paths["LA.png"])
    Image.fromarray(rgb).convert("RGBA").save(paths["RGBA.png"])
    Image.fromarray(rgb).save(paths["RGB.jpg"], quality=95)
    for name, path in paths.items():
        shown = read_picture(path)
        assert shown.shape == rgb.shape, name
        assert shown.dtype == np.uint8, name
        assert np.abs(shown.astype(int) - rgb).max() <= (40 if name in ("P.png", "RGB.jpg") else 0), name


def test_transparent_is_white_and_exif_turns(tmp_path: Path) -> None:
    half = np.zeros((4, 6, 4), np.uint8)
    half[:, :3, 3] = 255
    half[0, 5] = (255, 0, 0, 128)
    Image.fromarray(half).save(tmp_path / "half.png")
    shown = read_picture(tmp_path / "half.png")
    assert shown[:, :3].max() == 0
    assert shown[1:, 3:].min() == 255
    assert shown[0, 5].tolist() == [255, 127, 127]
    tall = Image.fromarray(np.arange(24, dtype=np.uint8).reshape(4, 6) * 10)
    exif = Image.Exif()
    exif[0x0112] = 6  # to be turned a quarter clockwise
    tall.save(tmp_path / "turned.png", exif=exif)
    assert np.array_equal(read_picture(tmp_path / "turned.png")[..., 0], np.rot90(np.asarray(tall), -1))


def test_what_is_no_picture_is_one_sentence(tmp_path: Path, picture) -> None:
    Image.fromarray(picture(5)).save(tmp_path / "whole.png")
    whole = (tmp_path / "whole.png").read_bytes()
    files = {"text.png": b"no picture", "empty.png": b"", "cut.png": whole[: len(whole) // 2], "bad.png": whole[:60]}
    files["scratched.png"] = whole[:200] + bytes(100) + whole[300:]
    Image.fromarray(np.zeros((4, 4), np.float32)).save(tmp_path / "float.tiff")
    for name, content in files.items():
        (tmp_path / name).write_bytes(content)
    for name in (*files, "float.tiff", "missing.png", "."):
        with pytest.raises(InputError) as caught:
            read_picture(tmp_path / name)
        message = str(caught.value)
        assert message.startswith(f"{tmp_path / name}: cannot be read as a picture ("), name
        assert message.endswith("; use a PNG or JPEG file that is not damaged"), name
        assert "\n" not in message, name


def test_unequal_sizes_name_the_file_and_leave_nothing(tmp_path: Path, picture) -> None:
    first, second, target = tmp_path / "a.png", tmp_path / "b.png", tmp_path / "out" / "clip.mp4"
    Image.fromarray(picture(1)).save(first)
    Image.fromarray(picture(2, 100, 64)).save(second)
    with pytest.raises(
        InputError, match=r"b\.png: has 100x64 px, but the first picture of the clip clip\.mp4 has 96x64"
    ):
        encode_clip([first, second], target, 10)
    assert list(target.parent.iterdir()) == []
    target.write_bytes(b"what was there before")
    with pytest.raises(InputError, match=r"picture 1 \(counted from 0\): has 100x64"):
        encode_clip([picture(1), picture(2, 100, 64)], target, 10)
    assert target.read_bytes() == b"what was there before"
    assert [path.name for path in target.parent.iterdir()] == ["clip.mp4"]


@pytest.mark.parametrize(
    ("pictures", "fps", "message"),
    [
        ([], 10, "there are no pictures"),
        ([np.zeros((8, 8, 3), np.float32)], 10, "picture 0 .*its pixels are float32"),
        ([np.zeros((8, 8, 2), np.uint8)], 10, r"picture 0 .*its shape is \(8, 8, 2\)"),
        ([np.zeros((8, 8, 3), np.uint8)], 0, "0 frames per second"),
        ([np.zeros((8, 8, 3), np.uint8)], float("nan"), "nan frames per second"),
        ([np.zeros((8, 8, 3), np.uint8)], float("inf"), "inf frames per second"),
        (["nowhere.png"], 10, r"nowhere\.png: cannot be read as a picture"),
    ],
)
def test_unusable_pictures_are_a_sentence(tmp_path: Path, pictures, fps, message: str) -> None:
    with pytest.raises(InputError, match=message):
        encode_clip(pictures, tmp_path / "clip.mp4", fps)
    assert list(tmp_path.iterdir()) == []
