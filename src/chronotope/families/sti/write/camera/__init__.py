"""Questions about the camera: distance, speed, direction, poses."""

from chronotope.families.sti.write.camera.course import CameraCourse
from chronotope.families.sti.write.camera.motion import CameraMotion
from chronotope.families.sti.write.camera.mount import Mount
from chronotope.families.sti.write.camera.pose import PoseVariant
from chronotope.families.sti.write.camera.turn import OrientationVariant
from chronotope.families.sti.write.motion import motions
from chronotope.recording import Kind
from chronotope.scene import Camera, QuestionKind

__all__ = ["camera_variants"]


def camera_variants(kind: Kind) -> list[QuestionKind[Camera]]:
    """Return the kinds of question for a kind of scene.

    Desktop scenes have no turns; only outdoor scenes have courses and the mount. Courses come before lengths, so that
    their values are not asked for again.
    """
    outdoors = [Mount(), CameraCourse()] if kind is Kind.OUTDOOR else []
    turns = [] if kind is Kind.DESKTOP else [OrientationVariant()]
    return [*outdoors, *(CameraMotion(one) for one in motions(kind)), *turns, PoseVariant()]
