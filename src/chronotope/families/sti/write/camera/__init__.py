"""Questions about the camera: distance, speed, direction, poses."""

from chronotope.families.sti.write.camera.course import CameraCourse
from chronotope.families.sti.write.camera.motion import CameraMotion
from chronotope.families.sti.write.camera.mount import Mount
from chronotope.families.sti.write.camera.pose import PoseVariant
from chronotope.families.sti.write.camera.turn import OrientationVariant
from chronotope.families.sti.write.motion import motions
from chronotope.families.sti.write.worlds import Worlds
from chronotope.recording import Kind
from chronotope.scene import Camera, QuestionKind

__all__ = ["camera_variants"]


def camera_variants(kind: Kind, worlds: Worlds | None = None) -> list[QuestionKind[Camera]]:
    """Return the kinds of question for a kind of scene.

    Desktop scenes have no questions about turns. Only outdoor scenes have questions about courses and the mount.
    Courses come before lengths, so that no question about a length repeats a value of a course. ``worlds`` are the
    worlds of the clip. If they are None, the published rules make the options.
    """
    outdoors = [Mount(), CameraCourse(worlds)] if kind is Kind.OUTDOOR else []
    turns = [] if kind is Kind.DESKTOP else [OrientationVariant(worlds)]
    return [*outdoors, *(CameraMotion(motion, worlds) for motion in motions(kind)), *turns, PoseVariant(worlds)]
