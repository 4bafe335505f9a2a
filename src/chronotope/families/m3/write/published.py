"""The words of the published templates (arXiv 2512.18735, Tables 4 to 6).

Some ask for something else than their published answers are: "closer" for the closest of several objects, "after" for
directly after, "on" for on or in. The two receptacles of a move are missing here, because their published words
contradict their answers.
"""

_AMONG = "Among {state1} and {state2}, which object has the "
_STATE = "of {object} in {state1} and {state2}?"
_ORDERS = "the {order1} visited room in {state1}"

TEMPLATES: dict[str, str] = {
    "scene_area": "What is the area of this scene?",
    "room_area": "What is the area of {room}?",
    "room_type": "What type of {room} is?",
    "room_function": "What is {room} used for?",
    "room_shape": "What is the shape of {room}?",
    "scene_room_types": "What types of rooms are in this scene?",
    "room_type_count": "How many {types} are there in this scene?",
    "room_connectivity_pair": "Which room pairs are directly connected?",
    "object_distance_estimation": "What is the distance between {object1} and {object2} at {state}?",
    "object_distance_shortest_comparison": "Which object is closer to {object} at {state}?",
    "object_distance_longest_comparison": "Which object is farthest from {object} at {state}?",
    "object_shape": "What is the shape of {object} at {state}?",
    "object_color": "What color is {object} at {state}?",
    "object_height": "What is the height of {object} at {state}?",
    "object_length": "What is the length of {object} at {state}?",
    "object_room_location": "In which room is {object} located at {state}?",
    "object_type_num_in_room": "How many {types} are there in {room} at {state}?",
    "object_type_num_in_scene": "How many {types} are there in the entire scene at {state}?",
    "object_receptacle_location": "What is {object} placed on at {state}?",
    "receptacle_contents": "What objects are in {object} at {state}?",
    "room_visit_order": "Which rooms were visited after {room} at {state}?",
    "object_observation_longest": "Which object was observed for the longest time at {state}?",
    "object_observation_shortest": "Which object was observed for the shortest time at {state}?",
    "room_longest_time": "In which room did the observer stay for the longest time at {state}?",
    "room_shortest_time": "In which room did the observer stay for the shortest time at {state}?",
    **{
        f"object_{moment}_appearance_{end}": "Among the following objects, which one was "
        f"{moment} observed {end} at {{state}}?"
        for moment in ("first", "last")
        for end in ("earliest", "latest")
    },
    "room_visit_count": "How many times did the observer visit {room} at {state}?",
    "nth_visit_room_area": "What is the area of the room {order} visited at {state}?",
    "nth_visit_room_type": "What is the type of the room {order} visited at {state}?",
    "nth_visit_room_shape": "What is the shape of the room {order} visited at {state}?",
    "nth_visit_room_objects": "Which objects are observed in the room {order} visited at {state}?",
    "movement_distance": "How far was {object} moved from {state1} to {state2}?",
    "movement_between_receptacles": "Where did {object} move from {state1} to {state2}?",
    "new_visible_objects": "Which objects became visible between {state1} and {state2}?",
    "lost_visible_objects": "Among {state1} and {state2}, which objects are no longer visible?",
    "objects_room_movement": "Which of the following objects changed rooms between {state1} and {state2}?",
    "longest_observed_object_type": _AMONG + "longest total observation time?",
    "shortest_observed_object_type": _AMONG + "shortest total observation time?",
    "largest_diff_observation_time": _AMONG + "largest difference in observation time between the two states?",
    "smallest_diff_observation_time": _AMONG + "smallest difference in observation time between the two states?",
    "attribute_changed_objects": "Which of the following objects had any attribute changes between {state1} and "
    "{state2} (excluding positional movements)?",
    "room_attribute_changed_objects": "In {room}, which of the following objects had attribute changes between "
    "{state1} and {state2} (excluding positional movements)?",
    "room_position_changes": "In {room}, which objects changed position between {state1} and {state2}?",
    "openness_state_comparison": f"What was the openness state {_STATE}",
    "toggle_state_comparison": f"What was the power state {_STATE}",
    "cleanliness_state_comparison": f"What was the cleanliness state {_STATE}",
    "cooking_state_comparison": f"What was the cooking state {_STATE}",
    "liquid_state_comparison": f"What was the liquid filling state {_STATE}",
    "breaking_state_comparison": f"What was the condition {_STATE}",
    "slicing_state_change": "Was {object} sliced between {state1} and {state2}?",
    "usage_state_change": "Was {object} used up between {state1} and {state2}?",
    "longest_stay_room": "In which room did the observer stay for the longest time among {state1} and {state2}?",
    "shortest_stay_room": "In which room did the observer stay for the shortest time among {state1} and {state2}?",
    "cross_state_longest_room_comparison": "Among the following options, which state-room combination had the "
    "longest observation time?",
    "cross_state_shortest_room_comparison": "Among the following options, which state-room combination had the "
    "shortest observation time?",
    "room_visit_count_comparison": "Which room was visited more times in {state1} compared to {state2}?",
    "total_room_visits": "How many times did the observer visit {room} in total across {state1} and {state2}?",
    "object_observation_comparison": "Which object was observed for a longer total time across {state1} and {state2}?",
    "rooms_visited_both_states": "Which rooms were visited in both {state1} and {state2}?",
    "rooms_visited_only_state1": "Which rooms were visited only in {state1} but not in {state2}?",
    "rooms_visited_only_state2": "Which rooms were visited only in {state2} but not in {state1}?",
    **{
        f"nth_mth_visit_room_{look}": f"Do {_ORDERS} and the {{order2}} visited room in {{state2}} have the same "
        f"{look}? If not, what are their respective {look}s?"
        for look in ("type", "shape")
    },
    "nth_mth_visit_room_size": f"Which room has a larger area: {_ORDERS} or the {{order2}} visited room in {{state2}}? "
    "And approximately what percentage larger is it?",
    "nth_mth_visit_room_same": f"Are {_ORDERS} and the {{order2}} visited room in {{state2}} the same room?",
}
"""The template of each subtask; ``state1`` and ``state2`` become "the first video" and "the second video"."""
