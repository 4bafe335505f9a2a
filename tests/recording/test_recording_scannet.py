"""ScanNet scans, written in the true byte format from known numbers, and read back."""

import re
import struct
import tracemalloc

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from recording_scannet_files import (
    ALIGN,
    BLOCKS,
    COLOUR,
    DEPTH,
    K_COLOUR,
    K_DEPTH,
    circle,
    depth_bytes,
    draw,
    jpeg,
    share_seen,
    surface,
    to_raw,
    turn_z,
    write_exported,
    write_masks,
    write_objects,
    write_scan,
    write_sens,
)
from recording_truth import by_number, degrees, edit

from chronotope.errors import InputError
from chronotope.recording import Kind, load_recording, save_recording
from chronotope.recording.checks import check_recording
from chronotope.recording.sources import Found, Given, load, resolve

POSES = circle(24)
WHOLE = [block for block in BLOCKS if block.fine > 10]
DEPTHS = [depth_bytes(draw(pose, K_DEPTH, DEPTH)[0]) for pose in POSES]


def read(path, given=None):
    loaded = load(Found(path, "scannet"), given)
    check_recording(loaded.recording, str(path))
    return loaded


@pytest.fixture(scope="module")
def scan(tmp_path_factory):
    return write_scan(tmp_path_factory.mktemp("scans") / "scene0011_00", POSES, depths=DEPTHS)


def test_found_by_what_is_inside(scan):
    [found] = resolve(scan.parent)
    assert (found.path, found.source) == (scan, "scannet")
    assert resolve(scan / "scene0011_00.sens") == [Found(scan / "scene0011_00.sens", "scannet")]


def test_camera_is_that_of_the_aligned_world(scan):
    recording = read(scan).recording
    assert recording.kind is Kind.INDOOR
    assert recording.id == "scene0011_00"
    assert recording.valid.all()
    assert recording.times == pytest.approx(np.arange(24) / 30)
    assert np.abs(recording.world_T_camera[:, :3, 3] - POSES[:, :3, 3]).max() < 1e-5
    assert degrees(recording.world_T_camera[:, :3, :3], POSES[:, :3, :3]).max() < 1e-3
    assert recording.gravity == pytest.approx([0, 0, -1])
    assert recording.intrinsics == pytest.approx(K_COLOUR, abs=1e-4)


def test_objects_are_where_the_blocks_are(scan):
    recording = read(scan).recording
    entities = by_number(recording)
    assert set(entities) == {block.number for block in BLOCKS}  # neither the floor nor what has no name
    assert [entities[k].label for k in (4, 7, 9, 12)] == ["office chair", "table", "trash can", "mug"]
    for block in WHOLE:
        entity = entities[block.number]
        assert entity.poses.shape == (1, 4, 4)
        assert np.abs(entity.poses[0, :3, 3] - block.centre).max() < 1e-3
        assert np.abs(np.array(entity.size) - block.size).max() < 1e-3
        assert entity.size[0] >= entity.size[1]
        off = np.degrees(np.arctan2(entity.poses[0, 1, 0], entity.poses[0, 0, 0]) - block.yaw)
        assert abs((off + 90) % 180 - 90) < 0.05  # modulo pi
        assert entity.poses[0, :3, 2] == pytest.approx([0, 0, 1])
        world = entity.points @ entity.poses[0, :3, :3].T + entity.poses[0, :3, 3]
        mine, theirs = np.array(sorted(world.tolist())), np.array(sorted(surface(block).tolist()))
        assert np.abs(mine.mean(axis=0) - theirs.mean(axis=0)).max() < 1e-4
        assert mine.shape == theirs.shape
        assert np.abs(entity.points).max(axis=0) == pytest.approx(np.array(block.size) / 2, abs=1e-3)


def test_centres_project_into_what_the_picture_shows_of_them(scan):
    recording = read(scan).recording
    entities, checked = by_number(recording), 0
    for pose, truth in zip(recording.world_T_camera, POSES, strict=True):
        masks = draw(truth, K_COLOUR, COLOUR)[1]
        for block in WHOLE:
            rows, columns = np.nonzero(masks == block.number + 1)
            if share_seen(truth, block) < 0.4 or not len(rows):
                continue
            local = np.linalg.inv(pose) @ entities[block.number].poses[0, :, 3]
            u, v = (recording.intrinsics @ local[:3])[:2] / local[2]
            assert columns.min() - 1 <= u <= columns.max() + 1
            assert rows.min() - 1 <= v <= rows.max() + 1
            checked += 1
    assert checked > 20


