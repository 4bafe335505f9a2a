"""The asset forge for streets: wheels, pictures, plates, sizes and triangles of small models, and the real package."""

import os
from pathlib import Path

import numpy as np
import pytest

from chronotope.errors import InputError
from chronotope.world.asset_folder import open_folder, read_parts
from chronotope.world.forge import forge, read_models
from chronotope.world.forge.wavefront import read_model
from chronotope.world.homes.assets import open_assets
from chronotope.world.street import (
    STREET_KINDS,
    draw_fixture,
    draw_vehicle,
    drive,
    fixture_types,
    on_road,
    open_street_assets,
    straight_lane,
)
from world.furniture_library import MODELS, write_library
from world.street_library import (
    FRONT,
    LENGTH,
    PAINT,
    RADIUS,
    REAR,
    TRACK,
    bench,
    box,
    car,
    tree,
    write_streets,
    write_table,
)

pytest.importorskip("fast_simplification", reason="needs the extra forge: pip install 'chronotope[forge]'")
PACKAGE = Path(os.environ.get("CHRONOTOPE_TEST_FURNITURE", "/usr/share/sweethome3d/furniture"))


@pytest.fixture(scope="module")
def made(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("streets")
    models = {"Red": car(), "Steered": car(yaw=25.0), "Bench": bench(), "Oak": tree(30_000)}
    library = write_streets(folder / "test.sh3f", models)
    table = write_table(
        folder / "table.json",
        {"Car": ["Red", "Steered"], "Bench": ["Bench"], "Tree": ["Oak"]},
        colours={"Test#Red": "red"},
    )
    told = forge(library, folder / "assets", read_models(table))
    assert told.left_out == {} and told.new == 4
    return folder / "assets"


def points_of(folder: Path, name: str, joint: int | None = None) -> np.ndarray:
    [entry] = [entry for entry in open_folder(folder).entries if entry.id == name]
    return np.concatenate([part.mesh.vertices for part in read_parts(folder, entry) if joint in (None, part.joint)])


@pytest.mark.parametrize("name", ["test-red", "test-steered"])
def test_wheels_are_found_and_steered_ones_are_straight(made, name):
    [entry] = [entry for entry in open_folder(made).entries if entry.id == name]
    assert (entry.use, entry.type, entry.author, entry.licence) == ("street", "Car", "Jørn", "CC-BY-3.0")
    assert [wheel.joint for wheel in entry.wheels] == [
        "wheel_front_left", "wheel_front_right", "wheel_rear_left", "wheel_rear_right",
    ]  # fmt: skip
    for number, wheel in enumerate(entry.wheels, 1):
        x, y, z = wheel.centre
        assert x == pytest.approx((FRONT if "front" in wheel.joint else REAR) / 100 - 0.005, abs=0.01)
        assert y == pytest.approx((1 if "left" in wheel.joint else -1) * TRACK / 200, abs=0.005)
        assert z == pytest.approx(RADIUS / 100, abs=0.004) and wheel.radius == pytest.approx(RADIUS / 100, abs=0.004)
        assert wheel.width == pytest.approx(0.20, abs=0.01)
        away = points_of(made, name, number) - np.array(wheel.centre)
        # The tyre and the hub: two discs about an axle along y.
        reach = np.hypot(away[:, 0], away[:, 2])
        assert set(np.round(reach / wheel.radius, 1)) == {0.6, 1.0} and np.abs(away[:, 1]).max() < 0.125
    body = points_of(made, name, 0)
    assert np.ptp(body[:, 0]) == pytest.approx(LENGTH / 100 + 0.01, abs=0.01)
    assert points_of(made, name)[:, 2].min() == pytest.approx(0, abs=1e-6)


def test_pictures_are_kept_at_256_px_and_plates_are_blank(made):
    [entry] = [entry for entry in open_folder(made).entries if entry.id == "test-red"]
    parts = read_parts(made, entry)
    [grille] = [part for part in parts if part.look.texture is not None]
    assert max(grille.look.texture.shape[:2]) <= 256 and len(np.unique(grille.look.texture)) >= 4
    assert grille.mesh.uv.min() >= 0 and np.ptp(grille.mesh.uv, axis=0).min() > 0.9
    assert grille.mesh.vertices[:, 0].min() > LENGTH / 200 - 0.02
    # The plate was striped black and white; it is one plain colour now.
    middle = [
        part
        for part in parts
        if part.mesh.vertices[:, 0].min() > LENGTH / 200 - 0.02 and part.mesh.vertices[:, 2].max() < 0.55
    ]
    assert len(middle) == 1 and middle[0].look.texture is None and min(middle[0].look.colour) > 0.8
    assert all(np.ptp(part.mesh.vertices, axis=0).max() > 0.01 for part in parts), "the speck is gone"
    paint = max(parts, key=lambda part: np.ptp(part.mesh.vertices, axis=0).prod())
    assert paint.look.colour == pytest.approx(PAINT, abs=1e-3)


def test_vehicles_of_a_library_drive(made):
    assets = open_street_assets(made)
    assert assets.types == {"Car", "Bench", "Tree"}
    found = [draw_vehicle(np.random.default_rng(seed), "Car", assets=assets) for seed in range(12)]
    library = [vehicle for vehicle in found if vehicle.source]
    assert 0 < len(library) < 12 and {vehicle.source["licence"] for vehicle in library} == {"CC-BY-3.0"}
    assert all("Jørn" in vehicle.source["attribution"] for vehicle in library)
    red = next(vehicle for vehicle in library if vehicle.source["id"] == "test-red")
    assert red.thing.label == "red car" and red.wheelbase == pytest.approx((FRONT - REAR) / 100, abs=0.01)
    rig = drive(red, on_road(red, straight_lane((0, 0, 0), (20, 0, 0)).poses(np.linspace(0, 3, 16), red.axles)))
    turned = np.arctan2(rig.path[:, 1, 0, 2], rig.path[:, 1, 2, 2])
    assert np.unwrap(turned)[-1] == pytest.approx(3 / red.radii[1], rel=1e-3)
    number = red.bindings.index(1)
    lowest = [rig.posed(number, red.thing.pieces[number].vertices, frame)[:, 2].min() for frame in range(16)]
    assert np.ptp(lowest) < 0.004
    only = {draw_vehicle(np.random.default_rng(seed), "Car", "red", assets).source.get("id") for seed in range(12)}
    assert only == {None, "test-red"}


def test_a_bench_and_a_tree_of_a_library_stand(made):
    assets = open_street_assets(made)
    assert set(fixture_types(assets)) >= {"Bench", "Tree"}
    seats = [draw_fixture(np.random.default_rng(seed), "Bench", assets=assets) for seed in range(8)]
    assert {bool(seat.source) for seat in seats} == {True, False}
    own = next(seat for seat in seats if seat.source)
    assert own.thing.size == pytest.approx((0.38, 1.5, 0.45), abs=0.01) and own.thing.category == "bench"


def test_foliage_is_thinned_to_the_triangles_of_its_type(made):
    [entry] = [entry for entry in open_folder(made).entries if entry.id == "test-oak"]
    assert 5_000 < entry.triangles <= STREET_KINDS["Tree"].triangles < 60_000
    leaves = [part for part in read_parts(made, entry) if part.look.texture is not None]
    corners = np.concatenate([part.mesh.vertices[part.mesh.faces] for part in leaves])
    area = np.linalg.norm(np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]), axis=1).sum() / 4
    before = 0.0
    for material, points, faces in tree(30_000):
        if material == "leaf":
            a, b, c = points[np.array(faces)].transpose(1, 0, 2) / 100
            before += np.linalg.norm(np.cross(b - a, c - a), axis=1).sum() / 2
    assert area == pytest.approx(before, rel=0.15)  # fewer and larger leaves cover the same


