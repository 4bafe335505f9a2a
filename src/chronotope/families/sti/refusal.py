"""The codes for refusals that occur only in STI-Bench, with their meanings.

``chronotope build --explain`` shows the number of refusals with each code. The common codes of all families are in
``chronotope.scene.Reason``.
"""

from chronotope.question import RefusalCode


class Code(RefusalCode):
    """The codes for refusals that only STI-Bench has."""

    AMBIGUOUS_AXIS = "AMBIGUOUS_AXIS", "no direction fits clearly better than the others"
    ANSWER_NOT_FOUND = "ANSWER_NOT_FOUND", "no things have the relation of the chosen answer"
    BELOW_PRECISION = "BELOW_PRECISION", "the value is smaller than the minimum gap between options"
    DEGENERATE_VIEW = (
        "DEGENERATE_VIEW",
        "the camera faces too steeply up or down, turns too fast, or turns by more than 170°",
    )
    KNOWN_MOUNT = (
        "KNOWN_MOUNT",
        "the cameras of all simulated drives look ahead, so the answer is known without the clip",
    )
    LABELS_DISAGREE = "LABELS_DISAGREE", "the poses contradict the annotated speed"
    MOTION_BELOW_NOISE = "MOTION_BELOW_NOISE", "the motion is not clearly above the noise of the poses"
    NO_FRONT = "NO_FRONT", "the facing direction of the thing is unknown"
    NO_INTRINSICS = "NO_INTRINSICS", "the source does not give the camera's projection"
    NO_SCALE = "NO_SCALE", "no thing of known size is visible in the window, so nothing fixes the scale"
    NO_VEHICLE = "NO_VEHICLE", "the camera is not known to be mounted on a vehicle"
    PATH_UNSTABLE = "PATH_UNSTABLE", "the path's length depends on the sampling rate"
    SMALL_TURN = "SMALL_TURN", "the camera turns by less than 10°, which would be the easiest guess"
    STEPWISE = "STEPWISE", "the camera moves in equal steps, so options with whole numbers of steps are recognizable"
    SYMMETRIC_OBJECT = (
        "SYMMETRIC_OBJECT",
        "the thing looks the same from several sides, but the answer depends on the side",
    )
    TELLS_SCALE = (
        "TELLS_SCALE",
        "the options state a distance within 1 %, which would fix the scale of all other questions",
    )
    TOO_ALIKE = "TOO_ALIKE", "two things are almost equally good answers"
    TOO_MANY_NARROW = (
        "TOO_MANY_NARROW",
        "the clip has more sizes and distances with narrow spacings than with wide ones",
    )
    TOO_MANY_SEGMENTS = "TOO_MANY_SEGMENTS", "the course has more than four parts"
    UNCLEAR_TURNS = "UNCLEAR_TURNS", "the course cannot be split clearly into straight pieces and turns"
