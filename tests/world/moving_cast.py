"""A figure that walks and carries, and a car that drives: small rigs whose truth is a few lines, filmed by the engine.

The figure has the joints of a person, but a body of blocks: what is tested is the verifier, not the looks.
"""

from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from moving_set import at, ball, chest, film_set, lamp, stick, thing_of
from scipy.spatial.transform import Rotation

from chronotope.recording import Event, Kind, Recording, load_recording
from chronotope.world.camera import intrinsics_of, look_at
from chronotope.world.film import film
from chronotope.world.film_set import Daylight, FilmSet, Placement
from chronotope.world.light import DETAILS, bake_states
from chronotope.world.quality import Quality
from chronotope.world.rig import Rig, Weights
from chronotope.world.shot import Shot
from chronotope.world.slabs import slab
from chronotope.world.things import Look
from chronotope.world.things.mesh import cylinder, lathe, moved
from chronotope.world.things.thing import Piece, finished

QUALITY = Quality("fast", 240, 180, 10, (2.4, 2.4), 512, 2, 14)
FRAMES = 24
TIMES = np.arange(FRAMES) / QUALITY.fps
SKIN, SHIRT, TROUSERS, SHOES = (
    Look(colour, 0.1, 0.1) for colour in ((0.8, 0.6, 0.5), (0.8, 0.2, 0.15), (0.15, 0.2, 0.45), (0.1, 0.1, 0.1))
)

# The places of the joints of the figure at rest: it stands, looks along x, and its left is y.
HIP, KNEE, ANKLE, SIDE = 0.90, 0.48, 0.08, 0.10
JOINTS = {
    "Hips": (0, 0, HIP), "Spine": (0, 0, 1.1), "Head": (0, 0, 1.5),
    "LeftArm": (0, 0.22, 1.4), "LeftForeArm": (0, 0.22, 1.13), "LeftHand": (0, 0.22, 0.88),
    "RightArm": (0, -0.22, 1.4), "RightForeArm": (0, -0.22, 1.13), "RightHand": (0, -0.22, 0.88),
    "LeftUpLeg": (0, SIDE, HIP), "LeftLeg": (0, SIDE, KNEE), "LeftFoot": (0, SIDE, ANKLE),
    "LeftToeBase": (0.12, SIDE, 0.03), "RightUpLeg": (0, -SIDE, HIP), "RightLeg": (0, -SIDE, KNEE),
    "RightFoot": (0, -SIDE, ANKLE), "RightToeBase": (0.12, -SIDE, 0.03),
}  # fmt: skip
NAMES = tuple(JOINTS)
REST = np.array([at(*place) for place in JOINTS.values()])
SPEED, STEP, STANCE = 0.9, 0.45, 0.6  # m/s, m, and the share of the cycle in which a foot stands


@dataclass(frozen=True)
class Case:
    """A shot, and where it is filmed."""

    name: str
    shot: Shot

    def film(self, folder: Path, is_baked: bool = False) -> tuple[Recording, Path]:
        """Film the shot, under the light of a shadow map or of a coarse bake."""
        stages = [stage for _, stage in self.shot.film_set.stages]
        views = [(self.shot.camera, self.shot.intrinsics)]
        baked = list(bake_states(stages, views, DETAILS["coarse"])) if is_baked else ()
        quality = replace(QUALITY, shadow_map=0, baked=True) if is_baked else QUALITY
        film(self.shot, self.name, "try", np.random.default_rng(0), quality, folder, baked=baked)
        inside = folder / "recordings" / self.name
        return load_recording(inside), inside


def index(name: str) -> int:
    return NAMES.index(name)


def limb(top: str, bottom: str, radius: float, look: Look) -> tuple[Piece, Weights]:
    """A soft tube from joint to joint, which bends at its lower end with the next joint."""
    high, low = JOINTS[top][2], JOINTS[bottom][2]
    heights = np.linspace(low - 0.02, high, 12)
    mesh = lathe([(0.0, heights[0]), *((radius, z) for z in heights), (0.0, heights[-1])], 12)
    piece = finished(moved(mesh, (JOINTS[top][0], JOINTS[top][1], 0)), look)
    lower = np.clip((low + 0.06 - piece.vertices[:, 2]) / 0.12, 0, 1)
    bones = np.tile([index(top), index(bottom)], (len(lower), 1))
    return piece, Weights(bones, np.stack([1 - lower, lower], axis=1))


