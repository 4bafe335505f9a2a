"""The sources of VGenST-Bench besides recordings: drafts, folders of scene graphs, and generated clips."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from chronotope.errors import InputError
from chronotope.families import GivenScene, GivenScenes, Profile
from chronotope.families.vgenst.agents.records import SETTINGS
from chronotope.families.vgenst.drafted import GRAPH, DraftedScene, as_text, drafted_scenes
from chronotope.families.vgenst.footage import shelf
from chronotope.io import read_json
from chronotope.world.kinds.stage.graph import SceneGraph, parse_graph, told_faults, validate

_TOLD = 3  # faults of a graph that a message names
_CONSTANT = (
    "the graphs have the profile paper, so the cells with a constant answer have no strict question: draft with "
    "--profile extended, or build with --profile paper"
)


@dataclass(frozen=True)
class Taking:
    """Which scenes are taken: those that can be drawn, also unvalidated ones, also clips that nobody picked.

    ``profile`` is that of the questions.
    """

    is_drawn: bool = True
    keep_unvalidated: bool = False
    takes_proposed: bool = False
    profile: Profile = "strict"


def given_scenes(path: Path, taking: Taking) -> GivenScenes | None:
    """Return the scenes of drafts, of a folder or file of scene graphs, or of generated clips.

    The result is None for any other source.

    Raises:
        InputError: If no scene can be used, or graphs have different profiles.
    """
    if (path / SETTINGS).is_file():
        return _of_drafts(path, taking)
    if (path / shelf.SETTINGS).is_file():
        return _of_clips(path, taking)
    graphs = dict(_graphs(path))
    return _of_graphs(path, graphs, taking) if graphs else None


def _of_drafts(folder: Path, taking: Taking) -> GivenScenes:
    every = drafted_scenes(folder, unvalidated=True)
    kept = [scene for scene in every if scene.validated or taking.keep_unvalidated]
    notes = []
    if left := len(every) - len(kept):
        notes.append(f"{left} graphs are not validated and are left out: --keep-unvalidated takes them, with a flag")
    if not kept:
        told = notes[0] if notes else "it has no graphs: draft the stage graph"
        raise InputError(f"{folder}: has no validated graph, so there is nothing to ask about ({told})")
    scenes, failures = [], []
    for scene in kept:
        if fault := _fault(scene.graph, is_drawn=taking.is_drawn):
            failures.append((scene.item, fault))
            continue
        questions = [draft for draft in scene.questions if draft.validated or taking.keep_unvalidated]
        files = replace(scene, questions=questions).files
        scenes.append(_given(scene.item, scene.graph, scene.told_graph(), files))
    return GivenScenes(tuple(scenes), (*notes, *_profiles(folder, scenes, taking)), tuple(failures))


def _of_clips(folder: Path, taking: Taking) -> GivenScenes:
    """Return the scenes whose clips were picked or, if that is wanted, proposed."""
    candidates = shelf.kept_candidates(folder)
    picks = shelf.picks_of(folder, candidates)
    scenes, waiting = [], 0
    for scene in shelf.kept_scenes(folder):
        chosen, is_picked = picks.get(scene.item), scene.item in picks
        if not is_picked and taking.takes_proposed:
            of_scene = [one for one in candidates if one.scene == scene.item]
            chosen = next((one for one in of_scene if one.may_be_chosen), None)
        waiting += chosen is None and not is_picked
        if chosen is not None:
            scenes.append(_with_clip(folder, scene, chosen, is_picked=is_picked))
    notes = [f"{waiting} scenes have no picked clip and are left out"] if waiting else []
    if not scenes:
        raise InputError(
            f"{folder}: no clip is picked: look at {folder / shelf.PAGE} and save {shelf.PICKED}, or take what the "
            "checks leave with --proposed"
        )
    return GivenScenes(tuple(scenes), (*notes, *_profiles(folder, scenes, taking)))


def _with_clip(folder: Path, scene: DraftedScene, chosen: shelf.Candidate, *, is_picked: bool) -> GivenScene:
    assert chosen.file is not None
    clip = {
        "candidate": chosen.name, "picked": is_picked, "seed": chosen.seed, "truth_kept": chosen.truth_kept,
        "checks": {check.name: check.passed for check in chosen.checks},
    }  # fmt: skip
    judges = dict(scene.judges) | ({} if chosen.judge is None else {"clip_judge": chosen.judge})
    keeps = chosen.truth_kept is True and chosen.same_frames
    text = replace(scene, judges=judges).told_graph(clip=clip)
    name = scene.item if scene.recording is None else scene.recording.name
    return replace(
        _given(name, scene.graph, text, {GRAPH: text, **scene.files}),
        clip=folder / chosen.file,
        recording=scene.recording if keeps else None,
    )


def _of_graphs(path: Path, graphs: Mapping[str, SceneGraph], taking: Taking) -> GivenScenes:
    scenes, failures = [], []
    for name, graph in graphs.items():
        if fault := _fault(graph, is_drawn=taking.is_drawn):
            failures.append((f"{name}.json", fault))
        else:
            scenes.append(_given(name, graph, as_text(graph.model_dump(mode="json")), {}))
    return GivenScenes(tuple(scenes), _profiles(path, scenes, taking), tuple(failures))


def _given(name: str, graph: SceneGraph, text: str, files: Mapping[str, str]) -> GivenScene:
    return GivenScene(name, "stage", text, {"stage_profile": graph.profile}, files)


def _graphs(path: Path) -> Iterator[tuple[str, SceneGraph]]:
    """Yield the graphs of a file or a folder, by the names of their files.

    Raises:
        InputError: If only some files are graphs, or a graph cannot be read.
    """
    if path.is_dir() and ((path / "recording.json").exists() or (path / "card.yaml").exists()):
        return
    files = sorted(path.glob("[!.]*.json")) if path.is_dir() else [path] if path.suffix.lower() == ".json" else []
    read = {file: read_json(file) for file in files}
    are_graphs = {file: isinstance(data, dict) and "scene_meta" in data for file, data in read.items()}
    if not any(are_graphs.values()):
        return
    if other := next((file for file, is_graph in are_graphs.items() if not is_graph), None):
        raise InputError(f"{other}: is not a scene graph, and other files of the folder are: move it elsewhere")
    for file, data in read.items():
        yield file.stem, parse_graph(data, str(file))


def _fault(graph: SceneGraph, *, is_drawn: bool) -> str | None:
    """Return the reason why a graph cannot be used, or None."""
    broken = validate(graph)
    if broken:
        return told_faults(broken)
    undrawn = validate(graph, is_drawn=True) if is_drawn else []
    if undrawn:
        told = "; ".join(f"{v.path}: {v.found}" for v in undrawn[:_TOLD])
        return f"the renderer cannot draw it ({told}): draft with --drawn, or build with --no-render"
    return None


def _profiles(path: Path, scenes: Sequence[GivenScene], taking: Taking) -> tuple[str, ...]:
    """Return a note about the profile of the graphs.

    Raises:
        InputError: If graphs have different profiles.
    """
    found = {scene.options["stage_profile"] for scene in scenes}
    if len(found) > 1:
        raise InputError(f"{path}: has graphs of the profiles paper and extended, and a set never has both: part them")
    return (_CONSTANT,) if found == {"paper"} and taking.profile == "strict" else ()
