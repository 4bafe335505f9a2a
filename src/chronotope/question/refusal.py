"""The reasons why candidate questions are refused, and the exception for a refusal."""

from enum import StrEnum
from typing import Self


class RefusalCode(StrEnum):
    """The codes for refusals, each with its meaning in a few words.

    The members of a subclass are pairs of a code and its meaning.
    """

    _value_: str
    meaning: str

    def __new__(cls, code: str, meaning: str) -> Self:  # noqa: D102 - the reference shows what has a docstring
        member = str.__new__(cls, code)
        member._value_ = code
        member.meaning = meaning
        return member

    @classmethod
    def meanings(cls) -> dict[str, str]:
        """Return the meaning of each code."""
        return {code.value: code.meaning for code in cls}


class Refused(Exception):  # noqa: N818 - a refusal is an outcome, not an error
    """The exception for a refused candidate question.

    ``code`` is a ``Reason`` or a code that the family defines.
    """

    def __init__(self, code: RefusalCode) -> None:
        super().__init__(code.value)
        self.code = code


class Reason(RefusalCode):
    """The reasons for refusal that all families share.

    Families can add further codes.
    """

    ALREADY_ASKED = "ALREADY_ASKED", "another question has this answer, or reveals it"
    INVALID_POSE = "INVALID_POSE", "the pose is unknown at a moment in question"
    MOVES = "MOVES", "a thing moves during the window in question"
    NOT_UNIQUE = "NOT_UNIQUE", "no name distinguishes the thing from others of its kind"
    NOT_VISIBLE = "NOT_VISIBLE", "a thing is not in view, or too small, or too briefly visible"
    NO_DISTRACTORS = "NO_DISTRACTORS", "the options drawn for the question do not fit this value"
    NO_FORWARD = "NO_FORWARD", "the source does not give the camera's viewing direction"
    NO_GRAVITY = "NO_GRAVITY", "the source does not give the up direction"
    OCCLUDED = "OCCLUDED", "a thing is partly hidden, or its visibility is too close to a limit"
    STATIONARY = "STATIONARY", "the thing in question does not move"
    TOO_SHORT = "TOO_SHORT", "the clip is too short for a window of this kind"
    TRACK_GAP = "TRACK_GAP", "the poses have a gap of more than 0.5 s in the window"