def figure_parts() -> tuple[list[Piece], list[int | Weights]]:
    parts: list[tuple[Piece, int | Weights]] = [
        (slab((0.2, 0.34, 0.24), (0, 0, 0.98), TROUSERS), index("Hips")),
        (slab((0.22, 0.4, 0.42), (0, 0, 1.29), SHIRT), index("Spine")),
        (slab((0.2, 0.16, 0.24), (0, 0, 1.64), SKIN), index("Head")),
    ]
    for side, y in (("Left", 1), ("Right", -1)):
        foot = JOINTS[f"{side}Foot"]
        parts += [
            limb(f"{side}Arm", f"{side}ForeArm", 0.045, SHIRT),
            limb(f"{side}ForeArm", f"{side}Hand", 0.038, SKIN),
            (slab((0.05, 0.08, 0.16), (0, 0.22 * y, 0.80), SKIN), index(f"{side}Hand")),
            limb(f"{side}UpLeg", f"{side}Leg", 0.075, TROUSERS),
            limb(f"{side}Leg", f"{side}Foot", 0.06, TROUSERS),
            (slab((0.17, 0.09, 0.08), (0.025, foot[1], 0.04), SHOES), index(f"{side}Foot")),
            (slab((0.08, 0.09, 0.05), (0.15, foot[1], 0.025), SHOES), index(f"{side}ToeBase")),
        ]
    return [piece for piece, _ in parts], [binding for _, binding in parts]


def pitched(angle: float) -> np.ndarray:
    return Rotation.from_euler("y", angle).as_matrix()


def foot_at(time: float, ahead: float, slide: float) -> tuple[float, float]:
    """The x and the height (m) of an ankle above its place at rest: it stands, then swings to the next footprint."""
    cycle = 2 * STEP / SPEED
    turns, phase = divmod(time / cycle + ahead, 1.0)
    base = (turns - ahead + STANCE / 2) * 2 * STEP
    if phase < STANCE:
        return base + slide * phase / STANCE, 0.0
    share = (phase - STANCE) / (1 - STANCE)
    return base + slide + (2 * STEP - slide) * (3 * share**2 - 2 * share**3), 0.07 * np.sin(np.pi * share)


def walk_path(
    times: np.ndarray, start: tuple[float, float], sunk: float = 0.0, slide: float = 0.0, turn: float = 0.0
) -> np.ndarray:
    """world_T_joint (T, J, 4, 4) of a walk along x; ``sunk`` and ``slide`` (m) are faults of the gait."""
    path = np.tile(REST, (len(times), 1, 1, 1))
    thigh, shin, low = HIP - KNEE, KNEE - ANKLE, 0.06
    for frame, time in enumerate(times):
        x = SPEED * time
        path[frame, :, 0, 3] += x
        path[frame, :, 2, 3] -= low
        for side, ahead in (("Left", 0.0), ("Right", 0.5)):
            ankle, lift = foot_at(float(time), ahead, slide)
            hip = np.array([x, HIP - low])
            foot = np.array([ankle, ANKLE + lift])
            way = foot - hip
            far = min(float(np.linalg.norm(way)), thigh + shin - 1e-4)
            bend = np.arccos(np.clip((thigh**2 + far**2 - shin**2) / (2 * thigh * far), -1, 1))
            upper = np.arctan2(way[0], -way[1]) + bend  # of the thigh, forward from straight down
            knee = hip + thigh * np.array([np.sin(upper), -np.cos(upper)])
            lower = np.arctan2(foot[0] - knee[0], knee[1] - foot[1])
            y = JOINTS[f"{side}Foot"][1]
            toes = foot + np.array([0.12, -0.05])
            for name, (px, pz), angle in (
                ("UpLeg", hip, -upper), ("Leg", knee, -lower), ("Foot", foot, 0.0), ("ToeBase", toes, 0.0)
            ):  # fmt: skip
                path[frame, index(side + name)] = at(px, y, pz, pitched(angle))
            swing = 0.4 * np.sin(np.pi * time * SPEED / STEP + np.pi * ahead * 2)
            _swing_arm(path[frame], side, swing, turn if side == "Left" else 0.0)
    path[..., 0, 3] += start[0]
    path[..., 1, 3] += start[1]
    path[..., 2, 3] -= sunk
    return path