def require_sight(entities, poses, least=20):
    """Seen where clearly more than a quarter of the vertices are, not seen where clearly fewer are."""
    seen = hidden = 0
    for block in WHOLE:
        for k, pose in enumerate(poses):
            share = share_seen(pose, block)
            if share > 0.36:
                assert entities[block.number].visible[k], (block, k, share)
                seen += 1
            elif share < 0.16:
                assert not entities[block.number].visible[k], (block, k, share)
                hidden += 1
    assert seen >= least
    assert hidden >= 4


def test_what_is_seen_is_found_from_the_depth(scan):
    loaded = read(scan)
    entities = by_number(loaded.recording)
    require_sight(entities, POSES)
    assert entities[7].visible_fraction is None
    assert entities[7].visible_pixels is None
    assert entities[12].visible is None  # a mug of too few vertices: kept, as another mug is no longer the only one
    assert any("1 of 4 objects have fewer than 500 vertices" in note for note in loaded.notes)


def test_masks_go_before_depth(tmp_path):
    folder = write_scan(tmp_path / "scene0011_00", POSES, depths=DEPTHS)
    write_masks(folder / "scene0011_00_2d-instance-filt.zip", POSES, left_out=(5,))
    loaded = read(folder)
    entities = by_number(loaded.recording)
    for k, pose in enumerate(POSES):
        shown = draw(pose, K_COLOUR, COLOUR)[1]
        for block in WHOLE:
            pixels = 0 if k == 5 else int((shown == block.number + 1).sum())
            assert entities[block.number].visible_pixels[k] == pixels
            assert entities[block.number].visible[k] == (pixels >= 400)
    assert any("1 frames have no mask" in note for note in loaded.notes)


def test_pictures_are_decoded_one_at_a_time(scan):
    loaded = read(scan)
    assert len(loaded.pictures) == 24
    for k in (0, 7, 23):
        picture = loaded.pictures[k]
        assert picture.shape == (COLOUR[1], COLOUR[0], 3)
        assert picture.reshape(-1, 3).mean(axis=0) == pytest.approx([10 + 5 * k, 90, 200], abs=3)


def test_a_large_file_is_not_held_in_memory(tmp_path):
    """64 MB of blobs: reading the poses takes a small share of that, and so does a picture."""
    count, filler = 64, b"\xff\xfe" + b"\0" * 1_000_000
    path = tmp_path / "scene0012_00" / "scene0012_00.sens"
    path.parent.mkdir()
    write_sens(path, to_raw(circle(count)), colours=[filler] * (count - 1) + [jpeg(3)])
    tracemalloc.start()
    loaded = read(path.parent)
    picture = loaded.pictures[count - 1]
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert picture.shape == (COLOUR[1], COLOUR[0], 3)
    assert peak < 2_000_000
    with pytest.raises(InputError, match=r"frame 2: its colour picture is not a complete JPEG"):
        loaded.pictures[2]


def test_lost_tracking_is_invalid_and_not_zero(tmp_path):
    raw = to_raw(POSES)
    raw[3], raw[4, :3, :3], raw[9, 0, 3] = -np.inf, 0, np.nan
    folder = tmp_path / "scene0013_00"
    folder.mkdir()
    write_sens(folder / "scene0013_00.sens", raw, depths=DEPTHS)
    write_objects(folder, "scene0013_00", align=np.eye(4))
    recording = read(folder).recording
    lost = [3, 4, 9]
    assert not recording.valid[lost].any()
    assert recording.valid.sum() == 21
    assert np.isnan(recording.world_T_camera[lost]).all()
    assert not any(entity.visible[lost].any() for entity in recording.entities if entity.visible is not None)


def test_without_alignment_the_world_is_the_scans(tmp_path):
    folder = tmp_path / "scene0014_00"
    folder.mkdir()
    write_sens(folder / "scene0014_00.sens", to_raw(POSES), depths=DEPTHS)
    write_objects(folder, "scene0014_00")
    loaded = read(folder)
    assert np.abs(loaded.recording.world_T_camera - to_raw(POSES)).max() < 1e-5
    centre = np.linalg.inv(ALIGN) @ [*WHOLE[1].centre, 1]
    entity = by_number(loaded.recording)[WHOLE[1].number]
    assert np.abs(entity.poses[0, :3, 3] - centre[:3]).max() < 1e-3
    assert any("no axisAlignment" in note for note in loaded.notes)
    require_sight(by_number(loaded.recording), POSES)


