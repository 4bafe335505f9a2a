"""What moves is filmed under baked light, in a room and on a plain street, and passes: plain figures and real bodies.

A person who walks, a person who takes a cup and sets it down elsewhere, and a car with turning wheels.
"""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import moving_cast
import numpy as np
import pytest
from moving_cast import QUALITY, TABLE_TOP, Case, room, shot_of
from moving_set import at, thing_of

from chronotope.recording import Kind
from chronotope.world.camera import look_at
from chronotope.world.film_set import Daylight, FilmSet, Placement
from chronotope.world.people import draw_person
from chronotope.world.people.motion import Act, Carry, Grasp, Place, Stand, Walk, perform, seconds_needed
from chronotope.world.slabs import slab
from chronotope.world.street import draw_vehicle, drive, on_road
from chronotope.world.things import Look, draw_thing
from chronotope.world.verify import verify

pytestmark = [pytest.mark.slow, pytest.mark.complete, pytest.mark.usefixtures("drawable")]


def view(times: np.ndarray, eye: tuple[float, float, float], target: tuple[float, float, float], sway: float):
    eyes = np.tile(np.array(eye), (len(times), 1))
    eyes[:, 0] += np.linspace(-sway, sway, len(times))
    return look_at(eyes, np.tile(np.array(target), (len(times), 1)))


def person_walks(sway: float) -> Case:
    person = draw_person(np.random.default_rng(4), "male", "adult", garments=("pullover", "jeans"))
    times = np.arange(30) / QUALITY.fps
    done = perform(person, times, [Walk(np.array([[-1.1, 0.7], [1.1, 0.7]]), 1.0)], agent="anna")
    camera = view(times, (0.1, -1.45, 1.2), (0.0, 0.7, 0.8), sway)
    shot = shot_of(room(done.placement("anna", person)), camera, *done.events, fov=75)
    return Case("person walks", replace(shot, times=times))


def person_carries(sway: float) -> Case:
    """A person takes a mug from a table and sets it down on the other side of the table."""
    person = draw_person(np.random.default_rng(4), "female", "adult", garments=("T-shirt", "jeans"))
    top = slab((0.5, 1.0, 0.04), (0, 0, TABLE_TOP / 2 - 0.02), Look((0.5, 0.35, 0.2), 0, 0))
    foot = slab((0.06, 0.8, TABLE_TOP - 0.04), (0, 0, -0.02), Look((0.3, 0.2, 0.1), 0, 0))
    table = Placement("table", thing_of("table", top, foot), at(0.6, 0.4, TABLE_TOP / 2), role="furniture")
    mug = draw_thing(np.random.default_rng(1), "mug", "red")
    height = TABLE_TOP + mug.size[2] / 2
    cup = Placement("cup", mug, at(0.45, 0.2, height), "table")
    acts: list[Act] = [Stand(0.2), Grasp("cup"), Carry(), Place("cup", np.array([0.45, 0.6, height])), Stand(0.3)]
    start = np.array([0.0, 0.4, 0.0])
    times = np.arange(round((seconds_needed(person, acts, [table, cup], start) + 0.8) * QUALITY.fps)) / QUALITY.fps
    done = perform(person, times, acts, [table, cup], start, agent="anna", complete=True)
    assert {"hold", "move"} <= {event.kind for event in done.events}
    moved = [each for each in done.moved() if each.id == "cup"]
    camera = view(times, (1.45, -0.9, 1.4), (0.3, 0.4, 0.8), sway)
    shot = shot_of(room(table, *moved, done.placement("anna", person)), camera, *done.events, fov=62)
    return Case("person carries", replace(shot, times=times))


def car_drives(sway: float) -> Case:
    """A built-in car drives along a plain street in the sun."""
    times = np.arange(24) / QUALITY.fps
    vehicle = draw_vehicle(np.random.default_rng(2), "Car", "blue")
    ground = np.tile(np.eye(4), (len(times), 1, 1))
    ground[:, 0, 3] = -3.0 + 3.0 * times
    path = on_road(vehicle, ground)
    placed = Placement("car", vehicle.thing, path[0], path=path, rig=drive(vehicle, path))
    street = slab((120, 120, 0.1), (0, 0, -0.05), Look((0.5, 0.5, 0.5), 0, 0))
    houses = tuple(slab((6, 4, 5), (x, 30, 2.5), Look((0.6, 0.3 + 0.02 * x, 0.3), 0, 0)) for x in (-14, -6, 2, 10, 18))
    sun = Daylight((0.5, -0.3, 0.81), 20.0)
    film_set = FilmSet((placed,), (street, *houses), (), (0.42, 0.44, 0.48), 0.1, 120.0, daylight=sun)
    camera = view(times, (0.0, -7.0, 1.6), (0.5, 0.0, 0.8), sway)
    return Case("car drives", replace(shot_of(film_set, camera, fov=58, kind=Kind.OUTDOOR, scale=400.0), times=times))


def plain(make: Callable[[], Case]) -> Callable[[float], Case]:
    """A film of ``moving_cast``; its camera stands if ``sway`` is zero."""

    def made(sway: float) -> Case:
        case = make()
        camera = case.shot.camera if sway else np.repeat(case.shot.camera[:1], len(case.shot.camera), axis=0)
        return Case(case.name, replace(case.shot, camera=camera))

    return made


FILMS = {
    "figure walks": (plain(moving_cast.walk), {"bodies", "feet", "light of movers"}),
    "figure carries": (plain(moving_cast.carry), {"held", "feet", "stands still"}),
    "plain car": (plain(moving_cast.car), {"wheels", "bodies", "light of movers"}),
    "drive": (plain(moving_cast.drive), {"wheels", "bodies", "light of movers"}),
    "person walks": (person_walks, {"bodies", "feet", "light of movers"}),
    "person carries": (person_carries, {"bodies", "held", "feet", "stands still"}),
    "car drives": (car_drives, {"wheels", "bodies", "light of movers"}),
}


@pytest.mark.parametrize("sway", [0.0, 0.03])
@pytest.mark.parametrize("name", FILMS)
def test_what_moves_passes_under_baked_light(name: str, sway: float, tmp_path: Path) -> None:
    pytest.importorskip("embreex")
    make, checks = FILMS[name]
    verification = verify(*make(sway).film(tmp_path, is_baked=True))
    assert verification.passed, verification.sentence()
    assert checks <= {check.name for check in verification.checks}