def _swing_arm(joints: np.ndarray, side: str, swing: float, turn: float) -> None:
    shoulder = joints[index(f"{side}Arm"), :3, 3].copy()
    for name, angle in (("Arm", swing), ("ForeArm", swing + turn), ("Hand", swing + turn)):
        down = JOINTS[f"{side}Arm"][2] - JOINTS[side + name][2]
        place = shoulder.copy()
        if name == "Hand":
            elbow = JOINTS[f"{side}Arm"][2] - JOINTS[f"{side}ForeArm"][2]
            place += pitched(swing) @ [0, 0, -elbow] + pitched(angle) @ [0, 0, elbow - down]
        else:
            place += pitched(swing) @ [0, 0, -down]
        joints[index(side + name)] = at(*place, pitched(angle))


def figure(name: str, path: np.ndarray) -> Placement:
    pieces, bindings = figure_parts()
    root = np.tile(np.eye(4), (len(path), 1, 1))
    root[:, :2, 3] = path[:, 0, :2, 3]
    thing = thing_of("person", *pieces)
    rig = Rig(NAMES, REST, path, tuple(bindings))
    return Placement(name, thing, root[0], path=root, rig=rig, attributes={"role": "person", "box": "unclear"})


def room(*placements: Placement) -> FilmSet:
    return replace(film_set(*placements), far=12.0)


def views(eye: tuple[float, float, float], target: tuple[float, float, float], sway: float = 0.0) -> np.ndarray:
    eyes = np.tile(np.array(eye, float), (FRAMES, 1))
    eyes[:, 0] += np.linspace(-sway, sway, FRAMES)
    return look_at(eyes, np.tile(np.array(target, float), (FRAMES, 1)))


def shot_of(film_set: FilmSet, camera: np.ndarray, *events: Event, fov: float = 62.0, **more: object) -> Shot:
    optics = intrinsics_of(fov, QUALITY.width, QUALITY.height)
    kind, scale = more.get("kind", Kind.INDOOR), more.get("scale", 5000.0)
    return Shot(film_set, TIMES, camera, optics, kind, depth_scale=scale, events=events)  # pyright: ignore[reportArgumentType]


def things(sway: float = 0.02) -> Case:
    """A rolling ball, an opening lid, a bending stick and a lamp that lights."""
    camera = views((0.05, -1.1, 0.55), (0, 0.15, 0.08), sway)
    return Case("things", shot_of(room(*short_set()), camera, *THINGS, fov=52))


def short_set() -> list[Placement]:
    """The things of ``moving_set``, which move in its twelve frames and then stand."""
    found = []
    for placement in (chest(), stick(), ball(), lamp()):
        rig = placement.rig
        if rig is not None:
            placement = replace(placement, rig=replace(rig, path=_held(rig.path)))
        if placement.path is not None:
            placement = replace(placement, path=_held(placement.path))
        found.append(placement)
    return found


def _held(path: np.ndarray) -> np.ndarray:
    return np.concatenate([path, np.repeat(path[-1:], FRAMES - len(path), axis=0)])


THINGS = (
    Event("move", 0.0, 1.1, object="ball"),
    Event("switch", 0.6, 0.6, object="lamp", parameters={"key": "on", "value": "true"}),
    Event("switch", 0.1, 0.1, object="chest", parameters={"key": "open", "value": "true"}),
)


