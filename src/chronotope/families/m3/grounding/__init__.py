"""Names of objects and rooms that fit exactly one object or room."""

from chronotope.families.m3.grounding.names import KEYS, ROOM_KEYS, Names

__all__ = ["KEYS", "ROOM_KEYS", "Names"]
