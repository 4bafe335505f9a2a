"""People at home: seen, out of the way, in both states of a home, and no change to homes without them."""

from dataclasses import replace

import numpy as np
import pytest

from chronotope.families import WriteContext, family
from chronotope.recording import Scene
from chronotope.world import simulate, world_kinds
from chronotope.world.homes.people_options import PeopleOptions
from chronotope.world.quality import Quality

pytestmark = pytest.mark.usefixtures("drawable")
SMALL = Quality("fast", 160, 120, 10, (5.0, 5.0), 0, 0, 20)


@pytest.fixture(scope="module")
def walks():
    """The same walk without people and with two."""
    kind = world_kinds()["walk"]
    return [kind.lay(np.random.default_rng(7), SMALL, PeopleOptions(people=count)).states[0] for count in (0, 2)]


def test_people_come_after_all_things_which_stay_as_they_are(walks) -> None:
    alone, with_people = walks
    things, everyone = alone.film_set.placements, with_people.film_set.placements
    assert [placement.id for placement in everyone[: len(things)]] == [placement.id for placement in things]
    assert all(np.array_equal(a.pose, b.pose) for a, b in zip(things, everyone, strict=False))
    assert np.array_equal(alone.camera, with_people.camera) and alone.events == ()
    people = everyone[len(things) :]
    assert 1 <= len(people) <= 2 and all(person.thing.category == "person" for person in people)


def test_nobody_blocks_the_way_or_walks_through_furniture(walks) -> None:
    shot = walks[1]
    people = [placement for placement in shot.film_set.placements if placement.thing.category == "person"]
    for person in people:
        places = person.poses[:, :2, 3]
        assert np.linalg.norm(places - shot.camera[:, :2, 3], axis=1).min() > 0.7
        for other in shot.film_set.placements:
            if other.thing.category == "person" or other.pose[2, 3] - other.thing.size[2] / 2 > 1.5:
                continue
            # The middle of the person stays outside the footprint of each thing, by a hand.
            local = np.abs((places - other.pose[:2, 3]) @ other.pose[:2, :2]) - np.array(other.thing.size[:2]) / 2
            if other.thing.size[2] > 0.06:
                assert np.linalg.norm(np.maximum(local, 0), axis=1).min() > 0.1, other.id
    apart = [a.poses[:, :2, 3] - b.poses[:, :2, 3] for a in people for b in people if a is not b]
    assert all(np.linalg.norm(each, axis=1).min() > 0.75 for each in apart)


@pytest.fixture(scope="module")
def house(tmp_path_factory: pytest.TempPathFactory) -> Scene:
    folder = tmp_path_factory.mktemp("house")
    quality = replace(world_kinds()["house"].qualities["fast"], width=160, height=160)
    options = {"people": 2}
    return simulate("house", "home", np.random.default_rng(3), quality, folder, options=options, number=0)


@pytest.mark.slow
@pytest.mark.complete
def test_a_house_has_the_same_people_before_and_after_and_asks_nothing_of_them(house: Scene) -> None:
    """The verifier has passed both states; no question of M3-Verse names a person, and people are not changes."""
    people = [{entity.label for entity in state.entities if entity.is_person} for state in house.recordings]
    assert people[0] | people[1] and len(people[0] | people[1]) <= 2
    assert not any(change.object.startswith("person") for change in house.changes)
    of = family("m3")
    clips = {recording.id: f"clips/{recording.id}.mp4" for recording in house.recordings}
    context = WriteContext(seed=1, profile="strict", options=of.build.Options(), clips=clips)
    written = of.build.write(house, context)
    assert len(written.questions) > 20
    words = "\n".join(
        question.stem + " ".join(o.text or "" for o in question.options) for question in written.questions
    )
    assert not any(word in words.lower().split() for word in ("man", "woman", "boy", "girl", "person"))
