"""The asset forge: what it reads, makes and measures, and the homes that use it."""

import json
from pathlib import Path

import numpy as np
import pytest

from chronotope.errors import InputError
from chronotope.make import BuildRequest, build
from chronotope.make.sources.find import find_origins
from chronotope.question import open_benchmark
from chronotope.world import assets_hash, simulate, world_kinds
from chronotope.world.forge import forge, read_models
from chronotope.world.forge.tops import flat_top
from chronotope.world.homes.assets import Assets, open_assets
from chronotope.world.homes.document import document_of, home_of, read_house
from chronotope.world.homes.draw_plan import draw_plan
from chronotope.world.homes.furnish import furnish
from chronotope.world.homes.home import Home
from world.furniture_library import CHAIR, MODELS, OAK, TABLE, obj_of, write_library, write_table

pytest.importorskip("fast_simplification", reason="needs the extra forge: pip install 'chronotope[forge]'")


@pytest.fixture(scope="module")
def made(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("forge")
    forge(write_library(folder / "test.sh3f"), folder / "assets", read_models(write_table(folder / "table.json")))
    return folder / "assets"


@pytest.fixture(scope="module")
def assets(made) -> Assets:
    return open_assets(made)


def stored(folder: Path, name: str) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    # The corners (F, 3, 3) of an asset, the number of the part of each, and the looks of the parts.
    with np.load(folder / f"{name}.npz") as file:
        vertices, faces, counts, looks = (file[key] for key in ("vertices", "faces", "counts", "looks"))
    starts = np.repeat(np.cumsum(counts[:, 0]) - counts[:, 0], counts[:, 1])
    parts = np.repeat(np.arange(len(counts)), counts[:, 1])
    return vertices[faces.astype(int) + starts[:, None]].astype(float), parts, looks, counts


def test_an_asset_is_measured_and_attributed(made, assets):
    entry = assets.by_id["test-chair"].entry
    assert entry.type == "Chair" and entry.author == "Jørn" and entry.licence == "CC-BY-3.0"
    assert entry.size == pytest.approx((0.40, 0.40, 0.90)) and entry.shelves == ()
    assert "https://creativecommons.org/licenses/by/3.0/" in entry.attribution
    assert "Jørn" in entry.attribution and "test.sh3f" in entry.attribution and entry.source == "Test#Chair"
    corners, parts, looks, _ = stored(made, "test-chair")
    points = corners.reshape(-1, 3)
    assert np.ptp(points, axis=0) == pytest.approx(entry.size, abs=1e-5) and points[:, 2].min() == pytest.approx(0)
    assert len(corners) == entry.triangles == 12 * len(CHAIR)
    # The back, which is away from the viewer in the library, is at -x.
    assert points[points[:, 2] > 0.6, 0].max() < -0.14
    assert sorted(np.round(looks[:, 0], 2)) == [0.6, 0.75] and len(set(parts)) == 2


def test_solid_parts_are_closed_and_seen_from_outside(made):
    corners, *_ = stored(made, "test-diningtable")
    a, b, c = corners.transpose(1, 0, 2)
    volume = np.einsum("ij,ij->", a, np.cross(b, c)) / 6
    boxes = np.array([box for box, _ in TABLE], float) / 100
    assert volume == pytest.approx((boxes[:, 3:] - boxes[:, :3]).prod(axis=1).sum(), rel=1e-3)


def test_a_picture_becomes_its_mean_colour(made):
    _, _, looks, _ = stored(made, "test-diningtable")
    assert looks[0, :3] * 255 == pytest.approx(OAK, abs=1)


def test_colours_are_named_only_if_most_of_the_thing_has_them(assets):
    colours = {name: asset.entry.colour for name, asset in assets.by_id.items()}
    assert colours["test-sofa"] == "red" and colours["test-toilet"] == "white"
    assert colours["test-fridge"] is None  # grey has no name here
    assert colours["test-diningtable"] is None  # light wood is not brown


def test_things_stand_only_on_flat_tops(assets):
    [shelf] = assets.by_id["test-diningtable"].entry.shelves
    assert shelf.centre == pytest.approx((0, 0, 0.75), abs=0.011)
    assert 0.70 < shelf.length <= 0.80 and 1.40 < shelf.width <= 1.50
    [shelf] = assets.by_id["test-desk"].entry.shelves  # before the rack, not on it
    assert shelf.centre[2] == pytest.approx(0.75) and shelf.centre[0] - shelf.length / 2 >= -0.1 - 1e-6
    assert [name for name, each in assets.by_id.items() if each.entry.shelves] == ["test-desk", "test-diningtable"]


def test_a_slope_is_no_top():
    square = np.array([[0, 0], [1, 0], [1, 1], [0, 1]], float)
    for slope, is_flat in ((0.0, True), (0.2, False)):
        points = np.column_stack([square, 0.7 + slope * square[:, 0]])
        found = flat_top(points[[[0, 1, 2], [0, 2, 3]]])
        assert (found is not None) is is_flat
    assert found is None


def test_many_triangles_become_few(tmp_path):
    u, v = np.meshgrid(np.linspace(0, 2 * np.pi, 121), np.linspace(0, np.pi, 61), indexing="ij")
    ball = np.stack([np.sin(v) * np.cos(u), np.cos(v), np.sin(v) * np.sin(u)], axis=-1).reshape(-1, 3) * 30
    at = (np.arange(120)[:, None] * 61 + np.arange(60)[None]).ravel()
    faces = np.concatenate([np.stack([at, at + 1, at + 62], 1), np.stack([at, at + 62, at + 61], 1)]) + 1
    text = "\n".join(["v {:.5f} {:.5f} {:.5f}".format(*p) for p in ball] + ["f {} {} {}".format(*f) for f in faces])
    sofa = {"Sofa": ("Ball", [((0, 0, 0, 60, 60, 60), "cloth")])}
    library = write_library(
        tmp_path / "a.zip", sofa, lambda files: files.update({"test/sofa/model.obj": text.encode()})
    )
    forge(library, tmp_path / "out", read_models(write_table(tmp_path / "table.json")))
    corners, *_ = stored(tmp_path / "out", "test-sofa")
    assert len(faces) > 14000 and len(corners) <= 3000
    a, b, c = corners.transpose(1, 0, 2)
    assert np.einsum("ij,ij->", a, np.cross(b, c)) / 6 == pytest.approx(4 / 3 * np.pi * 0.3**3, rel=0.03)


def test_the_same_library_gives_the_same_bytes_also_after_an_interruption(made, tmp_path):
    models = read_models(write_table(tmp_path / "table.json"))
    library, out = write_library(tmp_path / "test.sh3f"), tmp_path / "again"

    def stop(done: int, total: int, name: str) -> None:
        if done == 3:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        forge(library, out, models, stop)
    assert len(open_assets(out).by_id) == 3
    first = sorted(out.glob("*.npz"))[0]
    first.write_bytes(b"damaged")
    assert forge(library, out, models).new == len(MODELS) - 2
    assert forge(library, out, models).new == 0
    assert sorted(p.name for p in out.iterdir()) == sorted(p.name for p in made.iterdir())
    assert all((out / each.name).read_bytes() == each.read_bytes() for each in made.iterdir())


def broken_obj(files: dict[str, bytes]) -> None:
    files["test/sofa/model.obj"] = b"v 0 0 0\nf 1 2 3\n"


def broken_size(files: dict[str, bytes]) -> None:
    name = "PluginFurnitureCatalog.properties"
    files[name] = files[name].replace(b"width#4=180.0", b"width#4=wide")


def no_model(files: dict[str, bytes]) -> None:
    del files["test/sofa/model.obj"]


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (broken_obj, "test/sofa/model.obj: line 2 is broken"),
        (broken_size, r"model 4 \(Test#Sofa\): width is 'wide': expected a number of cm"),
        (no_model, "has no file test/sofa/model.obj"),
    ],
)
def test_a_broken_model_is_named(tmp_path, change, words):
    library = write_library(tmp_path / "test.sh3f", change=change)
    models = read_models(write_table(tmp_path / "table.json"))
    with pytest.raises(InputError, match=words):
        forge(library, tmp_path / "out", models)
    if change is not broken_size:
        made = forge(library, tmp_path / "out", models, keep_going=True)
        assert list(made.left_out) == ["Test#Sofa"] and len(made.entries) == len(MODELS) - 1


