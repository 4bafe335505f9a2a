"""Draw the pictures of the manual's page of looks: everything that simulated worlds have, mostly in baked light.

python examples/looks_sheets.py [--out docs/images] [--only people street]

The same pictures come out on every run. They take about ten minutes of CPU time, most of it for the home and the
street. No assets are used, so all things in them are those that Chronotope draws itself.
"""

import argparse
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
from PIL import Image

from chronotope.question import item_generator
from chronotope.world import world_kinds
from chronotope.world.articulation import Switch, place_articulated
from chronotope.world.camera import intrinsics_of, look_at
from chronotope.world.film_set import CeilingLamp, Daylight, FilmSet, Light, Placement
from chronotope.world.light import DETAILS, Baked, bake_states
from chronotope.world.people import Person, draw_person, forearm_of
from chronotope.world.people.motion import Act, Carry, Grasp, Performance, Place, Sit, Stand, Turn, Walk, perform
from chronotope.world.quality import Quality, QualityName
from chronotope.world.render import open_renderer
from chronotope.world.slabs import slab
from chronotope.world.street import draw_fixture, draw_vehicle, fixture_types, vehicle_types
from chronotope.world.things import Look, Thing, draw_thing
from chronotope.world.things.articulated import draw_articulated
from chronotope.world.things.open_tops import CONTAINERS, draw_container
from chronotope.world.things.signs import SIGNS, draw_sign
from chronotope.world.town import LANDMARKS, Clearing, draw_landmark, draw_town

MOST = 118_000  # bytes of a picture
SAMPLES, SUN_MAP = 8, 4096  # for each pixel; px of the shadow map of what is not baked
FIELD = 30.0  # degrees
TALL = 1.85  # m, height of the view of a standing person
FLOOR, WALL, CEILING = (
    Look((0.60, 0.53, 0.45), 0.05, 0.1),
    Look((0.80, 0.79, 0.75), 0.0, 0.0),
    Look((0.93, 0.93, 0.92), 0.0, 0.0),
)
ASPHALT = Look((0.47, 0.48, 0.50), 0.0, 0.0)
TABLE = Look((0.55, 0.40, 0.27), 0.1, 0.2)
SUN = Daylight((0.55, -0.5, 0.67), window=8.0)
LOT = 14.0  # m between things on the lot
WORDS = {"direction": "STATION", "street": "HARBOUR ROAD", "shop": "BAKERY", "door": "OFFICE 12", "speed limit": "30"}
GARMENTS = (
    ("T-shirt", "jeans"), ("shirt", "trousers"), ("dress",), ("pullover", "jeans"), ("T-shirt", "skirt"),
    ("shirt", "jacket", "trousers"), ("T-shirt", "shorts"), ("pullover", "skirt"),
)  # fmt: skip

Drawing = Callable[[], Image.Image]


def drawn(
    film_set: FilmSet,
    cameras: Sequence[np.ndarray],
    size: tuple[int, int],
    baked: Sequence[Baked],
    field: float = FIELD,
) -> list[np.ndarray]:
    """Draw the frames of a set, one camera pose for each."""
    quality = Quality("photo", *size, 10, (1.0, 1.0), 0 if baked else SUN_MAP, SAMPLES, 18, baked=bool(baked))
    with open_renderer(film_set, quality, float(intrinsics_of(field, *size)[1, 1]), baked) as renderer:
        return [renderer.draw(camera, frame).rgb for frame, camera in enumerate(cameras)]


def light_of(film_set: FilmSet) -> tuple[Baked, ...]:
    """Bake the light of each stage of a set."""
    return tuple(bake_states([stage for _, stage in film_set.stages], detail=DETAILS["fine"]))


def grid(tiles: Sequence[np.ndarray], columns: int) -> Image.Image:
    """Put tiles of one size side by side, in rows."""
    tiles = [*tiles, *[np.full_like(tiles[0], 255)] * (-len(tiles) % columns)]
    rows = [np.concatenate(tiles[k : k + columns], axis=1) for k in range(0, len(tiles), columns)]
    return Image.fromarray(np.concatenate(rows))


