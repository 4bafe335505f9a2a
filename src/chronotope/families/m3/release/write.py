"""Export of a benchmark in the layout of the authors' pipeline, so that their scripts run on it.

``data/scene_<n>`` has one scene: ``room_static_analysis.json``, ``object_asset_mapping.json`` and ``house.json``, and
for each state its video, ``RGB/frame_<i>.png``, ``depth`` and ``segmentation`` (16-bit PNG in place of pickles, which
are unsafe to open), ``agent_trajectory.jsonl`` and ``objects_state.json``. ``state_1/operations_log.json`` has the
changes.
``QAs/M^3-Verse_all.jsonl`` has the questions, and ``object_attributes.json`` the looks of each asset. The authors'
scripts expect scenes named ``scene_<n>``; ``scenes.json`` maps these names to the names in the benchmark.
"""

import json
import shutil
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from chronotope.families.m3.release._written_maps import write_maps
from chronotope.families.m3.release._written_truth import attributes_of, operations, rooms, state_files
from chronotope.families.m3.tasks import ROLES
from chronotope.io import link_or_copy, write_json
from chronotope.media import decode_frames, encode_picture
from chronotope.protocol import option_letters
from chronotope.question import Benchmark, MediaItem, Question
from chronotope.recording import CHANGES, Recording, load_recording, read_changes

QUESTIONS = "QAs/M^3-Verse_all.jsonl"

Progress = Callable[[int, int, str], None]


def write_release(
    benchmark: Benchmark, out: Path, *, pictures: bool = True, progress: Progress | None = None
) -> tuple[str, ...]:
    """Write a benchmark into the existing folder ``out``; return notes.

    If ``pictures`` is false, the frames of the videos are not written as pictures. Variants of questions are left out,
    because the authors have none.
    """
    asked = [question for question in benchmark.questions if question.variant == "base"]
    shown = {question.cluster: question.media for question in asked}
    scenes = {cluster: f"scene_{number}" for number, cluster in enumerate(shown)}
    if all(cluster.startswith("scene_") and cluster[6:].isdecimal() for cluster in shown):
        scenes = {cluster: cluster for cluster in shown}
    _write_questions(out / QUESTIONS, asked, scenes)
    write_json(out / "scenes.json", {name: cluster for cluster, name in scenes.items()})
    looks: dict[str, dict[str, Any]] = {}
    folders = _folders(benchmark)
    without = 0
    for number, (cluster, name) in enumerate(scenes.items()):
        if progress is not None:
            progress(number, len(scenes), name)
        known = {state: load_recording(folder) for state, folder in folders.get(cluster, {}).items()}
        without += len(known) < len(ROLES)
        _write_scene(benchmark, cluster, out / "data" / name, known, looks)
        for role, item in zip(ROLES, _of_roles(shown[cluster]), strict=True):
            place = out / "data" / name / f"state_{ROLES.index(role)}"
            _write_clip(benchmark, item, place, pictures=pictures)
    write_json(out / "object_attributes.json", looks)
    if progress is not None:
        progress(len(scenes), len(scenes), "")
    notes = [f"{len(asked)} questions about {len(scenes)} scenes"]
    if left := len(benchmark.questions) - len(asked):
        notes.append(f"{left} variants of questions are left out, because the authors have none")
    if without:
        notes.append(f"{without} scenes have no ground truth, so only their videos are written")
    return tuple(notes)


def _write_questions(file: Path, asked: Sequence[Question], scenes: dict[str, str]) -> None:
    file.parent.mkdir(parents=True)
    rows = (_row(question, scenes[question.cluster]) for question in asked)
    file.write_text("".join(f"{json.dumps(row, ensure_ascii=False)}\n" for row in rows), encoding="utf-8")


def _row(question: Question, scene: str) -> dict[str, Any]:
    letters = option_letters(len(question.options))
    tag = {key: ", ".join(values) for key, values in question.tags.items()}
    return {
        "scene_id": scene,
        "category": question.task,
        "question_id": question.id,
        "state_type": tag.get("state_type"),
        "question": question.stem,
        "options": [f"{letter}. {option.text}" for letter, option in zip(letters, question.options, strict=True)],
        "answer": [letters[place] for place in question.answer],
        "question_type": "multiple_choice" if question.multiple else "single_choice",
        "subcategory": tag.get("subtask"),
        "generator_name": question.task,
        "hallucination": tag.get("hallucination") == "yes",
        "capabilities": list(question.tags.get("capability", ())),
    }


