"""The twins of STI-Bench's questions: how each quantity changes with the clip."""

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from decimal import Decimal
from math import degrees
from typing import Any

import numpy as np

from chronotope.families import NoTwin, TwinContext, require_possible, with_stem
from chronotope.families.sti.measure.boxes import euler_angles
from chronotope.geometry import as_pose, rotation_from_vector
from chronotope.question import Option, Question
from chronotope.recording import Alteration, Kind
from chronotope.scene import number

# Factors of printed numbers. A quantity that is missing under an alteration stays the same.
FACTORS: Mapping[str, Mapping[Alteration, str]] = {
    "length": {"double_size": "2"},
    "speed": {"double_size": "2", "half_speed": "0.5"},
    "acceleration": {"double_size": "2", "half_speed": "0.25", "reversed": "-1"},
    "turn": {"mirrored": "-1", "reversed": "-1"},
}

# The quantity of each kind of question. Kinds about things have the prefix ``thing-``.
QUANTITIES = {
    "size": "length",
    "gap": "length",
    "centre-distance": "length",
    "camera-distance": "length",
    "displacement": "length",
    "path-length": "length",
    "average-speed": "speed",
    "speed": "speed",
    "average-acceleration": "acceleration",
    "acceleration": "acceleration",
    "orientation-change": "turn",
    "relation": "side",
    "bearing": "side",
    "mount": "side",
    "nearest": "name",
    "trajectory": "course",
    "pose": "pose",
    "box": "box",
}
METRIC = {"length", "speed", "acceleration", "course", "pose", "box"}

_NUMBER = re.compile(r"^-?\d+(?:\.\d+)?")
_SWAPPED = {"left": "right", "right": "left", "Left": "Right", "Right": "Left"}
_BACK = {"forward": "backward", "backward": "forward"}
_FLIP_X, _FLIP_Y = np.diag([-1.0, 1.0, 1.0]), np.diag([1.0, -1.0, 1.0])
_KEPT = ("formula", "profile", "seed", "unit", "ratio", "grid_hz", "step")


def twin(question: Question, context: TwinContext) -> Question:
    """Return the question about the altered clip.

    The id, the media and the recordings are still those of the original.

    Raises:
        NoTwin: If the altered clip would be physically odd, or if the twin could not be told from the original.
    """
    require_possible(context)
    kind = question.tags["variant"][0].removeprefix("thing-")
    quantity = QUANTITIES.get(kind)
    if quantity is None:
        raise NoTwin(f"is of the kind {kind!r}, for which no alteration is declared")
    stated = "stated" in question.tags.get("scale", ())
    if context.alteration == "double_size" and (quantity not in METRIC or not stated):
        raise NoTwin(
            "states no scale, so its clip shows both sizes"
            if quantity in METRIC
            else "asks for no length, so its twin is the same question about the same pictures"
        )
    if context.alteration == "reversed" and (quantity == "pose" or "x where the camera first looks" in question.stem):
        raise NoTwin("has axes that depend on the first frame of its clip or its period")
    new = with_stem(question, context.text)
    options, given, value = _MAKERS[quantity](question, context)
    if given is not None:
        old = question.provenance["given"]
        new = replace(new, stem=new.stem.replace(old, given))
    window = context.window(question.window)
    provenance: dict[str, Any] = {name: question.provenance[name] for name in _KEPT if name in question.provenance}
    provenance |= {"value": value, "alteration": context.alteration}
    if "at" in question.provenance:
        provenance["at"] = context.moment(float(question.provenance["at"]))
    if window is not None:
        provenance["window"] = [window.start, window.end]
    if given is not None:
        provenance["given"] = given
    scale = question.provenance.get("scale")
    if isinstance(scale, dict):
        factor = 2 if context.alteration == "double_size" else 1
        provenance["scale"] = scale | {"value": scale["value"] * factor, "at": context.moment(float(scale["at"]))}
    if len(set(options)) < len(options):
        raise NoTwin("has options that become equal")
    return replace(new, options=tuple(Option(text) for text in options), window=window, provenance=provenance)


