"""People look like people: real heights, named colours, whole meshes, and skin only where no cloth is."""

import re
import runpy
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import trimesh
from scipy.spatial import cKDTree
from scipy.spatial.transform import Rotation

from chronotope.errors import InputError
from chronotope.world.film_set import FilmSet, Light, Placement
from chronotope.world.people import Person, draw_person, forearm_of
from chronotope.world.people.body import AGE_GROUPS, ANCESTRIES, SEXES, draw_build, make_body
from chronotope.world.people.garments import CUTS
from chronotope.world.people.hair import STYLES, draw_hair_kind
from chronotope.world.people.motion import Stand, perform
from chronotope.world.people.pack import FILE, open_pack
from chronotope.world.people.sheet import normals_of
from chronotope.world.people.wardrobe import WORN, draw_clothes
from chronotope.world.quality import Quality
from chronotope.world.render import open_renderer, render
from chronotope.world.rig import Rig, blend
from chronotope.world.shadow_caster import caster_of
from chronotope.world.slabs import slab
from chronotope.world.things import COLOURS, Look
from chronotope.world.things.colour_table import COLOUR_WORDS
from chronotope.world.things.colours import lab
from tiers import complete_after

LARGEST = 4_000_000  # bytes of the pack
# Least and largest statures (m): the 2nd and the 98th percentile, rounded outwards. Adults: NHANES 2015 to 2018;
# children from 6 to 12 years: WHO growth reference 2007 (the 2nd at 6 years, the 98th at 12 years).
STATURES = {
    ("female", "adult"): (1.47, 1.77),
    ("male", "adult"): (1.60, 1.92),
    ("female", "old"): (1.45, 1.73),
    ("male", "old"): (1.58, 1.88),
    ("female", "child"): (1.04, 1.66),
    ("male", "child"): (1.05, 1.65),
}
QUALITY = Quality("fast", 480, 360, 10, (1.0, 1.0), 0, 0, 20)
LIGHTS = (
    Light((1.7, 1.2, 2.4), (-0.62, -0.4, -0.65), (0.6, 0.58, 0.53)),
    Light((0.0, 0.0, 2.5), (0.0, 0.0, -1.0), (0.22, 0.22, 0.21)),
)
ARMS_DOWN = {"LeftShoulder": (-10, 0, 0), "RightShoulder": (10, 0, 0), "LeftArm": (-28, 0, 0), "RightArm": (28, 0, 0)}
POSES = {  # turns (degrees) about the axes of the person's frame
    "standing": {},
    "left leg ahead": {"LeftUpLeg": (0, -35, 0), "RightUpLeg": (0, 25, 0), "RightLeg": (0, 35, 0)},
    "right leg ahead": {"RightUpLeg": (0, -35, 0), "LeftUpLeg": (0, 25, 0), "LeftLeg": (0, 35, 0)},
    "reaching ahead": {"RightArm": (28, -60, 0), "RightForeArm": (0, -30, 0)},
    "reaching aside": {"LeftArm": (32, 0, 0), "RightArm": (-32, 0, 0)},
    "both arms up": {"LeftArm": (0, -60, 0), "RightArm": (0, -60, 0), "LeftForeArm": (0, -40, 0)},
    "sitting": {"LeftUpLeg": (0, -85, 0), "RightUpLeg": (0, -85, 0), "LeftLeg": (0, 85, 0), "RightLeg": (0, 85, 0)},
    "bending": {"Spine": (0, 15, 0), "Spine1": (0, 15, 0), "Spine2": (0, 10, 0)},
    "a knee raised": {"LeftUpLeg": (0, -60, 0), "LeftLeg": (0, 60, 0)},
    "turning": {"Spine": (0, 0, 15), "Spine1": (0, 0, 15), "Neck": (0, 0, 20), "Head": (0, 0, 20)},
}  # fmt: skip
LOST = 0.05  # largest share of the skin under cloth that a pose may uncover, at the very ends of sleeves and legs
HOLES = 0.004  # largest share of the pixels of a person in which one sees the inside of cloth


