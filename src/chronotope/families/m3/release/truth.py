"""Import of the ground truth of a release: one recording for each of the two states of a scene.

The folder of a scene contains these files, and each of them may be missing:

- ``house.json``, ``room_static_analysis.json`` and ``object_asset_mapping.json`` for the scene,
- ``agent_trajectory.jsonl``, ``objects_state.json``, ``depth`` and ``segmentation`` for each state,
- ``operations_log.json`` for the second state.

No recording is written for a state without a trajectory, but the operations of its scene are still written to
``changes.jsonl``. If one of the files is malformed, no recording is written for the scene, and a note names the file,
the field and the expected content.

Each line of the trajectory belongs to one frame of the clip. If the clip has one frame more than the trajectory has
lines, the trajectory lacks the first view, and the pose of the first frame is unknown. If the clip has one frame fewer,
the clip lacks the first view, and the first line is not used. The same rule assigns the maps in ``depth`` and
``segmentation`` to frames.
"""

import shutil
from collections.abc import Callable, Iterable, Mapping
from functools import partial
from pathlib import Path

from chronotope.errors import InputError
from chronotope.families.m3.release._truth_objects import read_operations
from chronotope.families.m3.release._truth_states import OBJECTS, TRAJECTORY, Notes, State, bring_state
from chronotope.families.m3.tasks import ROLES
from chronotope.question import MediaItem
from chronotope.recording import Change, write_changes

LOG = "operations_log.json"

_Media = tuple[MediaItem, MediaItem]


def find_truth(
    media: Mapping[str, _Media], places: Iterable[Path], licence: str
) -> Callable[[Path], tuple[str, ...]] | None:
    """Find the ground truth of scenes; return a function for writing it.

    The folder of a scene is searched for in each folder of ``places`` and its subfolders; the first folder with ground
    truth of a state is used. The returned function is called with the benchmark's folder, which must already contain
    the clips. It writes the ground truth, and returns sentences about the recordings. If no scene has ground truth, the
    result is None.
    """
    roots = [place for place in dict.fromkeys(places) if place.is_dir()]
    inside = [one for root in roots for one in sorted(root.iterdir()) if one.name not in media and one.is_dir()]
    scenes: list[list[State]] = []
    for scene, items in media.items():
        homes = [place / scene for place in (*roots, *inside) if (place / scene).is_dir()]
        home = next((one for one in homes if any(_has(_folder(one, k)) for k in range(len(ROLES)))), None)
        if home is not None:
            scenes.append([State(scene, home, _folder(home, k), k, _name(item), item) for k, item in enumerate(items)])
    return partial(_bring, scenes, licence) if scenes else None


def _folder(home: Path, state: int) -> Path:
    names = (f"state_{state}", f"state{state}", f"state-{state}", ROLES[state])
    return next((home / name for name in names if (home / name).is_dir()), home / names[0])


def _has(folder: Path) -> bool:
    """Check whether the folder of a state contains any ground truth file."""
    return any((folder / name).exists() for name in (TRAJECTORY, OBJECTS, "depth", "segmentation", LOG))


def _name(item: MediaItem) -> str:
    """Return the id of a recording, derived from its media paths."""
    path = Path(item.paths[0])
    return "-".join((path.parent.name, path.stem) if item.kind == "video" else path.parts[1:3])


def _bring(scenes: list[list[State]], licence: str, folder: Path) -> tuple[str, ...]:
    """Write ``recordings/`` and ``changes.jsonl``, and return notes."""
    told: Notes = {}
    faults: list[str] = []
    changes: list[Change] = []
    brought = 0
    for states in scenes:
        scene, log = states[0].scene, states[1].folder / LOG
        notes: Notes = {}
        try:
            if log.is_file():
                changes += read_operations(log, scene)
            made = sum(bring_state(state, licence, folder, notes) for state in states)
        except InputError as error:
            faults.append(f"scene {scene} has no recordings: {error}")
            for state in states:
                shutil.rmtree(folder / "recordings" / state.id, ignore_errors=True)
            continue
        brought += made
        for words, of in notes.items():
            told.setdefault(words, []).extend(of)
    write_changes(folder, changes)
    if not brought and (folder / "recordings").is_dir():
        (folder / "recordings").rmdir()
    return (
        f"ground truth: {brought} recordings of {len(scenes)} scenes, {len(changes)} operations",
        *(f"{words}: {of[0]}{f' and {len(of) - 1} more' if len(of) > 1 else ''}" for words, of in told.items()),
        *faults,
    )
