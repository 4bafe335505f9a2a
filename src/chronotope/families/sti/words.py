"""Words of questions that their writer and their protocol share."""

__all__ = ["DIRECTIONS", "PUBLISHED_RULE", "opposite"]

# Flags items whose distractors follow the published rule, which points at the answer.
PUBLISHED_RULE = "published-distractors"
DIRECTIONS = ("Left", "Right", "Up", "Down", "Front", "Back")


def opposite(word: str) -> str:
    """The word for the other side."""
    return DIRECTIONS[DIRECTIONS.index(word) ^ 1]