def test_bad_sources_are_refused_in_a_sentence(tmp_path):
    models = read_models()
    with pytest.raises(InputError, match="Debian package sweethome3d-furniture"):
        forge(tmp_path / "missing", tmp_path / "out", models)
    with pytest.raises(InputError, match="Debian package sweethome3d-furniture"):
        forge(tmp_path, tmp_path / "out", models)
    (tmp_path / "no.sh3f").write_text("not a zip")
    with pytest.raises(InputError, match=r"no\.sh3f: is not a furniture library"):
        forge(tmp_path, tmp_path / "out", models)
    library = write_library(tmp_path / "test.zip")
    with pytest.raises(InputError, match=r"has none of the 15\d models that are known"):
        forge(library, tmp_path / "out", models)
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "letter.txt").write_text("keep me")
    with pytest.raises(InputError, match="is not a folder of assets: choose another folder"):
        forge(library, tmp_path / "full", read_models(write_table(tmp_path / "table.json")))
    (tmp_path / "table.json").write_text(json.dumps({"types": {"Spaceship": ["a"]}}))
    with pytest.raises(InputError, match="'Spaceship': expected one of"):
        read_models(tmp_path / "table.json")


def test_a_missing_library_names_the_extra(tmp_path, monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "fast_simplification", None)
    with pytest.raises(InputError, match=r"chronotope\[forge\]"):
        forge(tmp_path, tmp_path / "out", read_models())


