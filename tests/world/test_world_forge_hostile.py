"""Furniture libraries that are broken or made to harm: one sentence each, and in bounded time and memory."""

import io
import json
import os
import struct
import warnings
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest
from PIL import Image

from chronotope.errors import InputError
from chronotope.world.forge import forge, read_models
from chronotope.world.forge.library import Library, open_libraries
from chronotope.world.forge.wavefront import read_model
from world.furniture_library import MODELS, write_library, write_table

pytest.importorskip("fast_simplification", reason="needs the extra forge: pip install 'chronotope[forge]'")

CATALOGUE = "PluginFurnitureCatalog.properties"
SOFA = {"Sofa": MODELS["Sofa"]}
Change = Callable[[dict[str, bytes]], None]
SQUARE = b"v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 1\n"


def row(key: str, value: str) -> Change:
    """Return a change of one value of the model's row."""

    def change(files: dict[str, bytes]) -> None:
        lines = [line for line in files[CATALOGUE].splitlines() if not line.startswith(f"{key}#1=".encode())]
        files[CATALOGUE] = b"\n".join([*lines, f"{key}#1={value}".encode("latin-1")])

    return change


def file(name: str, data: bytes) -> Change:
    return lambda files: files.update({f"test/sofa/{name}": data})


def mesh(text: bytes) -> Change:
    return file("model.obj", b"mtllib model.mtl\nusemtl oak\n" + text)


def material(text: bytes) -> Change:
    return file("model.mtl", b"newmtl cloth\n" + text)


def picture(side: int, kind: str) -> bytes:
    buffer = io.BytesIO()
    Image.new("1" if kind == "PNG" else "RGB", (side, side)).save(buffer, kind)
    return buffer.getvalue()


def texture(data: bytes) -> Change:
    def change(files: dict[str, bytes]) -> None:
        files["test/sofa/p.png"] = data
        material(b"map_Kd p.png\n")(files)

    return change