@pytest.mark.parametrize(
    ("parts", "scale", "words"),
    [
        (car(wheels=0), 1.0, "has 0 wheels that can be told from the rest"),
        (car(), 0.5, "which no real car is"),
        (car(), 1.6, "which no real car is"),
    ],
)
def test_what_is_no_real_vehicle_is_left_out(tmp_path, parts, scale, words):
    library = write_streets(tmp_path / "a.sh3f", {"Odd": parts})
    table = write_table(tmp_path / "table.json", {"Car": ["Odd"]}, scale={"Test#Odd": scale})
    told = forge(library, tmp_path / "out", read_models(table))
    assert told.entries == () and words in told.left_out["Test#Odd"]


def test_a_table_rescales_a_model(tmp_path):
    library = write_streets(tmp_path / "a.sh3f", {"Small": car()})
    table = write_table(tmp_path / "table.json", {"Car": ["Small"]}, scale={"Test#Small": 0.9})
    [entry] = forge(library, tmp_path / "out", read_models(table)).entries
    assert entry.size[0] == pytest.approx(0.9 * (LENGTH + 1) / 100, abs=0.005)
    assert entry.wheels[0].radius == pytest.approx(0.9 * RADIUS / 100, abs=0.004)


@pytest.mark.parametrize(
    ("table", "words"),
    [
        ({"Spaceship": ["Red"]}, "'Spaceship' of streets: expected one of Car, SUV"),
        ({"Car": ["Red"]}, "the colour 'mauve': expected one of red"),
    ],
)
def test_bad_tables_are_refused(tmp_path, table, words):
    with pytest.raises(InputError, match=words):
        read_models(write_table(tmp_path / "table.json", table, colours={"Test#Red": "mauve"}))


