"""Whatever stands in a source's files, the answer is a recording or one sentence."""

import contextlib
import re
import shutil

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from recording_truth import png

from chronotope.errors import InputError
from chronotope.recording import load_recording, save_recording, summarise
from chronotope.recording.sources import SOURCES, Found, Given, load, parse_gravity, resolve

NASTY = (
    "0 1 -1 0.5 1e3 1e308 -1e308 1e-320 1e400 1e-99999999999999999999 nan -inf inf 1_0 ٣ x # , ,, P0: P1: Tr: "
    "1403636580838555392 rgb/0.png ../.. . \x00"
)
words = st.sampled_from(NASTY.split(" ")) | st.floats().map(repr)
POSES = "1 0 0 0 0 1 0 0 0 0 1 0\n1 0 0 1 0 1 0 2 0 0 1 3\n0.6 -0.8 0 2 0.8 0.6 0 2 0 0 1 3\n"
TUM = "5.0 1 2 3 0 0 0 1\n5.1 1 2 4 0 0 0.6 0.8\n5.2 1 2 5 0 0 0 1\n"
VALID = {
    "poses.txt": POSES,
    "groundtruth.txt": TUM,
    "euroc": "# stamp\n1403636580838555392,1,2,3,1,0,0,0,9\n1403636580843555392,1,2,4,0.8,0.6,0,0,9\n",
    "intrinsics.txt": "500 0 320\n0 500 240\n0 0 1\n",
    "calib.txt": "P0: 700 0 600 0 0 700 180 0 0 0 1 0\nP1: 700 0 600 -300 0 700 180 0 0 0 1 0\n",
    "times.txt": "0.0\n0.1\n0.2\n",
    "rgb.txt": "5.05 rgb/0.png\n5.15 rgb/1.png\n5.19 rgb/2.png\n",
    "depth.txt": "5.05 rgb/0.png\n5.15 rgb/1.png\n",
    "chronotope.yaml": "fps: 5\nkind: indoor\ngravity: -z\n",
    "frame-0.pose.txt": "1 0 0 0\n0 1 0 0\n0 0 1 0\n0 0 0 1\n",
}
VALID |= {"frame-1.pose.txt": VALID["frame-0.pose.txt"], "camera-intrinsics.txt": VALID["intrinsics.txt"]}


@st.composite
def spoiled(draw, name):
    """A valid file with up to three fields replaced, doubled or dropped, and now and then torn or foreign bytes."""
    fields = re.split(r"([ ,\n])", VALID[name])
    for _ in range(draw(st.integers(0, 3))):
        at = draw(st.integers(0, len(fields) - 1))
        fields[at] = draw(words | st.just("") | st.just(f"{fields[at]} {fields[at]}"))
    content = "".join(fields).encode()
    rare = draw(st.integers(0, 9))
    if rare == 0:
        return content[: draw(st.integers(0, len(content)))]
    return {1: b"\xef\xbb\xbf" + content, 2: content + draw(st.binary(max_size=20))}.get(rare, content)


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


@pytest.mark.parametrize(
    ("source", "name"),
    [("euroc_trajectory", "euroc"), ("kitti_trajectory", "poses.txt"), ("tum_trajectory", "groundtruth.txt")],
)
@given(data=st.data())
@settings(max_examples=80)
def test_trajectory_files(tmp_path_factory, source, name, data):
    path = tmp_path_factory.mktemp("t") / "t.txt"
    path.write_bytes(data.draw(spoiled(name)))
    check(Found(path, source), Given())
    with contextlib.suppress(InputError):
        assert len(resolve(path)) == 1


FILES = {
    "posed_frames": ["poses.txt", "intrinsics.txt", "chronotope.yaml"],
    "kitti_odometry": ["poses.txt", "calib.txt", "times.txt"],
    "tum_rgbd": ["rgb.txt", "groundtruth.txt", "depth.txt"],
    "seven_scenes": ["frame-0.pose.txt", "frame-1.pose.txt", "camera-intrinsics.txt"],
}


@pytest.mark.parametrize("source", FILES)
@given(data=st.data())
@settings(max_examples=60)
def test_folders(tmp_path_factory, source, data):
    folder = tmp_path_factory.mktemp("f") / "source"
    for k in range(data.draw(st.sampled_from([3, 3, 2, 4, 0]))):
        png(folder / "rgb" / f"{k}.png")
        png(folder / f"frame-{k}.color.png")
    folder.mkdir(exist_ok=True)
    broken = data.draw(st.sampled_from(FILES[source]))
    for name in FILES[source]:
        (folder / name).write_bytes(data.draw(spoiled(name)) if name == broken else VALID[name].encode())
    check(Found(folder, source), data.draw(st.sampled_from([Given(fps=3), Given(), Given(gravity="unknown")])))


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