def posed(person: Person, turns: dict[str, tuple[float, float, float]], shift: float = 0.0) -> Person:
    """The person at the turns of its joints, moved by ``shift`` (m) to the left; by kinematics of the test's own."""
    path = np.zeros((1, len(person.joints), 4, 4))
    for number, name in enumerate(person.joints):
        pose = np.eye(4)
        pose[:3, :3] = Rotation.from_rotvec(turns.get(name, (0, 0, 0)), degrees=True).as_matrix()
        parent = person.parents[number]
        start = person.rest[number, :3, 3] - (person.rest[parent, :3, 3] if parent >= 0 else 0)
        pose[:3, 3] = start + (np.array([0, shift, 0]) if parent < 0 else 0)
        path[0, number] = pose if parent < 0 else path[0, parent] @ pose
    rig = Rig(person.joints, person.rest, path, person.bindings)
    pieces = (replace(p, vertices=rig.posed(k, p.vertices, 0)) for k, p in enumerate(person.thing.pieces))
    return replace(person, thing=replace(person.thing, pieces=tuple(pieces)))


def look_from(eye: tuple[float, float, float], at: tuple[float, float, float]) -> np.ndarray:
    forward = np.subtract(at, eye) / np.linalg.norm(np.subtract(at, eye))
    right = np.cross(forward, [0, 0, 1.0])
    right /= np.linalg.norm(right)
    pose = np.eye(4)
    pose[:3, :3], pose[:3, 3] = np.stack([right, np.cross(forward, right), forward], axis=1), eye
    return pose


@pytest.fixture(scope="module")
def people() -> list[Person]:
    return [draw_person(np.random.default_rng(seed)) for seed in range(4)]


def test_the_pack_is_small_and_its_licence_lies_beside_it() -> None:
    assert FILE.stat().st_size <= LARGEST
    licence = FILE.with_name("LICENCE.md").read_text(encoding="utf-8")
    assert "CC0" in licence and "MakeHuman" in licence and "mpfb2" in licence


def test_the_pack_is_written_the_same_way_every_time(tmp_path: Path) -> None:
    script = runpy.run_path(str(Path(__file__).parents[2] / "scripts" / "make_people.py"))
    with np.load(FILE, allow_pickle=False) as stored:
        arrays = {name: stored[name] for name in stored.files}
    for name in ("a.npz", "b.npz"):
        script["write"](tmp_path / name, arrays)
    assert (tmp_path / "a.npz").read_bytes() == (tmp_path / "b.npz").read_bytes()
    with np.load(tmp_path / "a.npz", allow_pickle=False) as again:
        assert all(np.array_equal(again[name], array) for name, array in arrays.items())


def test_every_vertex_of_the_pack_moves_with_at_most_six_joints() -> None:
    pack = open_pack()
    assert pack.weights.bones.shape[1] <= 6 and np.allclose(pack.weights.shares.sum(axis=1), 1)
    assert pack.weights.bones.max() < len(pack.joint_names) == 52
    assert pack.joint_names[0] == "Hips" and pack.parents[0] == -1
    assert all(parent < child for child, parent in enumerate(pack.parents)), "parents come first"


