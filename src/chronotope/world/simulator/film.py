"""The film of a scene of AI2-THOR in two states, and the walks through it."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from chronotope.errors import InputError
from chronotope.io import read_json
from chronotope.recording import Change, Recording
from chronotope.world.engines import require_thor
from chronotope.world.film import film
from chronotope.world.film_set import FilmSet
from chronotope.world.homes.document import plan_of, read_house
from chronotope.world.homes.explore import Grid, Route
from chronotope.world.homes.explore.actions import TURN
from chronotope.world.homes.explore.grid import STEP
from chronotope.world.homes.floor_plan import FloorPlan, RoomPlan
from chronotope.world.homes.scenery import (
    FIELD,
    STATES,
    require_walk,
    rooms_left_out,
    rooms_of,
    shot_along,
    walk_over,
)
from chronotope.world.left_handed import from_vector, to_left_handed, to_vector
from chronotope.world.quality import Quality
from chronotope.world.refused import RefusedError
from chronotope.world.render import Drawn
from chronotope.world.simulator.changes import change_scene
from chronotope.world.simulator.events import Event
from chronotope.world.simulator.things import is_piece, placements_of
from chronotope.world.simulator.thor import ThorSimulator, ai2thor_version, open_thor, settings_here

_OFF = 0.02  # m, by which a simulator's point may be off the grid


def reachable_grid(simulator: ThorSimulator) -> Grid:
    """Ask a simulator where the agent can go.

    Raises:
        InputError: If the simulator reports no points, or if its points are not those of a grid.
    """
    event = _done(simulator.step("GetReachablePositions"))
    points = np.array([from_vector(each)[:2] for each in event.metadata["actionReturn"]]).reshape(-1, 2)
    if not len(points):
        raise InputError("the simulator has no point where the agent can stand", fix="use another home")
    origin = points.min(axis=0)
    cells = np.rint((points - origin) / STEP).astype(int)
    if np.abs(origin + STEP * cells - points).max() > _OFF:
        raise InputError(
            f"the simulator's points are not on a grid of {STEP:g} m", fix=f"start it with gridSize={STEP:g}"
        )
    reachable = np.zeros(cells.max(axis=0) + 1, bool)
    reachable[tuple(cells.T)] = True
    return Grid(origin, STEP, reachable)


def walk(simulator: ThorSimulator, route: Route) -> Iterator[Event]:
    """Walk along a route in a simulator.

    The first event is the view from the start, and each action adds one event.

    Raises:
        InputError: If an action fails.
    """
    x, z, yaw, horizon = to_left_handed(route.poses[:1])[0].tolist()
    height = simulator.last_event.metadata["agent"]["position"]["y"]
    start = to_vector([x, z, height])
    yield _done(simulator.step("Teleport", position=start, rotation=yaw, horizon=horizon))
    for action in route.actions:
        parameters = {"moveMagnitude": STEP} if action == "MoveAhead" else {"degrees": float(TURN)}
        yield _done(simulator.step(action, **parameters))


def _done(event: Event) -> Event:
    if not event.success:
        told = event.metadata
        raise InputError(f"the simulator refused {told['lastAction']}: {told['errorMessage']}", fix="use another home")
    return event


OFF = 0.02, np.radians(1.0)  # m and rad by which the camera may be beside the planned way
CLEAR, CLEAR_FRAMES = 0.001, 4  # share of the picture, and frames, in which a thing that is changed was seen before
_LICENCE = "Apache-2.0"  # of AI2-THOR, its scenes and the houses of ProcTHOR


@dataclass(frozen=True, eq=False)
class _Stage:
    """A started scene, and the common facts of both its states; without a ``plan``, its rooms are unknown."""

    simulator: ThorSimulator
    plan: FloorPlan | None
    name: str
    quality: Quality
    folder: Path
    provenance: dict[str, Any]

    @property
    def rooms(self) -> tuple[RoomPlan, ...]:
        return () if self.plan is None else self.plan.rooms

    def room_of(self, point: np.ndarray) -> str | None:
        """Return the id of the room of a point (2,) m."""
        return next((room.id for room in self.rooms if room.holds(point)), None)


def film_scene(
    source: Path | str,
    name: str,
    generator: np.random.Generator,
    quality: Quality,
    folder: Path,
    provenance: dict[str, Any] | None = None,
    tell: Callable[[int, int, int], None] | None = None,
    check: Callable[[Recording], None] | None = None,
) -> tuple[tuple[Recording, ...], tuple[Change, ...]]:
    """Film a scene of AI2-THOR before and after random changes.

    ``source`` is a house file of ProcTHOR, or the name of a scene. Walks and changes follow the rules for our own
    homes, but only objects that the first film shows are changed. ``name``, ``folder`` and ``provenance`` are as for
    ``film``. ``tell`` is called after each frame with the number of the state, the number of the frame, and the number
    of all frames. ``check`` is called with each recording before the next one is begun.

    Raises:
        InputError: If AI2-THOR is missing or does not start, if the file is not a house, or if a room cannot be
            entered.
        RefusedError: If nothing was changed, or if the changes are in the way of a walk.
    """
    plan = plan_of(read_house(source), str(source)) if isinstance(source, Path) else None
    scene = read_json(source) if isinstance(source, Path) else source
    require_thor()
    told = {"engine": "thor", **(provenance or {})}
    with open_thor(scene, quality, FIELD, **settings_here()) as simulator:
        stage = _Stage(simulator, plan, name, quality, folder, {**told, "ai2thor": ai2thor_version()})
        require_walk(str(source), generator, reachable_grid(simulator), stage.rooms)
        left_out = (None, None) if plan is None else rooms_left_out(generator, plan)
        recordings: list[Recording] = []
        changes: tuple[Change, ...] = ()
        for number, state in enumerate(STATES):
            if recordings:
                changes = change_scene(generator, simulator, name, _seen(recordings[0]), stage.room_of)
            route = walk_over(generator, reachable_grid(simulator), stage.rooms, left_out=left_out[number])
            if route is None or (recordings and not changes):
                why = "nothing in it was changed" if route else "a room cannot be entered after the changes"
                raise RefusedError(f"{source}: {why}: use another --seed or another scene", ("changes",), why)

            def drawn(frame: int, frames: int, number: int = number) -> None:
                if tell is not None:
                    tell(number, frame, frames)

            recordings.append(_filmed(stage, state, route, left_out[number], generator, drawn))
            if check is not None:
                check(recordings[-1])
    return tuple(recordings), changes


def _seen(recording: Recording) -> set[str]:
    """Return the ids of the things that a film shows clearly."""
    assert recording.clip is not None
    least = CLEAR * recording.clip.width * recording.clip.height
    counts = {each.id: each.visible_pixels for each in recording.entities}
    return {name for name, pixels in counts.items() if pixels is not None and (pixels >= least).sum() >= CLEAR_FRAMES}


def _filmed(
    stage: _Stage,
    state: str,
    route: Route,
    left_out: str | None,
    generator: np.random.Generator,
    drawn: Callable[[int, int], None],
) -> Recording:
    quality = stage.quality
    placements = placements_of(stage.simulator.last_event.metadata["objects"], stage.room_of)
    rooms = () if stage.plan is None else rooms_of(stage.plan)
    along = shot_along(route, FilmSet(placements), state, quality, left_out)
    shot = replace(along, licence=_LICENCE, rooms=rooms)
    frames = _frames(walk(stage.simulator, route), shot.camera, [each.id for each in placements])
    return film(shot, stage.name, "house", generator, quality, stage.folder, stage.provenance, drawn, frames=frames)


def _frames(events: Iterator[Event], planned: np.ndarray, names: Sequence[str]) -> Iterator[Drawn]:
    """Yield the frames of a walk.

    The value v of the identities is the thing ``names[v - 1]``.

    Raises:
        InputError: If the camera leaves the planned way (T, 4, 4).
    """
    values = {name: value for value, name in enumerate(names, 1)}
    for number, (event, pose) in enumerate(zip(events, planned, strict=True)):
        off = np.linalg.norm(event.camera[:3, 3] - pose[:3, 3])
        turned = np.arccos(np.clip((np.trace(event.camera[:3, :3].T @ pose[:3, :3]) - 1) / 2, -1, 1))
        if off > OFF[0] or turned > OFF[1]:
            raise InputError(
                f"AI2-THOR moved the camera to a place {off:.2f} m beside the planned one at frame {number}",
                fix="use another --seed or another scene",
            )
        table = [0, *(values.get(is_piece(each, values) or each, 0) for each in event.object_ids)]
        least = np.min_scalar_type(max(1, len(names)))
        yield Drawn(event.frame, event.depth_frame, np.array(table, least)[event.identities], event.camera)
