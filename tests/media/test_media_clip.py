"""Facts of clips, and the sentences for files that are none."""

import hashlib
from pathlib import Path

import av
import numpy as np
import pytest
from PIL import Image

from chronotope.errors import InputError
from chronotope.media import decode_frames, encode_clip, frame_times, probe
from odd_clips import sound_only


def test_facts_of_every_kind(clips, all_pictures) -> None:
    for name, path in clips.items():
        facts = probe(path)
        pictures = all_pictures(path)
        assert facts.frames == len(pictures), name
        assert (facts.height, facts.width, 3) == pictures[0].shape, name
        assert facts.sha256 == hashlib.sha256(path.read_bytes()).hexdigest(), name


def test_constant_rate_and_duration(clips) -> None:
    for name in ("h264 g=30", "h264 g=250", "vp9", "vp8", "mpeg4 avi", "h264 matroska", "h264 with sound"):
        facts = probe(clips[name])
        assert facts.fps == pytest.approx(30.0, abs=1e-9), name
        assert facts.duration_s == pytest.approx(80 / 30), name
        assert np.abs(frame_times(clips[name]) - np.arange(80) / 30).max() <= 0.001, name
    assert probe(clips["one frame"]).frames == 1
    assert frame_times(clips["one frame"]).tolist() == [0.0]


@pytest.mark.parametrize("name", ["varying rate", "varying rate webm"])
def test_varying_rate(clips, name: str) -> None:
    stamps = np.cumsum([0] + [20 + (7 * i) % 60 for i in range(79)]) / 1000
    facts, times = probe(clips[name]), frame_times(clips[name])
    assert facts.fps is None
    assert times == pytest.approx(stamps, abs=1e-9)
    assert facts.duration_s == pytest.approx(2 * stamps[-1] - stamps[-2])


def test_a_dropped_frame_makes_the_rate_vary(clip_maker, tmp_path: Path) -> None:
    stamps = [round(i * 1000 / 30) for i in range(40) if i != 17]
    path = clip_maker(tmp_path / "dropped.mp4", 39, stamps_ms=stamps)
    assert probe(path).fps is None
    assert frame_times(path)[17] == pytest.approx(0.6)


@pytest.mark.parametrize("rate", [1, 10, 25, 60])
def test_rates(clip_maker, tmp_path: Path, rate: int) -> None:
    assert probe(clip_maker(tmp_path / "clip.mp4", 12, rate=rate)).fps == rate


def test_rotation_is_applied_to_the_size(clip_maker, turn_clip, tmp_path: Path) -> None:
    path = clip_maker(tmp_path / "turned.mp4", 3)
    turn_clip(path, (0, 1, -1, 0))
    assert (probe(path).width, probe(path).height) == (64, 96)


def no_clips(folder: Path) -> dict[str, Path]:
    """Files that are no clips."""
    files = {
        name: folder / name for name in ("empty.mp4", "text.mp4", "list.txt", "sound.mp4", "picture.png", "wave.wav")
    }
    files["empty.mp4"].touch()
    files["text.mp4"].write_text("These are the notes of the clip.\n" * 200)
    files["list.txt"].write_text("ffconcat version 1.0\nfile clip.mp4\n")
    sound_only(files["sound.mp4"])
    Image.new("RGB", (64, 48), "red").save(files["picture.png"])
    files["wave.wav"].write_bytes(b"RIFF\x24\x10\0\0WAVEfmt " + bytes([16, 0, 0, 0, 1, 0, 1, 0]) + bytes(4096))
    return files | {"missing": folder / "nowhere.mp4", "folder": folder}


def test_what_is_no_clip_is_one_sentence(tmp_path: Path) -> None:
    for name, path in no_clips(tmp_path).items():
        for read in (probe, frame_times, lambda p: list(decode_frames(p, [0]))):
            with pytest.raises(InputError) as caught:
                read(path)
            message = str(caught.value)
            assert message.startswith(f"{path}: "), name
            assert "\n" not in message, name
            assert ";" in message, f"{name}: no remedy in {message!r}"
    with pytest.raises(InputError, match="no video"):
        probe(tmp_path / "sound.mp4")
    with pytest.raises(InputError, match="file is empty"):
        probe(tmp_path / "empty.mp4")