def _folders(benchmark: Benchmark) -> dict[str, dict[int, Path]]:
    """Return the folders of each scene's recordings, by number of state."""
    found: dict[str, dict[int, Path]] = {}
    for file in sorted((benchmark.folder / "recordings").glob("*/recording.json")):
        recording = load_recording(file.parent)
        if recording.state in (names := ("state_0", "state_1")):
            found.setdefault(recording.scene or recording.id, {})[names.index(recording.state)] = file.parent
    return found


def _write_scene(
    benchmark: Benchmark, cluster: str, home: Path, known: dict[int, Recording], looks: dict[str, dict[str, Any]]
) -> None:
    """Write the ground truth of a scene."""
    home.mkdir(parents=True)
    assets: dict[str, str] = {}
    for state, recording in known.items():
        inside = benchmark.folder / "recordings" / recording.id
        house = json.loads((inside / "house.json").read_text("utf-8")) if (inside / "house.json").is_file() else None
        assets |= _assets(recording, house)
        looks |= attributes_of(recording, assets)
        place = home / f"state_{state}"
        place.mkdir()
        state_files(recording, place, home.name)
        write_maps(recording, inside, place)
        if state == min(known):
            write_json(home / "room_static_analysis.json", rooms(recording))
            write_json(home / "house.json", house if house is not None else _house(recording))
    write_json(home / "object_asset_mapping.json", assets)
    log = benchmark.folder / CHANGES
    changes = [change for change in read_changes(log) if change.scene == cluster] if log.is_file() else []
    if 1 in known:
        write_json(home / "state_1" / "operations_log.json", operations(changes, home.name))


def _assets(recording: Recording, house: dict[str, Any] | None) -> dict[str, str]:
    """Return the asset of each object, if it is known."""
    found = {entity.id: asset for entity in recording.entities if (asset := entity.attributes.get("assetId"))}
    todo: list[dict[str, Any]] = list((house or {}).get("objects", ()))
    while todo:
        one = todo.pop()
        found.setdefault(one["id"], one["assetId"])
        todo += one.get("children", ())
    return {entity.id: found[entity.id] for entity in recording.entities if entity.id in found}


def _house(recording: Recording) -> dict[str, Any]:
    """Return the house of a home whose house file is unknown.

    The house has rooms and passable doors.
    """
    pairs = dict.fromkeys(tuple(sorted((room.id, other))) for room in recording.rooms for other in room.connections)
    return {
        "rooms": [
            {
                "id": room.id,
                "roomType": room.type,
                "floorPolygon": [{"x": x, "y": 0.0, "z": z} for x, z in room.floor.tolist()],
            }
            for room in recording.rooms
        ],
        "doors": [{"id": f"door|{number}", "room0": one, "room1": other} for number, (one, other) in enumerate(pairs)],
        "objects": [],
    }


def _of_roles(media: Sequence[MediaItem]) -> list[MediaItem]:
    by_role = {item.role: item for item in media}
    return [by_role[role] for role in ROLES]


def _write_clip(benchmark: Benchmark, item: MediaItem, place: Path, *, pictures: bool) -> None:
    """Write the video of a state, and its frames as pictures."""
    place.mkdir(exist_ok=True)
    files = [benchmark.folder / path for path in item.paths]
    seen = place / "RGB"
    if item.kind != "video":
        seen.mkdir()
        for number, file in enumerate(files):
            shutil.copyfile(file, seen / f"frame_{number}{file.suffix.lower()}")
        return
    link_or_copy(files[0], place / f"video{files[0].suffix.lower()}")
    if pictures:
        seen.mkdir()
        for number, rgb in decode_frames(files[0], range(benchmark.media[item.paths[0]].frames or 0)):
            (seen / f"frame_{number}.png").write_bytes(encode_picture(rgb, "png").data)
