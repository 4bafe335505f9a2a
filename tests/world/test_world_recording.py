"""A simulated recording on disk: what is claimed of it is so, the same seed gives the same, memory is flat."""

import json
import os
import subprocess
import sys
from ctypes.util import find_library
from dataclasses import replace

import numpy as np
import pytest

import small_tables
from chronotope.media import probe
from chronotope.recording import load_recording, read_depth, read_identities
from chronotope.world.film_set import FilmSet
from chronotope.world.kinds import world_kinds
from chronotope.world.quality import QUALITIES, Quality
from chronotope.world.render import render
from small_tables import film_table

SMALL = Quality("fast", 240, 180, 5, (3.0, 3.0), 256, 1, 20)


pytestmark = pytest.mark.usefixtures("drawable")


def simulated(folder, seed=4, quality=SMALL):
    return film_table("table-9-0004", np.random.default_rng(seed), quality, folder, {"seed": 9})


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    folder = tmp_path_factory.mktemp("made")
    return folder, simulated(folder)


def test_what_is_written_is_what_was_returned(made):
    folder, recording = made
    read = load_recording(folder / "recordings" / "table-9-0004")
    assert read.id == recording.id and read.clip == recording.clip and read.provenance == recording.provenance
    assert np.array_equal(read.world_T_camera, recording.world_T_camera)
    for first, second in zip(read.entities, recording.entities, strict=True):
        assert (first.id, first.label, first.size, first.parent) == (
            second.id,
            second.label,
            second.size,
            second.parent,
        )
        assert np.array_equal(first.visible_pixels, second.visible_pixels)
        assert np.array_equal(first.visible_fraction, second.visible_fraction)
    facts = probe(folder / "clips" / "table-9-0004.mp4")
    assert (facts.frames, facts.fps, facts.width, facts.height) == (15, 5.0, 240, 180)
    assert facts.sha256 == recording.clip.sha256


def test_visible_is_what_a_person_would_count(made):
    """Pixels are counted again; the share that is seen is that of the pixels it would have with nothing before it."""
    folder, recording = made
    inside = folder / "recordings" / "table-9-0004"
    scene = world_kinds()["table"].lay(np.random.default_rng(4), SMALL).states[0].film_set
    wide = replace(SMALL, width=3 * SMALL.width, height=3 * SMALL.height)  # what is outside the picture counts too
    frame, checked = 7, 0
    identities = read_identities(inside / recording.identities[frame])
    for value, (entity, placement) in enumerate(zip(recording.entities, scene.placements, strict=True), 1):
        assert entity.id == placement.id
        mask = identities == value
        assert entity.visible_pixels[frame] == mask.sum()
        if mask.any():
            rows, columns = np.flatnonzero(mask.any(axis=1)), np.flatnonzero(mask.any(axis=0))
            assert np.array_equal(entity.box2d[frame], [columns[0], rows[0], columns[-1], rows[-1]])
        else:
            assert np.isnan(entity.box2d[frame]).all()
        still = replace(placement, pose=entity.pose_at(frame), path=None)
        view = recording.world_T_camera[frame : frame + 1]
        alone = next(render(FilmSet((still,), near=scene.near), wide, recording.intrinsics[0, 0], view))
        whole = (alone.identities == 1).sum()
        if placement.role == "thing" and whole > 150:
            # Surface and pixels are weighed differently, and 240 points are a sample.
            assert entity.visible_fraction[frame] == pytest.approx(mask.sum() / whole, abs=0.2), entity.id
            checked += 1
    assert checked >= 4


def test_depth_meets_the_boxes_that_are_claimed(made):
    folder, recording = made
    inside = folder / "recordings" / "table-9-0004"
    for frame in (0, 8, 14):
        depth = read_depth(inside / recording.depth[frame], recording.depth_scale)
        identities = read_identities(inside / recording.identities[frame])
        v, u = np.nonzero((identities > 0) & np.isfinite(depth))
        z = depth[v, u]
        fx, cx, cy = recording.intrinsics[0, 0], recording.intrinsics[0, 2], recording.intrinsics[1, 2]
        camera = np.stack([(u - cx) * z / fx, (v - cy) * z / fx, z, np.ones_like(z)])
        world = recording.world_T_camera[frame] @ camera
        for value, entity in enumerate(recording.entities, 1):
            mine = world[:, identities[v, u] == value]
            if mine.shape[1] > 40:
                local = np.abs((np.linalg.inv(entity.pose_at(frame)) @ mine)[:3]) - np.array(entity.size)[:, None] / 2
                assert np.percentile(local.max(axis=0), 95) < 0.005, entity.id


