"""Why a candidate question is not asked (specification, section 5): codes are counted, and shown by ``--explain``."""

from enum import StrEnum

__all__ = ["MEANINGS", "Code", "Refused"]


class Code(StrEnum):
    """The refusal codes that the camera's tasks can meet."""

    ALREADY_ASKED = "ALREADY_ASKED"
    BELOW_PRECISION = "BELOW_PRECISION"
    DEGENERATE_VIEW = "DEGENERATE_VIEW"
    INVALID_POSE = "INVALID_POSE"
    MOTION_BELOW_NOISE = "MOTION_BELOW_NOISE"
    NO_DISTRACTORS = "NO_DISTRACTORS"
    NO_FORWARD = "NO_FORWARD"
    NO_GRAVITY = "NO_GRAVITY"
    PATH_UNSTABLE = "PATH_UNSTABLE"
    STATIONARY = "STATIONARY"
    TOO_SHORT = "TOO_SHORT"
    TRACK_GAP = "TRACK_GAP"


MEANINGS = {
    Code.ALREADY_ASKED: "a question of this kind with nearly this answer is asked already",
    Code.BELOW_PRECISION: "the value is smaller than the smallest gap between options",
    Code.DEGENERATE_VIEW: "the camera looks too steeply, turns too fast, or turns by nearly 180°",
    Code.INVALID_POSE: "no pose is known at a moment that is asked about",
    Code.MOTION_BELOW_NOISE: "the motion is not clearly above the noise of the poses",
    Code.NO_DISTRACTORS: "the options drawn for the item do not fit this value",
    Code.NO_FORWARD: "the source does not say which way the camera looks",
    Code.NO_GRAVITY: "the source does not say where up is",
    Code.PATH_UNSTABLE: "the path's length depends on the sampling rate",
    Code.STATIONARY: "the camera stands still",
    Code.TOO_SHORT: "the clip is too short for a window of this kind",
    Code.TRACK_GAP: "the poses have a gap of over 0.5 s in the window",
}


class Refused(Exception):  # noqa: N818 - a refusal is an outcome, not an error
    """A candidate is not asked, and why."""

    def __init__(self, code: Code) -> None:
        super().__init__(code.value)
        self.code = code
