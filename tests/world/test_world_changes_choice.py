"""The choice of the changes between two states of a home, without a home."""

from collections import Counter

import numpy as np

from chronotope.recording import Change
from chronotope.world.homes.choice import Item, choose_changes
from chronotope.world.things import HomeState

SIZE = (0.3, 0.3, 0.3)
RARE = {
    "bread": ("cookable", "CookObject"),
    "apple": ("sliceable", "SliceObject"),
    "roll": ("canBeUsedUp", "UseUpObject"),
}


class Place:
    """Forty drawers, twenty things that can be carried, and one thing of each rare kind; everything is possible."""

    def __init__(self, refused=()):
        self.refused, self.tried = refused, Counter()

    def items(self):
        drawers = [self.item(f"drawer {n}", "openable") for n in range(40)]
        carried = [self.item(f"book {n}", "pickupable", "table") for n in range(20)]
        return [*drawers, *carried, *(self.item(name, flag) for name, (flag, _) in RARE.items())]

    @staticmethod
    def item(name, flag, parent=None):
        return Item(name, name.split()[0].title(), frozenset({flag}), HomeState(), parent, SIZE, False)

    def carry_out(self, generator, operation):
        self.tried[operation] += 1
        return None if operation.action in self.refused else [Change("", operation.action, operation.object)]


def test_rare_kinds_of_changes_happen_as_often_as_others() -> None:
    done = Counter()
    for seed in range(20):
        changes = choose_changes(np.random.default_rng(seed), Place())
        actions = Counter(one.operation for one in changes)
        assert sum(actions.values()) == 8  # a tenth of 40 moves and 43 changes of state
        done.update(actions)
    states = {action: count for action, count in done.items() if action not in ("PlaceObjectAtPoint", "RemoveObject")}
    assert {action for _, action in RARE.values()} <= set(states)
    assert max(states.values()) < 2.5 * min(states.values())
    assert 0.35 < sum(states.values()) / sum(done.values()) < 0.65


def test_a_change_of_state_that_was_impossible_is_not_tried_again() -> None:
    place = Place(refused={"CookObject", "OpenObject"})
    changes = choose_changes(np.random.default_rng(1), place)
    assert len(changes) >= 4 and {one.operation for one in changes} >= {"SliceObject", "UseUpObject"}
    assert all(count == 1 for operation, count in place.tried.items() if operation.group == "state")