NUMBER, TURN, OBJ, MTL = "expected a number of cm", "expected nine numbers of a rotation", "expected OBJ", "MTL form"
HOSTILE = {
    "width nan": (row("width", "nan"), NUMBER),
    "width inf": (row("width", "inf"), NUMBER),
    "width 1e308": (row("width", "1e308"), "from 0.1 to 2000"),
    "width 1e-300": (row("width", "1e-300"), "from 0.1 to 2000"),
    "width negative": (row("width", "-3"), "from 0.1"),
    "depth missing": (row("depth", ""), NUMBER),
    "elevation nan": (row("elevation", "nan"), NUMBER),
    "rotation nan": (row("modelRotation", "nan " * 9), TURN),
    "rotation zeros": (row("modelRotation", "0 " * 9), TURN),
    "rotation huge": (row("modelRotation", "1e300 0 0 0 1e300 0 0 0 1e300"), TURN),
    "rotation of a plane": (row("modelRotation", "1 0 0 1 0 0 0 0 1"), TURN),
    "rotation of 8": (row("modelRotation", "1 0 0 0 1 0 0 0"), TURN),
    "rotation of many": (row("modelRotation", "1 " * 100_000), TURN),
    "vertex nan": (mesh(b"v nan 0 0\n" + SQUARE + b"f 1 2 3\n"), OBJ),
    "vertex inf": (mesh(b"v 0 inf 0\n" + SQUARE + b"f 1 2 3\n"), OBJ),
    "vertex 1e308": (mesh(b"v 0 1e308 0\n" + SQUARE + b"f 1 2 3\nf 2 3 4\n"), "far from the origin"),
    "far away": (mesh(b"v 1e12 0 0\nv 1000000000001 0 0\nv 1e12 1 1\nf 1 2 3\n"), "far from the origin"),
    "vertex short": (mesh(b"v 0 1\n" + SQUARE + b"f 1 2 3\n"), OBJ),
    "point": (mesh(b"v 1 1 1\n" * 4 + b"f 1 2 3 4\n"), "a point, a line"),
    "line": (mesh(b"v 1 1 1\nv 2 2 2\nv 3 3 3\nv 4 4 4.\nf 1 2 3 4\n"), "without an area|cannot be made|corners are"),
    "straight line": (mesh(b"v 1 0 0\nv 2 0 0\nv 3 0 0\nf 1 2 3\n"), "a point, a line"),
    "one corner": (mesh(SQUARE + b"f 1 1 1\n"), "without an area"),
    "short face": (mesh(SQUARE + b"f 1 2\n"), "has no faces"),
    "no faces": (mesh(SQUARE), "has no faces"),
    "index zero": (mesh(SQUARE + b"f 0 1 2\n"), OBJ),
    "index huge": (mesh(SQUARE + b"f 1 2 99999999999999999999\n"), OBJ),
    "colour nan": (material(b"Kd nan nan nan\n"), MTL),
    "gloss nan": (material(b"Ks nan 0 0\n"), MTL),
    "opacity nan": (material(b"d nan\n"), MTL),
    "opacity zero": (file("model.mtl", b"newmtl cloth\nd 0\n"), "visible parts"),
    "eps": (texture(picture(32, "EPS")), "p.png: is not a picture"),
    "large picture": (texture(picture(5000, "PNG")), "p.png: is not a picture .5000 x 5000 px, at most 20 million"),
    "larger picture": (texture(picture(9100, "PNG")), "p.png: is not a picture .it has 9100 x 9100 px"),
    "text as picture": (texture(b"words"), "p.png: is not a picture"),
    "model missing": (row("model", "/test/none.obj"), "has no file test/none.obj"),
    "model outside": (row("model", "/../../etc/passwd"), "has no file ../../etc/passwd"),
    "escape in a path": (row("model", "/\\u001b[31m.obj"), r"has no file \[31m.obj"),
    "many triangles": (mesh(SQUARE + (b"f" + b" 1 2 3 4" * 8000 + b"\n") * 20), "more than 500,000 triangles"),
    "long line": (mesh(SQUARE + b"f" + b" 1" * 40_000 + b"\n"), "a line of more than 65,536 letters"),
    "many materials": (
        file("model.obj", SQUARE + b"".join(b"usemtl %d\nf 1 2 3\n" % n for n in range(300))),
        "more than 200 materials",
    ),
    "many libraries": (file("model.obj", b"".join(b"mtllib %d\n" % n for n in range(300))), "more than 200 materials"),
}


def made(tmp_path: Path, change: Change):
    library = write_library(tmp_path / "test.sh3f", SOFA, change)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        models = read_models(write_table(tmp_path / "table.json", ("Sofa",)))
        return forge(library, tmp_path / "out", models, keep_going=True)


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_model_is_left_out_with_one_sentence(tmp_path: Path, name: str) -> None:
    change, words = HOSTILE[name]
    told = made(tmp_path, change)
    assert list(told.left_out) == ["Test#Sofa"] and told.entries == ()
    sentence = told.left_out["Test#Sofa"]
    assert sentence.startswith(f"{tmp_path / 'test.sh3f'}: ") and "Sofa" in sentence
    assert sentence.isprintable() and len(sentence) < 500
    with pytest.raises(AssertionError, match=words):
        raise AssertionError(sentence)


def test_a_flat_model_is_a_thing(tmp_path: Path) -> None:
    flat = b"v 0 0 0\nv 1 0 0\nv 1 0 1\nv 0 0 1\nf 4 3 2 1\n"
    told = made(tmp_path, mesh(flat))
    assert len(told.entries) + len(told.left_out) == 1


def test_names_lose_signs_that_a_page_obeys_and_keep_letters(tmp_path: Path) -> None:
    def change(files: dict[str, bytes]) -> None:
        row("name", "\\u001b[31mSofa\\u202e \\ud83d\\ude00 \\ud800 \\u05e9")(files)
        row("creator", "A\\u0007\\u2066B\\n")(files)

    [entry] = made(tmp_path, change).entries
    assert entry.name == "[31mSofa 😀 \ufffd ש" and entry.author.startswith("A B")
    index = json.loads((tmp_path / "out" / "index.json").read_text(encoding="utf-8"))["assets"][0]
    assert all(sign not in value for value in (index["name"], index["attribution"]) for sign in "\x1b\u202e\x07\u2066")


