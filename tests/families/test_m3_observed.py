"""Which object carries which: against a search up the tree, with parts of one asset and with a circle of parents."""

import numpy as np

from chronotope.families.m3.grounding import Names
from chronotope.families.m3.layout import Layout
from chronotope.families.m3.margins import SPECIFIED
from chronotope.families.m3.observed import Observed
from chronotope.families.m3.write.drafting import Homes
from chronotope.recording import Entity, Recording, Scene

PARENTS = {
    "desk": None,
    "tray": "desk",
    "mug": "tray",
    "pen": "mug",
    "chest": None,
    "chest___1": "chest",
    "a": "b",
    "b": "a",
}


def observed(parents: dict[str, str | None] = PARENTS) -> Observed:
    entities = tuple(
        Entity(
            id=name,
            label=name,
            category=name,
            size=(1.0, 1.0, 1.0),
            poses=np.eye(4)[None],
            parent=parent,
            visible_pixels=np.array([1000, 0]),
        )
        for name, parent in parents.items()
    )
    recording = Recording(
        id="one",
        kind="indoor",
        source="test",
        times=np.arange(2.0),
        world_T_camera=np.tile(np.eye(4), (2, 1, 1)),
        valid=np.ones(2, bool),
        gravity=np.array([0.0, 0.0, -1.0]),
        intrinsics=np.array([[10.0, 0, 10], [0, 10, 10], [0, 0, 1]]),
        entities=entities,
    )
    return Observed(recording, Layout(()), SPECIFIED)


def test_an_object_holds_what_is_on_it_directly_or_not() -> None:
    state = observed()
    carried = {("desk", "tray"), ("desk", "mug"), ("desk", "pen"), ("tray", "mug"), ("tray", "pen"), ("mug", "pen")}
    parts = {("chest", "chest___1"), ("chest___1", "chest"), ("chest___1", "chest___1")}
    circle = {(one, other) for one in "ab" for other in "ab"}  # a faulty recording ends in no endless loop
    found = {(low, high) for low in PARENTS for high in PARENTS if state.holds(low, high)}
    assert found == carried | parts | circle
    assert {name: [one.id for one in state.children(name)] for name in ("desk", "tray", "pen")} == {
        "desk": ["tray"],
        "tray": ["mug"],
        "pen": [],
    }


def test_two_objects_are_related_if_one_holds_the_other() -> None:
    state = observed()
    for one in PARENTS:
        for other in PARENTS:
            expected = one == other or state.holds(one, other) or state.holds(other, one)
            assert state.are_related(one, other) == expected, (one, other)


def test_objects_are_related_if_they_are_in_any_state() -> None:
    before = observed({"desk": None, "mug": "desk", "shelf": None, "chest___1": None})
    after = observed({"desk": None, "mug": "shelf", "shelf": None, "chest___2": None})
    scene = Scene.of(before.recording)
    relatives = Homes(scene, Layout(()), (before, after), Names((before, after)), SPECIFIED).relatives
    assert relatives == {
        "desk": {"desk", "mug"},
        "mug": {"desk", "mug", "shelf"},
        "shelf": {"mug", "shelf"},
        "chest___1": {"chest___1", "chest___2"},  # one asset, though no state has both parts
        "chest___2": {"chest___1", "chest___2"},
    }
