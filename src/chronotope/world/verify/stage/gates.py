"""The gates of a stage: those of all clips, and those of its task."""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from chronotope.errors import InputError
from chronotope.plugins import Registry, installed
from chronotope.recording import Entity, Event, Recording
from chronotope.world.verify.frame import Frame
from chronotope.world.verify.outcome import Check, judged
from chronotope.world.verify.stage import (
    behavioral_trigger,
    causal_mapping,
    container_intersection,
    direction_estimation,
    height_ordering,
    interacted_object,
    landmark_composition,
    multi_container,
    quantity_change,
    relative_velocity,
    signage,
    visibility_change,
)
from chronotope.world.verify.stage.evidence import PROTOCOLS, Evidence

FILES = ("graph.json", "scenario.json", "episode.json")
PIXELS, FRAMES = 300, 8  # at 720 lines: what a viewer must see of each object, and in how many frames
UNSEEN = ("ego",)  # roles of what carries the camera
SAME = 2e-6  # largest difference between an episode and its recording
JUMP = 3.0  # largest ratio of a step of the camera to the steps beside it
SLACK = 0.002  # m or rad, of such a step
SECONDS, LONGEST = 8.0, 16.0  # s, of a clip, and at most in the extended profile
WIDE = 16 / 9

GROUP = "chronotope.stages.gates"
"""The entry points of gates of other packages."""


@dataclass(frozen=True)
class TaskGates:
    """The gates of a task of another package; ``name`` is the full code of the task.

    ``check`` must not import what draws the stage.
    """

    name: str
    check: Callable[[Evidence], list[Check]]


_OWN: Mapping[str, Callable[[Evidence], list[Check]]] = {
    "MC": multi_container.check,
    "HO": height_ordering.check,
    "CI": container_intersection.check,
    "DE": direction_estimation.check,
    "DS": signage.check,
    "LS": landmark_composition.check,
    "RV": relative_velocity.check,
    "BT": behavioral_trigger.check,
    "VI": visibility_change.check,
    "IO": interacted_object.check,
    "CM": causal_mapping.check,
    "QC": quantity_change.check,
}


def _all_gates() -> dict[str, Callable[[Evidence], list[Check]]]:
    found = installed(GROUP, TaskGates, ("package of gates", "packages of gates"))
    return {**{name.partition("_")[0]: gates.check for name, gates in found.items()}, **_OWN}


TASKS: Mapping[str, Callable[[Evidence], list[Check]]] = Registry(_all_gates)
"""The gates by the short codes of their tasks."""


def is_stage(folder: Path) -> bool:
    """Check whether the folder of a recording has the files of a stage."""
    return all((folder / name).is_file() for name in FILES)


class Stage:
    """The gates of one stage, which look at each frame once."""

    def __init__(self, recording: Recording, folder: Path) -> None:
        """Read the plan of the stage.

        Raises:
            InputError: If a file of the stage is not JSON.
        """
        graph, scenario, episode = (_read(folder / name) for name in FILES)
        self._evidence = Evidence(recording, graph, scenario, episode)

    def look(self, frame: Frame) -> None:
        """Measure a frame."""
        self._evidence.note(frame)

    def checks(self) -> list[Check]:
        """Return the results of all gates."""
        evidence = self._evidence
        code = str(evidence.graph["scene_meta"]["task_type"])
        task = code.partition("_")[0]
        if task not in TASKS:
            return [Check("stage gates", False, f"no gates are installed for the task {code}")]
        found = [check_record(evidence), check_names(evidence), check_shot(evidence), check_seen(evidence),
                 check_coverage(evidence)]  # fmt: skip
        if code.endswith("STA"):
            found.insert(1, check_frozen(evidence))
        return [*found, *TASKS[task](evidence)]


def _read(path: Path) -> Mapping[str, Any]:
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except ValueError as error:
        raise InputError(f"{path}: is not valid JSON ({error}): make the recording again") from error


def check_record(evidence: Evidence) -> Check:
    """Check that the episode tells the same as the graph and the recording."""
    recording, episode, faults = evidence.recording, evidence.episode, []
    if episode["params"] != evidence.graph["params"] or episode["theme"] != evidence.graph["scene_meta"]["theme"]:
        faults.append("parameters or theme differ from the graph")
    if not _same(episode["camera"], recording.world_T_camera) or not _same(episode["times"], recording.times):
        faults.append("the camera or the times differ from the recording")
    ego = recording.vehicle_pose
    if (episode.get("ego") is None) != (ego is None) or (ego is not None and not _same(episode["ego"], ego)):
        faults.append("the vehicle with the camera differs from the recording")
    told = {each["id"]: each for each in episode["entities"]}
    if list(told) != [entity.id for entity in recording.entities]:
        faults.append("the entities differ from the recording")
    faults += [e.id for e in recording.entities if e.id in told and not _same_poses(told[e.id]["poses"], e)]
    faults += [f"the states of {e.id}" for e in recording.entities if e.id in told and not _same_states(told[e.id], e)]
    if list(map(_words, episode["events"])) != [_words(_as_json(event)) for event in recording.events]:
        faults.append("the events differ from the recording")
    missing = {each["object"] for each in told.values()} - set(evidence.objects) - {None}
    faults += [f"{name} is not in the graph" for name in sorted(missing)]
    return judged("stage record", faults, f"{len(told)} entities as recorded")


def _same_states(told: Mapping[str, Any], entity: Entity) -> bool:
    """Compare states, and the joints of things of which the episode has joints."""
    states = [(each["frame"], each["key"], each["value"]) for each in told["states"]]
    if states != [(change.frame, change.key, change.value) for change in entity.changes]:
        return False
    body = entity.body
    if body is None:
        return not told["joints"]
    return all(
        name in body.joints and _same(poses, body.poses[:, body.joints.index(name)])
        for name, poses in told["joints"].items()
    )