def furnished(assets: Assets | None, seed: int = 5) -> Home:
    generator = np.random.default_rng(seed)
    return furnish(generator, draw_plan(generator, 4), assets)


@pytest.mark.slow
def test_a_home_has_assets_by_its_seed(assets):
    home, again = furnished(assets), furnished(assets)
    used = {each.id: each.asset_id for each in home if each.asset is not None}
    assert len(used) >= 4 and used == {each.id: each.asset_id for each in again if each.asset is not None}
    for each in home:
        assert np.array_equal(each.pose, again.objects[each.id].pose)
        if each.asset is None:
            continue
        assert each.made.thing.size == pytest.approx(each.asset.entry.size, abs=2e-6)
        assert not each.visible_states() and not each.can("openable", "openness")
        assert each.asset.entry.shelves or not home.children(each.id)
        assert home.has_room_for(each)


@pytest.mark.slow
def test_the_house_file_records_assets_and_needs_them(assets, made, tmp_path):
    home = furnished(assets)
    path = tmp_path / "house.json"
    path.write_text(document_of(home).text())
    stated = json.loads(path.read_text())["metadata"]["assets"]
    used = sorted({each.asset_id for each in home if each.asset is not None})
    assert stated["sha256"] == assets_hash(made) and [each["id"] for each in stated["used"]] == used
    assert all(each["licence"] == "CC-BY-3.0" and "Jørn" in each["attribution"] for each in stated["used"])
    again, left_out = home_of(read_house(path), str(path), assets)
    assert not left_out and again.objects.keys() == home.objects.keys()
    for one in home:
        other = again.objects[one.id]
        assert one.asset_id == other.asset_id and one.state == other.state
        assert np.abs(one.thing_pose - other.thing_pose).max() < 2e-6
    with pytest.raises(InputError, match="none was given: give this folder with --assets"):
        home_of(read_house(path), str(path))
    assert "assets" not in json.loads(document_of(furnished(None)).text())["metadata"]


def test_only_homes_take_assets(made, tmp_path):
    request = BuildRequest("sti", "world:table:1", tmp_path / "out", assets=made)
    with pytest.raises(InputError, match="world:table takes no assets"):
        find_origins(request, "scene", keep_going=False)
    bad = BuildRequest("sti", "world:house:1", tmp_path / "out", assets=tmp_path)
    with pytest.raises(InputError, match=r"expected index\.json; make it with chronotope forge"):
        find_origins(bad, "scene", keep_going=False)
    plain, furnished_ones = (
        find_origins(BuildRequest("sti", "world:house:1", tmp_path / "out", assets=folder), "scene", keep_going=False)
        for folder in (None, made)
    )
    assert plain.found[0].fingerprint() != furnished_ones.found[0].fingerprint()
    assert "--assets assets" in BuildRequest("sti", "world:house:1", tmp_path / "out", assets=made).command


def test_a_damaged_asset_is_named(made, tmp_path):
    for each in made.iterdir():
        (tmp_path / each.name).write_bytes(each.read_bytes())
    (tmp_path / "test-bed.npz").write_bytes(b"nothing")
    with pytest.raises(InputError, match=r"test-bed\.npz: differs from index\.json"):
        _ = open_assets(tmp_path).by_id["test-bed"].made


@pytest.mark.slow
def test_the_verifier_passes_a_home_with_assets(made, tmp_path):
    quality = world_kinds()["house"].qualities["fast"]
    scene = simulate("house", "house-x", np.random.default_rng(3), quality, tmp_path, assets=made)
    for recording in scene.recordings:
        assert recording.licence == "CC-BY-3.0; CC0-1.0"
        used = recording.provenance["assets"]["used"]
        assert used and all(each["licence"] == "CC-BY-3.0" for each in used)


@pytest.mark.slow
def test_the_card_of_a_benchmark_names_licences_and_authors(made, tmp_path):
    built = build(BuildRequest("sti", "world:walk:1", tmp_path / "out", seed=3, quality="fast", assets=made), workers=1)
    card = open_benchmark(tmp_path / "out").card
    assert not built.failures and card.licence == "CC-BY-3.0; CC0-1.0"
    assert card.attributions and all("Jørn" in each for each in card.attributions)
    build(BuildRequest("sti", "world:walk:1", tmp_path / "plain", seed=3, quality="fast"), workers=1)
    plain = open_benchmark(tmp_path / "plain").card
    assert plain.licence == "CC0-1.0" and plain.attributions == ()


def test_faces_of_the_written_boxes_look_outwards():
    # The library of these tests is in the true form: its boxes are seen from outside.
    lines = obj_of([((0, 0, 0, 1, 1, 1), "oak")]).splitlines()
    points = np.array([line.split()[1:] for line in lines if line.startswith("v ")], float)
    faces = [[int(part.split("/")[0]) - 1 for part in line.split()[1:]] for line in lines if line.startswith("f ")]
    for face in faces:
        a, b, c = points[face[:3]]
        assert np.cross(b - a, c - b) @ (points[face].mean(axis=0) - 0.5) > 0