def view_of(target: Sequence[float], distance: float, azimuth: float, height: float) -> np.ndarray:
    """Return a camera (4, 4) that looks at a point from a distance (m), at angles (degrees) around and above it."""
    a, h = np.radians((azimuth, height))
    eye = np.array(target) + distance * np.array([np.cos(a) * np.cos(h), np.sin(a) * np.cos(h), np.sin(h)])
    return look_at(eye[None], np.array(target, float)[None])[0]


def studio(*placements: Placement, seat: float | None = None) -> FilmSet:
    """Return a bright room of 12 m by 9 m; a ``seat`` is the height (m) of a stool at its middle."""
    pieces = [
        slab((12, 9, 0.1), (0, 0, -0.05), FLOOR),
        slab((12, 9, 0.1), (0, 0, 2.95), CEILING),
        *(slab((12, 0.1, 2.9), (0, y, 1.45), WALL) for y in (-4.5, 4.5)),
        *(slab((0.1, 9, 2.9), (x, 0, 1.45), WALL) for x in (-6.0, 6.0)),
    ]
    if seat is not None:
        pieces.append(slab((0.36, 0.42, seat), (-0.30, 0, seat / 2), TABLE))
    lamps = tuple(CeilingLamp((x, y, 2.9), 0.9, 5.0) for x in (-2.2, 2.2) for y in (-1.6, 1.6))
    lights = (Light((0.4, -1.8, 2.8), (0.0, 0.5, -0.85), (0.5, 0.5, 0.48), shadows=True),)
    return FilmSet(placements, tuple(pieces), lights, far=20.0, near=0.05, lamps=lamps)


def standing(person: Person) -> Performance:
    """Let a person stand at the middle of the studio."""
    return perform(person, np.array([0.0, 0.1]), [Stand(1.0)], start=np.zeros(3))


