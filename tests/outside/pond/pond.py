"""A kind of world and a provider of models that are not Chronotope's own.

On a floor stand a few things, one moves along, and between two states another one is put elsewhere.
"""

from dataclasses import replace

import numpy as np

from chronotope.errors import InputError
from chronotope.models import Asked, ModelProvider
from chronotope.recording import Change, Kind
from chronotope.world import Quality, WorldKind
from chronotope.world.camera import intrinsics_of, look_at
from chronotope.world.film_set import FilmSet, Light, Placement
from chronotope.world.shot import Shot, Shots
from chronotope.world.slabs import slab
from chronotope.world.things import TABLE_KINDS, Look, draw_thing

PLACES = ((-0.3, -0.2), (0.0, 0.25), (0.35, -0.1))
SPEED, ELSEWHERE = 0.08, (-0.6, 0.05)


def at(placement: Placement, x: float, y: float) -> Placement:
    """Stand a thing on the floor at (x, y) m."""
    pose = np.eye(4)
    pose[:3, 3] = x, y, placement.thing.size[2] / 2
    return replace(placement, pose=pose)


def lay(generator: np.random.Generator, quality: Quality) -> Shots:
    """Three things that stand, one that slides past behind them, a camera that goes half round."""
    names = [str(name) for name in generator.permutation(sorted(TABLE_KINDS))[:4]]
    things = [draw_thing(generator, name, TABLE_KINDS[name].colours[0]) for name in names]
    placements = [Placement(f"thing-{number}", thing, np.eye(4)) for number, thing in enumerate(things)]
    still = [at(one, *place) for one, place in zip(placements, PLACES, strict=False)]
    times = np.arange(round(quality.seconds[0] * quality.fps)) / quality.fps
    path = np.stack([at(placements[3], -0.4 + SPEED * time, 0.55).pose for time in times])
    moving = replace(placements[3], pose=path[0], path=path)
    floor = slab((6.0, 6.0, 0.1), (0.0, 0.0, -0.05), Look((0.55, 0.5, 0.42), 0.0, 0.0))
    lamp = Light((1.0, -1.5, 2.5), (-0.35, 0.5, -0.8), (0.7, 0.7, 0.65))
    angle = -np.pi / 2 + np.linspace(-0.5, 0.5, len(times)) * generator.uniform(0.8, 1.2)
    eyes = np.stack([1.5 * np.cos(angle), 1.5 * np.sin(angle), np.linspace(0.6, 1.1, len(times))], axis=1)
    camera = look_at(eyes, np.tile([0.0, 0.1, 0.1], (len(times), 1)))
    before = Shot(
        film_set=FilmSet((*still, moving), (floor,), (lamp,), far=12.0),
        times=times,
        camera=camera,
        intrinsics=intrinsics_of(50.0, quality.width, quality.height),
        kind=Kind.INDOOR,
        state="before",
        depth_scale=5000.0,
    )
    moved = replace(before.film_set, placements=(at(still[0], *ELSEWHERE), *still[1:], moving))
    change = Change("floor", "move", "thing-0", after={"position": [*ELSEWHERE, 0.0]})
    return Shots((before, replace(before, film_set=moved, state="after")), (change,))


KIND = WorldKind("floor", "floors", lay)


def open_pond(model: str) -> object:
    """``pond/last`` answers with the last letter that is offered."""
    if model != "last":
        raise InputError(f"pond/{model}: the pond has one model, pond/last")

    def last(asked: Asked) -> str:
        return asked.options[-1].letter

    return last


PROVIDER = ModelProvider("pond", open_pond)  # type: ignore[arg-type]