def test_heights_are_those_of_people() -> None:
    generator = np.random.default_rng(4)
    skin = np.unique(open_pack().faces["body"])
    drawn: dict[tuple[str, str], list[float]] = {}
    heads: dict[str, list[float]] = {}
    for number in range(60):
        sex, age = SEXES[number % 2], AGE_GROUPS[number // 2 % 3]
        body = make_body(draw_build(generator, sex, age, ANCESTRIES[number % 3]))
        height = float(np.ptp(body.vertices[skin, 2]))
        low, high = STATURES[sex, age]
        assert low <= height <= high and height == pytest.approx(body.build.stature, abs=1e-6)
        drawn.setdefault((sex, age), []).append(height)
        over_eyes = body.vertices[skin, 2].max() - body.vertices[open_pack().faces["left_eye"][0, 0], 2]
        heads.setdefault(age, []).append(float(over_eyes) / height)
    # The head is 1/6 to 1/7 of the body of a child, and 1/7.5 of that of an adult.
    assert np.mean(heads["child"]) > 1.08 * np.mean(heads["adult"])
    means = {key: np.mean(values) for key, values in drawn.items()}
    for age in ("adult", "old"):
        assert 0.08 < means["male", age] - means["female", age] < 0.20
    assert max(means[sex, "child"] for sex in SEXES) < 1.45


def test_a_person_is_whole(people: list[Person]) -> None:
    for person in people:
        assert len(person.thing.pieces) == len(person.bindings) == len(person.parts)
        floor = min(piece.vertices[:, 2].min() for piece in person.thing.pieces)
        assert abs(floor) < 1e-6, "the soles are on the floor"
        assert np.array_equal(person.rest[:, :3, :3], np.tile(np.eye(3), (52, 1, 1)))
        assert np.abs(person.rest[0, :2, 3]).max() < 1e-6, "the hips are over the origin"
        for piece, weights, part in zip(person.thing.pieces, person.bindings, person.parts, strict=True):
            assert np.isfinite(piece.vertices).all() and len(weights.bones) == len(piece.vertices)
            assert np.allclose(weights.shares.sum(axis=1), 1, atol=1e-9) and (weights.shares >= 0).all()
            assert np.array_equal(np.unique(piece.faces), np.arange(len(piece.vertices))), part
            a, b, c = piece.vertices[piece.faces].transpose(1, 0, 2)
            areas = np.linalg.norm(np.cross(b - a, c - a), axis=1) / 2
            assert (areas > 1e-10).mean() > 0.995, part
            edges = np.concatenate([piece.faces[:, [0, 1]], piece.faces[:, [1, 2]], piece.faces[:, [2, 0]]])
            assert len(np.unique(edges, axis=0)) == len(edges), f"{part}: all faces are on the same side"
            assert (piece.look.texture is None) == (piece.uv is None)
        assert sum(len(piece.faces) for piece in person.thing.pieces) < 16_500
        still = posed(person, {})
        for piece, moved in zip(person.thing.pieces, still.thing.pieces, strict=True):
            assert np.abs(piece.vertices - moved.vertices).max() < 1e-9


def test_faces_look_outwards(people: list[Person]) -> None:
    """A ray from the middle of the trunk or the head leaves cloth and hair through their front sides."""
    for person in people:
        for piece, part in zip(person.thing.pieces, person.parts, strict=True):
            if part not in ("hair", "T-shirt", "pullover", "shoes"):
                continue
            a, b, c = piece.vertices[piece.faces].transpose(1, 0, 2)
            # The flux of x through an outer surface is its volume; the small folds inside take little away.
            assert np.einsum("ij,ij->", a - piece.vertices.mean(axis=0), np.cross(b - a, c - a)) > 0, part


def test_people_are_called_as_people_call_them(people: list[Person]) -> None:
    nouns = "|".join(CUTS)
    for person in people:
        label = person.thing.label
        found = re.fullmatch(rf"(old )?(man|woman|boy|girl) in the ((?:light |dark )?\w+) ({nouns})", label)
        assert found, label
        assert (found[1] is not None) == (person.age == "old")
        assert found[2] in {"child": ("boy", "girl")}.get(person.age, ("man", "woman"))
        assert (found[2] in ("man", "boy")) == (person.sex == "male")
        assert (found[4], found[3]) == (person.garments[0].noun, person.garments[0].colour)
        assert person.thing.colour == found[3] and COLOUR_WORDS[found[3].split()[-1]] in COLOURS


def test_a_caller_can_choose_sex_age_hair_clothes_and_colours() -> None:
    person = draw_person(
        np.random.default_rng(3),
        "female",
        "old",
        "asian",
        "bun",
        ("jeans", "shirt"),
        {"shirt": "yellow", "jeans": "blue"},
    )
    assert person.thing.label == "old woman in the yellow shirt"
    assert {garment.called for garment in person.garments} == {"yellow shirt", "blue jeans"}
    assert person.parts.count("hair") == 2, "a cap and a bun"
    boy = draw_person(
        np.random.default_rng(3),
        "male",
        "child",
        garments=("shorts", "T-shirt"),
        colours={"shorts": "red", "T-shirt": "white"},
    )
    assert boy.thing.label == "boy in the red shorts"


@pytest.mark.parametrize(
    "wrong",
    [
        {"sex": "neither"}, {"age": "baby"}, {"ancestry": "martian"}, {"hair": "mohawk"}, {"garments": ("toga",)},
        {"garments": ("T-shirt",)}, {"garments": ("dress", "jeans")}, {"garments": ()},
        {"garments": ("T-shirt", "jeans"), "colours": {"jeans": "golden"}}, {"colours": {"scarf": "red"}},
    ],
    ids=str,
)  # fmt: skip
def test_what_does_not_exist_is_refused(wrong: dict) -> None:
    with pytest.raises(InputError, match="world: "):
        draw_person(np.random.default_rng(0), **wrong)


def test_the_same_seed_draws_the_same_person() -> None:
    first, second = (draw_person(np.random.default_rng(11)) for _ in range(2))
    assert first.thing.label == second.thing.label and np.array_equal(first.rest, second.rest)
    for one, other in zip(first.thing.pieces, second.thing.pieces, strict=True):
        assert np.array_equal(one.vertices, other.vertices) and np.array_equal(one.faces, other.faces)
        assert one.look.colour == other.look.colour
        assert one.look.texture is None or np.array_equal(one.look.texture, other.look.texture)


def test_every_garment_hair_and_colour_appears() -> None:
    generator = np.random.default_rng(6)
    nouns: set[str] = set()
    colours: set[str] = set()
    kinds: set[str] = set()
    for number in range(300):
        sex, age, ancestry = SEXES[number % 2], AGE_GROUPS[number // 2 % 3], ANCESTRIES[number // 6 % 3]
        kinds.add(draw_hair_kind(generator, sex, age, ancestry))
        clothes = draw_clothes(generator, sex, age)
        assert len({garment.colour for garment in clothes}) == len(clothes)
        nouns |= {garment.noun for garment in clothes}
        colours |= {garment.colour for garment in clothes}
    assert nouns == set(CUTS) and kinds == set(STYLES) and colours == set(WORN)
    assert len(WORN) >= 16 and len(CUTS) >= 6 and len(STYLES) >= 4


@pytest.mark.usefixtures("drawable")
@pytest.mark.parametrize(
    "names",
    [("yellow", "dark blue", "light green"), pytest.param(tuple(WORN), marks=[pytest.mark.slow, pytest.mark.complete])],
    ids=("some", "all"),
)
def test_clothes_have_the_colours_by_which_they_are_called(names: tuple[str, ...]) -> None:
    """The mean colour of the pixels of a T-shirt is nearest to the painted colour that names it."""
    people = [
        draw_person(np.random.default_rng(5), garments=("T-shirt", "trousers"), age="adult", colours={"T-shirt": name})
        for name in names
    ]
    painted = {name: lab(np.array(srgb)) for name, srgb in WORN.items()}
    floor = slab((14, 14, 0.1), (0, 0, -0.05), Look((0.5, 0.45, 0.4), 0, 0))
    per = 6
    for first in range(0, len(names), per):
        placements = []
        group = people[first : first + per]
        for number, person in enumerate(group):
            made = posed(person, ARMS_DOWN, 0.8 * (2.5 - number))
            shirt = made.parts.index("T-shirt")
            rest = tuple(piece for k, piece in enumerate(made.thing.pieces) if k != shirt)
            for pieces in ((made.thing.pieces[shirt],), rest):
                thing = replace(made.thing, pieces=pieces)
                placements.append(Placement(f"p{len(placements)}", thing, np.eye(4)))
        with open_renderer(FilmSet(tuple(placements), (floor,), LIGHTS), QUALITY, 330.0) as renderer:
            drawn = renderer.draw(look_from((5.0, 0, 1.5), (0, 0, 1.1)))
        for number, name in enumerate(names[first : first + per]):
            seen = drawn.rgb[drawn.identities == 1 + 2 * number]
            assert len(seen) > 300
            mean = lab(seen.mean(axis=0) / 255)
            # Light and shade change the lightness, so it counts half, as in the catalogue's own check.
            away = {other: np.linalg.norm((mean - at) * (0.5, 1, 1)) for other, at in painted.items()}
            nearest = min(away, key=away.__getitem__)
            assert nearest.split()[-1] == name.split()[-1], (name, nearest, away[name])


def under_cloth(person: Person, reach: float, whole: bool = True) -> np.ndarray:
    """The faces (F,) bool of the skin whose rays outwards meet cloth within reach (m).

    Rays start at the middles of the faces and, for ``whole`` faces, also near their corners.
    """
    skin = person.thing.pieces[person.parts.index("skin")]
    worn = [p for p, part in zip(person.thing.pieces, person.parts, strict=True) if part in (*CUTS, "shoes", "socks")]
    a, b, c = np.concatenate([piece.vertices[piece.faces] for piece in worn]).transpose(1, 0, 2)
    corners = skin.vertices[skin.faces]
    ways = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    ways /= np.maximum(np.linalg.norm(ways, axis=1, keepdims=True), 1e-12)
    middle = corners.mean(axis=1)
    under = cKDTree(np.concatenate([a, b, c])).query(middle)[0] < reach + 0.03
    for point in (middle, *(0.1 * middle + 0.9 * corners[:, k] for k in range(3 if whole else 0))):
        rows = np.flatnonzero(under)
        under[rows] = meets(point[rows], ways[rows], (a, b, c), reach)
    return under


def meets(start: np.ndarray, way: np.ndarray, triangles: tuple[np.ndarray, ...], reach: float) -> np.ndarray:
    """The rays (N,) bool that meet a triangle within reach (Moeller and Trumbore 1997)."""
    a, b, c = triangles
    found = np.zeros(len(start), bool)
    for first in range(0, len(start), 200):
        o, d = start[first : first + 200, None], way[first : first + 200, None]
        h = np.cross(d, c - a)
        with np.errstate(divide="ignore", invalid="ignore"):
            inverse = 1 / np.einsum("fi,rfi->rf", b - a, h)
            s = o - a
            u = np.einsum("rfi,rfi->rf", s, h) * inverse
            q = np.cross(s, b - a)
            v = np.einsum("rfi,rfi->rf", np.broadcast_to(d, q.shape), q) * inverse
            t = np.einsum("fi,rfi->rf", c - a, q) * inverse
            found[first : first + 200] = ((u >= 0) & (v >= 0) & (u + v <= 1) & (t > 0) & (t < reach)).any(axis=1)
    return found


def comes_through(person: Person, poses: list[str]) -> dict[str, float]:
    """The share of the skin under cloth at rest that has no cloth over it in a pose, by pose."""
    covered = under_cloth(person, 0.05)
    assert covered.sum() > 30, "sleeves, legs and collars have skin inside"
    lost = {}
    for name in poses:
        bare = ~under_cloth(posed(person, ARMS_DOWN | POSES[name]), 0.10, whole=False)
        lost[name] = float((covered & bare).sum() / covered.sum())
    return lost


def holes(person: Person, poses: list[str]) -> dict[tuple[str, int], float]:
    """The share of a person's pixels in which the nearest surface shows its back, with nothing within 2 cm behind it.

    The engine does not draw backs of faces, so that one would see through the person there.
    """
    shares: dict[tuple[str, int], float] = {}
    for name in poses:
        thing = posed(person, ARMS_DOWN | POSES[name]).thing
        backs = replace(thing, pieces=tuple(replace(piece, faces=piece.faces[:, ::-1]) for piece in thing.pieces))
        placements = Placement("front", thing, np.eye(4)), Placement("back", backs, np.eye(4))
        views = [
            look_from((3 * np.cos(turn), 3 * np.sin(turn), 1.3), (0, 0, 0.85)) for turn in np.radians([0, 90, 180, 270])
        ]
        both, alone = (list(render(FilmSet(placements[:count], (), LIGHTS), QUALITY, 400.0, views)) for count in (2, 1))
        for number, (drawn, shown) in enumerate(zip(both, alone, strict=True)):
            behind = np.nan_to_num(shown.depth, nan=np.inf) - drawn.depth
            seen = drawn.identities > 0
            shares[name, 90 * number] = float(((drawn.identities == 2) & (behind > 0.02)).sum() / seen.sum())
    return shares


@pytest.mark.slow
def test_no_skin_comes_through_cloth(people: list[Person]) -> None:
    lost = comes_through(people[0], ["reaching ahead"])
    assert max(lost.values()) <= LOST, lost
    number = people[0].parts.index("skin")
    skin = people[0].thing.pieces[number]
    swollen = skin.vertices + 0.03 * normals_of(skin.vertices, skin.faces)
    pieces = list(people[0].thing.pieces)
    pieces[number] = replace(skin, vertices=swollen)
    covered = under_cloth(people[0], 0.05)
    fat = replace(people[0], thing=replace(people[0].thing, pieces=tuple(pieces)))
    assert (covered & ~under_cloth(fat, 0.10, whole=False)).sum() > 3 * LOST * covered.sum(), "swollen skin is found"


@pytest.mark.usefixtures("drawable")
def test_nobody_has_holes(people: list[Person]) -> None:
    shares = holes(people[0], ["right leg ahead"])
    assert max(shares.values()) < HOLES, shares


@pytest.mark.slow
@pytest.mark.usefixtures("drawable")
@pytest.mark.parametrize("seed", complete_after(1, range(20, 26)))
def test_cloth_covers_people_in_all_poses(seed: int) -> None:
    person = draw_person(np.random.default_rng(seed))
    lost, shares = comes_through(person, list(POSES)), holes(person, list(POSES))
    assert max(lost.values()) <= LOST, lost
    assert max(shares.values()) < HOLES, shares


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(3))
def test_what_casts_the_shadow_of_a_chest_stays_under_the_cloth(seed: int) -> None:
    """From the middle of each face of the caster, both ways along its normal meet cloth or skin."""
    rng = np.random.default_rng([31, seed])
    person = draw_person(rng, "male", "adult", garments=("pullover", "jeans"))
    rig = perform(person, np.array([0.0, 0.1]), [Stand(1.0)], start=np.zeros(3)).rig(person)
    seen = rig.joined(person.thing.pieces)
    caster = caster_of(seen, rig.rest[:, :3, 3])
    moved = rig.transforms(0)
    body = trimesh.Trimesh(blend(moved, seen.weights, seen.vertices), seen.faces, process=False)
    a, b, c = blend(moved, caster.weights, caster.vertices)[caster.faces].transpose(1, 0, 2)
    chest = caster.weights.bones[caster.faces[:, 0], 0] == rig.joints.index("Spine2")
    chest &= (a + b + c)[:, 0] / 3 > 0.05  # the front
    middles, ways = ((a + b + c) / 3)[chest], np.cross(b - a, c - a)[chest]
    ways /= np.linalg.norm(ways, axis=1, keepdims=True)
    assert len(middles) > 50
    assert all(body.ray.intersects_any(middles, sign * ways).all() for sign in (-1, 1))


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(2))
def test_what_casts_the_shadow_of_a_neck_stays_under_the_collar(seed: int) -> None:
    """Else faces that span the hollow between a collar and the neck darken both in patches."""
    rng = np.random.default_rng([31, seed])
    person = draw_person(rng, ("male", "female")[seed], "adult", garments=("shirt", "jeans"))
    rig = perform(person, np.array([0.0, 0.1]), [Stand(1.0)], start=np.zeros(3)).rig(person)
    seen = rig.joined(person.thing.pieces)
    caster = caster_of(seen, rig.rest[:, :3, 3])
    upper = np.isin(caster.weights.bones[caster.faces[:, 0], 0], [rig.joints.index(j) for j in ("Spine2", "Neck")])
    corners = caster.vertices[caster.faces[upper]]
    ways = np.repeat(np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]), 4, axis=0)
    ways /= np.linalg.norm(ways, axis=1, keepdims=True)
    shares = np.array([[1, 1, 1], [2, 0.5, 0.5], [0.5, 2, 0.5], [0.5, 0.5, 2]]) / 3
    points = np.einsum("kc,fci->fki", shares, corners).reshape(-1, 3)
    body = trimesh.Trimesh(seen.vertices, seen.faces, process=False)
    out = ~np.all([body.ray.intersects_any(points, sign * ways) for sign in (-1, 1)], axis=0)
    assert len(points) > 500 and out.sum() <= 4, "a line that misses the surface by rounding is not counted"


