"""The categories, state types, capabilities and subtasks of the M3-Verse paper."""

INTRA, INTER = "intra-state", "inter-states"
# Each category, and the type of state in its questions.
STATES = {
    "scene_info": INTRA,
    "object_info": INTRA,
    "agent_explore": INTRA,
    "object_changes": INTER,
    "multi_states_agent_explore": INTER,
}
TASKS = tuple(STATES)
CAPABILITIES = ("spatial", "temporal", "attribute", "reasoning")

BEFORE, AFTER = ROLES = ("before", "after")
LABELS = {BEFORE: "This is the first video:", AFTER: "This is the second video:"}

NONE = "No correct option is listed."
SHARE, STATE_SHARE, BALANCE = "HALLUCINATION_SHARE", "STATE_SHARE", "BALANCE"  # codes of refusals
NOT_KNOWN, ALL_VISITED = "NOT_KNOWN", "ALL_VISITED"  # further codes
PUBLISHED_SHARE = 0.232  # of questions whose correct option is NONE
PUBLISHED_INTER = 0.5155  # of questions about both states; it follows from the overall scores of Table 2

# The subtasks of each category, with their usual capabilities (first letters). A question may state other capabilities.
_OF_CATEGORY = {
    "scene_info": {
        "scene_area": "SR",
        "room_area": "S",
        "room_type": "SA",
        "room_function": "SR",
        "room_shape": "SA",
        "scene_room_types": "SR",
        "room_type_count": "SR",
        "room_connectivity_pair": "SR",
    },
    "object_info": {
        "object_distance_estimation": "S",
        "object_distance_shortest_comparison": "SR",
        "object_distance_longest_comparison": "SR",
        "object_shape": "A",
        "object_color": "A",
        "object_height": "SA",
        "object_length": "SA",
        "object_room_location": "S",
        "object_type_num_in_room": "SR",
        "object_type_num_in_scene": "R",
        "object_receptacle_location": "S",
        "receptacle_contents": "SR",
    },
    "agent_explore": {
        "room_visit_order": "TS",
        "object_observation_longest": "TR",
        "object_observation_shortest": "TR",
        "room_longest_time": "TSR",
        "room_shortest_time": "TSR",
        "object_first_appearance_earliest": "TR",
        "object_first_appearance_latest": "TR",
        "object_last_appearance_earliest": "TR",
        "object_last_appearance_latest": "TR",
        "room_visit_count": "TR",
        "nth_visit_room_area": "TS",
        "nth_visit_room_type": "TA",
        "nth_visit_room_shape": "TSA",
        "nth_visit_room_objects": "TS",
    },
    "object_changes": {
        "movement_distance": "ST",
        "old_receptacle": "ST",
        "new_receptacle": "ST",
        "movement_between_receptacles": "STR",
        "new_visible_objects": "TR",
        "lost_visible_objects": "TR",
        "objects_room_movement": "ST",
        "longest_observed_object_type": "TR",
        "shortest_observed_object_type": "TR",
        "largest_diff_observation_time": "TR",
        "smallest_diff_observation_time": "TR",
        "attribute_changed_objects": "ATR",
        "room_attribute_changed_objects": "ATS",
        "room_position_changes": "ST",
        "openness_state_comparison": "AT",
        "toggle_state_comparison": "AT",
        "cleanliness_state_comparison": "AT",
        "cooking_state_comparison": "AT",
        "liquid_state_comparison": "AT",
        "breaking_state_comparison": "AT",
        "slicing_state_change": "AT",
        "usage_state_change": "AT",
        # The authors' pipeline stores the three subtasks about receptacles under this one name.
        "position_change_detection": "ST",
    },
    "multi_states_agent_explore": {
        "longest_stay_room": "TSR",
        "shortest_stay_room": "TSR",
        "cross_state_longest_room_comparison": "TSR",
        "cross_state_shortest_room_comparison": "TSR",
        "room_visit_count_comparison": "TR",
        "total_room_visits": "TR",
        "object_observation_comparison": "TR",
        "rooms_visited_both_states": "TS",
        "rooms_visited_only_state1": "TS",
        "rooms_visited_only_state2": "TS",
        "nth_mth_visit_room_type": "TSR",
        "nth_mth_visit_room_shape": "TSA",
        "nth_mth_visit_room_size": "TSR",
        "nth_mth_visit_room_same": "TS",
    },
}
SUBTASKS = {
    subtask: tuple(capability for capability in CAPABILITIES if capability[0].upper() in letters)
    for subtasks in _OF_CATEGORY.values()
    for subtask, letters in subtasks.items()
}
# Subtasks whose truth may be that nothing of the kind happened.
MAY_BE_EMPTY = frozenset(
    [
        *("objects_room_movement", "attribute_changed_objects", "room_attribute_changed_objects"),
        *("room_position_changes", "new_visible_objects", "lost_visible_objects"),
        *("rooms_visited_both_states", "rooms_visited_only_state1", "rooms_visited_only_state2"),
    ]
)
# Names in the authors' pipeline, and the paper's names for the same subtasks.
RENAMED = {
    "room_movement": "objects_room_movement",
    "nth_mth_room_area_comparison": "nth_mth_visit_room_size",
    "nth_mth_room_identity_comparison": "nth_mth_visit_room_same",
}


def category_of(subtask: str) -> str:
    """Return the category of a subtask."""
    return next(category for category, subtasks in _OF_CATEGORY.items() if subtask in subtasks)
