"""Products from the meshes of IKEA Manuals at Work, in the layout of its published folder."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from chronotope.errors import InputError
from chronotope.recording.procedures import load_procedure
from chronotope.world.furniture.meshes.assembling import product_of
from chronotope.world.furniture.meshes.reading import read_mesh, read_parts
from commands import command, refused

Box = tuple[tuple[float, float, float], tuple[float, float, float]]
# y points up, as in the data set.
STOOL: list[Box] = [
    ((-0.4, 0.5, -0.4), (0.4, 0.55, 0.4)),
    ((-0.35, 0.0, -0.35), (-0.3, 0.5, -0.3)),
    ((0.3, 0.0, -0.35), (0.35, 0.5, -0.3)),
    ((-0.35, 0.0, 0.3), (-0.3, 0.5, 0.35)),
    ((-0.3, 0.55, -0.3), (0.3, 0.6, 0.3)),
    ((0.4, 0.5, -0.2), (0.45, 0.55, 0.2)),
]
STEP = '[{"category": "Misc", "name": "stool", "steps": [{"step_id": 0, "manual": {"parts": [%s]}}]}]'
STEPS = [["0", "1"], ["2", "1,0", "3"], ["0,3,2,1", "4"], ["4,0,1,2,3", "5"]]


def obj(low: tuple[float, ...], high: tuple[float, ...]) -> str:
    """A box with quadrilaterals and indices of normals, as Blender writes them; two faces are doubled."""
    corners = [
        [(low, high)[x][0], (low, high)[y][1], (low, high)[z][2]] for x in (0, 1) for y in (0, 1) for z in (0, 1)
    ]
    faces = ["1 2 4 3", "5 7 8 6", "1 5 6 2", "3 4 8 7", "1 3 7 5", "2 6 8 4", "1 2 4 3", "1 3 4 2"]
    rows = [f"v {x:.6f} {y:.6f} {z:.6f}" for x, y, z in corners]
    return "\n".join(
        ["# Blender", "mtllib 00.mtl", "o model", *rows, "vn 0 1 0", "s off"]
        + ["f " + " ".join(f"{index}//1" for index in face.split()) for face in faces]
    )


def data_set(folder: Path, steps: list[list[str]], boxes: list[Box], name: str = "stool") -> Path:
    """A folder of IKEA Manuals at Work with one product that has meshes, and one that has none."""
    place = folder / "parts" / "Misc" / name
    place.mkdir(parents=True)
    for number, (low, high) in enumerate(boxes):
        (place / f"{number:02d}.obj").write_text(obj(low, high))
    records: list[dict[str, Any]] = [
        {"category": "Misc", "name": called, "steps": [
            {"step_id": at, "manual": {"parts": groups, "connnections": [[groups[0], groups[-1]]]}, "video": []}
            for at, groups in enumerate(steps)
        ]} for called in ("bare", name)
    ]  # fmt: skip
    (folder / "data.json").write_text(json.dumps(records))
    return folder


def test_meshes_become_a_manual_and_questions(tmp_path: Path) -> None:
    source = data_set(tmp_path / "data", STEPS, STOOL)
    out = tmp_path / "bench"
    command("build", "ikea", f"world:furniture:{source}", "--out", out, "--workers", 1, code=0)
    (place,) = (out / "procedures").iterdir()
    procedure = load_procedure(place)
    assert [[",".join(group) for group in step.parts] for step in procedure.steps] == [
        ["0", "1"], ["0,1", "2", "3"], ["0,1,2,3", "4"], ["0,1,2,3,4", "5"],
    ]  # fmt: skip
    assert procedure.product == "stool" and str(procedure.licence).startswith("CC-BY-4.0")
    assert procedure.attribution == "IKEA Manuals at Work (Liu et al., 2024)"
    assert all(step.diagram is not None and step.diagram.is_file() for step in procedure.steps)
    truth = json.loads((place / "product.json").read_text())
    ways = [[entry["toward"] for entry in step[0]["entries"]] for step in truth["steps"]]
    # Legs come from below, the pad from above, and what was ahead in z comes from the front.
    assert ways == [[[0, 0, 1]], [[0, 0, 1], [0, 0, 1]], [[0, 0, -1]], [[0, -1, 0]]]


def test_a_mesh_has_each_face_once_and_its_outside_out(tmp_path: Path) -> None:
    path = tmp_path / "00.obj"
    path.write_text(obj(*STOOL[0]))
    mesh = read_mesh(path)
    assert len(mesh.faces) == 12
    middle = mesh.vertices.mean(axis=0)
    a, b, c = (mesh.vertices[mesh.faces[:, k]] for k in range(3))
    assert (np.einsum("ij,ij->i", np.cross(b - a, c - a), (a + b + c) / 3 - middle) > 0).all()


@pytest.mark.parametrize(
    ("file", "text", "said"),
    [
        ("parts/Misc/stool/02.obj", None, "there is no such mesh"),
        ("parts/Misc/stool/02.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 9\n", "line 4: 'f 1 2 9' is not a corner or a"),
        ("parts/Misc/stool/02.obj", "v 0 0 nan\n", "line 1: 'v 0 0 nan' is not a corner or a face"),
        ("parts/Misc/stool/02.obj", "v 0 0 0\n", "has no faces"),
        ("parts/Misc/stool/02.obj", "v 0 0 0\nv 1 0 0\nv 2 0 0\nf 1 2 3\n", "faces without an area"),
        ("parts/Misc/stool/02.obj", "v 1e300 0 0\n", "is not a corner or a face"),
        ("data.json", None, "has no data.json with the steps"),
        ("data.json", (STEP % '"0", "1"').replace("stool", "other"), "has meshes of no product in data.json"),
        ("data.json", '[{"category": "Misc", "name": "stool", "steps": []}]', "product 'Misc/stool': has no steps"),
        ("data.json", STEP % '"0,1"',
         "step 1 of Misc/stool joins 1 groups of parts"),
        ("data.json", STEP % '"0", "x"',
         "'x' is not a group of parts"),
    ],
)  # fmt: skip
def test_bad_meshes_and_steps_are_told_in_one_sentence(tmp_path: Path, file: str, text: str | None, said: str) -> None:
    source = data_set(tmp_path / "data", STEPS, STOOL)
    (source / file).unlink()
    if text is not None:
        (source / file).write_text(text)
    told = command("build", "ikea", f"world:furniture:{source}", "--out", tmp_path / "bench", "--workers", 1)
    assert told.code == 2 and said in told.err and told.err.count("error: ") == 1


def test_meshes_are_not_filmed_and_numbers_stay_numbers(tmp_path: Path) -> None:
    source = data_set(tmp_path / "data", STEPS, STOOL)
    out = tmp_path / "bench"
    assert "manuals, but no videos" in refused("build", "ikea", f"world:furniture:{source}", "--takes", 1, "--out", out)
    assert "a folder of products" in refused("build", "ikea", "world:furniture:nowhere", "--out", out)


def test_published_meshes_are_read_and_their_parts_come_from_outside(test_data: Path, tmp_path: Path) -> None:
    published = test_data / "ikea-manuals-at-work" / "parts"
    for folder in sorted(published.glob("*/*")):
        meshes = read_parts(folder, len(list(folder.glob("*.obj"))))
        points = np.concatenate([mesh.vertices for mesh in meshes])
        assert np.ptp(points, axis=0).max() == pytest.approx(1.0) and points[:, 2].min() == pytest.approx(0.0)
    (tmp_path / "parts").symlink_to(published)
    steps = [["0", "1", "2", "3"], ["0,1,2,3", "4", "5"]]
    record = {"category": "Chair", "name": "stefan", "steps": [
        {"step_id": at, "manual": {"parts": groups}} for at, groups in enumerate(steps)
    ]}  # fmt: skip
    (tmp_path / "data.json").write_text(json.dumps([record]))
    product, _ = product_of(tmp_path, 0)
    # The two sides of this chair come from the left and from the right.
    assert [entry.toward for entry in product.steps[1].shown.entries] == [(0.0, -1.0, 0.0), (0.0, 1.0, 0.0)]


def test_a_corner_without_a_face_says_nothing_about_the_size(tmp_path: Path) -> None:
    (tmp_path / "00.obj").write_text("v 0 0 0\nv 1 0 0\nv 0 1 0\nv 100000 0 0\nf 1 2 3\n")
    mesh = read_mesh(tmp_path / "00.obj")
    assert len(mesh.vertices) == 3 and len(mesh.faces) == 1


def test_a_product_that_cannot_be_read_does_not_end_the_import(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    """As of other manuals: one sentence that names it, or, with --keep-going, it is told and left out."""
    source = data_set(tmp_path / "data", STEPS, STOOL)
    records = json.loads((source / "data.json").read_text())
    (source / "data.json").write_text(json.dumps([{"category": "Misc", "name": "hollow", "steps": []}, *records]))
    words = ("build", "ikea", f"world:furniture:{source}", "--workers", 1, "--out")
    said = refused(*words, tmp_path / "none")
    assert "hollow" in said and "--keep-going" in said
    told = command(*words, tmp_path / "bench", "--keep-going", code=1)
    assert "hollow" in str(told)
    assert [place.name for place in (tmp_path / "bench" / "procedures").iterdir()] == ["furniture-0-0000"]


def test_data_json_is_parsed_once_for_all_products(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from chronotope.world.furniture.meshes import reading

    source, calls = data_set(tmp_path / "data", STEPS, STOOL), []
    real = reading.read_procedures
    monkeypatch.setattr(reading, "read_procedures", lambda *of, **more: calls.append(of) or real(*of, **more))
    for _ in range(3):
        product_of(source, 0)
    assert len(calls) == 1
    (source / "data.json").write_text((source / "data.json").read_text().replace('"stool"', '"bench"'))
    (source / "parts" / "Misc" / "stool").rename(source / "parts" / "Misc" / "bench")
    assert product_of(source, 0)[1].product == "bench" and len(calls) == 2


def test_a_mesh_may_have_a_byte_order_mark_and_lines_that_continue(tmp_path: Path) -> None:
    low, high = STOOL[0]
    (tmp_path / "plain.obj").write_text(obj(low, high))
    odd = obj(low, high).removeprefix("# Blender\n").removeprefix("mtllib 00.mtl\n").removeprefix("o model\n")
    odd = odd.replace("f 1//1 2//1 4//1", "f 1//1 \\\n2//1 \\\n 4//1")
    (tmp_path / "odd.obj").write_bytes(b"\xef\xbb\xbf" + odd.encode())
    assert odd.startswith("v ") and odd.count("\\\n") >= 2, "the mark stands before a corner"
    plain, other = (read_mesh(tmp_path / f"{name}.obj") for name in ("plain", "odd"))
    assert np.array_equal(plain.vertices, other.vertices) and np.array_equal(plain.faces, other.faces)
    (tmp_path / "odd.obj").write_text("v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 \\\n2 x\n")
    with pytest.raises(InputError, match="line 4: "):
        read_mesh(tmp_path / "odd.obj")


def test_a_group_is_numbers_with_commas(tmp_path: Path) -> None:
    for number, group in enumerate(("0_1", "+1", "\u0661")):
        source = data_set(tmp_path / str(number), [[group, "2"], *STEPS[2:]], STOOL)
        with pytest.raises(InputError, match="is not a group of parts: expected numbers such as '0,2'"):
            product_of(source, 0)
