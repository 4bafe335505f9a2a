"""Why a candidate question is not asked (specification, section 5): codes are counted, and shown by ``--explain``."""

from enum import StrEnum

__all__ = ["MEANINGS", "Code"]


class Code(StrEnum):
    """The refusal codes that the tasks can meet."""

    ALREADY_ASKED = "ALREADY_ASKED"
    AMBIGUOUS_AXIS = "AMBIGUOUS_AXIS"
    ANSWER_NOT_FOUND = "ANSWER_NOT_FOUND"
    BELOW_PRECISION = "BELOW_PRECISION"
    DEGENERATE_VIEW = "DEGENERATE_VIEW"
    LABELS_DISAGREE = "LABELS_DISAGREE"
    INVALID_POSE = "INVALID_POSE"
    MOTION_BELOW_NOISE = "MOTION_BELOW_NOISE"
    MOVES = "MOVES"
    NOT_UNIQUE = "NOT_UNIQUE"
    NOT_VISIBLE = "NOT_VISIBLE"
    NO_DISTRACTORS = "NO_DISTRACTORS"
    NO_FORWARD = "NO_FORWARD"
    NO_FRONT = "NO_FRONT"
    NO_GRAVITY = "NO_GRAVITY"
    NO_INTRINSICS = "NO_INTRINSICS"
    NO_VEHICLE = "NO_VEHICLE"
    OCCLUDED = "OCCLUDED"
    PATH_UNSTABLE = "PATH_UNSTABLE"
    SMALL_TURN = "SMALL_TURN"
    STATIONARY = "STATIONARY"
    SYMMETRIC_OBJECT = "SYMMETRIC_OBJECT"
    TOO_ALIKE = "TOO_ALIKE"
    TOO_MANY_SEGMENTS = "TOO_MANY_SEGMENTS"
    TOO_SHORT = "TOO_SHORT"
    TRACK_GAP = "TRACK_GAP"
    UNCLEAR_TURNS = "UNCLEAR_TURNS"


MEANINGS = {
    Code.ALREADY_ASKED: "another question tells this answer, or has nearly the same",
    Code.AMBIGUOUS_AXIS: "no direction fits clearly better than the others",
    Code.ANSWER_NOT_FOUND: "no things stand as the answer that was drawn wants them to",
    Code.BELOW_PRECISION: "the value is smaller than the smallest gap between options",
    Code.DEGENERATE_VIEW: "the camera looks too steeply, turns too fast, or turns by nearly 180°",
    Code.INVALID_POSE: "no pose is known at a moment that is asked about",
    Code.LABELS_DISAGREE: "the poses and the speed that the annotators give differ",
    Code.MOTION_BELOW_NOISE: "the motion is not clearly above the noise of the poses",
    Code.MOVES: "a thing moves while it is asked about",
    Code.NOT_UNIQUE: "no words tell the thing from the others of its kind",
    Code.NOT_VISIBLE: "a thing is not in the picture, or too small there, or not for long enough",
    Code.NO_DISTRACTORS: "the options drawn for the item do not fit this value",
    Code.NO_FORWARD: "the source does not say which way the camera looks",
    Code.NO_FRONT: "nothing says which way the thing faces",
    Code.NO_GRAVITY: "the source does not say where up is",
    Code.NO_VEHICLE: "the camera is not known to be mounted on a vehicle",
    Code.NO_INTRINSICS: "the source does not say how the camera projects",
    Code.OCCLUDED: "a thing is hidden in part, or nearly so",
    Code.PATH_UNSTABLE: "the path's length depends on the sampling rate",
    Code.SMALL_TURN: "the camera turns by less than 10°, as it mostly does",
    Code.STATIONARY: "what is asked about stands still",
    Code.SYMMETRIC_OBJECT: "the thing looks the same from several sides, and the answer would not be",
    Code.TOO_ALIKE: "two things answer almost equally well",
    Code.TOO_MANY_SEGMENTS: "the course has more than four parts",
    Code.TOO_SHORT: "the clip is too short for a window of this kind",
    Code.TRACK_GAP: "the poses have a gap of over 0.5 s in the window",
    Code.UNCLEAR_TURNS: "the course cannot be split clearly into straight pieces and turns",
}
