"""Folders of assets that are broken or made to harm: one sentence each, and in bounded memory."""

import hashlib
import io
import json
import os
import zipfile
from pathlib import Path

import numpy as np
import pytest

from chronotope.errors import InputError
from chronotope.world.homes.assets import open_assets

BOX = np.array([[x, y, z] for x in (-0.25, 0.25) for y in (-0.25, 0.25) for z in (0, 1)], np.float32)
SIDES = np.array([(0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)])
GOOD = {
    "vertices": BOX,
    "faces": np.concatenate([SIDES[:, [0, 1, 2]], SIDES[:, [0, 2, 3]]]).astype(np.uint16),
    "counts": np.array([[8, 12]], np.int32),
    "looks": np.array([[0.5, 0.5, 0.5, 0.1, 0.1]]),
}
ENTRY = {
    "id": "a-chair", "type": "Chair", "name": "Chair", "file": "a-chair.npz", "size": [0.5, 0.5, 1.0],
    "triangles": 12, "colour": None, "shelves": [], "licence": "CC0-1.0", "author": "A", "attribution": "A",
    "source": "s", "library": "l", "source_sha256": "0",
}  # fmt: skip


def packed(arrays: dict[str, np.ndarray]) -> bytes:
    buffer = io.BytesIO()
    np.savez_compressed(buffer, **arrays)
    return buffer.getvalue()


def stated(shape: str, kind: str = "<f4") -> bytes:
    """Return an archive whose vertices have a header of our making and few bytes."""
    text = f"{{'descr': {kind!r}, 'fortran_order': False, 'shape': {shape}, }}".ljust(117) + "\n"
    array = b"\x93NUMPY\x01\x00" + len(text).to_bytes(2, "little") + text.encode() + bytes(96)
    buffer = io.BytesIO(packed({name: value for name, value in GOOD.items() if name != "vertices"}))
    with zipfile.ZipFile(buffer, "a") as archive:
        archive.writestr("vertices.npy", array)
    return buffer.getvalue()


def open_one(folder: Path, data: bytes, **entry: object):
    (folder / "a-chair.npz").write_bytes(data)
    facts = {**ENTRY, "sha256": hashlib.sha256(data).hexdigest(), **entry}
    index = {"format": "chronotope-assets", "version": 1, "settings": "s", "assets": [facts]}
    (folder / "index.json").write_text(json.dumps(index))
    return open_assets(folder).by_id["a-chair"]


def with_(**arrays: object) -> bytes:
    return packed({**GOOD, **{name: np.asarray(value) for name, value in arrays.items()}})


def with_nan() -> np.ndarray:
    changed = BOX.copy()
    changed[0, 0] = np.nan
    return changed


HOSTILE = {
    "face out of range": (with_(faces=np.full((12, 3), 8)), "a vertex that is not there"),
    "face below zero": (with_(faces=np.full((12, 3), -1)), "a vertex that is not there"),
    "nan": (with_(vertices=with_nan()), "not finite"),
    "negative counts": (with_(counts=[[-8, -12]]), "counts are of"),
    "counts that cancel": (with_(counts=[[9, 13], [-1, -1]], looks=np.tile(GOOD["looks"], (2, 1))), "counts are of"),
    "counts of another shape": (with_(counts=[8, 12]), "counts has the shape"),
    "more counts": (with_(counts=[[8, 12], [8, 12]]), "counts are of"),
    "counts that overflow": (with_(counts=np.array([[2**62, 1]] * 4 + [[8, 8]])), "counts are of"),
    "counts as fractions": (with_(counts=[[8.0, 12.0]]), "no whole numbers"),
    "no vertices": (with_(vertices=np.zeros((0, 3))), "vertices has the shape"),
    "looks with two columns": (with_(looks=[[1.0, 1.0]]), "looks has the shape"),
    "looks outside": (with_(looks=[[5.0, 0, 0, 0, 0]]), "not from 0 to 1"),
    "text": (with_(vertices=np.full((8, 3), "a")), "not numbers"),
    "objects": (with_(vertices=np.array([[None] * 3] * 8)), "not numbers"),
    "a header of terabytes": (stated("(1000000000000, 3)"), "states the shape"),
    "a negative header": (stated("(-8, 3)"), "states the shape"),
    "a header of code": (stated("(__import__('os').abort(), 3)"), "cannot be read as NumPy arrays"),
    "an unknown type": (stated("(8, 3)", "<zz"), "cannot be read as NumPy arrays"),
    "much when unpacked": (with_(vertices=np.zeros((2**26 // 4, 3), np.float32)), "GB when unpacked"),
    "missing": (packed({"vertices": BOX}), "array faces is missing"),
    "another size": (with_(vertices=BOX * 2), "its box has"),
    "flat": (with_(vertices=BOX * [1, 1, 0]), "its box has"),
    "no archive": (b"PK", "cannot be read as NumPy arrays"),
}


def test_the_asset_of_these_tests_is_a_thing(tmp_path: Path) -> None:
    assert open_one(tmp_path, packed(GOOD)).made.thing.size == pytest.approx((0.5, 0.5, 1.0))


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_asset_is_refused_in_a_sentence(tmp_path: Path, name: str) -> None:
    data, words = HOSTILE[name]
    asset = open_one(tmp_path, data)
    with pytest.raises(InputError, match=words) as told:
        _ = asset.made
    assert str(told.value).startswith(f"{tmp_path / 'a-chair.npz'}: ") and len(str(told.value)) < 400


@pytest.mark.parametrize(
    ("entry", "words"),
    [
        ({"size": [-1, 1, 1]}, "assets.0.size.0.*greater than 0"),
        ({"size": [1e300, 1, 1]}, "assets.0.size.0.*less than or equal to 20"),
        ({"shelves": [{"centre": [0, 0, 1], "length": -1, "width": 1}]}, "shelves.0.length.*greater than 0"),
        ({"shelves": [{"centre": [0, 0, 1e9], "length": 1, "width": 1}]}, "shelves.0.centre.2.*less than"),
        ({"file": "../a.npz"}, "is not a safe name"),
        ({"file": "/dev/zero"}, "is not a safe name"),
        ({"id": "../../x"}, "is not a safe name"),
    ],
)
def test_a_hostile_index_is_refused_in_a_sentence(tmp_path: Path, entry: dict, words: str) -> None:
    with pytest.raises(InputError, match=words):
        open_one(tmp_path, packed(GOOD), **entry)


def test_an_asset_that_is_a_pipe_is_refused(tmp_path: Path) -> None:
    asset = open_one(tmp_path, packed(GOOD))
    (tmp_path / "a-chair.npz").unlink()
    os.mkfifo(tmp_path / "a-chair.npz")
    with pytest.raises(InputError, match="is a pipe"):
        _ = asset.made


def test_the_attribution_loses_signs_that_a_page_obeys(tmp_path: Path) -> None:
    entry = open_one(tmp_path, packed(GOOD), attribution="by \x1b[31m\u202eA\n").entry
    assert entry.attribution == "by [31m A"
