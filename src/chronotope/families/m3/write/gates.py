"""The least differences that make one value clearly the largest or the smallest."""

__all__ = ["clear_distance", "clear_frame", "clear_stay"]


def clear_distance(one: float, other: float) -> bool:
    """Check that two distances (m) clearly differ."""
    return abs(one - other) >= 0.3 and abs(one - other) >= 0.15 * max(one, other)


def clear_stay(one: float, other: float) -> bool:
    """Check that two numbers of frames clearly differ."""
    return abs(one - other) >= 5 and abs(one - other) >= 0.1 * max(one, other)


def clear_frame(one: float, other: float) -> bool:
    """Check that two moments, as numbers of frames, clearly differ."""
    return abs(one - other) >= 5
