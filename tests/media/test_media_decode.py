"""Golden frames: every decoded picture is the frame that its index names, bit for bit."""

import hashlib
from pathlib import Path

import av
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chronotope.errors import InputError
from chronotope.media import decode, decode_frames, frame_times, plan_frames, probe

KINDS = [
    "h264 g=30", "h264 g=250", "h264 g=2", "h264 intra", "h264 open groups", "h264 intra refresh", "h264 matroska",
    "h264 transport stream", "h264 fragmented", "h264 bare", "h264 with sound", "varying rate", "varying rate webm",
    "vp9", "vp8", "mpeg4 avi", "odd size", "odd size vp9", "one frame", "first 7 cut by edit list",
]  # fmt: skip
USUAL = {"h264 g=30", "h264 open groups", "varying rate", "vp9", "odd size", "first 7 cut by edit list"}
SOME = [name if name in USUAL else pytest.param(name, marks=pytest.mark.slow) for name in KINDS]


def sha(picture: np.ndarray) -> str:
    return hashlib.sha256(np.ascontiguousarray(picture)).hexdigest()


def test_no_kind_is_forgotten(clips) -> None:
    assert set(KINDS) == set(clips)


@pytest.mark.parametrize("name", SOME)
@settings(max_examples=12)
@given(data=st.data())
def test_chosen_frames_are_those_of_a_straight_decode(clips, all_pictures, read_number, name, data) -> None:
    path = clips[name]
    pictures = all_pictures(path)
    chosen = data.draw(st.lists(st.integers(0, len(pictures) - 1), min_size=1, max_size=12))
    found = list(decode_frames(path, chosen))
    assert [index for index, _ in found] == sorted(set(chosen))
    first = 7 if "edit list" in name else 0
    for index, picture in found:
        assert picture.dtype == np.uint8
        assert picture.flags.c_contiguous
        assert read_number(picture) == index + first
        assert sha(picture) == sha(pictures[index])


@pytest.mark.parametrize("name", KINDS)
def test_all_frames(clips, all_pictures, name: str) -> None:
    pictures = all_pictures(clips[name])
    found = dict(decode_frames(clips[name], range(len(pictures))))
    assert [sha(found[i]) for i in range(len(pictures))] == [sha(picture) for picture in pictures]


@pytest.mark.parametrize("name", ["h264 g=30", "varying rate", "vp9"])
def test_from_plan_to_pixels(clips, read_number, name: str) -> None:
    """What a plan says is shown at a time is shown at that time."""
    path = clips[name]
    facts, stamps = probe(path), frame_times(path)
    plan = plan_frames(facts, "times", at=[0.5, 1.0, 0.0, 2.0], times=stamps)
    shown = {index: read_number(picture) for index, _, picture in decode(path, [plan])}
    for asked, index in zip((0.5, 1.0, 0.0, 2.0), plan.indices, strict=True):
        assert shown[index] == np.abs(stamps - asked).argmin()


def test_several_plans_share_one_pass(clips, read_number, monkeypatch) -> None:
    path = clips["h264 g=30"]
    facts = probe(path)
    plans = [
        plan_frames(facts, "endpoints", count=5),
        plan_frames(facts, "midpoints", count=9, size=(48, 32)),
        plan_frames(facts, "times", at=[2.0, 0.0, 2.0]),
        plan_frames(facts, "rate", rate=2.0, codec="png"),
    ]
    opened: list[str] = []
    real = av.open
    monkeypatch.setattr(av, "open", lambda name, *rest, **more: opened.append(name) or real(name, *rest, **more))
    found = [(index, size, read_number(picture), picture.shape) for index, size, picture in decode(path, plans)]
    assert opened == [f"file:{path}"]
    wanted = {(index, plan.size) for plan in plans for index in plan.indices}
    assert {(index, size) for index, size, _, _ in found} == wanted
    assert len(found) == len(wanted)
    assert [index for index, _, _, _ in found] == sorted(index for index, _, _, _ in found)
    for index, size, number, shape in found:
        assert number == index
        assert shape == ((32, 48, 3) if size else (64, 96, 3))


# The matrix (a, b, c, d) in the file and what it does to the stored picture, by NumPy's own turns.
TURNS = {
    "quarter clockwise": ((0, 1, -1, 0), lambda p: np.rot90(p, -1)),
    "half": ((-1, 0, 0, -1), lambda p: np.rot90(p, 2)),
    "quarter counter-clockwise": ((0, -1, 1, 0), lambda p: np.rot90(p, 1)),
    "left-right mirror": ((-1, 0, 0, 1), np.fliplr),
    "up-down mirror": ((1, 0, 0, -1), np.flipud),
    "transpose": ((0, 1, 1, 0), lambda p: p.swapaxes(0, 1)),
}


