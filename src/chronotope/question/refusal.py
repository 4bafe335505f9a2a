"""The reasons why candidate questions are refused, and the exception for a refusal."""

from enum import StrEnum


class Refused(Exception):  # noqa: N818 - a refusal is an outcome, not an error
    """The exception for a refused candidate question.

    ``code`` is a ``Reason`` or a code that the family defines.
    """

    def __init__(self, code: StrEnum) -> None:
        super().__init__(code.value)
        self.code = code


class Reason(StrEnum):
    """The reasons for refusal that all families share.

    Families can add further codes.
    """

    ALREADY_ASKED = "ALREADY_ASKED"
    INVALID_POSE = "INVALID_POSE"
    MOVES = "MOVES"
    NOT_UNIQUE = "NOT_UNIQUE"
    NOT_VISIBLE = "NOT_VISIBLE"
    NO_DISTRACTORS = "NO_DISTRACTORS"
    NO_FORWARD = "NO_FORWARD"
    NO_GRAVITY = "NO_GRAVITY"
    OCCLUDED = "OCCLUDED"
    STATIONARY = "STATIONARY"
    TOO_SHORT = "TOO_SHORT"
    TRACK_GAP = "TRACK_GAP"


MEANINGS = {
    Reason.ALREADY_ASKED: "another question has this answer, or reveals it",
    Reason.INVALID_POSE: "the pose is unknown at a moment in question",
    Reason.MOVES: "a thing moves during the window in question",
    Reason.NOT_UNIQUE: "no name distinguishes the thing from others of its kind",
    Reason.NOT_VISIBLE: "a thing is not in view, or too small, or too briefly visible",
    Reason.NO_DISTRACTORS: "the options drawn for the question do not fit this value",
    Reason.NO_FORWARD: "the source does not give the camera's viewing direction",
    Reason.NO_GRAVITY: "the source does not give the up direction",
    Reason.OCCLUDED: "a thing is partly hidden, or its visibility is too close to a limit",
    Reason.STATIONARY: "the thing in question does not move",
    Reason.TOO_SHORT: "the clip is too short for a window of this kind",
    Reason.TRACK_GAP: "the poses have a gap of more than 0.5 s in the window",
}
