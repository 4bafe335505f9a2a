"""Furniture can be assembled as its steps say, and the pages of its manual show what is there.

Ways and views are checked by means that share nothing with the code under test: points that are moved along,
half-spaces of hulls, and rays that trimesh casts.
"""

import itertools
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest
import trimesh
from PIL import Image
from scipy.spatial import ConvexHull

import chronotope as ct
from chronotope.families.ikea.descriptions.crosscheck import cross_check
from chronotope.recording.procedures import read_procedures
from chronotope.world.furniture.manual import make_manual
from chronotope.world.furniture.page.lines import rasterize, visible_lines
from chronotope.world.furniture.page.page import PAGE, draw_step, explode, view_of
from chronotope.world.furniture.page.view import View, fitted
from chronotope.world.furniture.possible import faults_of_assembly
from chronotope.world.furniture.product import AssemblyStep, Entry, Joining, Product
from chronotope.world.furniture.random_product import draw_product

DEEP = 0.0015  # m: parts that touch may be this deep in each other


def drawn(number: int, seed: int = 5) -> Product:
    return draw_product(np.random.default_rng([seed, number]), number)


def joinings(product: Product) -> Iterator[tuple[int, Joining]]:
    for number, step in enumerate(product.steps):
        yield from ((number, joining) for joining in step.joinings)


@pytest.fixture(scope="module")
def products() -> list[Product]:
    return [drawn(number) for number in range(21)]


def depth_in(points: np.ndarray, solid: np.ndarray) -> float:
    """How deep the deepest point lies in the hull of a solid (m); below 0 outside."""
    planes = ConvexHull(solid).equations
    return float((-(points @ planes[:, :3].T + planes[:, 3]).max(axis=1)).max())


def deepest(product: Product, moving: int, still: int, toward: np.ndarray, seed: int) -> float:
    """How deep random points of one part come into another on its way of 0.8 m, and the other way round."""
    generator = np.random.default_rng(seed)
    worst = -np.inf
    for one, other in itertools.product(product.parts[moving].solids, product.parts[still].solids):
        share = generator.dirichlet(np.full(len(one), 0.4), 60)
        inner = generator.dirichlet(np.full(len(other), 0.4), 60)
        for way in np.linspace(0, 0.8, 17)[:, None] * -toward:
            low, high = (one + way).min(axis=0), (one + way).max(axis=0)
            if np.any(low > other.max(axis=0)) or np.any(high < other.min(axis=0)):
                continue
            worst = max(worst, depth_in(share @ one + way, other), depth_in(inner @ other - way, one))
    return worst


def test_no_part_passes_through_another_on_its_way(products: list[Product]) -> None:
    for product in products[:7]:
        for _, joining in joinings(product):
            there = list(joining.base)
            for entry in joining.entries:
                for moving, still in itertools.product(entry.parts, there):
                    assert deepest(product, moving, still, np.array(entry.toward), 1) < DEEP
                there += entry.parts


def test_what_a_step_has_built_stands(products: list[Product]) -> None:
    for product in products:
        for _, joining in joinings(product):
            up = np.array(joining.up)
            meshes = [
                trimesh.Trimesh(s.vertices, s.faces) for part in joining.joined for s in product.parts[part].shapes
            ]
            whole = trimesh.util.concatenate(meshes)
            heights = whole.vertices @ up
            feet = whole.vertices[heights < heights.min() + 0.002]
            volumes = np.array([abs(mesh.volume) for mesh in meshes])
            middle = np.average([mesh.convex_hull.center_mass for mesh in meshes], axis=0, weights=volumes)
            level = [axis for axis in range(3) if abs(up[axis]) < 0.5]
            sides = ConvexHull(feet[:, level]).equations
            assert (sides[:, :2] @ middle[level] + sides[:, 2]).max() < 0


@pytest.mark.slow
def test_a_set_has_the_sizes_of_real_manuals_and_many_looks() -> None:
    products = [drawn(number, 8) for number in range(84)]
    steps = [len(product.steps) for product in products]
    assert min(steps) >= 3 and max(steps) <= 10 and np.median(steps) == 4
    assert all(4 <= len(product.parts) <= 20 for product in products)
    looks = {
        (p.category, tuple(sorted(Counter((part.kind, part.look.colour) for part in p.parts).items())))
        for p in products
    }
    assert len(looks) >= 60
    assert set(Counter(product.category for product in products).values()) == {12}  # seven categories take turns


def entry_of(product: Product, change: Callable[[Entry], Entry], step: int = -1) -> Product:
    """The same product with another first entry in a step."""
    steps = list(product.steps)
    joining = steps[step].shown
    changed = replace(joining, entries=(change(joining.entries[0]), *joining.entries[1:]))
    steps[step] = AssemblyStep((changed, *steps[step].joinings[1:]))
    return replace(product, steps=tuple(steps))


def backwards(entry: Entry) -> Entry:
    x, y, z = entry.toward
    return replace(entry, toward=(-x, -y, -z))