@pytest.mark.parametrize(
    ("stamps", "used"),
    [
        ([1_000_000 + 33_400 * k for k in range(24)], True),
        ([0] * 24, False),
        (np.random.default_rng(1).integers(0, 2**63, 24).tolist(), False),
        ([2**64 - 1 - 33_333 * k for k in range(24)], False),
        ([33_333_333 * k for k in range(24)], False),  # nanoseconds
    ],
)
def test_stamps_are_used_where_they_are_any(tmp_path, stamps, used):
    folder = tmp_path / "scene0015_00"
    folder.mkdir()
    write_sens(folder / "scene0015_00.sens", to_raw(POSES), stamps=stamps)
    loaded = read(folder)
    assert loaded.recording.times == pytest.approx(np.arange(24) * (0.0334 if used else 1 / 30), abs=1e-6)
    assert any("the time stamps do not increase" in note for note in loaded.notes) != used


def test_a_rate_that_is_given_counts(tmp_path):
    folder = tmp_path / "scene0015_01"
    folder.mkdir()
    write_sens(folder / "scene0015_01.sens", to_raw(POSES))
    assert read(folder, Given(fps=15)).recording.times[-1] == pytest.approx(23 / 15)


def test_what_follows_the_frames_is_not_read(tmp_path):
    folder = write_scan(
        tmp_path / "scene0016_00", POSES[:6], depths=DEPTHS[:6], tail=struct.pack("<Q", 9) + b"\7" * 500
    )
    loaded = read(folder)
    assert len(loaded.recording.times) == 6
    assert not any("colour frames" in note for note in loaded.notes)  # the number in the text file is one too high


def test_depth_shift_and_missing_depth(tmp_path):
    depths = [depth_bytes(draw(pose, K_DEPTH, DEPTH)[0], 5000.0) for pose in POSES]
    depths[2] = b""
    folder = write_scan(tmp_path / "scene0017_00", POSES, depths=depths, shift=5000.0)
    entities = by_number(read(folder).recording)
    assert not any(entities[block.number].visible[2] for block in WHOLE)
    assert sum(int(entities[block.number].visible.sum()) for block in WHOLE) > 20


def test_without_depth_and_masks_nothing_is_known_of_sight(tmp_path):
    folder = write_scan(tmp_path / "scene0018_00", POSES, depths=None)
    loaded = read(folder)
    assert all(entity.visible is None for entity in loaded.recording.entities)
    assert any("the visibility of objects is unknown" in note for note in loaded.notes)


def test_exported_folder_says_the_same(tmp_path, scan):
    folder = write_exported(tmp_path / "scene0011_00", POSES)
    loaded, other = read(folder), read(scan).recording
    recording = loaded.recording
    assert resolve(folder) == [Found(folder, "scannet")]
    assert np.abs(recording.world_T_camera - other.world_T_camera).max() < 1e-5
    assert recording.times == pytest.approx(other.times)
    assert recording.intrinsics == pytest.approx(K_COLOUR, abs=1e-5)
    assert [path.name for path in loaded.pictures[9:12]] == ["9.jpg", "10.jpg", "11.jpg"]
    assert [path.name for path in loaded.depth[9:12]] == ["9.png", "10.png", "11.png"]
    require_sight(by_number(recording), POSES)
    (folder / "pose" / "5.txt").unlink()
    (folder / "pose" / "6.txt").write_text("-inf -inf -inf -inf\n" * 4)
    (folder / "depth" / "7.png").unlink()
    loaded = read(folder)
    assert np.flatnonzero(~loaded.recording.valid).tolist() == [5, 6]
    assert loaded.depth[7] is None
    assert not any(entity.visible[7] for entity in loaded.recording.entities if entity.visible is not None)