Made = tuple[list[str], str | None, Any]
"""The new options, the new pose that the stem gives, and the new value of the answer."""


def _texts(question: Question) -> list[str]:
    return [option.text or "" for option in question.options]


def _scaled(text: str, factor: Decimal) -> str:
    """Multiply the number at the start of a text; all digits of the product are printed."""

    def product(found: re.Match[str]) -> str:
        made = f"{Decimal(found[0]) * factor:f}"
        return made.removeprefix("-") if Decimal(made) == 0 else made

    return _NUMBER.sub(product, text)


def _scalar(quantity: str) -> Callable[[Question, TwinContext], Made]:
    def made(question: Question, context: TwinContext) -> Made:
        factor = Decimal(FACTORS[quantity].get(context.alteration, "1"))
        value = question.provenance["value"]
        return [_scaled(text, factor) for text in _texts(question)], None, value * float(factor)

    return made


def _turn(question: Question, context: TwinContext) -> Made:
    texts, given, value = _scalar("turn")(question, context)
    # A turn by 180° has no side, and is printed without a sign.
    return [re.sub(r"^-180(\.0+)?°", r"180\1°", text) for text in texts], given, value


def swapped(text: str) -> str:
    """Exchange the words left and right."""
    return re.sub(r"\b(left|right)\b", lambda found: _SWAPPED[found[0]], text, flags=re.IGNORECASE)


def _side(question: Question, context: TwinContext) -> Made:
    change = swapped if context.alteration == "mirrored" else str
    return [change(text) for text in _texts(question)], None, change(str(question.provenance["value"]))


def _name(question: Question, context: TwinContext) -> Made:
    return [context.text(text) for text in _texts(question)], None, question.provenance["value"]


def _course(question: Question, context: TwinContext) -> Made:
    legs = [(str(kind), float(amount)) for kind, amount in question.provenance["value"]]
    value = [_leg(kind, amount, context.alteration) for kind, amount in legs]
    options = [_course_text(text, context.alteration) for text in _texts(question)]
    return options, None, value[::-1] if context.alteration == "reversed" else value


def _leg(kind: str, amount: float, alteration: Alteration) -> list[Any]:
    if kind == "turn":
        return [kind, -amount if alteration in ("mirrored", "reversed") else amount]
    if kind == "stop":
        return [kind, amount * 2 if alteration == "half_speed" else amount]
    kind = _BACK.get(kind, kind) if alteration == "reversed" else kind
    return [kind, amount * 2 if alteration == "double_size" else amount]


def _course_text(text: str, alteration: Alteration) -> str:
    legs = text.split(", then ")
    if alteration == "mirrored":
        return swapped(text)
    if alteration == "reversed":
        back = re.compile(r"\b(forward|backward)\b")
        return ", then ".join(back.sub(lambda found: _BACK[found[0]], swapped(leg)) for leg in reversed(legs))
    amount = r"\d+(?:\.\d+)?(?=s)" if alteration == "half_speed" else r"\d+(?:\.\d+)?(?=m)"
    return re.sub(amount, lambda found: str(Decimal(found[0]) * 2), text)


def _pose(question: Question, context: TwinContext) -> Made:
    """Return the poses of the altered camera."""
    old_given = str(question.provenance["given"])
    first, decimals = _pose_of(old_given), _decimals_of(old_given)
    poses = [_pose_of(text) for text in _texts(question)]
    right = np.array(question.provenance["value"], np.float64)
    poses[question.answer[0]] = right
    given, made = _altered_pose(first, context), [_altered_pose(pose, context) for pose in poses]
    names = re.findall(r'"(\w+)":', old_given)
    options = [_pose_text(pose, names, decimals) for pose in made]
    return options, _pose_text(given, names, decimals), made[question.answer[0]].tolist()


def _altered_pose(pose: np.ndarray, context: TwinContext) -> np.ndarray:
    """Mirror or enlarge a printed pose.

    Left and right are axis x of the camera, or y outdoors and in the world.
    """
    found = pose.copy()
    if context.alteration == "double_size":
        found[:3, 3] *= 2
    if context.alteration == "mirrored":
        [kind] = {recording.kind for recording in context.recordings.values()}
        camera = _FLIP_Y if kind is Kind.OUTDOOR else _FLIP_X
        world = _FLIP_X if kind is Kind.DESKTOP else _FLIP_Y
        found[:3, :3], found[:3, 3] = world @ pose[:3, :3] @ camera, world @ pose[:3, 3]
    return found