def walk(**faults: float) -> Case:
    person = figure("anna", walk_path(TIMES, (-1.0, 0.8), **faults))
    events = (Event("walk", 0.0, float(TIMES[-1]), agent="anna"),)
    return Case("walk", shot_of(room(person), views((0.1, -1.45, 1.1), (0.05, 0.8, 0.8), 0.03), *events, fov=68))


TABLE_TOP, CUP = 0.72, (0.08, 0.08, 0.1)
GRASPED, RELEASED = 0.8, 1.6  # s
REACHED, PUT = np.array([0.20, -0.20]), np.array([0.20, 0.16])  # where the cup stands first and last, from the hips


def carry(apart: float = 0.0) -> Case:
    """A figure that stands at a table, reaches for a cup, moves it aside and lets it go.

    ``apart`` (m) is a fault: the distance of the hand from the cup.
    """
    path = np.tile(REST, (FRAMES, 1, 1, 1))
    cup_path = np.tile(np.eye(4), (FRAMES, 1, 1))
    touch = CUP[0] / 2 + 0.03 + apart
    for frame, time in enumerate(TIMES):
        carried = np.clip((time - GRASPED) / (RELEASED - GRASPED), 0, 1)
        carried = 3 * carried**2 - 2 * carried**3
        cup = REACHED + carried * (PUT - REACHED)
        height = TABLE_TOP + CUP[2] / 2 + 0.08 * np.sin(np.pi * carried)
        cup_path[frame] = at(cup[0], cup[1], height)
        before, after = np.clip(1 - time / GRASPED, 0, 1), np.clip((time - RELEASED) / 0.6, 0, 1)
        back = 0.25 * (before**2 * (3 - 2 * before) + after**2 * (3 - 2 * after))
        # The hand reaches forward along x; at rest, its block hangs 8 cm below the joint.
        hand = np.array([cup[0] - touch - back, cup[1], height + 0.08])
        path[frame, index("RightHand")] = at(*hand)
        path[frame, index("RightForeArm")] = at(*(hand + np.array([-0.12, 0, 0.22])))
        path[frame, index("RightArm")] = at(*(hand + np.array([-0.12, 0, 0.49])))
    path[..., 1, 3] += 0.5
    cup_path[..., 1, 3] += 0.5
    top = slab((0.5, 1.0, 0.04), (0, 0, TABLE_TOP / 2 - 0.02), Look((0.5, 0.35, 0.2), 0, 0))
    foot = slab((0.06, 0.8, TABLE_TOP - 0.04), (0, 0, -0.02), Look((0.3, 0.2, 0.1), 0, 0))
    table = Placement("table", thing_of("table", top, foot), at(0.45, 0.5, TABLE_TOP / 2), role="furniture")
    mug = thing_of("cup", finished(cylinder(CUP[0] / 2, CUP[2]), Look((0.2, 0.5, 0.8), 0, 0)))
    vase = thing_of("vase", finished(cylinder(0.04, 0.16), Look((0.8, 0.7, 0.2), 0, 0)))
    jar = Placement("vase", vase, at(0.6, 0.35, TABLE_TOP + 0.08), parent="table")
    cup = Placement("cup", mug, cup_path[0], parent="table", path=cup_path)
    events = (
        Event("stand", 0.0, float(TIMES[-1]), agent="anna"),
        Event("reach", 0.0, GRASPED, agent="anna", object="cup"),
        Event("hold", GRASPED, RELEASED, agent="anna", object="cup", parameters={"joint": "RightHand"}),
    )
    film_set = room(table, cup, jar, figure("anna", path))
    return Case("carry", shot_of(film_set, views((1.4, -0.9, 1.35), (0.1, 0.5, 0.8), 0.02), *events, fov=60))


WHEEL, BASE, TRACK = 0.3, 1.2, 0.7  # m: radius, half the distances between axles and between wheels


