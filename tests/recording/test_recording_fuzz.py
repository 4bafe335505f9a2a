"""Whatever stands in a source's files, the answer is a recording or one sentence."""

import shutil

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from recording_truth import png

from chronotope.errors import InputError
from chronotope.recording import load_recording, save_recording, summarise
from chronotope.recording.sources import SOURCES, Found, Given, load, parse_gravity, resolve

words = st.sampled_from(
    ["0", "1", "-1", "1.0", "0.5", "1e3", "1e308", "-1e308", "1e-320", "1e400", "1e-99999999999999999999", "nan", "-inf", "inf", "1_0", "٣", "x", "#", ",", ",,", "P0:", "P1:", "Tr:", "1403636580838555392", "rgb/0.png", "../..", ".", "\x00"]
) | st.floats().map(repr)
lines = st.lists(words, max_size=18).map(" ".join) | st.lists(words, min_size=8, max_size=12).map(",".join)
rigid = st.sampled_from(
    [
        "1 0 0 0 0 1 0 0 0 0 1 0",
        "1 0 0 1 0 1 0 2 0 0 1 3",
        "1 0 0 0 0 1 0 0 0 0 1 0 0 0 0 1",
        "0 0 0 0 0 0 0 1",
        "1 2 3 4 0 0 1 0",
    ]
)
texts = st.lists(lines | rigid, max_size=8).map("\n".join).map(str.encode) | st.lists(rigid, max_size=5).map(
    "\n".join
).map(str.encode)
contents = texts | texts.map(lambda text: b"\xef\xbb\xbf" + text) | st.binary(max_size=60)


def check(found, given):
    """A recording that can be saved and summarised, or a sentence."""
    try:
        loaded = load(found, given)
    except InputError as error:
        assert "\n" not in str(error)
        return
    recording = loaded.recording
    assert recording.valid.sum() >= 2 and len(recording.times) == len(recording.valid)
    assert (np.diff(recording.times) > 0).all() and recording.times[0] == 0
    assert len(loaded.pictures) in (0, len(recording.times)) and len(loaded.depth) in (0, len(recording.times))
    R = recording.world_T_camera[recording.valid, :3, :3]
    np.testing.assert_allclose(R @ R.transpose(0, 2, 1), np.broadcast_to(np.eye(3), R.shape), atol=1e-9)
    assert np.isfinite(summarise(recording)["path_length_m"])
    saved = found.path.parent / "saved"
    save_recording(recording, saved)
    load_recording(saved)
    shutil.rmtree(saved)


@pytest.mark.parametrize("source", ["euroc_trajectory", "kitti_trajectory", "tum_trajectory"])
@given(content=contents)
@settings(max_examples=120)
def test_trajectory_files(tmp_path_factory, source, content):
    path = tmp_path_factory.mktemp("t") / "t.txt"
    path.write_bytes(content)
    check(Found(path, source), Given())
    try:
        found = resolve(path)
    except InputError:
        return
    check(found[0], Given(fps=5))


FILES = {
    "posed_frames": ["poses.txt", "intrinsics.txt", "chronotope.yaml"],
    "kitti_odometry": ["poses.txt", "calib.txt", "times.txt"],
    "tum_rgbd": ["rgb.txt", "depth.txt", "groundtruth.txt"],
    "seven_scenes": ["frame-0.pose.txt", "frame-1.pose.txt", "camera-intrinsics.txt"],
}


@pytest.mark.parametrize("source", FILES)
@given(data=st.data())
@settings(max_examples=60)
def test_folders(tmp_path_factory, source, data):
    folder = tmp_path_factory.mktemp("f") / "source"
    for k in range(data.draw(st.integers(0, 3))):
        png(folder / "rgb" / f"{k}.png")
        png(folder / f"frame-{k}.color.png")
    folder.mkdir(exist_ok=True)
    for name in FILES[source]:
        if data.draw(st.booleans()) or name == FILES[source][0]:
            (folder / name).write_bytes(data.draw(contents))
    check(Found(folder, source), data.draw(st.sampled_from([Given(), Given(fps=3, gravity="unknown")])))


@given(st.binary(max_size=200), st.sampled_from(["a.txt", "a.csv", "a.png", "poses.txt", "rgb.txt", "recording.json"]))
@settings(max_examples=60)
def test_matches_never_raises(tmp_path_factory, content, name):
    folder = tmp_path_factory.mktemp("m")
    (folder / name).write_bytes(content)
    for path in (folder, folder / name, folder / "nothing"):
        for module in SOURCES.values():
            assert module.matches(path) in (True, False)


@given(st.text(max_size=12) | st.lists(words, max_size=4).map(",".join))
def test_gravity_text(text):
    try:
        vector = parse_gravity(text)
    except InputError:
        return
    assert vector == "unknown" or np.linalg.norm(vector) == pytest.approx(1)