def _pose_of(text: str) -> np.ndarray:
    values = np.array(list(json.loads(text).values()), np.float64)
    return as_pose(values[3:].reshape(3, 3), values[:3])


def _decimals_of(text: str) -> int:
    return len(re.findall(r"\.(\d+)", text)[0])


def _pose_text(pose: np.ndarray, names: list[str], decimals: int) -> str:
    values = [*pose[:3, 3], *pose[:3, :3].ravel()]
    return "{" + ", ".join(f'"{name}": {number(v, decimals)}' for name, v in zip(names, values, strict=True)) + "}"


def _box(question: Question, context: TwinContext) -> Made:
    if "the data set's" in question.stem and context.alteration == "mirrored":
        raise NoTwin("has a box whose axes are only known to its data set")
    value = question.provenance["value"]
    size, centre = np.array(value["size"], np.float64), np.array(value["centre"], np.float64)
    rotation = np.array(value["rotation"], np.float64)
    if context.alteration == "double_size":
        size, centre = 2 * size, 2 * centre
    if context.alteration == "mirrored":  # in the camera's axes; the box keeps its front and its up axis
        centre, rotation = _FLIP_X @ centre, _FLIP_X @ rotation @ _FLIP_Y
    made = {"size": size.tolist(), "centre": centre.tolist(), "rotation": rotation.tolist()}
    return [_box_text(text, context) for text in _texts(question)], None, made


def _box_text(text: str, context: TwinContext) -> str:
    box: dict[str, Any] = json.loads(text)
    lengths = [name for name, held in box.items() if isinstance(held, list)]
    if context.alteration == "double_size":
        return _with_lists(text, {name: [2 * length for length in box[name]] for name in lengths})
    if context.alteration != "mirrored":
        return text
    middle = lengths[1]
    outdoor = any(recording.kind is Kind.OUTDOOR for recording in context.recordings.values())
    flipped = list(box[middle])
    flipped[1 if outdoor else 0] *= -1
    text = _with_lists(text, {middle: flipped})
    if "orientation" in box:
        turned = _mirrored_angles(box["orientation"])
        for name, angle in turned.items():
            text = re.sub(rf'("{name}": )-?[\d.]+', rf"\g<1>{number(angle, 2)}", text)
        return text
    turned = -box["C_heading"] if outdoor else (180 - box["C_heading"]) % 180
    return re.sub(r'("C_heading": )-?[\d.]+', rf"\g<1>{number(turned, 2)}", text)


def _with_lists(text: str, lists: Mapping[str, list[float]]) -> str:
    for name, values in lists.items():
        printed = ", ".join(number(value, 2) for value in values)
        text = re.sub(rf'("{name}": )\[[^\]]*\]', rf"\g<1>[{printed}]", text)
    return text


def _mirrored_angles(angles: Mapping[str, float]) -> dict[str, float]:
    """Mirror yaw, pitch and roll (degrees): Rz(yaw) Ry(pitch) Rx(roll) turns the box's axes into the camera's."""
    yaw, pitch, roll = (
        rotation_from_vector(np.radians(angles[name]) * axis)
        for name, axis in zip(("yaw", "pitch", "roll"), np.eye(3)[::-1], strict=True)
    )
    found = euler_angles(_FLIP_X @ (yaw @ pitch @ roll) @ _FLIP_Y)
    return {name: degrees(float(angle)) for name, angle in zip(("yaw", "pitch", "roll"), found, strict=True)}


_MAKERS: Mapping[str, Callable[[Question, TwinContext], Made]] = {
    "length": _scalar("length"),
    "speed": _scalar("speed"),
    "acceleration": _scalar("acceleration"),
    "turn": _turn,
    "side": _side,
    "name": _name,
    "course": _course,
    "pose": _pose,
    "box": _box,
}
