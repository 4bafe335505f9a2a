"""A kind of world with one person, who walks past some boxes: ``chronotope build sti world:stroll:4``."""

import numpy as np
from pydantic import BaseModel, Field

from chronotope.recording import Kind
from chronotope.world import Quality, WorldKind
from chronotope.world.camera import intrinsics_of, look_at
from chronotope.world.film_set import FilmSet, Light, Placement
from chronotope.world.people import draw_person
from chronotope.world.people.motion import Stand, Turn, Walk, perform
from chronotope.world.shot import Shot, Shots
from chronotope.world.slabs import slab
from chronotope.world.things import Look, draw_thing


class Options(BaseModel):
    """Each field becomes a flag of ``chronotope build``."""

    pace: float = Field(1.1, ge=0.6, le=2.0, description="speed (m/s) of the person")


def lay(generator: np.random.Generator, quality: Quality, options: Options) -> Shots:
    """Lay out one scene: things, a person, light, and a camera. All random numbers are the generator's."""
    times = np.arange(round(quality.seconds[0] * quality.fps)) / quality.fps  # s, one for each frame

    # Still things stand on the floor, which is z = 0. The origin of a thing is the middle of its box.
    boxes = []
    for number, x in enumerate((-1.1, 0.2, 1.3)):
        box = draw_thing(generator, "cereal box" if number % 2 else "ball")
        pose = np.eye(4)
        pose[:3, 3] = x, float(generator.uniform(-0.6, -0.2)), box.size[2] / 2
        boxes.append(Placement(f"box-{number}", box, pose))

    # The person walks along a curve, turns to the camera and stands. Joints, feet and events follow from these acts.
    person = draw_person(generator)
    way = np.array([[-1.8, 0.9], [-0.5, 0.6], [0.7, 0.7]])  # m, on the floor
    acts = [Walk(way, options.pace), Turn(-np.pi / 2), Stand(0.2)]
    walked = perform(person, times, acts, agent="walker")

    floor = slab((12.0, 12.0, 0.1), (0.0, 0.0, -0.05), Look((0.55, 0.52, 0.48), 0.0, 0.0))
    wall = slab((12.0, 0.1, 3.0), (0.0, 2.5, 1.5), Look((0.72, 0.74, 0.7), 0.0, 0.0))
    lamp = Light((-1.0, -2.0, 3.0), (0.3, 0.6, -0.75), (0.6, 0.6, 0.55), shadows=True)
    film_set = FilmSet((*boxes, walked.placement("walker", person)), (floor, wall), (lamp,), far=20.0)

    eyes = np.column_stack([np.linspace(-0.3, 0.3, len(times)), np.full(len(times), -2.6), np.full(len(times), 1.5)])
    shot = Shot(
        film_set=film_set,
        times=times,
        camera=look_at(eyes, np.tile([0.0, 0.5, 0.8], (len(times), 1))),
        intrinsics=intrinsics_of(55.0, quality.width, quality.height),
        kind=Kind.INDOOR,
        depth_scale=4000.0,
        events=walked.events,
    )
    return Shots((shot,))


KIND = WorldKind("stroll", "strolls", lay, options=Options)