def test_impossible_assemblies_are_named(products: list[Product]) -> None:
    chair = products[0]
    assert faults_of_assembly(chair) == []
    through = faults_of_assembly(entry_of(chair, backwards))
    assert any("passes through" in fault for fault in through)
    early = replace(chair, steps=(chair.steps[1], chair.steps[0], *chair.steps[2:]))
    assert any("was not built before" in fault for fault in faults_of_assembly(early))
    short = replace(chair, steps=chair.steps[:-1])
    assert any("are left that are not joined" in fault for fault in faults_of_assembly(short))
    twice = entry_of(chair, lambda entry: replace(entry, parts=chair.steps[-1].shown.base[:1]))
    assert any("a part twice" in fault for fault in faults_of_assembly(twice))
    part = chair.parts[-1]
    away = replace(part, shapes=tuple(s._replace(vertices=s.vertices + np.array([0.7, 0, 0.3])) for s in part.shapes))
    apart = faults_of_assembly(replace(chair, parts=(*chair.parts[:-1], away)))
    assert any("touches nothing" in fault for fault in apart)
    table = products[1]
    last = table.steps[-1].shown
    tipped = replace(last, up=(0.6, 0.0, 0.8))
    leaning = replace(table, steps=(*table.steps[:-1], AssemblyStep((tipped,))))
    assert any("falls over" in fault for fault in faults_of_assembly(leaning))


def test_drawn_lines_are_those_that_a_viewer_sees(products: list[Product]) -> None:
    for product in (products[0], products[4]):
        joining = product.steps[-1].shown
        shown = explode(product, joining)
        view = fitted(view_of(np.random.default_rng(3), joining), shown.points, (90, 190, 1010, 810))
        buffers = rasterize(shown.meshes, view, PAGE)
        whole = trimesh.util.concatenate([trimesh.Trimesh(m.vertices, m.faces) for all_ in shown.meshes for m in all_])
        lines = [line.points for all_ in shown.meshes for mesh in all_ for line in visible_lines(mesh, view, buffers)]
        middles = np.array([points.mean(axis=0) for points in lines])
        # A ray from the viewer's side through the middle of a line meets the furniture within 2 px of it.
        away = view.axes[2]
        flat = (middles - view.shift) / view.scale
        found = np.zeros(len(flat), bool)
        for dx, dy in itertools.product((-2, 0, 2), repeat=2):
            origins = (flat + np.array([dx, dy]) / view.scale) @ view.axes[:2] - 5 * away
            found |= whole.ray.intersects_any(origins, np.tile(away, (len(origins), 1)))
        assert found.mean() > 0.99
        # Nearly all corners that a ray from the viewer reaches first are ends of lines.
        corners = np.unique(np.round(whole.vertices, 5), axis=0)
        hits = whole.ray.intersects_location(corners - 5 * away, np.tile(away, (len(corners), 1)), multiple_hits=False)
        seen = corners[[r for p, r in zip(hits[0], hits[1], strict=True) if np.linalg.norm(p - corners[r]) < 1e-3]]
        ends = np.concatenate(lines)
        near = [np.linalg.norm(ends - view.flat(corner), axis=1).min() < 4 for corner in seen]
        assert len(near) > 10 and np.mean(near) > 0.9


@pytest.mark.slow
def test_a_page_without_number_is_the_page_but_for_the_number(products: list[Product]) -> None:
    product = products[2]
    for index, step in enumerate(product.steps):
        view = view_of(np.random.default_rng(index), step.shown)
        printed, clean = (np.asarray(draw_step(product, index, view, p).png()) for p in (True, False))
        rows, columns = np.nonzero((printed != clean).any(axis=2))
        assert rows.min() >= 40 and rows.max() <= 96 and columns.min() >= 40 and columns.max() <= 140
        assert (clean[30:110, 30:140] == 255).all()
        assert 0.005 < (clean < 128).mean() < 0.2


def test_the_svg_has_the_lines_of_the_picture(products: list[Product]) -> None:
    step = products[3].steps[0].shown
    drawing = draw_step(products[3], 0, view_of(np.random.default_rng(0), step))
    root = ElementTree.fromstring(drawing.svg())
    paths = root.findall("{http://www.w3.org/2000/svg}path")
    assert (int(root.attrib["width"]), int(root.attrib["height"])) == PAGE and len(paths) == len(drawing.marks)
    ink = np.asarray(drawing.png().convert("L"))
    for path in paths:
        if path.attrib["fill"] != "#ffffff":
            x, y = (float(value) for value in path.attrib["d"][1:].split(" ")[0].split(","))
            window = ink[max(0, int(y) - 3) : int(y) + 4, max(0, int(x) - 3) : int(x) + 4]
            assert window.min() < 200


def test_the_same_seed_gives_the_same_manual(tmp_path: Path) -> None:
    first, second = (make_manual(np.random.default_rng(4), "one", 2, tmp_path / name) for name in "ab")
    files = sorted(path.relative_to(tmp_path / "a") for path in (tmp_path / "a").rglob("*.*"))
    assert len(files) == 3 * len(first.steps) + 1
    assert all((tmp_path / "a" / file).read_bytes() == (tmp_path / "b" / file).read_bytes() for file in files)
    assert [step.description for step in first.steps] == [step.description for step in second.steps]