def test_a_cover_picture_is_no_video(tmp_path: Path) -> None:
    path = tmp_path / "song.mp4"
    with av.open(str(path), "w") as container:
        stream = container.add_stream("mjpeg", rate=1)
        stream.width, stream.height, stream.pix_fmt = 64, 48, "yuvj420p"
        stream.disposition = av.stream.Disposition.attached_pic.value
        container.mux(stream.encode(av.VideoFrame.from_ndarray(np.zeros((48, 64, 3), np.uint8), "rgb24")))
        container.mux(stream.encode(None))
    with av.open(str(path)) as container:
        assert container.streams.video[0].disposition & av.stream.Disposition.attached_pic
    with pytest.raises(InputError, match="no video"):
        probe(path)


def test_a_clip_cut_short_is_refused_wherever_it_is_cut(clip_maker, tmp_path: Path) -> None:
    whole = clip_maker(tmp_path / "whole.mp4", mux={"movflags": "faststart"}, options={"bf": "3"}).read_bytes()
    with av.open(str(tmp_path / "whole.mp4")) as container:
        places = sorted((packet.pos, packet.size) for packet in container.demux(video=0) if packet.size)
    cut = tmp_path / "cut.mp4"
    # In the header, before the first picture, between pictures, inside one, and one byte before the end.
    for length in (3, 100, places[0][0], places[40][0], places[40][0] + 5, places[-1][0], len(whole) - 1):
        cut.write_bytes(whole[:length])
        with pytest.raises(InputError, match=r"cut\.mp4: "):
            probe(cut)
        with pytest.raises(InputError, match=r"cut\.mp4: "):
            list(decode_frames(cut, [0]))


@pytest.mark.parametrize("suffix", ["mp4", "mkv"])
@pytest.mark.parametrize("bframes", ["0", "2"])
@pytest.mark.parametrize("filling", [0, 255])
def test_a_damaged_first_keyframe_is_refused(
    clip_maker, tmp_path: Path, suffix: str, bframes: str, filling: int
) -> None:
    """Its packet loses the mark of a keyframe, and all times would count from the next one."""
    path = clip_maker(tmp_path / f"spoilt.{suffix}", 60, options={"bf": bframes, "g": "12"})
    with av.open(str(path)) as container:
        position, size = next((packet.pos, packet.size) for packet in container.demux(video=0) if packet.is_keyframe)
    content = bytearray(path.read_bytes())
    content[position + 24 : position + size] = bytes([filling]) * (size - 24)  # after headers of the container
    path.write_bytes(content)
    with pytest.raises(InputError, match=r"spoilt\.\w+: "):
        probe(path)


@pytest.mark.parametrize("suffix", ["mp4", "mkv"])
def test_half_a_file_is_refused(clip_maker, tmp_path: Path, suffix: str) -> None:
    path = clip_maker(tmp_path / f"half.{suffix}")
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])
    with pytest.raises(InputError, match=r"half\.\w+: .*(incomplete or damaged|cannot be read as a video)"):
        probe(path)


def test_real_clips(test_data: Path) -> None:
    found = {path.name[:8]: probe(path) for path in sorted((test_data / "sti" / "clips").glob("*.mp4"))}
    described = {name: (f.width, f.height, f.fps, f.frames) for name, f in found.items()}
    assert described == {
        "00010.mp": (640, 360, 30.0, 906),
        "10243601": (640, 360, 10.0, 199),
        "scene000": (482, 360, 30.0, 1544),
    }


def test_a_clip_torn_at_any_place_is_one_sentence(tmp_path: Path) -> None:
    whole = tmp_path / "whole.mp4"
    encode_clip([np.full((24, 32, 3), 20 * number, np.uint8) for number in range(10)], whole, 10)
    data = whole.read_bytes()
    for length in range(8, len(data), 11):
        (tmp_path / "torn.mp4").write_bytes(data[:length])
        with pytest.raises(InputError, match=r"torn\.mp4"):
            probe(tmp_path / "torn.mp4")