def test_every_tenth_picture_and_smaller_ones(tmp_path):
    half = (COLOUR[0] // 2, COLOUR[1] // 2)
    folder = write_exported(tmp_path / "scene0019_00", POSES, numbers=[10 * k for k in range(24)], size=half)
    loaded = read(folder)
    assert loaded.recording.times == pytest.approx(np.arange(24) / 3)
    # A point in the middle of four pixels is in the middle of the one that they become.
    K = loaded.recording.intrinsics
    assert K[0, 0] == pytest.approx(K_COLOUR[0, 0] / 2)
    assert K[0, 2] + 0.5 == pytest.approx((K_COLOUR[0, 2] + 0.5) / 2)
    assert any("; it was scaled to" in note for note in loaded.notes)
    (folder / "scene0019_00.txt").unlink()
    with pytest.raises(InputError, match=r"intrinsic_color.txt: .* is far from the centre of pictures of 81 x 61"):
        read(folder)


def test_the_finer_mesh_and_the_other_byte_order(tmp_path):
    folder = write_scan(tmp_path / "scene0020_00", POSES[:4], depths=DEPTHS[:4])
    write_objects(folder, folder.name, order=">")
    before = by_number(read(folder).recording)
    for old, new in (
        (".aggregation.json", "_vh_clean.aggregation.json"),
        ("_vh_clean_2.ply", "_vh_clean.ply"),
        ("_vh_clean_2.0.010000.segs.json", "_vh_clean.segs.json"),
    ):
        (folder / f"{folder.name}{old}").rename(folder / f"{folder.name}{new}")
    after = by_number(read(folder).recording)
    assert before.keys() == after.keys() == {4, 7, 9, 12}
    assert all((before[k].poses == after[k].poses).all() for k in before)


def test_without_objects_the_camera_is_left(tmp_path):
    folder = write_scan(tmp_path / "scene0021_00", POSES[:4], depths=DEPTHS[:4])
    (folder / f"{folder.name}_vh_clean_2.ply").unlink()
    loaded = read(folder)
    assert loaded.recording.entities == ()
    assert any("scene0021_00_vh_clean_2.ply is missing" in note for note in loaded.notes)


def test_survives_being_saved(tmp_path, scan):
    recording = read(scan).recording
    save_recording(recording, tmp_path / "saved")
    back = load_recording(tmp_path / "saved")
    assert by_number(back).keys() == by_number(recording).keys()
    assert (by_number(back)[7].visible == by_number(recording)[7].visible).all()
    assert (by_number(back)[7].points == by_number(recording)[7].points).all()


BROKEN_SENS = {
    "another version": ({"version": 3}, r"begins with version 3, expected version 4"),
    "PNG": ({"codecs": (1, 1)}, r"field 'colour codec' is 1 \(PNG\), expected 2 \(JPEG\)"),
    "unknown codec": ({"codecs": (-1, 1)}, r"field 'colour codec' is -1, expected 2"),
    "raw depth": ({"codecs": (2, 0)}, r"field 'depth codec' is 0 \(raw\), expected 1 \(zlib\)"),
    "no width": ({"sizes": (0, 122, 80, 60)}, r"the pictures are \[0, 122, 80, 60\], expected 1 to 65535"),
    "no shift": ({"shift": 0.0}, r"field 'depth shift' is 0, expected a number above 0"),
    "more frames promised": ({"count": 7}, r"ends in frame 6 of 7, after \d+ bytes: the file is incomplete"),
    "absurdly many": ({"count": 2**63}, r"ends in frame 6 of"),
    "not zlib": ({"depths": [b"nonsense"] * 6}, r"frame 0: its depth is not a complete zlib stream"),
    "wrong size": ({"depths": [depth_bytes(np.ones((3, 3)))] * 6}, r"frame 0: its depth has 18 bytes, expected 9600"),
    "too much": ({"depths": [depth_bytes(np.ones((300, 300)))] * 6}, r"its depth has more than 9600 bytes"),
}


@pytest.mark.parametrize("case", BROKEN_SENS)
def test_broken_sens_is_refused_in_a_sentence(tmp_path, case):
    options, sentence = BROKEN_SENS[case]
    folder = write_scan(tmp_path / "scene0022_00", POSES[:6], **{"depths": DEPTHS[:6], **options})
    with pytest.raises(InputError, match=sentence) as caught:
        read(folder)
    assert str(caught.value).startswith(str(folder / "scene0022_00.sens"))
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("left", [0, 3, 40, 300, 370, 500, 5000])
def test_sens_that_is_cut_off_is_refused(tmp_path, left):
    folder = write_scan(tmp_path / "scene0023_00", POSES[:6], depths=DEPTHS[:6])
    file = folder / "scene0023_00.sens"
    file.write_bytes(file.read_bytes()[:left])
    with pytest.raises(InputError, match=rf"ends in .* after {left} bytes: the file is incomplete"):
        read(folder)


AGGREGATION, SEGMENTS, MESH, FACTS = ".aggregation.json", "_vh_clean_2.0.010000.segs.json", "_vh_clean_2.ply", ".txt"
BROKEN_FILES = {
    "too few segments": (
        SEGMENTS,
        lambda d: d["segIndices"].pop(),
        r"field 'segIndices' has \d+ numbers, expected one",
    ),
    "segments are words": (SEGMENTS, lambda d: d.update(segIndices=["a"]), r"field 'segIndices': expected a list"),
    "no segments": (SEGMENTS, lambda d: d.pop("segIndices"), r"field 'segIndices': expected a list"),
    "huge segment": (SEGMENTS, lambda d: d["segIndices"].__setitem__(0, 2**70), r"a number is out of range"),
    "no groups": (AGGREGATION, lambda d: d.pop("segGroups"), r"field 'segGroups': Field required"),
    "label missing": (AGGREGATION, lambda d: d["segGroups"][2].pop("label"), r"field 'segGroups.2.label': Field req"),
    "twice": (
        AGGREGATION,
        lambda d: d["segGroups"][2].update(objectId=0),
        r"'segGroups.2.objectId': the number 0 is used twice",
    ),
    "another mesh": (
        *(AGGREGATION, lambda d: d["segGroups"][2].update(segments=[900, 901])),
        r"field 'segGroups.2.segments': 2 of 2 segments are not in .*segs.json: the two files belong to different mesh",
    ),
}


@pytest.mark.parametrize("case", BROKEN_FILES)
def test_broken_objects_are_refused_in_a_sentence(tmp_path, case):
    ending, change, sentence = BROKEN_FILES[case]
    folder = write_scan(tmp_path / "scene0024_00", POSES[:2], depths=DEPTHS[:2])
    edit(folder / f"scene0024_00{ending}", change)
    with pytest.raises(InputError, match=sentence) as caught:
        read(folder)
    assert str(caught.value).startswith(str(folder / f"scene0024_00{ending}"))


def counted(mesh, vertices):
    """The mesh with another number of vertices in its head."""
    return re.sub(rb"element vertex \d+", b"element vertex " + vertices.encode(), mesh, count=1)


BROKEN_BYTES = {
    "ascii mesh": (MESH, lambda b: b.replace(b"binary_little_endian", b"ascii"), r"expected a binary PLY"),
    "no mesh": (MESH, lambda b: b"OFF\n" + b, r"does not begin with the header of a PLY mesh"),
    "mesh cut off": (MESH, lambda b: b[:9000], r"ends in vertex \d+ of \d+: the file is incomplete"),
    "mesh without z": (MESH, lambda b: b.replace(b"property float z", b"property float q"), r"no property z"),
    "mesh with a list": (MESH, lambda b: b.replace(b"float z", b"list uchar int z"), r"expected 'property TYPE NAME'"),
    "faces first": (MESH, lambda b: b.replace(b"element vertex", b"element face"), r"expected 'element vertex N'"),
    "alignment short": (
        FACTS,
        lambda b: b.replace(b"1.500000", b""),
        r"field 'axisAlignment': expected the 16 numbers",
    ),
    "alignment skewed": (FACTS, lambda b: b.replace(b"0.764842", b"0.9"), r"field 'axisAlignment': expected the 16"),
    "count": (FACTS, lambda b: b.replace(b"Frames = 3", b"Frames = 3.5"), r"field 'numColorFrames' is '3.5', expected"),
    "not JSON": (AGGREGATION, lambda b: b[:-5], r"not JSON"),
    "nested": (AGGREGATION, lambda b: b"[" * 100_000, r"the JSON cannot be read \(it is nested too deeply\)"),
    "segments nested": (SEGMENTS, lambda b: b'{"a":' * 100_000, r"the JSON cannot be read \(it is nested too deeply\)"),
    "long number": (SEGMENTS, lambda b: b'{"segIndices":[' + b"9" * 5000 + b"]}", r"a number has too many digits"),
    "vertices beyond memory": (
        MESH,
        lambda b: counted(b, "9" * 14),
        r"ends in vertex \d+ of 9{14}: the file is incomplete",
    ),
    "vertices beyond any": (MESH, lambda b: counted(b, "9" * 23), r"expected 'element vertex N'"),
    "vertices of 5000 digits": (MESH, lambda b: counted(b, "9" * 5000), r"expected 'element vertex N'"),
    "long count": (
        *(FACTS, lambda b: b.replace(b"Frames = 3", b"Frames = " + b"9" * 5000)),
        r"field 'numColorFrames' is '9{40}', expected",
    ),
    "far alignment": (FACTS, lambda b: b.replace(b"1.500000", b"1e300"), r"field 'axisAlignment': expected the 16"),
}


@pytest.mark.parametrize("case", BROKEN_BYTES)
def test_broken_files_are_refused_in_a_sentence(tmp_path, case):
    ending, change, sentence = BROKEN_BYTES[case]
    folder = write_scan(tmp_path / "scene0025_00", POSES[:2], depths=DEPTHS[:2])
    file = folder / f"scene0025_00{ending}"
    file.write_bytes(change(file.read_bytes()))
    with pytest.raises(InputError, match=sentence) as caught:
        read(folder)
    assert str(caught.value).startswith(str(file))


def test_broken_masks_are_refused_in_a_sentence(tmp_path):
    folder = write_scan(tmp_path / "scene0026_00", POSES[:2], depths=DEPTHS[:2])
    masks = folder / "scene0026_00_2d-instance-filt.zip"
    masks.write_bytes(b"no archive")
    with pytest.raises(InputError, match=r"2d-instance-filt.zip: cannot be read as a zip archive"):
        read(folder)
    write_masks(masks, POSES[:2])
    masks.write_bytes(masks.read_bytes().replace(b"\x89PNG", b"\x89PUG"))
    with pytest.raises(InputError, match=r"instance-filt/0.png: cannot be read as an 8-bit mask"):
        read(folder)


def test_a_folder_without_a_scan_is_refused(tmp_path):
    with pytest.raises(InputError, match=r"expected a .sens file, or the folders color, pose and intrinsic"):
        load(Found(tmp_path, "scannet"))
    for name in ("a.sens", "b.sens"):
        write_sens(tmp_path / name, to_raw(POSES[:3]))
    with pytest.raises(InputError, match=r"has 2 .sens files, expected one"):
        load(Found(tmp_path, "scannet"))
    assert [found.path.name for found in resolve(tmp_path)] == ["a.sens", "b.sens"]


def test_the_alignment_here_is_a_turn():
    """The truth above is moved by a turn about z and a shift, as ScanNet's are."""
    assert ALIGN[:3, :3] == pytest.approx(turn_z(0.7))


@pytest.fixture(scope="module")
def small(tmp_path_factory):
    folder = write_scan(tmp_path_factory.mktemp("small") / "scene0030_00", POSES[:2], depths=DEPTHS[:2])
    write_masks(folder / "scene0030_00_2d-instance-filt.zip", POSES[:2])
    return folder


@settings(max_examples=60)
@given(data=st.data())
def test_damaged_bytes_are_refused_or_read_and_never_crash(small, data):
    masks = small / "scene0030_00_2d-instance-filt.zip"
    files = [path for path in sorted(small.iterdir()) if path.suffix != ".json"]
    victim = data.draw(st.sampled_from(files))
    whole = victim.read_bytes()
    damaged = bytearray(whole)
    for _ in range(data.draw(st.integers(1, 4))):
        place = data.draw(st.one_of(st.integers(0, min(460, len(whole) - 1)), st.integers(0, len(whole) - 1)))
        damaged[place] = data.draw(st.integers(0, 255))
    hidden = masks.with_suffix(".away")
    if victim != masks:  # else nothing of depth would be read
        masks.rename(hidden)
    try:
        victim.write_bytes(damaged[: data.draw(st.sampled_from([len(whole), len(whole) // 2]))])
        loaded = read(small)
        for k in range(len(loaded.pictures)):
            loaded.pictures[k]
    except InputError as error:
        assert "\n" not in str(error)
    finally:
        victim.write_bytes(whole)
        if hidden.exists():
            hidden.rename(masks)
