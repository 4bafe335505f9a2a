"""The labels of a contact sheet: each where it belongs, inside its frame, and on no other."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from chronotope.view.entity_sheet import _free_place

ROOM = np.array([640, 480])
PLACES = st.lists(
    st.tuples(st.integers(-60, 640), st.integers(-30, 480), st.integers(40, 140)), min_size=1, max_size=12
)


def placed(labels: list[tuple[int, int, int]]) -> list[np.ndarray]:
    """Corners (2, 2) of labels that want to be at x, y and are so wide, one after the other."""
    taken = [np.array([[6.0, 4.0], [70.0, 24.0]])]
    for x, y, width in labels:
        size = np.array([width, 18.0])
        place = _free_place(np.array([x, y], float), size, ROOM, taken)
        taken.append(np.stack([place, place + size]))
    return taken


@given(PLACES)
def test_labels_are_inside_and_cover_no_other(labels: list[tuple[int, int, int]]) -> None:
    covered = np.zeros(ROOM[::-1], int)
    for (left, top), (right, bottom) in placed(labels):
        assert left >= 0 and top >= 0 and right <= ROOM[0] and bottom <= ROOM[1]
        covered[int(np.ceil(top)) : int(bottom), int(np.ceil(left)) : int(right)] += 1
    assert covered.max() == 1


def test_a_label_with_nothing_in_its_way_stays_and_the_next_moves_as_little_as_it_can() -> None:
    _, first, second, third = placed([(200, 100, 80), (200, 100, 80), (200, 103, 80)])
    assert np.array_equal(first[0], (200, 100))
    assert abs(second[0, 1] - 100) == 18 and second[0, 0] == 200
    assert abs(third[0, 1] - 100) == 18 and third[0, 1] != second[0, 1]


def test_where_there_is_no_room_a_label_stays_where_it_belongs() -> None:
    everywhere = [np.array([[0.0, 0.0], [640.0, 480.0]])]
    place = _free_place(np.array([300.0, 200.0]), np.array([80.0, 18.0]), ROOM, everywhere)
    assert np.array_equal(place, (300, 200))