def car(turning: float = 1.0, raised: float = 0.0, speed: float = 3.0) -> Case:
    """A car that drives along a plain street in the sun; ``turning`` is the share by which its wheels turn."""
    paint, black, bright = (Look(colour, 0.1, 0.1) for colour in ((0.1, 0.3, 0.7), (0.08,) * 3, (0.75,) * 3))
    pieces: list[Piece] = [slab((3.8, 1.6, 0.6), (0, 0, 0), paint), slab((1.9, 1.4, 0.5), (-0.2, 0, 0.54), black)]
    names, bindings = ["chassis"], [0, 0]
    rest = [np.eye(4)]
    for front, x in (("front", BASE), ("rear", -BASE)):
        for side, y in (("left", TRACK), ("right", -TRACK)):
            rest.append(at(x, y, -0.3))
            names.append(f"wheel_{front}_{side}")
            tyre = moved(cylinder(WHEEL, 0.24, "y", segments=40), (x, y * 1.08, -0.3))
            pieces += [finished(tyre, black), slab((0.44, 0.26, 0.1), (x, y * 1.08, -0.3), bright)]
            bindings += [len(rest) - 1] * 2
    road = WHEEL + 0.3 + raised
    path = np.tile(np.array(rest), (FRAMES, 1, 1, 1))
    chassis = np.tile(at(0, 0, road), (FRAMES, 1, 1))
    chassis[:, 0, 3] = -3.0 + speed * TIMES
    path[:, :, :3, 3] += chassis[:, None, :3, 3]
    angle = turning * speed * TIMES / WHEEL
    path[:, 1:, :3, :3] = Rotation.from_euler("y", angle[:, None]).as_matrix()[:, None]
    rig = Rig(tuple(names), np.array(rest), path, tuple(bindings))
    placement = Placement("car", thing_of("car", *pieces), chassis[0], path=chassis, rig=rig)
    ground = slab((120, 120, 0.1), (0, 0, -0.05), Look((0.5, 0.5, 0.5), 0, 0))
    houses = tuple(slab((6, 4, 5), (x, 30, 2.5), Look((0.6, 0.3 + 0.02 * x, 0.3), 0, 0)) for x in (-14, -6, 2, 10, 18))
    post = thing_of("post", finished(cylinder(0.08, 2.4), Look((0.8, 0.7, 0.3), 0, 0)))
    film_set = FilmSet(
        (placement, Placement("post", post, at(1.5, 3.0, 1.2))), (ground, *houses), (), (0.42, 0.44, 0.48), 0.1, 120.0,
        daylight=Daylight((0.5, -0.3, 0.81), 20.0),
    )  # fmt: skip
    camera = views((0.0, -7.0, 1.6), (0.5, 0.0, 0.8), 0.1)
    return Case("street", shot_of(film_set, camera, fov=58, kind=Kind.OUTDOOR, scale=400.0))


def drive(speed: float = 5.0) -> Case:
    """A street as the driver of another car sees it, who follows the car between rows of houses and posts."""
    case = car(speed=4.0)
    post = finished(cylinder(0.08, 2.4), Look((0.8, 0.7, 0.3), 0, 0))
    rows = [
        Placement(f"post-{number}", thing_of("post", post), at(x, y, 1.2))
        for number, (x, y) in enumerate((x, y) for x in (-2.0, 6.0, 14.0, 30.0, 60.0) for y in (-3.5, 3.5))
    ]
    houses = tuple(
        slab((9, 6, 6), (x, y, 3), Look((0.3 + 0.005 * x, 0.4, 0.5), 0, 0)) for x in range(0, 100, 12) for y in (-9, 9)
    )
    mover = next(each for each in case.shot.film_set.placements if each.id == "car")
    scene = case.shot.film_set
    scene = replace(scene, placements=(mover, *rows), backdrop=(scene.backdrop[0], *houses))
    eyes = np.stack([-11.0 + speed * TIMES, np.full(FRAMES, 0.3), np.full(FRAMES, 1.4)], axis=1)
    camera = look_at(eyes, eyes + np.array([1.0, 0.0, -0.05]))
    return Case("drive", shot_of(scene, camera, fov=58, kind=Kind.OUTDOOR, scale=400.0))
