"""The subtasks: the words of each question, the names that it may use, and the form of its options."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Row:
    """One subtask.

    A question has ``least`` to ``most`` options. ``lists_none`` says whether one option states that no option is
    correct. ``keys`` and ``room_keys`` name the kinds of names that do not reveal the answer. With ``any_name``, any
    such name is used, otherwise the first. ``per_state`` says whether each state has its own questions.
    """

    name: str
    category: str
    template: str
    least: int
    most: int
    lists_none: bool
    keys: str = "all"
    room_keys: str = "layout"
    any_name: bool = False
    per_state: bool = False


def _row(category: str, per_state: bool, entry: tuple[str, str, str, bool, str, str, bool]) -> Row:
    name, template, count, lists_none, keys, room_keys, any_name = entry
    least, _, most = count.partition("-")
    return Row(
        name, category, template, int(least), int(most or least), lists_none, keys, room_keys, any_name, per_state
    )


_NO, _YES = False, True
_ALL, _IN = "all", "layout"
_FOUR = "4-6"

_SCENE = (
    ("scene_area", "What is the area of this home?", _FOUR, _YES, _ALL, _IN, _NO),
    ("room_area", "What is the area of {room}?", _FOUR, _YES, _ALL, _IN, _YES),
    ("room_type", "What type of room is {room}?", "4-5", _YES, _ALL, "without_type", _YES),
    ("room_function", "What is {room} used for?", "4-5", _YES, _ALL, "without_type", _YES),
    ("room_shape", "What is the shape of {room}?", "4-7", _YES, _ALL, "without_shape", _YES),
    ("scene_room_types", "What types of rooms are in this home?", _FOUR, _YES, _ALL, _IN, _NO),
    ("room_type_count", "How many {types} are there in this home?", "4-7", _YES, _ALL, _IN, _NO),
    ("room_connectivity_pair", "Which room pairs are directly connected?", _FOUR, _YES, _ALL, "any", _YES),
)

_OBJECT = (
    (
        "object_distance_estimation",
        "What is the distance between {object1} and {object2} in {state}?",
        _FOUR,
        _YES,
        _ALL,
        _IN,
        _YES,
    ),
    (
        "object_distance_shortest_comparison",
        "Which object is closest to {object} in {state}?",
        _FOUR,
        _NO,
        _ALL,
        _IN,
        _NO,
    ),
    (
        "object_distance_longest_comparison",
        "Which object is farthest from {object} in {state}?",
        _FOUR,
        _NO,
        _ALL,
        _IN,
        _NO,
    ),
    ("object_shape", "What is the shape of {object} in {state}?", _FOUR, _YES, "without_attribute", _IN, _NO),
    ("object_color", "What color is {object} in {state}?", _FOUR, _YES, "without_attribute", _IN, _NO),
    ("object_height", "What is the height of {object} in {state}?", _FOUR, _YES, "without_size", _IN, _NO),
    ("object_length", "What is the length of {object} in {state}?", _FOUR, _YES, "without_size", _IN, _NO),
    ("object_room_location", "In which room is {object} located in {state}?", _FOUR, _YES, "without_room", _IN, _YES),
    ("object_type_num_in_room", "How many {types} are there in {room} in {state}?", "3-5", _YES, _ALL, _IN, _NO),
    (
        "object_type_num_in_scene",
        "How many {types} are there in the entire home in {state}?",
        "3-5",
        _YES,
        _ALL,
        _IN,
        _NO,
    ),
    (
        "object_receptacle_location",
        "What is {object} placed on or in, in {state}?",
        "3-5",
        _YES,
        "without_parent",
        _IN,
        _NO,
    ),
    ("receptacle_contents", "What objects are on or in {object} in {state}?", "3-6", _YES, "receptacle", _IN, _NO),
)

_AMONG = "Among the following objects, which one was {} in {{state}}?"
_EXPLORE = (
    (
        "room_visit_order",
        "Which rooms were visited directly after {room} in {state}?",
        "4-7",
        _YES,
        _ALL,
        "any",
        _NO,
    ),
    (
        "object_observation_longest",
        "Which object was observed for the longest time in {state}?",
        _FOUR,
        _NO,
        _ALL,
        _IN,
        _NO,
    ),
    (
        "object_observation_shortest",
        "Which object was observed for the shortest time in {state}?",
        _FOUR,
        _NO,
        _ALL,
        _IN,
        _NO,
    ),
    (
        "room_longest_time",
        "In which room did the observer stay for the longest time in {state}?",
        _FOUR,
        _NO,
        _ALL,
        "any",
        _NO,
    ),
    (
        "room_shortest_time",
        "In which room did the observer stay for the shortest time in {state}?",
        _FOUR,
        _NO,
        _ALL,
        "any",
        _NO,
    ),
    ("object_first_appearance_earliest", _AMONG.format("first observed earliest"), _FOUR, _NO, _ALL, _IN, _NO),
    ("object_first_appearance_latest", _AMONG.format("first observed latest"), _FOUR, _NO, _ALL, _IN, _NO),
    ("object_last_appearance_earliest", _AMONG.format("last observed earliest"), _FOUR, _NO, _ALL, _IN, _NO),
    ("object_last_appearance_latest", _AMONG.format("last observed latest"), _FOUR, _NO, _ALL, _IN, _NO),
    ("room_visit_count", "How many times did the observer visit {room} in {state}?", _FOUR, _YES, _ALL, "any", _NO),
    (
        "nth_visit_room_area",
        "What is the area of the room that was visited {order} in {state}?",
        _FOUR,
        _YES,
        _ALL,
        _IN,
        _NO,
    ),
    (
        "nth_visit_room_type",
        "What is the type of the room that was visited {order} in {state}?",
        "4-5",
        _YES,
        _ALL,
        _IN,
        _NO,
    ),
    (
        "nth_visit_room_shape",
        "What is the shape of the room that was visited {order} in {state}?",
        _FOUR,
        _YES,
        _ALL,
        _IN,
        _NO,
    ),
    (
        "nth_visit_room_objects",
        "Which objects of the room that was visited {order} are observed during this visit in {state}?",
        _FOUR,
        _YES,
        "simple",
        _IN,
        _NO,
    ),
)

_BOTH = "between the first video and the second video"
_TOTAL = "In both videos together, which object was observed for the {} time?"
_DIFFERENCE = "Which object has the {} difference in observation time between the two videos?"
_WAS = "What was the {} of {{object}} in the first video and in the second video?"
_CHANGES = (
    (
        "movement_distance",
        "Look at {object} in the first video. How far did it move between the two videos?",
        _FOUR,
        _YES,
        "without_position",
        _IN,
        _YES,
    ),
    (
        "old_receptacle",
        "Look at {object} in the second video. On or in which of these was it in the first video?",
        _FOUR,
        _YES,
        "moved",
        _IN,
        _YES,
    ),
    (
        "new_receptacle",
        "Look at {object} in the first video. On or in which of these is it in the second video?",
        _FOUR,
        _YES,
        "moved",
        _IN,
        _YES,
    ),
    (
        "movement_between_receptacles",
        "Look at {object} in the first video. From where to where did it move between the two videos?",
        _FOUR,
        _YES,
        "moved",
        _IN,
        _YES,
    ),
    ("new_visible_objects", f"Which objects became visible {_BOTH}?", _FOUR, _YES, "moved", _IN, _NO),
    (
        "lost_visible_objects",
        "Which objects of the first video are no longer visible in the second video?",
        _FOUR,
        _YES,
        "moved",
        _IN,
        _NO,
    ),
    (
        "objects_room_movement",
        f"Which of the following objects of the first video changed rooms {_BOTH}?",
        _FOUR,
        _YES,
        "without_position",
        _IN,
        _YES,
    ),
    ("longest_observed_object_type", _TOTAL.format("longest"), _FOUR, _NO, "without_position", _IN, _NO),
    ("shortest_observed_object_type", _TOTAL.format("shortest"), _FOUR, _NO, "without_position", _IN, _NO),
    ("largest_diff_observation_time", _DIFFERENCE.format("largest"), _FOUR, _NO, "without_position", _IN, _NO),
    ("smallest_diff_observation_time", _DIFFERENCE.format("smallest"), _FOUR, _NO, "without_position", _IN, _NO),
    (
        "attribute_changed_objects",
        f"Which of the following objects had any attribute changes {_BOTH} (excluding positional movements)?",
        _FOUR,
        _YES,
        "without_room",
        _IN,
        _NO,
    ),
    (
        "room_attribute_changed_objects",
        f"In {{room}}, which of the following objects had attribute changes {_BOTH} (excluding positional movements)?",
        _FOUR,
        _YES,
        "without_room",
        _IN,
        _NO,
    ),
    (
        "room_position_changes",
        f"In {{room}}, which objects changed position {_BOTH}?",
        _FOUR,
        _YES,
        "without_position_and_room",
        "any",
        _NO,
    ),
    ("openness_state_comparison", _WAS.format("openness state"), _FOUR, _YES, "without_room", _IN, _NO),
    ("toggle_state_comparison", _WAS.format("power state"), "4", _YES, "without_room", _IN, _NO),
    ("cleanliness_state_comparison", _WAS.format("cleanliness state"), "4", _YES, "without_room", _IN, _NO),
    ("cooking_state_comparison", _WAS.format("cooking state"), "4", _YES, "without_room", _IN, _NO),
    ("liquid_state_comparison", _WAS.format("liquid filling state"), _FOUR, _YES, "without_room", _IN, _NO),
    ("breaking_state_comparison", _WAS.format("condition"), "4", _YES, "without_room", _IN, _NO),
    ("slicing_state_change", f"Was {{object}} sliced {_BOTH}?", "4", _YES, "without_room", _IN, _NO),
    ("usage_state_change", f"Was {{object}} used up {_BOTH}?", "4", _YES, "without_room", _IN, _NO),
)

_COMBINATION = "Among the following options, which room and video had the {} observation time?"
_ROOMS = (
    (
        "longest_stay_room",
        "In which room did the observer stay for the longest time in both videos together?",
        _FOUR,
        _NO,
        _ALL,
        "untimed",
        _NO,
    ),
    (
        "shortest_stay_room",
        "In which room did the observer stay for the shortest time in both videos together?",
        _FOUR,
        _NO,
        _ALL,
        "untimed",
        _NO,
    ),
    ("cross_state_longest_room_comparison", _COMBINATION.format("longest"), _FOUR, _NO, _ALL, "untimed", _NO),
    ("cross_state_shortest_room_comparison", _COMBINATION.format("shortest"), _FOUR, _NO, _ALL, "untimed", _NO),
    (
        "room_visit_count_comparison",
        "Which room was visited more times in the first video than in the second video?",
        _FOUR,
        _YES,
        _ALL,
        _IN,
        _NO,
    ),
    (
        "total_room_visits",
        "How many times did the observer visit {room} in total in both videos?",
        _FOUR,
        _YES,
        _ALL,
        _IN,
        _NO,
    ),
    (
        "object_observation_comparison",
        "Which object was observed for a longer total time in both videos?",
        "2-3",
        _NO,
        "without_position",
        _IN,
        _NO,
    ),
    ("rooms_visited_both_states", "Which rooms were visited in both videos?", _FOUR, _YES, _ALL, _IN, _YES),
    (
        "rooms_visited_only_state1",
        "Which rooms were visited only in the first video but not in the second video?",
        _FOUR,
        _YES,
        _ALL,
        _IN,
        _YES,
    ),
    (
        "rooms_visited_only_state2",
        "Which rooms were visited only in the second video but not in the first video?",
        _FOUR,
        _YES,
        _ALL,
        _IN,
        _YES,
    ),
    (
        "nth_mth_visit_room_type",
        "Do the room that was visited {order1} in the first video and the room that was visited {order2} in the second "
        "video have the same type? If not, what are their respective types?",
        "4",
        _YES,
        _ALL,
        _IN,
        _NO,
    ),
    (
        "nth_mth_visit_room_shape",
        "Do the room that was visited {order1} in the first video and the room that was visited {order2} in the second "
        "video have the same shape? If not, what are their respective shapes?",
        "4",
        _YES,
        _ALL,
        _IN,
        _NO,
    ),
    (
        "nth_mth_visit_room_size",
        "Which room has a larger area: the room that was visited {order1} in the first video or the room that was "
        "visited {order2} in the second video? And approximately what percentage larger is it?",
        "4",
        _YES,
        _ALL,
        _IN,
        _NO,
    ),
    (
        "nth_mth_visit_room_same",
        "Are the room that was visited {order1} in the first video and the room that was visited {order2} in the "
        "second video the same room?",
        "2",
        _NO,
        _ALL,
        _IN,
        _NO,
    ),
)

ROWS: dict[str, Row] = {
    entry[0]: _row(category, per_state, entry)
    for category, per_state, entries in (
        ("scene_info", False, _SCENE),
        ("object_info", True, _OBJECT),
        ("agent_explore", True, _EXPLORE),
        ("object_changes", False, _CHANGES),
        ("multi_states_agent_explore", False, _ROOMS),
    )
    for entry in entries
}
"""Every subtask by its name."""