def cast() -> list[Person]:
    """Draw sixteen people: of both sexes, all ages and origins, in all garments."""
    people = []
    for number in range(16):
        sex = ("female", "male")[number % 2]
        worn = GARMENTS[number % len(GARMENTS)] if number < 8 else GARMENTS[(number + 3) % len(GARMENTS)]
        if sex == "male":
            worn = tuple({"skirt": "trousers", "dress": "T-shirt"}.get(noun, noun) for noun in worn)
            worn = (*worn, "jeans") if worn == ("T-shirt",) else worn
        people.append(
            draw_person(
                np.random.default_rng([7, number]), sex, ("adult", "adult", "old", "child")[number // 2 % 4],
                ("african", "asian", "caucasian")[number % 3], garments=worn,
            )
        )  # fmt: skip
    return people


def people() -> Image.Image:
    """Draw all people of the cast."""
    baked = light_of(studio())
    tiles = []
    for person in cast():
        camera = view_of((0.0, 0.0, 0.5 * TALL), TALL / 2 / np.tan(np.radians(FIELD / 2)) * 1.1, -18, 4)
        film_set = studio(standing(person).placement("person", person))
        tiles += drawn(film_set, [camera], (120, 240), baked)
    return grid(tiles, 8)


def hair() -> Image.Image:
    """Draw all kinds of hair, from the front and from the side."""
    baked = light_of(studio())
    kinds = (
        ("short", "male", "adult"), ("cropped", "male", "adult"), ("curly", "male", "adult"),
        ("fringe of hair", "male", "old"), ("long", "female", "adult"), ("bob", "female", "child"),
        ("ponytail", "female", "adult"), ("bun", "female", "old"),
    )  # fmt: skip
    rows: tuple[list[np.ndarray], list[np.ndarray]] = ([], [])
    for number, (kind, sex, age) in enumerate(kinds):
        person = draw_person(np.random.default_rng([11, number]), sex, age, hair=kind)
        film_set = studio(standing(person).placement("person", person))
        target = (0.02, 0.0, 0.915 * person.height)
        for row, azimuth in zip(rows, (-25, -105), strict=True):
            row += drawn(film_set, [view_of(target, 0.95, azimuth, 3)], (150, 180), baked)
    return grid([*rows[0], *rows[1]], 8)


def strip(person: Person, acts: Sequence[Act], seconds: tuple[float, float], *things: Placement, **more: float) -> list:
    """Draw eight moments of acts, from the side; the camera goes along."""
    times = np.arange(round(seconds[1] * 30) + 1) / 30
    done = perform(person, times, acts, things, start=np.zeros(3))
    chosen = np.linspace(seconds[0] * 30, len(times) - 1, 8).astype(int)
    film_set = studio(done.placement("person", person), *done.moved(), **more)
    film_set = replace(film_set, placements=tuple(_at_frames(each, chosen) for each in film_set.placements))
    if "table" in {each.id for each in things}:
        film_set = replace(film_set, placements=(*film_set.placements, next(t for t in things if t.id == "table")))
    cameras = [view_of((x, 0.0, 0.93), 4.1, -68, 5) for x in done.path[chosen, 0, 3]]
    return drawn(film_set, cameras, (120, 200), light_of(film_set))


def _at_frames(placement: Placement, frames: np.ndarray) -> Placement:
    """Return a placement at chosen frames only."""
    rig = None if placement.rig is None else replace(placement.rig, path=placement.rig.path[frames])
    path = None if placement.path is None else placement.path[frames]
    return replace(placement, pose=placement.pose if path is None else path[0], path=path, rig=rig)


def acts() -> Image.Image:
    """Draw people who walk, turn, sit down, and take a cup from a table."""
    generator = np.random.default_rng(5)
    woman = draw_person(generator, "female", "adult", garments=("T-shirt", "skirt"))
    man = draw_person(generator, "male", "adult", garments=("shirt", "jeans"))
    girl = draw_person(generator, "female", "child", garments=("pullover", "jeans"))
    elder = draw_person(generator, "male", "old", garments=("pullover", "trousers"))
    way = np.array([[0.0, 0.0], [4.0, 0.0]])
    seat = round(0.27 * elder.height, 2)
    return grid(
        [
            *strip(woman, [Walk(way, 1.3)], (1.0, 2.1)),
            *strip(girl, [Turn(-np.pi / 2), Stand(1.0)], (0.3, 3.4)),
            *strip(elder, [Stand(0.2), Sit(seat), Stand(1.0)], (0.2, 2.6), seat=seat),
            *strip(man, [Grasp("cup"), Carry(), Stand(0.5), Place("cup", np.array([0.45, 0.25, 0.8]))], (0.3, 6.0),
                   *table_and_cup()),
        ],
        8,
    )  # fmt: skip


def table_and_cup() -> tuple[Placement, Placement]:
    """Return a table, and a mug that stands on it."""
    top, foot = slab((0.5, 1.1, 0.04), (0, 0, 0.355), TABLE), slab((0.08, 0.8, 0.71), (0, 0, -0.02), TABLE)
    table = Thing("table", "brown", "wood", (top, foot), (0.5, 1.1, 0.75), "none", "its front", 20.0, (), None, "table")
    cup = draw_thing(np.random.default_rng(1), "mug", "red")
    return (
        Placement("table", table, _pose(0.55, 0.0, 0.375), role="furniture"),
        Placement("cup", cup, _pose(0.45, -0.22, 0.75 + cup.size[2] / 2), "table"),
    )


def _pose(x: float, y: float, z: float, turn: float = 0.0) -> np.ndarray:
    pose = np.eye(4)
    pose[:2, :2] = [[np.cos(turn), -np.sin(turn)], [np.sin(turn), np.cos(turn)]]
    pose[:3, 3] = x, y, z
    return pose


def own_hand() -> Image.Image:
    """Draw what a person sees of the own forearm that takes a cup."""
    person = draw_person(np.random.default_rng(3), "female", "adult", "caucasian", garments=("T-shirt", "jeans"))
    table, cup = table_and_cup()
    times = np.arange(150) / 30
    done = perform(person, times, [Grasp("cup"), Carry(), Stand(0.3)], (table, cup), start=np.zeros(3))
    chosen = np.array([8, 22, 32, 60])
    arm = forearm_of(person, "Right")
    moved = [done.placement("hand", arm), *done.moved()]
    film_set = studio(*(_at_frames(each, chosen) for each in moved if each.id != "table"), table)
    eye, target = np.array([0.12, -0.02, 0.92 * person.height]), np.array([0.56, -0.14, 0.86])
    cameras = list(look_at(np.tile(eye, (4, 1)), np.tile(target, (4, 1))))
    return grid(drawn(film_set, cameras, (240, 180), light_of(film_set), 38.0), 4)


def lot(things: Sequence[Thing], size: tuple[int, int], azimuth: float, height: float, columns: int) -> Image.Image:
    """Draw things that stand far from each other on a lot in the sun."""
    placements, cameras = [], []
    for number, thing in enumerate(things):
        x, y = LOT * (number % 5), LOT * (number // 5)
        placements.append(Placement(f"thing-{number}", thing, _pose(x, y, thing.size[2] / 2)))
        reach = max(float(np.hypot(*thing.size[:2])) * size[1] / size[0], thing.size[2]) / 2
        cameras.append(
            view_of((x, y, thing.size[2] / 2), 1.35 * reach / np.tan(np.radians(FIELD / 2)), azimuth, height)
        )
    rows = -(-len(things) // 5)
    ground = slab((6 * LOT, (rows + 1) * LOT, 0.1), (2 * LOT, (rows - 1) / 2 * LOT, -0.05), ASPHALT)
    film_set = FilmSet(tuple(placements), (ground,), (), near=0.1, far=200.0, daylight=SUN)
    return grid(drawn(film_set, cameras, size, light_of(film_set)), columns)


def vehicles() -> Image.Image:
    """Draw the built-in vehicles."""
    made = [draw_vehicle(np.random.default_rng([2, k]), kind).thing for k, kind in enumerate(vehicle_types())]
    return lot(made, (320, 200), -35, 12, 3)


def furniture() -> Image.Image:
    """Draw street furniture."""
    return lot(
        [draw_fixture(np.random.default_rng([3, k]), kind).thing for k, kind in enumerate(fixture_types())],
        (160, 180), -35, 10, 6,
    )  # fmt: skip


def signs() -> Image.Image:
    """Draw one sign of each kind."""
    return lot(
        [draw_sign(np.random.default_rng([4, k]), kind, WORDS.get(kind, ())) for k, kind in enumerate(SIGNS)],
        (192, 190), -20, 4, 5,
    )  # fmt: skip


def containers() -> Image.Image:
    """Draw open containers, seen from above at a slant."""
    placements, cameras = [], []
    for number, kind in enumerate(CONTAINERS):
        thing = draw_container(np.random.default_rng([6, number]), kind).thing
        x, y = -4.5 + 1.8 * (number % 6), -1.5 + 3.0 * (number // 6)
        placements.append(Placement(f"thing-{number}", thing, _pose(x, y, thing.size[2] / 2)))
        distance = 0.75 * float(np.linalg.norm(thing.size)) / np.tan(np.radians(FIELD / 2))
        cameras.append(view_of((x, y, thing.size[2] / 2), distance, -60, 38))
    film_set = studio(*placements)
    return grid(drawn(film_set, cameras, (160, 150), light_of(film_set)), 6)


def parts() -> Image.Image:
    """Draw things with parts that move, or with lamps that light: four moments of each."""
    tiles: list[np.ndarray] = []
    for number, kind in enumerate(("chest", "hinged box", "lever", "push button", "desk fan", "reading lamp")):
        made = draw_articulated(np.random.default_rng([8, number]), kind)
        size = made.thing.size
        opened = {name: np.linspace(0, 1, 4) for name, limit in made.limits.items() if limit is not None}
        if kind == "desk fan":
            opened = {name: np.array([0.0, 0.07, 0.14, 0.21]) for name in opened}
        if kind == "reading lamp":
            opened = {}
        switches = [Switch(2, key, "on") for key in made.states if key == "light"]
        film_set = studio(place_articulated("thing", made, _pose(0, 0, size[2] / 2), opened, switches))
        distance = 0.8 * float(np.linalg.norm(size)) / np.tan(np.radians(FIELD / 2))
        camera = view_of((0, 0, 0.55 * size[2]), distance, -28, 14)
        tiles += drawn(film_set, [camera] * 4, (120, 110), light_of(film_set))
    return grid(tiles, 8)


def landmarks() -> Image.Image:
    """Draw landmarks from the air: those that are not baked have the sun of the engine."""
    tiles = []
    for number, kind in enumerate(LANDMARKS):
        generator = np.random.default_rng([9, number])
        thing = draw_landmark(generator, kind)
        wide = float(np.hypot(*thing.size[:2]))
        town = draw_town(generator, 1.5 * wide + 60.0, [Clearing(0.0, 0.0, 0.55 * wide + 4.0)])
        placed = Placement("landmark", thing, _pose(0, 0, thing.size[2] / 2))
        film_set = FilmSet((placed,), tuple(town), (), (0.44, 0.44, 0.46), near=1.0, far=900.0,
                           daylight=replace(SUN, window=wide))  # fmt: skip
        camera = view_of(
            (0, 0, 0.3 * thing.size[2]), 1.0 * (wide + thing.size[2]) / np.tan(np.radians(20)) / 2.3, -70, 52
        )
        tiles += drawn(film_set, [camera], (192, 150), (), 40.0)
    return grid(tiles, 5)


def clip(
    kind: str,
    seed: int,
    moments: Sequence[float],
    size: tuple[int, int],
    light: QualityName = "photo",
    columns: int = 2,
    **options: int,
) -> Image.Image:
    """Draw moments (0 to 1) of the first clip that a build with a seed makes, in the light of a quality."""
    world = world_kinds()[kind]
    own = world.qualities[light]
    quality = replace(own, width=size[0], height=size[1])
    name = f"{kind}-{seed}-0000"
    more = {} if world.options is None else {"options": world.options(**options)}
    shot = world.lay(item_generator(seed, f"world:{kind}", name, ""), own, **more).states[0]
    stages = [stage for _, stage in shot.film_set.stages]
    views = [(shot.camera, shot.intrinsics)]
    baked = tuple(bake_states(stages, views, DETAILS[own.fineness])) if own.baked else ()
    focal = float(shot.intrinsics[1, 1]) * size[1] / own.height
    frames = [int(moment * (len(shot.times) - 1)) for moment in moments]
    with open_renderer(shot.film_set, quality, focal, baked) as renderer:
        return grid([renderer.draw(shot.camera[frame], frame).rgb for frame in frames], columns)


def home() -> Image.Image:
    """Draw a home with people."""
    return clip("walk", 5, (0.15, 0.4, 0.65, 0.9), (480, 360), people=3)


def street() -> Image.Image:
    """Draw a drive through a street."""
    return clip("street", 3, (0.05, 0.35, 0.65, 0.95), (480, 270))


def moving() -> Image.Image:
    """Draw people in a home and a drive, for the manual's page of things that move."""
    size, moments = (480, 270), (0.1, 0.5, 0.9)
    rows = (
        clip("walk", 5, moments, size, "lit", 3, people=2),
        clip("street", 3, moments, size, "fast", 3),
    )
    return Image.fromarray(np.concatenate([np.asarray(row) for row in rows]))


PICTURES: tuple[Drawing, ...] = (
    people, hair, acts, own_hand, vehicles, furniture, signs, containers, parts, landmarks, home, street,
)  # fmt: skip
ELSEWHERE: tuple[Drawing, ...] = (moving,)  # on other pages of the manual


def save(picture: Image.Image, path: Path) -> None:
    """Save a picture as JPEG, in the best quality that is small enough."""
    for quality in range(88, 40, -3):
        picture.save(path, quality=quality, optimize=True, progressive=True, subsampling=0)
        if path.stat().st_size <= MOST:
            return
    raise SystemExit(f"{path}: is larger than {MOST} bytes in any quality: draw a smaller picture")


def main() -> None:
    """Run the command line."""
    names = {drawing.__name__.replace("_", "-"): drawing for drawing in (*PICTURES, *ELSEWHERE)}
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path, default=Path("docs/images"))
    parser.add_argument("--only", nargs="+", choices=names, default=list(names))
    given = parser.parse_args()
    given.out.mkdir(parents=True, exist_ok=True)
    for name in given.only:
        save(names[name](), given.out / f"looks-{name}.jpg")
        print(f"{given.out / f'looks-{name}.jpg'}")


if __name__ == "__main__":
    main()
