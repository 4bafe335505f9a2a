"""The acts of two hands: to bear an object, and to fit it into its place."""

from collections.abc import Mapping

import numpy as np
from scipy.interpolate import PchipInterpolator

from chronotope.errors import InputError
from chronotope.geometry import invert
from chronotope.world.people.motion.acts import Hold
from chronotope.world.people.motion.gaze import Look
from chronotope.world.people.motion.posing import heading_frames
from chronotope.world.people.motion.reaching import HINGE, lean_to, leave, straighten
from chronotope.world.people.motion.script import Held, Script, glide
from chronotope.world.people.motion.skeleton import SIDES, ease

PARTS = 4  # of a stretch, at whose ends the bow of the body is computed
SPEED, LEAST = 0.5, 0.7  # m/s, mean speed of what two hands move; s, of a stretch
AWAY = 0.05  # m, by which a hand leaves what it held, first


def bear(script: Script, name: str, holds: Mapping[int, Hold]) -> None:
    """Hold an object in the hands from now on, where it is."""
    if script.held:
        raise InputError(f"{script.agent}: {script.act}, but a hand holds something else")
    base = invert(heading_frames(script.posture.path[script.frame][None])[0])
    goals = {side: base @ script.poses[name] @ hold.pose for side, hold in holds.items()}
    lean, twist, hips = lean_to(script, goals, name)
    later, posture = slice(script.frame, None), script.posture
    posture.pelvis[later], posture.chest[later] = _bowed(lean, twist)
    posture.hips[later] = hips
    for side, hold in holds.items():
        palm = script.build.hands[side].palm
        posture.aims[side, later], posture.guide[side, later] = goals[side], 1.0
        posture.curls[side, later] = hold.curls
        script.held[side] = Held(name, invert(hold.pose), palm, hold.curls, script.frame, carried=True)


def fit(script: Script, name: str, places: np.ndarray, seconds: float) -> None:
    """Move a borne object through places (N, 3) m of its origin, press it, and let go."""
    held = {side: one for side, one in script.held.items() if one.object == name}
    if not held:
        raise InputError(f"{script.agent}: {script.act}, but no hand holds {name!r}")
    base = heading_frames(script.posture.path[script.frame][None])[0]
    side, began = min(held), script.frame
    pose = base @ script.hand_pose(side) @ held[side].relative
    script.looks.append(Look(script.now, np.asarray(places, float)[-1], 0.6))
    for place in np.asarray(places, float):
        pose = _stretch(script, name, held, pose, place)
    pressed = script.advance(seconds)
    _let_go(script, name, held, pressed)
    script.tell("crouch", began, script.frame)
    script.poses[name] = pose


def _stretch(script: Script, name: str, held: Mapping[int, Held], pose: np.ndarray, place: np.ndarray) -> np.ndarray:
    """Move what is held straight to a place (3,) m, and return its pose then.

    The body bows as far as the hands need it.
    """
    base = invert(heading_frames(script.posture.path[script.frame][None])[0])
    takes = max(LEAST, float(np.linalg.norm(place - pose[:3, 3])) / SPEED)
    posture, frame = script.posture, script.frame
    bows = [(posture.pelvis[frame], posture.chest[frame], posture.hips[frame])]
    keys: dict[int, list[tuple[float, np.ndarray]]] = {side: [] for side in held}
    shares, there = np.linspace(0.0, 1.0, PARTS + 1), pose
    for share in shares[1:]:
        there = pose.copy()
        there[:3, 3] += share * (place - pose[:3, 3])
        goals = {side: base @ there @ invert(one.relative) for side, one in held.items()}
        lean, twist, hips = lean_to(script, goals, name)
        bows.append((*_bowed(lean, twist), hips))
        for side, goal in goals.items():
            keys[side].append((float(share), goal))
    for side in held:
        glide(script, side, keys[side], takes, settled=1.0)
    later = slice(frame, None)
    done = ease(script.local[later] / takes)
    for values, through in zip((posture.pelvis, posture.chest, posture.hips), zip(*bows, strict=True), strict=True):
        values[later] = PchipInterpolator(shares, np.stack(through))(done)
    script.advance(takes)
    return there


def _let_go(script: Script, name: str, held: Mapping[int, Held], pressed: int) -> None:
    released = script.frame
    script.tell("move", min(one.first for one in held.values()), pressed, name)
    waits: list[float] = []
    for side, one in held.items():
        joint = f"{SIDES[side]}Hand"
        script.tell("hold", one.first, released, name, joint=joint)
        script.tell("press", pressed, released, name, joint=joint)
        script.holds.append((name, side, one.first, released))
        del script.held[side]
        there = script.hand_pose(side)
        away = there.copy()
        away[:3, 3] -= AWAY * (there[:3, :3] @ one.approach)
        waits.append(leave(script, side, away))
    straighten(script, max(waits))
    script.advance(max(waits))


def _bowed(lean: float, twist: float) -> tuple[np.ndarray, np.ndarray]:
    # The angles (3,) of the pelvis and of the chest.
    return np.array([0.0, HINGE * lean, 0.3 * twist]), np.array([0.0, lean, twist])