def test_only_the_materials_of_faces_are_read_and_each_picture_once(tmp_path: Path) -> None:
    reads: list[str] = []
    library = write_library(
        tmp_path / "test.sh3f", SOFA, material(b"map_Kd oak.png\nnewmtl unused\nmap_Kd no.png\n" * 2)
    )
    with zipfile.ZipFile(library) as archive:
        opened = Library(library, archive)
        read_model("test/sofa/model.obj", lambda name: reads.append(name) or opened.read(name), lambda _: True)
    assert sorted(reads) == ["test/sofa/model.mtl", "test/sofa/model.obj", "test/sofa/oak.png"]


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda f: f.update({CATALOGUE: b"#\n" * 200_001}), "has more than 200,000 lines"),
        (lambda f: f.update({CATALOGUE: bytes(2**24 + 1)}), "has 16,777,217 bytes: expected at most"),
        (lambda f: f.update({CATALOGUE: b"id#" + b"9" * 5000 + b"=Test#Sofa\n"}), "has none of the 1 models"),
        (lambda f: f.update({CATALOGUE: b""}), "has none of the 1 models"),
    ],
)
def test_a_hostile_catalogue_is_refused(tmp_path: Path, change: Change, words: str) -> None:
    with pytest.raises(InputError, match=words):
        made(tmp_path, change)


def test_a_catalogue_is_read_in_linear_time(tmp_path: Path) -> None:
    # Blanks in the middle of a line took quadratic time: 300,000 of them did not end.
    told = made(tmp_path, lambda files: files.update({CATALOGUE: files[CATALOGUE] + b"\nx" + b" " * 300_000 + b"y\n"}))
    assert len(told.entries) == 1


@pytest.mark.parametrize("method", [zipfile.ZIP_DEFLATED, zipfile.ZIP_LZMA, zipfile.ZIP_BZIP2])
def test_damaged_streams_are_refused(tmp_path: Path, method: int) -> None:
    plain, library = write_library(tmp_path / "plain.zip", SOFA), tmp_path / "test.sh3f"
    with zipfile.ZipFile(plain) as source, zipfile.ZipFile(library, "w", method) as target:
        for name in source.namelist():
            target.writestr(name, source.read(name))
        info = target.getinfo("test/sofa/model.obj")
    data = bytearray(library.read_bytes())
    name_length, extra = struct.unpack_from("<HH", data, info.header_offset + 26)
    start = info.header_offset + 30 + name_length + extra
    data[start + 8 : start + info.compress_size] = b"\xff" * (info.compress_size - 8)
    library.write_bytes(data)
    models = read_models(write_table(tmp_path / "table.json", ("Sofa",)))
    told = forge(library, tmp_path / "out", models, keep_going=True)
    assert "test/sofa/model.obj is damaged" in told.left_out["Test#Sofa"]


def test_a_library_that_is_a_pipe_is_refused(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "a.sh3f")
    for source in (tmp_path, tmp_path / "a.sh3f"):
        with pytest.raises(InputError, match=r"a\.sh3f: is a pipe"), open_libraries(source):
            pass


def test_one_bad_model_leaves_the_others(tmp_path: Path) -> None:
    def change(files: dict[str, bytes]) -> None:
        files[CATALOGUE] = files[CATALOGUE].replace(b"width#1=", b"width#1=nan").replace(b"depth#2=", b"depth#2=x")

    library = write_library(tmp_path / "test.sh3f", {k: MODELS[k] for k in ("Sofa", "Chair", "Bed")}, change)
    told = forge(library, tmp_path / "out", read_models(write_table(tmp_path / "t.json")), keep_going=True)
    assert list(told.left_out) == ["Test#Sofa", "Test#Chair"] and [each.type for each in told.entries] == ["Bed"]