def test_the_same_seed_gives_the_same_recording(made, tmp_path):
    folder, _ = made
    simulated(tmp_path)
    for name in ("recording.json", "camera.parquet", "tracks.parquet", "identities/000007.png", "depth/000007.png"):
        first, second = (place / "recordings" / "table-9-0004" / name for place in (folder, tmp_path))
        assert first.read_bytes() == second.read_bytes(), name


def test_full_quality_is_larger_faster_and_longer():
    fast, full = QUALITIES["fast"], QUALITIES["full"]
    assert full.width > fast.width and full.fps > fast.fps and full.seconds[0] > fast.seconds[0]


MEMORY = """
import resource, sys, tempfile
from pathlib import Path
import numpy as np
from chronotope.world.quality import Quality
from chronotope.world.film import film
from chronotope.world.kinds import world_kinds
seconds = float(sys.argv[1])
# Without shadows and smooth edges: the engine holds what they take, however many frames there are.
quality = Quality("fast", 240, 180, 20, (seconds, seconds), 0, 0, 20)
with tempfile.TemporaryDirectory() as folder:
    generator = np.random.default_rng(4)
    [shot] = world_kinds()["table"].lay(generator, quality).states
    made = film(shot, "t", "table", generator, quality, Path(folder))
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024, len(made.times))
"""


@pytest.mark.slow
def test_memory_does_not_grow_with_the_number_of_frames():
    peaks = {}
    for seconds in (2, 30):
        done = subprocess.run(
            [sys.executable, "-c", MEMORY, str(seconds)], capture_output=True, text=True, check=True, timeout=600
        )
        megabytes, frames = map(int, done.stdout.split())
        peaks[frames] = megabytes
    # Colours, depth and identities of the 560 frames more would take 190 MB; what is kept of each is its counts.
    assert set(peaks) == {40, 600} and peaks[600] - peaks[40] < 25, peaks


CLI = [sys.executable, "-m", "chronotope.cli"]


EGL, OSMESA = ("libEGL.so", "libEGL.so.1"), ("libOSMesa.so", "libOSMesa.so.6", "libOSMesa.so.8")


def without(folder, *names):
    """An environment in which the loader finds files that are no libraries in the places of these."""
    for name in names:
        (folder / name).touch()
    return os.environ | {"LD_LIBRARY_PATH": str(folder)}


@pytest.fixture
def without_opengl(tmp_path_factory):
    return without(tmp_path_factory.mktemp("libraries"), *EGL, *OSMESA)


@pytest.mark.slow
@pytest.mark.skipif(find_library("OSMesa") is None, reason="libosmesa6 is not installed")
def test_osmesa_draws_where_egl_cannot_be_used(tmp_path):
    (tmp_path / "libraries").mkdir()
    drawn = replace(small_tables.SMALL, seconds=(1.5, 1.5), shadow_map=1024, samples=2)  # in which drivers differ
    words = [
        "build",
        "sti",
        "world:table:1",
        "--quality",
        "fast",
        "--per-variant",
        "1",
        "--workers",
        "1",
        "--out",
        "bench",
    ]
    done = subprocess.run(
        [sys.executable, "-c", small_tables.program(drawn), *words],
        cwd=tmp_path,
        env=without(tmp_path / "libraries", *EGL),
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr


def test_without_opengl_one_sentence_names_the_packages(tmp_path, without_opengl):
    words = ["build", "sti", "world:table:1", "--quality", "fast", "--out", "bench"]
    done = subprocess.run([*CLI, *words], cwd=tmp_path, env=without_opengl, capture_output=True, text=True, check=False)
    assert done.returncode == 2, done.stderr
    assert done.stderr.count("\n") == 1 and "apt-get install -y libegl1 libgl1-mesa-dri" in done.stderr
    assert list(tmp_path.iterdir()) == []


NO_ENGINE = "import sys; sys.modules['mujoco'] = None; " + "from chronotope.cli import main; main()"


def test_without_mujoco_one_sentence_says_how_to_install_it(tmp_path):
    done = subprocess.run(
        [sys.executable, "-c", NO_ENGINE, "build", "sti", "world:table:1", "--out", "bench"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 2 and done.stderr.count("\n") == 1, done.stderr
    assert "pip install 'chronotope[world]'" in done.stderr
    assert list(tmp_path.iterdir()) == []


def test_what_draws_nothing_works_without_opengl(made, without_opengl):
    folder, _ = made
    inside = folder / "recordings" / "table-9-0004"
    done = subprocess.run(
        [*CLI, "show", str(inside), "--json", "--out", str(folder / "look")],
        env=without_opengl,
        capture_output=True,
        text=True,
        check=True,
    )
    shown = json.loads(done.stdout)
    assert shown["frames"] == 15 and (folder / "look" / "contact-sheet.jpg").stat().st_size > 10_000
