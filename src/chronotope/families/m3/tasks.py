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