@pytest.mark.parametrize("name", TURNS)
def test_the_display_matrix_is_applied(clip_maker, turn_clip, all_pictures, tmp_path: Path, name: str) -> None:
    matrix, turned = TURNS[name]
    path = clip_maker(tmp_path / "clip.mp4", 5)
    turn_clip(path, matrix)
    stored = all_pictures(path)
    for index, picture in decode_frames(path, range(5)):
        assert np.array_equal(picture, turned(stored[index]))
    facts = probe(path)
    height, width = turned(stored[0]).shape[:2]
    assert (facts.width, facts.height) == (width, height)
    # Scaled pictures are turned alike: the same content, to within what scaling does.
    half = (width // 2, height // 2)
    (_, small), (_, whole) = (next(decode_frames(path, [3], size)) for size in (half, None))
    assert small.shape == (half[1], half[0], 3)
    averaged = whole.astype(float).reshape(half[1], 2, half[0], 2, 3).mean(axis=(1, 3))
    assert np.abs(averaged - small).mean() < 4


def test_quarter_turn_of_a_phone_looks_upright(clip_maker, turn_clip, tmp_path: Path, picture, read_number) -> None:
    """A clip stored on its side with the matrix that phones write shows its numbers again."""
    upright = [picture(number, 64, 96) for number in range(6)]
    path = tmp_path / "phone.mp4"
    with av.open(str(path), "w") as container:
        stream = container.add_stream("libx264", rate=30, options={"crf": "10"})
        stream.width, stream.height, stream.pix_fmt = 96, 64, "yuv420p"
        for shown in upright:
            # Stored a quarter turn counter-clockwise, to be turned clockwise by the player.
            container.mux(stream.encode(av.VideoFrame.from_ndarray(np.ascontiguousarray(np.rot90(shown)), "rgb24")))
        container.mux(stream.encode(None))
    turn_clip(path, (0, 1, -1, 0))
    assert [read_number(shown) for _, shown in decode_frames(path, range(6))] == list(range(6))


def test_sizes(clips, read_number) -> None:
    for size in ((448, 448), (33, 21), (96, 64)):
        for index, shown in decode_frames(clips["h264 g=30"], [3, 70], size):
            assert shown.shape == (size[1], size[0], 3)
            if size[0] > 40:
                assert read_number(shown) == index


def test_an_index_outside_the_clip_is_a_sentence(clips) -> None:
    for wrong in (80, -1):
        with pytest.raises(
            InputError, match=rf"frame {wrong} is requested, but the clip has only 80 frames \(0 to 79\)"
        ):
            list(decode_frames(clips["h264 g=30"], [0, wrong]))
    assert list(decode_frames(clips["h264 g=30"], [])) == []


@pytest.mark.parametrize("lost", [30, 33])
def test_damage_is_a_sentence_and_spares_the_rest(clip_maker, all_pictures, tmp_path: Path, lost: int) -> None:
    """A keyframe, or a picture that others build on, is wiped out; FFmpeg would go on and show wrong pictures."""
    path = clip_maker(tmp_path / "damaged.mp4", 90, options={"bf": "2"})
    pictures = all_pictures(path)
    with av.open(str(path)) as container:
        places = {packet.pts: (packet.pos, packet.size) for packet in container.demux(video=0) if packet.size}
    position, size = places[sorted(places)[lost]]
    content = bytearray(path.read_bytes())
    content[position + 4 : position + size] = bytes(size - 4)
    path.write_bytes(content)
    found = dict(decode_frames(path, [0, 12, 29, 60, 89]))
    assert all(np.array_equal(found[index], pictures[index]) for index in found)
    for index in range(lost, 60):
        try:
            ((_, shown),) = decode_frames(path, [index])
        except InputError:
            continue
        assert np.array_equal(shown, pictures[index])
    with pytest.raises(InputError, match=r"damaged\.mp4: frame 40 cannot be decoded .*; copy the clip again"):
        list(decode_frames(path, [12, 40, 89]))


def test_vp8_pictures_that_are_never_shown_are_not_counted(clips, tmp_path: Path) -> None:
    path = tmp_path / "hidden.webm"
    with av.open(str(clips["vp8"])) as source, av.open(str(path), "w") as target:
        stream = target.add_stream_from_template(source.streams.video[0])
        for number, packet in enumerate(p for p in source.demux(video=0) if p.size):
            if number == 5:
                content = bytearray(bytes(packet))
                # RFC 6386, 9.1: bit 4 of the first byte says whether the picture is shown.
                content[0] &= ~0x10
                hidden = av.Packet(bytes(content))
                hidden.pts, hidden.dts, hidden.time_base = packet.pts, packet.dts, packet.time_base
                packet = hidden
            packet.stream = stream
            target.mux(packet)
    with av.open(str(path)) as container:
        assert sum(packet.size > 0 for packet in container.demux(video=0)) == 80
    assert probe(path).frames == len(frame_times(path)) == 79


@pytest.mark.parametrize(
    "clip", ["00010.mp4", "1024360143612057520_3580_000_3600_000_camera_1.mp4", "scene0001_00.mp4"]
)
def test_real_clips_bit_for_bit(test_data: Path, clip: str) -> None:
    path = test_data / "sti" / "clips" / clip
    plans = [
        plan_frames(probe(path), "endpoints", count=30),
        plan_frames(probe(path), "midpoints", count=8),
        plan_frames(probe(path), "rate", rate=1.0, window=(4.0, 9.0)),
    ]
    wanted = {index for plan in plans for index in plan.indices}
    found = {index: sha(picture) for index, _, picture in decode(path, plans)}
    assert found.keys() == wanted
    with av.open(str(path)) as container:
        for number, frame in enumerate(container.decode(video=0)):
            if number in wanted:
                assert found.pop(number) == sha(frame.to_ndarray(format="rgb24"))
    assert not found