def _as_json(event: Event) -> dict[str, Any]:
    named = ("kind", "agent", "object", "start", "end")
    return {name: getattr(event, name) for name in named} | event.parameters


def _words(event: Mapping[str, Any]) -> str:
    return json.dumps(event, sort_keys=True, default=list)


def _same(told: Any, found: np.ndarray) -> bool:
    values = np.asarray(told, float)
    return values.shape == found.shape and bool(np.abs(values - found).max(initial=0) <= SAME)


def _same_poses(told: Any, entity: Entity) -> bool:
    """Compare poses; those of an articulated entity may be of another point that moves with it."""
    if entity.body is None:
        return _same(told, entity.poses)
    values = np.asarray(told, float)
    if values.shape not in (entity.poses.shape, (1, 4, 4)):
        return False
    own = np.linalg.inv(values) @ entity.poses
    return bool(np.abs(own - own[0]).max() <= SAME and np.abs(own[0, :3, :3] - np.eye(3)).max() <= SAME)


def check_names(evidence: Evidence) -> Check:
    """Check that entities are called as in the graph, and that nothing else is called so.

    Only shared objects of two containers have one label.
    """
    faults, labels = [], [each["label"] for each in evidence.objects.values()]
    for name, told in evidence.objects.items():
        entity = evidence.recording.entities[evidence.index[name]] if name in evidence.index else None
        if entity is not None and not set(entity.label.split()) & set(told["label"].split()):
            faults.append(f"{name} is a {entity.label}, not a {told['label']}")
        colour = (told.get("attributes") or {}).get("color")
        if entity is not None and colour and colour in told["label"] and colour not in entity.label:
            faults.append(f"{name} is called {entity.label}, without the {colour} of the {told['label']}")
    shared = evidence.graph["ground_truth"].get("shared_objects", ())
    faults += [f"{label} stands {labels.count(label)} times" for label in sorted(set(labels))
               if labels.count(label) > 1 + (label in shared)]  # fmt: skip
    own = {each["id"] for each in evidence.episode["entities"] if each["object"]}
    for place, entity in enumerate(evidence.recording.entities):
        if entity.id not in own and evidence.seen[:, place].any() and entity.label in labels:
            faults.append(f"{entity.id} is another {entity.label}")
    return judged("stage names", faults, f"{len(labels)} objects as called in the graph")


def check_frozen(evidence: Evidence) -> Check:
    """Check that no entity of a static task moves or changes."""
    faults = [
        entity.id
        for entity in evidence.recording.entities
        if np.abs(entity.poses - entity.poses[0]).max() > 1e-6 or entity.changes or entity.body is not None
    ]
    return judged("stage frozen", faults, "only the camera moves")


def check_shot(evidence: Evidence) -> Check:
    """Check that the clip is one shot of the right length and form, without jumps."""
    recording = evidence.recording
    poses, faults = recording.world_T_camera, []
    seconds = len(poses) / (recording.fps or 1)
    longest = SECONDS if evidence.graph["profile"] == "paper" else LONGEST
    if not SECONDS - 0.05 <= seconds <= longest + 0.05:
        faults.append(f"it lasts {seconds:.1f} s")
    if recording.clip and abs(recording.clip.width / recording.clip.height / WIDE - 1) > 0.01:
        faults.append(f"it has {recording.clip.width} x {recording.clip.height} px")
    turned = np.einsum("tij,tij->t", poses[1:, :3, :3], poses[:-1, :3, :3])
    for what, steps in (
        ("moves", np.linalg.norm(np.diff(poses[:, :3, 3], axis=0), axis=1)),
        ("turns", np.arccos(np.clip((turned - 1) / 2, -1, 1))),
    ):
        around = np.maximum(np.r_[steps[1:], 0], np.r_[0, steps[:-1]])
        jumps = np.flatnonzero(steps > JUMP * around + SLACK * max(1.0, float(steps.max()) * 20))
        faults += [f"the camera {what} by {steps[k]:.3f} after frame {k}" for k in jumps]
    return judged("stage shot", faults, "one continuous shot")


def check_seen(evidence: Evidence) -> Check:
    """Check that each object of the graph is seen well in enough frames."""
    least, faults, fewest = evidence.pixels(PIXELS), [], len(evidence.recording.times)
    for name, planned in evidence.objects.items():
        if planned["role"] in UNSEEN:
            continue
        if not evidence.parts(name):
            faults.append(f"{name} has no entity")
            continue
        frames = int((evidence.of_object(name) >= least).sum())
        fewest = min(fewest, frames)
        if frames < FRAMES:
            faults.append(f"{name} has {least:.0f} px in {frames} frames")
    return judged("stage seen", faults, f"each object in {fewest} frames or more")


def check_coverage(evidence: Evidence) -> Check:
    """Check that the frames which a protocol samples show each phase, and each object well."""
    faults, fewest, least = [], 99, evidence.pixels(PIXELS)
    for count in PROTOCOLS:
        sampled = evidence.sampled(count)
        faults += [
            f"{name} is in none of {count} frames"
            for name, planned in evidence.objects.items()
            if planned["role"] not in UNSEEN and evidence.of_object(name)[sampled].max(initial=0) < least
        ]
        for phase in evidence.scenario["phases"]:
            found = int(np.isin(sampled, evidence.phase(phase["name"])).sum())
            fewest = min(fewest, found)
            if not found:
                faults.append(f"{phase['name']} is in none of {count} frames")
    return judged("stage coverage", faults, f"each phase in {fewest} or more of 8 frames")
