"""Why a candidate question is not asked: the reasons of all families, and the exception."""

from enum import StrEnum

__all__ = ["MEANINGS", "Reason", "Refused"]


class Refused(Exception):  # noqa: N818 - a refusal is an outcome, not an error
    """A candidate question is not asked, for a ``Reason`` or a family's own code."""

    def __init__(self, code: StrEnum) -> None:
        super().__init__(code.value)
        self.code = code


class Reason(StrEnum):
    """The reasons that every writer of questions may meet. Families add codes."""

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
    Reason.ALREADY_ASKED: "another question tells this answer, or has nearly the same",
    Reason.INVALID_POSE: "no pose is known at a moment that is asked about",
    Reason.MOVES: "a thing moves while it is asked about",
    Reason.NOT_UNIQUE: "no words tell the thing from the others of its kind",
    Reason.NOT_VISIBLE: "a thing is not in the picture, or too small there, or not for long enough",
    Reason.NO_DISTRACTORS: "the options drawn for the item do not fit this value",
    Reason.NO_FORWARD: "the source does not say which way the camera looks",
    Reason.NO_GRAVITY: "the source does not say where up is",
    Reason.OCCLUDED: "a thing is hidden in part, or nearly so",
    Reason.STATIONARY: "what is asked about stands still",
    Reason.TOO_SHORT: "the clip is too short for a window of this kind",
    Reason.TRACK_GAP: "the poses have a gap of over 0.5 s in the window",
}
