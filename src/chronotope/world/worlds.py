"""Simulation of one scene of a world: lay it out, film it, verify it."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from chronotope.errors import InputError
from chronotope.recording import Recording, Scene, save_recording
from chronotope.world.episodes import complete_episode
from chronotope.world.kinds import world_kinds
from chronotope.world.quality import Quality
from chronotope.world.refused import RefusedError

if TYPE_CHECKING:
    from chronotope.world.light import Baked
    from chronotope.world.shot import Shot, Shots
    from chronotope.world.verify import Verification

LARGEST_MAP = 4096  # px, side of the shadow map of a set that is not baked
DRAWING = 0.75  # drawing is this share of the work on a scene; the other work is verification


def simulate(
    world: str,
    name: str,
    generator: np.random.Generator,
    quality: Quality,
    folder: Path,
    provenance: dict[str, Any] | None = None,
    tell: Callable[[float, str], None] | None = None,
    file: Path | None = None,
    note: Callable[[str], None] | None = None,
    assets: Path | None = None,
    number: int | None = None,
    options: Mapping[str, Any] | None = None,
) -> Scene:
    """Make one scene of a world, with verified recordings of its states.

    Each state has a recording. ``name`` is the name of the scene. If the scene has only one recording, the recording
    has the same name. ``clips/`` and ``recordings/`` are written into ``folder``. All random numbers come from
    ``generator``. ``tell`` is called after each frame with the finished share of the work (0 to 1) and the name of the
    step. If a ``file`` is given, the scene is read from it. ``note`` is called with each sentence for the person who
    builds. ``assets`` is a folder of the asset forge, from which some things of the scene come. ``number`` is the place
    of the scene in its set, from 0. ``options`` are values of the options of the kind of world.

    Raises:
        InputError: If the engine, OpenGL or the caster of light is missing, or the file is not a scene of the world.
        RefusedError: If the rendering contradicts the facts. The message has the figures.
    """
    # Imported here because these libraries take a second to import, and few commands need them.
    from chronotope.world.film import film
    from chronotope.world.verify import verify, verify_states

    say = tell or (lambda share, stage: None)
    say(0.0, f"laying out the {world}")
    laid = _laid(world, generator, quality, file, note, assets, number, options or {})
    shots, quality = laid.states, _quality_of(laid.states, quality)
    light = _light(shots, quality) if quality.baked else None
    recordings: list[Recording] = []
    for state, shot in enumerate(shots):

        def said(share: float, stage: str, state: int = state) -> None:
            say((state + share) / len(shots), stage)

        def drawn(frame: int, frames: int) -> None:
            said(DRAWING * frame / frames, f"drawing frame {frame} of {frames}")

        def verified(frame: int, frames: int) -> None:
            said(DRAWING + (1 - DRAWING) * frame / frames, f"verifying frame {frame} of {frames}")

        if light is not None:
            said(0.0, "baking light")
        baked = () if light is None else next(light)
        recording = film(shot, name, world, generator, quality, folder, provenance, drawn, baked)
        place = folder / "recordings" / recording.id
        _require(verification := verify(recording, place, verified))
        complete_episode(recording, place, verification)
        recordings.append(recording)
    scene = Scene.of(*recordings, changes=[replace(change, scene=name) for change in laid.changes])
    if len(recordings) > 1 and recordings[0].rooms:  # only homes log what the comparison of states needs
        _require(verify_states(scene))
    return scene


def number_in_set(world: str, seed: int, index: int, options: Mapping[str, Any]) -> int:
    """Return the number that a kind of world gets for the scene at ``index`` of a set."""
    kind = world_kinds()[world]
    if kind.order is None or kind.options is None:
        return index
    return kind.order(seed, index, kind.options(**options))


def plan_scene(
    world: str,
    name: str,
    generator: np.random.Generator,
    folder: Path,
    provenance: dict[str, Any],
    number: int,
    options: Mapping[str, Any],
    file: Path | None = None,
) -> Scene:
    """Make one scene of a world without drawing it.

    The recording has neither a clip nor poses. Beside it stand the texts of the scene.

    Raises:
        InputError: If the world cannot plan scenes, or the file is not a scene of the world.
    """
    kind = world_kinds()[world]
    if kind.plan is None:
        able = ", ".join(f"world:{other.name}" for other in world_kinds().values() if other.plan is not None)
        raise InputError(f"--no-render: scenes of world:{world} have no description but their pictures: take {able}")
    plan = kind.plan(generator, number, None if kind.options is None else kind.options(**options), file)
    times = np.array([0.0, plan.seconds])
    recording = Recording(
        id=name, kind=plan.kind, source=f"world:{world}", times=times, world_T_camera=np.full((2, 4, 4), np.nan),
        valid=np.zeros(2, bool), provenance={**provenance, **plan.provenance},
    )  # fmt: skip
    inside = folder / "recordings" / name
    save_recording(recording, inside)
    for text_name, text in plan.files.items():
        (inside / text_name).write_text(text, encoding="utf-8")
    return Scene.of(recording)


def simulate_thor(
    source: Path | str,
    name: str,
    generator: np.random.Generator,
    quality: Quality,
    folder: Path,
    provenance: dict[str, Any] | None = None,
    tell: Callable[[float, str], None] | None = None,
) -> Scene:
    """Make a home in two states with AI2-THOR.

    The recordings have passed the checks that apply to AI2-THOR. ``source`` is a house file of ProcTHOR, or the name of
    a scene of AI2-THOR. The other parameters are as in `simulate`.

    Raises:
        InputError: If AI2-THOR is missing or does not start, or if the scene cannot be walked through.
        RefusedError: If the pictures contradict the facts, or if other changes are needed. The message has the figures.
    """
    # Imported here because few commands need these libraries.
    from chronotope.world.simulator.film import film_scene
    from chronotope.world.verify import verify, verify_states

    say = tell or (lambda share, stage: None)
    say(0.0, "starting AI2-THOR")

    def drawn(state: int, frame: int, frames: int) -> None:
        say((state + DRAWING * frame / frames) / 2, f"drawing frame {frame} of {frames}")

    def check(recording: Recording) -> None:
        _require(verify(recording, folder / "recordings" / recording.id, has_tight_boxes=False))

    recordings, changes = film_scene(source, name, generator, quality, folder, provenance, drawn, check)
    scene = Scene.of(*recordings, changes=changes)
    if recordings[0].rooms:
        _require(verify_states(scene, is_still=False))
    return scene


def assets_hash(folder: Path) -> str:
    """Hash a folder of the asset forge.

    Raises:
        InputError: If it is not such a folder.
    """
    from chronotope.world.homes.assets import open_assets  # imported here because few commands need it

    return open_assets(folder).sha256


def _laid(
    world: str,
    generator: np.random.Generator,
    quality: Quality,
    file: Path | None,
    note: Callable[[str], None] | None,
    assets: Path | None,
    number: int | None,
    options: Mapping[str, Any],
) -> "Shots":
    """Lay out a scene, or read it from a file."""
    kind = world_kinds()[world]
    more: dict[str, Any] = {} if assets is None else {"assets": assets}
    if kind.options is not None:
        more["options"] = kind.options(**options)
    if file is None or kind.read is None:
        place = {"number": number} if kind.takes_number else {}
        laid = kind.layout(generator, quality, **more, **place)
    else:
        laid = kind.read(file, generator, quality, **more)
    if note is not None:
        for sentence in laid.notes:
            note(sentence)
    return laid


def _quality_of(shots: "Sequence[Shot]", quality: Quality) -> Quality:
    """Return the quality with shadows in place of baked light, if a shot is not for baking."""
    if quality.baked and not all(shot.is_baked for shot in shots):
        return replace(quality, baked=False, shadow_map=LARGEST_MAP)
    return quality


def _light(shots: "Sequence[Shot]", quality: Quality) -> "Iterator[tuple[Baked, ...]]":
    """Yield the baked light of each shot, for each stage of its set."""
    from chronotope.world.light import DETAILS, bake_states

    stages = [[film_set for _, film_set in shot.film_set.stages] for shot in shots]
    views = [(shot.camera, shot.intrinsics) for shot in shots]
    light = bake_states([film_set for sets in stages for film_set in sets], views, DETAILS[quality.fineness])
    for sets in stages:
        yield tuple(islice(light, len(sets)))


def _require(verification: "Verification") -> None:
    """Raise RefusedError if a check failed."""
    if not verification.passed:
        checks = tuple(check.name for check in verification.failed)
        raise RefusedError(verification.sentence(), checks, verification.faults())