def test_homes_and_streets_share_one_folder(tmp_path):
    library = write_library(tmp_path / "a.sh3f", {"Chair": MODELS["Chair"]})
    streets = write_streets(tmp_path / "b.sh3f", {"Red": car()})
    assert library.exists() and streets.exists()
    table = write_table(tmp_path / "table.json", {"Car": ["Red"]}, types={"Chair": ["Test#Chair"]})
    told = forge(tmp_path, tmp_path / "out", read_models(table))
    assert [(entry.use, entry.type) for entry in told.entries] == [("home", "Chair"), ("street", "Car")]
    assert list(open_assets(tmp_path / "out").by_id) == ["test-chair"]
    assert list(open_street_assets(tmp_path / "out").by_id) == ["test-red"]
    assert forge(tmp_path, tmp_path / "out", read_models(table)).new == 0


def read_text(text: str) -> list[np.ndarray]:
    files = {"a.obj": text.encode()}
    return [surface.corners for surface in read_model("a.obj", files.__getitem__, files.__contains__)]


def test_a_face_may_name_a_uv_that_stands_later():
    square = "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0.5\n"
    [corners] = read_text(square + "f 1/1 2/1 3/2 4/2\nvt 0 0\nvt 1 1\n")
    assert corners.shape == (2, 3, 3)
    with pytest.raises(InputError, match=r"a\.obj: line 5 is broken \('f 1/1 2/1 3/2 4/2'\)"):
        read_text(square + "f 1/1 2/1 3/2 4/2\nvt 0 0\n")


def test_a_face_with_a_notch_is_divided_inside_its_outline():
    arrow = [(0, 0), (4, 0), (4, 3), (2, 1), (0, 3)]  # the notch is at (2, 1)
    text = "".join(f"v {x} {y} 0\n" for x, y in arrow) + "f 1 2 3 4 5\n"
    [corners] = read_text(text)
    a, b, c = corners.transpose(1, 0, 2)
    areas = np.cross(b - a, c - a)[:, 2] / 2
    assert (areas > 0).all() and areas.sum() == pytest.approx(8.0)  # by the shoelace formula


def test_the_number_of_parts_is_bounded(tmp_path):
    boxes = [box((3 * k, 0, 0), (3 * k + 1, 1, 1), "paint") for k in range(21_000)]
    library = write_streets(tmp_path / "a.sh3f", {"Many": boxes})
    table = write_table(tmp_path / "table.json", {"Railing": ["Many"]}, scale={"Test#Many": 0.2})
    told = forge(library, tmp_path / "out", read_models(table), keep_going=True)
    assert "Test#Many" in told.left_out


@pytest.mark.slow
@pytest.mark.skipif(not PACKAGE.exists(), reason="needs the Debian package sweethome3d-furniture")
def test_the_real_package_has_vehicles_and_street_furniture(tmp_path):
    models = read_models()
    streets = type(models)({}, models.yaw, models.street, models.scale, models.colours)
    told = forge(PACKAGE, tmp_path / "out", streets)
    assert told.left_out == {} and len(told.entries) == len(models.street)
    assets = open_street_assets(tmp_path / "out")
    for asset in assets.by_id.values():
        entry, row = asset.entry, STREET_KINDS[asset.entry.type]
        assert entry.triangles <= row.triangles and entry.licence in ("CC0-1.0", "CC-BY-3.0", "CC-BY-3.0-US")
        if row.use == "furniture":
            assert asset.thing.size == pytest.approx(entry.size, abs=1e-4)
            continue
        names = [wheel.joint for wheel in entry.wheels]
        two = entry.type in ("Motorbike", "Scooter", "Bicycle")
        assert len(names) == (2 if two else 4) or entry.type in ("Truck", "Coach")
        assert len(set(names)) == len(names) and all(name.startswith("wheel_") for name in names)
        for wheel in entry.wheels:
            # A wheel touches the ground; pairs are mirror images.
            assert wheel.centre[2] - wheel.radius == pytest.approx(0, abs=0.06)
        if not two:
            for left, right in zip(entry.wheels[::2], entry.wheels[1::2], strict=True):
                assert left.centre == pytest.approx((right.centre[0], -right.centre[1], right.centre[2]), abs=0.03)
                assert left.radius == pytest.approx(right.radius, abs=0.01)
