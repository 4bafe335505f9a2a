"""Recordings as folders: nothing lost, nothing half-written, every fault told."""

import contextlib
import dataclasses
import json
import math
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from chronotope.errors import InputError
from chronotope.geometry import Axes
from chronotope.recording import (
    Clip,
    Entity,
    Event,
    Kind,
    Recording,
    Room,
    StateChange,
    copy_recording,
    load_recording,
    save_recording,
)

finite = st.floats(allow_nan=False, allow_infinity=False)
text = st.text(st.characters(exclude_categories=["Cs"]), max_size=8)
json_values = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**70), 2**70) | finite | text,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(text, inner, max_size=3),
    max_leaves=6,
)


def maybe(strategy):
    return st.none() | strategy


SPECIAL = np.array([np.nan, -np.inf, np.inf, -0.0, 5e-324, 1.7e308, 0.1, 0.0])
SPECIAL = np.concatenate([SPECIAL, np.array([0x7FF0000000000001, -1], np.int64).view(np.float64)])  # other NaNs


@st.composite
def array(draw, *shape, finite_only=False, dtype=np.float64):
    """Arbitrary bits, with every special float now and then."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    if dtype is np.bool_:
        return rng.random(shape) < 0.5
    values = np.frombuffer(rng.bytes(8 * int(np.prod(shape, dtype=int))), np.int64).reshape(shape).copy()
    if dtype is np.int64:
        return values
    values = np.where(
        rng.random(shape) < draw(st.sampled_from([0, 0.5])), rng.choice(SPECIAL, shape), values.view(np.float64)
    )
    if finite_only:
        values = np.where(np.isfinite(values), values, -1 / 3)
    with np.errstate(over="ignore"):
        return values.astype(dtype)


@st.composite
def size_ranges(draw):
    sides = [sorted(draw(st.tuples(finite, finite))) for _ in range(3)]
    return tuple(side[0] for side in sides), tuple(side[1] for side in sides)


@st.composite
def entities(draw, samples, name):
    kind, count = draw(st.sampled_from([np.float32, np.float64])), draw(st.integers(0, 5))
    clouds = array(count, 3, dtype=kind, finite_only=kind is np.float32)
    return Entity(
        id=name,
        label=draw(text),
        category=draw(text),
        size=draw(st.tuples(finite, finite, finite)),
        poses=draw(array(draw(st.sampled_from([1, samples])), 4, 4)),
        attributes=draw(st.dictionaries(text, text, max_size=3)),
        parent=draw(maybe(text)),
        symmetry=draw(maybe(text)),
        visible=draw(maybe(array(samples, dtype=np.bool_))),
        visible_pixels=draw(maybe(array(samples, dtype=np.int64))),
        visible_fraction=draw(maybe(array(samples))),
        box2d=draw(maybe(array(samples, 4))),
        points=draw(maybe(clouds)),
        label_speed=draw(maybe(array(samples, 3))),
        size_range=draw(maybe(size_ranges())),
        changes=tuple(draw(st.lists(st.builds(StateChange, st.integers(0, 99), text, text), max_size=2))),
    )


@st.composite
def recordings(draw):
    samples = draw(st.integers(1, 5))
    steps = draw(st.lists(st.floats(1e-3, 1e3), min_size=samples - 1, max_size=samples - 1))
    valid = draw(array(samples, dtype=np.bool_))
    poses = draw(array(samples, 4, 4, finite_only=True))
    poses[~valid] = draw(array(4, 4))
    names = draw(st.lists(text, max_size=3, unique=True))
    files = maybe(
        st.lists(maybe(text.filter(lambda name: not name.startswith("/"))), min_size=samples, max_size=samples).map(
            tuple
        )
    )
    direction = draw(st.sampled_from([(0.0, -0.0, -1.0), (0.6, 0.0, 0.8), (2 / 3, -1 / 3, 2 / 3)]))
    return Recording(
        id=draw(text),
        kind=draw(st.sampled_from(Kind)),
        source=draw(text),
        times=np.concatenate([[0.0], np.cumsum(steps)]),
        world_T_camera=poses,
        valid=valid,
        clip=draw(
            maybe(
                st.builds(
                    Clip, st.just(Path("/somewhere/clips/a.mp4")), text, st.floats(0.1, 1e6), st.just(3), st.just(2)
                )
            )
        ),
        gravity=draw(maybe(st.just(np.array(direction)))),
        intrinsics=draw(maybe(array(3, 3, finite_only=True) | array(samples, 3, 3))),
        distortion=draw(
            maybe(hnp.array_shapes(min_dims=0, max_dims=2, max_side=5).flatmap(lambda s: array(*s, finite_only=True)))
        ),
        native_axes=draw(maybe(st.sampled_from(Axes))),
        depth=draw(files),
        identities=draw(files),
        scene=draw(maybe(text)),
        state=draw(maybe(text)),
        vehicle_pose=draw(maybe(array(samples, 4, 4))),
        velocity=draw(maybe(array(samples, 3))),
        depth_scale=draw(maybe(st.floats(1e-3, 1e6))),
        camera_mount=draw(maybe(array(4, 4, finite_only=True))),
        entities=tuple(draw(entities(samples, name)) for name in names),
        rooms=tuple(
            Room(
                draw(text),
                draw(text),
                draw(array(corners, 2, finite_only=True)),
                tuple(draw(st.lists(text, max_size=2))),
            )
            for corners in draw(st.lists(st.integers(0, 5), max_size=2))
        ),
        events=tuple(
            draw(
                st.lists(
                    st.builds(
                        Event,
                        text,
                        finite,
                        finite,
                        maybe(text),
                        maybe(text),
                        st.dictionaries(text, json_values, max_size=2),
                    ),
                    max_size=2,
                )
            )
        ),
        licence=draw(maybe(text)),
        provenance=draw(st.dictionaries(text, json_values, max_size=3)),
    )


def same(a, b, where="recording"):
    """Bit for bit the same, types included."""
    assert type(a) is type(b) or (isinstance(a, Path) and isinstance(b, Path)), f"{where}: {type(a)} and {type(b)}"
    if dataclasses.is_dataclass(a):
        for field in dataclasses.fields(a):
            same(getattr(a, field.name), getattr(b, field.name), f"{where}.{field.name}")
    elif isinstance(a, np.ndarray):
        assert (a.dtype, a.shape) == (b.dtype, b.shape), where
        assert np.ascontiguousarray(a).tobytes() == np.ascontiguousarray(b).tobytes(), where
    elif isinstance(a, (tuple, list)):
        assert len(a) == len(b), where
        for index, (x, y) in enumerate(zip(a, b, strict=True)):
            same(x, y, f"{where}[{index}]")
    elif isinstance(a, dict):
        assert a.keys() == b.keys(), where
        for key in a:
            same(a[key], b[key], f"{where}[{key!r}]")
    elif isinstance(a, float):
        assert a == b and math.copysign(1, a) == math.copysign(1, b), where
    else:
        assert a == b, where


@given(recordings())
@settings(max_examples=50)
def test_every_field_comes_back_to_the_last_bit_and_bytes_repeat(tmp_path_factory, recording):
    folder = tmp_path_factory.mktemp("r") / "recordings" / "one"
    save_recording(recording, folder)
    loaded = load_recording(folder)
    same(recording, loaded)
    again = folder.parent / "two"
    save_recording(loaded, again)
    assert sorted(p.name for p in again.iterdir()) == sorted(p.name for p in folder.iterdir())
    for path in folder.iterdir():
        assert path.read_bytes() == (again / path.name).read_bytes(), path.name
    assert [p.name for p in sorted(folder.parent.iterdir())] == ["one", "two"]  # no temporary left


@given(recordings(), st.sampled_from(["bench/recordings/one", "deeper/bench/recordings/one"]))
@settings(max_examples=30)
def test_a_copy_has_the_bytes_that_saving_would_write(tmp_path_factory, recording, place):
    root = tmp_path_factory.mktemp("r")
    save_recording(recording, root / "bench" / "recordings" / "one")
    saved = load_recording(root / "bench" / "recordings" / "one")
    (root / "bench" / "recordings" / "one" / "notes.txt").write_text("ours")
    copied, again = (root / kind / place for kind in ("copied", "again"))
    for folder, write in (
        (copied, lambda *to: copy_recording(root / "bench/recordings/one", *to)),
        (again, save_recording),
    ):
        clip = saved.clip and dataclasses.replace(saved.clip, path=folder.parents[1] / "clips" / "a.mp4")
        write(dataclasses.replace(saved, clip=clip), folder)
    assert sorted(p.name for p in copied.iterdir()) == sorted(p.name for p in again.iterdir())
    for path in again.iterdir():
        assert path.read_bytes() == (copied / path.name).read_bytes(), path.name


def test_a_copy_of_an_older_recording_is_written_anew(tmp_path):
    save_recording(full(), tmp_path / "saved")
    edit_json(tmp_path / "saved", lambda value: value.update(schema_version=1))
    copy_recording(tmp_path / "saved", load_recording(tmp_path / "saved"), tmp_path / "copied")
    assert json.loads((tmp_path / "copied" / "recording.json").read_text())["schema_version"] > 1


def full(samples=3):
    """A recording that fills every file."""
    poses = np.tile(np.eye(4), (samples, 1, 1))
    poses[:, 0, 3] = np.arange(samples)
    cup = Entity("cup", "red cup", "cup", (0.1, 0.2, 0.3), poses.copy(), visible=np.ones(samples, bool))
    table = Entity("table", "table", "table", (1.0, 2.0, 0.7), poses[:1].copy(), points=np.ones((4, 3), np.float32))
    return Recording(
        "demo",
        Kind.INDOOR,
        "test",
        np.arange(samples) / 10,
        poses,
        np.ones(samples, bool),
        gravity=np.array([0, 0, -1.0]),
        intrinsics=np.eye(3),
        entities=(cup, table),
    )


def test_clip_path_is_relative_on_disk_and_absolute_in_memory(tmp_path):
    clip = Clip(tmp_path / "bench" / "clips" / "a.mp4", "0" * 64, 10.0, 640, 360)
    save_recording(dataclasses.replace(full(), clip=clip), tmp_path / "bench" / "recordings" / "demo")
    written = json.loads((tmp_path / "bench" / "recordings" / "demo" / "recording.json").read_text())
    assert written["clip"]["path"] == "../../clips/a.mp4"
    (tmp_path / "bench").rename(tmp_path / "moved")
    loaded = load_recording(tmp_path / "moved" / "recordings" / "demo")
    assert loaded.clip is not None and loaded.clip.path == tmp_path / "moved" / "clips" / "a.mp4"


def test_relative_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    clip = Clip(tmp_path / "a.mp4", "0" * 64, 10.0, 640, 360)
    save_recording(dataclasses.replace(full(), clip=clip), Path("out/demo"))
    assert load_recording(Path("out/demo")).clip == clip


def test_tables_are_what_other_tools_read(tmp_path):
    import duckdb

    save_recording(full(), tmp_path / "demo")
    x = duckdb.sql(f"select time, valid, camera_03 from '{tmp_path}/demo/camera.parquet'").fetchall()
    assert x == [(0.0, True, 0.0), (0.1, True, 1.0), (0.2, True, 2.0)]
    rows = duckdb.sql(f"select entity, frame, pose_03, visible from '{tmp_path}/demo/tracks.parquet'").fetchall()
    assert rows == [("cup", k, float(k), True) for k in range(3)] + [("table", None, 0.0, None)]
    assert np.load(tmp_path / "demo" / "points.npz")["entity_1"].shape == (4, 3)


def test_equal_recordings_with_other_key_order_give_equal_bytes(tmp_path):
    one = dataclasses.replace(full(), provenance={"a": 1, "b": {"x": 1, "y": 2}})
    two = dataclasses.replace(full(), provenance={"b": {"y": 2, "x": 1}, "a": 1})
    save_recording(one, tmp_path / "1")
    save_recording(two, tmp_path / "2")
    assert (tmp_path / "1" / "recording.json").read_bytes() == (tmp_path / "2" / "recording.json").read_bytes()


def test_saving_over_replaces_and_keeps_other_files(tmp_path):
    folder = tmp_path / "demo"
    save_recording(full(), folder)
    (folder / "depth").mkdir()
    (folder / "depth" / "0.png").write_bytes(b"d")
    bare = dataclasses.replace(full(2), entities=())
    save_recording(bare, folder)
    same(bare, load_recording(folder))
    assert sorted(p.name for p in folder.iterdir()) == ["camera.parquet", "depth", "recording.json"]


def test_folders_written_before_size_ranges_were_known_open(tmp_path):
    cup = dataclasses.replace(full().entities[0], size_range=((0.05, 0.1, 0.2), (0.2, 0.3, 0.4)))
    save_recording(dataclasses.replace(full(), entities=(cup,)), tmp_path / "demo")
    assert load_recording(tmp_path / "demo").entities[0].size_range == cup.size_range
    edit_json(tmp_path / "demo", lambda value: value["entities"][0].pop("size_range"))
    assert load_recording(tmp_path / "demo").entities[0].size_range is None


@pytest.mark.parametrize("exists", [False, True])
def test_nothing_half_written_stays(tmp_path, monkeypatch, exists):
    folder = tmp_path / "demo"
    if exists:
        save_recording(full(), folder)
    before = {p.name: p.read_bytes() for p in folder.iterdir()} if exists else None

    def full_disk(*_, **__):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(np, "savez_compressed", full_disk)
    with pytest.raises(OSError, match="No space"):
        save_recording(dataclasses.replace(full(), id="other"), folder)
    after = {p.name: p.read_bytes() for p in folder.iterdir()} if folder.exists() else None
    assert after == before
    assert [p.name for p in tmp_path.iterdir()] == (["demo"] if exists else [])


def test_a_file_in_the_way_is_told(tmp_path):
    (tmp_path / "demo").write_text("x")
    with pytest.raises(InputError, match="is an existing file"):
        save_recording(full(), tmp_path / "demo")
    assert (tmp_path / "demo").read_text() == "x"


BAD_RECORDINGS = {
    "valid": ({"valid": np.ones(2, bool)}, r"field 'valid' has shape \(2,\), expected \(3,\)"),
    "times": ({"times": np.array([0, 2.0, 1])}, "does not increase from sample 1 to sample 2"),
    "late": ({"times": np.array([1, 2.0, 3])}, "start at 0"),
    "empty": ({"times": np.zeros(0)}, "at least one sample"),
    "pose": ({"world_T_camera": np.full((3, 4, 4), np.nan)}, "sample 0: this sample is marked as valid"),
    "gravity": ({"gravity": np.array([0, 0, -9.81])}, "length 1"),
    "depth": ({"depth": ("a.png",)}, "has 1 values, expected one file name or null for each of 3"),
    "absolute": ({"depth": ("/a.png", None, None)}, "relative to the recording's folder"),
    "room": ({"rooms": (Room("r", "hall", np.zeros((3, 3))),)}, r"'floor' has shape \(3, 3\)"),
    "nan": ({"provenance": {"a": [1, float("nan")]}}, r"field 'provenance'.a.1: nan is not a finite"),
    "key": ({"provenance": {1: 2}}, "the name 1 in a mapping is not text"),
    "path": ({"provenance": {"p": Path("x")}}, "field 'provenance'.p: a value of type path"),
    "surrogate": ({"licence": "\ud800"}, "UTF-8"),
    "twins": ({"entities": full().entities[:1] * 2}, "two entities have the id 'cup'"),
    "distortion": ({"distortion": np.array([np.inf])}, "'distortion'.values.0: inf"),
}


@pytest.mark.parametrize("name", BAD_RECORDINGS)
def test_what_cannot_be_kept_is_refused(tmp_path, name):
    changes, sentence = BAD_RECORDINGS[name]
    with pytest.raises(InputError, match=sentence):
        save_recording(dataclasses.replace(full(), **changes), tmp_path / "demo")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"poses": np.zeros((2, 4, 4))}, r"entity 'cup': field 'poses' has shape"),
        ({"visible": np.ones(4, bool)}, "entity 'cup': field 'visible'"),
        ({"points": np.array([["a"] * 3])}, "entity 'cup': field 'points'"),
    ],
)
def test_a_bad_entity_is_refused(tmp_path, changes, sentence):
    cup = dataclasses.replace(full().entities[0], **changes)
    with pytest.raises(InputError, match=sentence):
        save_recording(dataclasses.replace(full(), entities=(cup,)), tmp_path / "demo")


def edit_json(folder, change):
    path = folder / "recording.json"
    value = json.loads(path.read_text())
    change(value)
    path.write_text(json.dumps(value))


def edit_table(name, change):
    def edit(folder):
        path = folder / name
        pq.write_table(change(pq.read_table(path)), path)

    return edit


def setting(*keys, to):
    def change(value):
        for key in keys[:-1]:
            value = value[key]
        value[keys[-1]] = to

    return lambda folder: edit_json(folder, change)


BREAKS = {
    "no json": (lambda f: (f / "recording.json").unlink(), r"recording\.json: no such file"),
    "not json": (lambda f: (f / "recording.json").write_text("{"), r"recording\.json: is not JSON at line 1"),
    "a list": (lambda f: (f / "recording.json").write_text("[]"), "'schema_version' is None"),
    "newer": (setting("schema_version", to=3), "schema version 3, .* reads only versions up to 2: update"),
    "no version": (setting("schema_version", to=True), "'schema_version' is True"),
    "kind": (setting("kind", to="space"), r"recording\.json: field 'kind'"),
    "axes": (setting("native_axes", to="up"), "field 'native_axes'"),
    "size": (setting("entities", 1, "size", to=[1, 2]), r"field 'entities\.1\.size"),
    "size range": (
        setting("entities", 0, "size_range", to=[[1, 2, 3], [2, 1, 4]]),
        r"'size_range' goes from \(1.0, 2.0, 3.0\) to \(2.0, 1.0, 4.0\), expected the smallest sizes first",
    ),
    "size range of two": (setting("entities", 0, "size_range", to=[[1, 2], [2, 3]]), r"field 'entities\.0\.size_range"),
    "size text": (setting("entities", 1, "size", 0, to="long"), r"field 'entities\.1\.size\.0'"),
    "unknown": (setting("colour", to=1), "field 'colour' is unknown"),
    "missing": (lambda f: edit_json(f, lambda v: v.pop("events")), "field 'events': Field required"),
    "nan": (setting("gravity", to=[0, 0, float("nan")]), "NaN"),
    "gravity": (setting("gravity", to=[0, 0, -2]), "'gravity' is .* length 1"),
    "shape": (
        setting("intrinsics", "shape", to=[9]),
        r"field 'intrinsics': 9 numbers of shape \(9,\), expected \(3, 3\)",
    ),
    "samples": (setting("samples", to=4), r"camera\.parquet: 3 rows, but field 'samples'"),
    "no camera": (lambda f: (f / "camera.parquet").unlink(), r"camera\.parquet: no such file"),
    "torn camera": (lambda f: (f / "camera.parquet").write_bytes(b"PAR1"), r"camera\.parquet: is not a Parquet file"),
    "column": (edit_table("camera.parquet", lambda t: t.drop(["camera_12"])), r"column 'camera_12' is missing"),
    "type": (
        edit_table("camera.parquet", lambda t: t.set_column(1, "valid", pa.array(["yes"] * 3))),
        "column 'valid' is of type string, expected bool",
    ),
    "hole": (
        edit_table("camera.parquet", lambda t: t.set_column(0, "time", pa.array([0.0, None, 0.2]))),
        "column 'time' has 1 empty cells",
    ),
    "times": (
        edit_table("camera.parquet", lambda t: t.set_column(0, "time", pa.array([0.0, 0.2, 0.1]))),
        "'times' does not increase from sample 1",
    ),
    "no tracks": (lambda f: (f / "tracks.parquet").unlink(), r"tracks\.parquet: no such file"),
    "short tracks": (edit_table("tracks.parquet", lambda t: t.slice(0, 3)), "expected 1 rows of entity 'table'"),
    "long tracks": (edit_table("tracks.parquet", lambda t: pa.concat_tables([t, t])), "8 rows, but .* have 4"),
    "mixed tracks": (
        edit_table("tracks.parquet", lambda t: t.take([1, 0, 2, 3])),
        "entity 'cup' in the order of frames",
    ),
    "track hole": (
        edit_table("tracks.parquet", lambda t: t.set_column(2, "pose_00", pa.array([1.0, None, 1, 1]))),
        "tracks.parquet, entity 'cup': column 'pose_00'",
    ),
    "broken text": (
        edit_table("tracks.parquet", lambda t: t.set_column(0, "entity", pa.array([b"\xff"] * 4).view(pa.string()))),
        r"tracks\.parquet: is not a Parquet file that can be read",
    ),
    "no points": (lambda f: (f / "points.npz").unlink(), r"points\.npz: cannot be read"),
    "torn points": (lambda f: (f / "points.npz").write_bytes(b"PK"), r"points\.npz: cannot be read"),
    "other points": (lambda f: np.savez(f / "points.npz", a=np.ones(3)), "array 'entity_1' is missing"),
    "bad points": (lambda f: np.savez(f / "points.npz", entity_1=np.ones(3)), "entity 'table': field 'points'"),
}


@pytest.mark.parametrize("name", BREAKS)
def test_a_broken_folder_is_told_by_file_and_field(tmp_path, name):
    folder = tmp_path / "demo"
    save_recording(full(), folder)
    edit, sentence = BREAKS[name]
    edit(folder)
    with pytest.raises(InputError, match=sentence) as caught:
        load_recording(folder)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("name", ["recording.json", "camera.parquet", "tracks.parquet", "points.npz"])
@given(data=st.data())
@settings(max_examples=15)
def test_flipped_bytes_never_raise_anything_but_a_sentence(tmp_path_factory, name, data):
    folder = tmp_path_factory.mktemp("f") / "demo"
    save_recording(full(), folder)
    content = bytearray((folder / name).read_bytes())
    for _ in range(data.draw(st.integers(1, 3))):
        content[data.draw(st.integers(0, len(content) - 1))] = data.draw(st.integers(0, 255))
    end = data.draw(st.just(len(content)) | st.integers(0, len(content)))
    (folder / name).write_bytes(bytes(content[:end]))
    with contextlib.suppress(InputError):
        load_recording(folder)