def test_a_forearm_is_the_arm_of_the_same_person() -> None:
    person = draw_person(np.random.default_rng(2), garments=("shirt", "jeans"))
    for side, sign in (("Left", 1), ("Right", -1)):
        arm = forearm_of(person, side)
        assert arm.joints == person.joints and np.array_equal(arm.rest, person.rest)
        assert set(arm.parts) == {"skin", "shirt"}
        elbow = person.rest[person.joints.index(f"{side}ForeArm"), :3, 3]
        tip = person.rest[person.joints.index(f"{side}HandMiddle3"), :3, 3]
        points = np.concatenate([piece.vertices for piece in arm.thing.pieces])
        assert (points[:, 1] * sign > 0).all(), "only one side"
        assert np.linalg.norm(points - elbow, axis=1).min() < 0.09 and np.linalg.norm(points - tip, axis=1).max() < 0.75
        assert (np.linalg.norm(points - tip, axis=1) < 0.02).any(), "the fingers are there"
        whole = np.concatenate([piece.vertices for piece in person.thing.pieces])
        near, _ = cKDTree(whole).query(points)
        assert (near < 1e-9).mean() > 0.97, "all but the caps at the elbow are of the whole person"
        for piece, weights in zip(arm.thing.pieces, arm.bindings, strict=True):
            assert len(piece.vertices) == len(weights.bones) and np.allclose(weights.shares.sum(axis=1), 1)
