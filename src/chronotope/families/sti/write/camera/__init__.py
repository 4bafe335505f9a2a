"""What is asked about the camera: how far, how fast and which way it went, how it turned, its poses."""

from chronotope.families.sti.write.camera.pose import PoseVariant
from chronotope.families.sti.write.camera.scalar import SCALARS
from chronotope.families.sti.write.camera.track import CameraTrack, camera_track
from chronotope.families.sti.write.camera.turn import OrientationVariant
from chronotope.families.sti.write.item import Variant
from chronotope.recording import Kind

__all__ = ["CameraTrack", "camera_track", "camera_variants"]


def camera_variants(kind: Kind) -> list[Variant[CameraTrack]]:
    """The kinds of question asked of a kind of scene: the paper asks no turns of a desktop, e4 outdoors only."""
    scalars = [v for v in SCALARS if v.name != "acceleration" or kind is Kind.OUTDOOR]
    return [*scalars, *([] if kind is Kind.DESKTOP else [OrientationVariant()]), PoseVariant()]
