"""The script of a clip: its scene graph and scenario, read as plain JSON from the files beside a recording."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from chronotope.errors import InputError
from chronotope.io import read_json

GRAPH, SCENARIO = "graph.json", "scenario.json"
NAMED = ("id", "label", "role")  # fields of an object that are shown by themselves


@dataclass(frozen=True)
class ScriptObject:
    """An object of a scene graph; ``looks`` are its other fields, one text each."""

    label: str
    role: str
    looks: tuple[str, ...]


@dataclass(frozen=True)
class ScriptPhase:
    """A phase of a clip from ``start`` to ``end`` (s): what the camera does, and what happens."""

    name: str
    start: float
    end: float
    camera: str
    text: str


@dataclass(frozen=True)
class SceneScript:
    """The scene graph and the scenario of a clip.

    ``facts`` are the theme, the parameters and the camera, and ``truth`` is the ground truth, as pairs of a name and a
    text.
    """

    task: str
    facts: tuple[tuple[str, str], ...]
    objects: tuple[ScriptObject, ...]
    goal: str
    phases: tuple[ScriptPhase, ...]
    truth: tuple[tuple[str, str], ...]


def read_script(folder: Path) -> SceneScript | None:
    """Read the script of a recording.

    The result is None if there is none, or if the folder may not be read.

    Raises:
        InputError: If a file cannot be read, or has another form.
    """
    try:
        has_script = all((folder / name).is_file() for name in (GRAPH, SCENARIO))
    except PermissionError:  # the report tells this of the recording
        has_script = False
    if not has_script:
        return None
    graph, scenario = read_json(folder / GRAPH), read_json(folder / SCENARIO)
    try:
        return _script(graph, scenario)
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        raise InputError(f"{folder}: {GRAPH} and {SCENARIO} are not those of a stage ({error}): build again") from error


def _script(graph: Mapping[str, Any], scenario: Mapping[str, Any]) -> SceneScript:
    meta = graph["scene_meta"]
    params = {_words(key): _text(value) for key, value in graph.get("params", {}).items() if value not in ("", None)}
    camera = graph.get("camera_movement", {}).get("trajectory", "")
    told = {"theme": _text(meta.get("theme", "")), **params, "camera": _words(_text(camera))}
    return SceneScript(
        task=_text(meta.get("task_type", "")),
        facts=tuple((name, text) for name, text in told.items() if text),
        objects=tuple(_object(each) for each in graph["objects"]),
        goal=_text(scenario.get("reasoning_goal", "")),
        phases=tuple(_phase(each, scenario["timeline"]) for each in scenario.get("phases", ())),
        truth=tuple((_words(key), _text(value)) for key, value in graph["ground_truth"].items()),
    )


def _object(each: Mapping[str, Any]) -> ScriptObject:
    rest = {key: value for key, value in each.items() if key not in NAMED}
    for key in ("attributes", "visual_attributes"):
        inner = rest.pop(key, None)
        rest |= inner if isinstance(inner, dict) else {}
    looks = tuple(f"{_words(key)}: {_text(value)}" for key, value in rest.items() if value not in (None, "", []))
    return ScriptObject(_text(each.get("label", "")), _words(_text(each.get("role", ""))), looks)


def _phase(each: Mapping[str, Any], timeline: Mapping[str, Any]) -> ScriptPhase:
    name = _text(each.get("name", ""))
    return ScriptPhase(
        _words(name), float(each.get("t0", 0)), float(each.get("t1", 0)), _text(each.get("camera", "")),
        _text(timeline.get(name, "")),
    )  # fmt: skip


def _words(name: str) -> str:
    return name.replace("_", " ")


def _text(value: Any) -> str:
    """Return a value of JSON as people write it."""
    if isinstance(value, Mapping):
        return "; ".join(f"{_words(str(key))}: {_text(inner)}" for key, inner in value.items())
    if isinstance(value, list | tuple):
        return ", ".join(map(_text, value)) or "none"
    if isinstance(value, bool):
        return "yes" if value else "no"
    return f"{value:g}" if isinstance(value, float) else str(value)