@pytest.mark.slow
def test_descriptions_agree_with_the_parts(tmp_path: Path) -> None:
    for number in range(7):
        procedure = make_manual(np.random.default_rng(number), "one", number, tmp_path / str(number))
        for step in procedure.steps:
            assert set(step.description) == {
                "parts", "action", "tools", "spatial", "result", "warnings", "fasteners", "arrow_directions"
            }  # fmt: skip
            verdict = cross_check(step.description, step.parts, step.connections)
            assert verdict.outcome != "inconsistent", (step.description, verdict)
            assert not any(char.isdigit() for name in ("parts", "action", "result") for char in step.description[name])


@pytest.mark.slow
def test_manuals_of_a_seed_are_asked_about(tmp_path: Path) -> None:
    bench = ct.build("ikea", "world:furniture:3", out=tmp_path / "bench", seed=2)
    assert {question.task for question in bench.questions} == {"D2"}
    assert bench.card.command.startswith("chronotope build ikea world:furniture:3 --seed 2 ")
    assert "--quality" not in bench.card.command
    read = read_procedures(tmp_path / "bench" / "procedures").procedures
    assert [procedure.id for procedure in read] == ["furniture-2-0000", "furniture-2-0001", "furniture-2-0002"]
    for procedure in read:
        for step in procedure.steps:
            assert step.diagram is not None
            with Image.open(step.diagram) as page:
                assert page.size == PAGE


@pytest.mark.parametrize(
    ("family", "world", "able"),
    [
        ("sti", "furniture", "world:house or world:stage or world:street or world:table or world:walk"),
        ("ikea", "table", "world:furniture"),
        ("m3", "stage", "world:house"),
        ("vgenst", "street", "world:stage"),
    ],
)
def test_families_refuse_worlds_about_which_they_ask_nothing(
    family: str, world: str, able: str, tmp_path: Path
) -> None:
    told = f"world:{world}:2: family {family} asks nothing about world:{world}: build from a folder, or from {able}$"
    with pytest.raises(ct.InputError, match=told):
        ct.build(family, f"world:{world}:2", out=tmp_path / "bench")
    assert not any(tmp_path.iterdir())


def test_manuals_without_takes_have_no_quality(tmp_path: Path) -> None:
    with pytest.raises(ct.InputError, match="--quality fast: world:furniture:2 draws no clips"):
        ct.build("ikea", "world:furniture:2", out=tmp_path / "bench", quality="fast")


@pytest.mark.slow
@pytest.mark.parametrize("number", [0, 4])
def test_a_photograph_shows_what_the_page_shows(number: int) -> None:
    """The masks of the engine have the groups where the page has them, and no other part."""
    from chronotope.world.furniture.filmed.photos import stage_photos
    from chronotope.world.quality import Quality
    from chronotope.world.render import render

    product, quality = drawn(number), Quality("fast", 200, 150, 8, (0.0, 0.0), 256, 0, 22)
    generator = np.random.default_rng(number)
    views = [view_of(generator, step.shown) for step in product.steps]
    film_set, focal, cameras = stage_photos(product, views, f"furniture-0-{number}", quality)
    for step, view, frame in zip(product.steps, views, render(film_set, quality, focal, cameras), strict=True):
        shown = explode(product, step.shown)
        assert set(np.unique(frame.identities)) - {0} <= {1 + part for part in step.shown.joined}
        page = rasterize(shown.meshes, fitted(view, shown.points, (0, 0, 200, 150)), (200, 150)).identity
        places = []
        for at, group in enumerate(step.shown.groups):
            of_group = np.isin(frame.identities, [1 + part for part in group])
            assert of_group.any() and not of_group[[0, -1]].any() and not of_group[:, [0, -1]].any()
            places.append([np.argwhere(mask).mean(axis=0) for mask in (page == at, of_group)])
        apart = np.array(places)[1:] - np.array(places)[:1]  # of the new groups from the base, on the page and here
        for one, other in apart:
            cosine = one @ other / np.linalg.norm(one) / np.linalg.norm(other)
            assert cosine > 0.95 or np.linalg.norm(one) < 10


def test_photographs_change_no_other_file(tmp_path: Path) -> None:
    from chronotope.recording.procedures import load_procedure, save_procedure

    calls = []

    def photograph(product: Product, views: Sequence[View], name: str, folder: Path) -> list[Path]:
        calls.append((product.name, len(views), name))
        files = [folder / f"photo-{at}.png" for at in range(len(views))]
        for file in files:
            Image.new("RGB", (8, 8)).save(file)
        return files

    made = [
        make_manual(np.random.default_rng(3), "furniture-3-0003", 3, tmp_path / kind, *of)
        for kind, of in (("plain", ()), ("more", (photograph,)))
    ]
    assert calls == [(made[0].product, len(made[0].steps), "furniture-3-0003")]
    for file in (tmp_path / "plain").rglob("*.*"):
        assert file.read_bytes() == (tmp_path / "more" / file.relative_to(tmp_path / "plain")).read_bytes()
    save_procedure(made[1], tmp_path / "more")
    assert load_procedure(tmp_path / "more").steps == made[1].steps
