"""Questions about the camera: how far, how fast and which way it went, its poses."""

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

    Turns are not asked of a desktop; courses and the mount are asked outdoors only. Courses come before lengths: what
    they tell is not asked for again.
    """
    outdoors = [Mount(), CameraCourse()] if kind is Kind.OUTDOOR else []
    turns = [] if kind is Kind.DESKTOP else [OrientationVariant()]
    return [*outdoors, *(CameraMotion(one) for one in motions(kind)), *turns, PoseVariant()]
