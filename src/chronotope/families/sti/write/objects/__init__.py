"""Questions about things: sizes and distances, relations, boxes."""

from collections.abc import Sequence

from chronotope.families.sti.write.motion import motions
from chronotope.families.sti.write.objects.bearing import Bearing
from chronotope.families.sti.write.objects.boxes import FORMS
from chronotope.families.sti.write.objects.course import ThingCourse
from chronotope.families.sti.write.objects.grounding import Grounding
from chronotope.families.sti.write.objects.motion import ThingMotion
from chronotope.families.sti.write.objects.nearest import Nearest
from chronotope.families.sti.write.objects.relation import Relation
from chronotope.families.sti.write.objects.scalar import CameraDistance, CentreDistance, Gap, Size
from chronotope.families.sti.write.stated import Ruler
from chronotope.families.sti.write.worlds import Worlds
from chronotope.recording import Kind
from chronotope.scene import QuestionKind, SceneView

__all__ = ["object_variants"]


def object_variants(
    kind: Kind,
    worlds: Worlds | None = None,
    ratios: Sequence[float] | None = None,
    rulers: Sequence[Ruler] = (),
) -> list[QuestionKind[SceneView]]:
    """Return the kinds of question about things.

    Boxes and courses come first, so that no later question repeats their values. ``worlds`` are the worlds of the clip,
    and ``ratios`` are the possible ratios of neighbouring options. If both are None, the published rules make the
    options. The windows of sizes and distances are widened until they show one of the ``rulers``.
    """
    moving: list[QuestionKind[SceneView]] = [*(ThingMotion(motion, worlds) for motion in motions(kind))]
    courses = [ThingCourse(worlds)] if kind is Kind.OUTDOOR else []
    return [
        Grounding(FORMS[kind]),
        *courses,
        Size(ratios=ratios, rulers=rulers),
        Gap(ratios=ratios, rulers=rulers),
        CentreDistance(ratios=ratios, rulers=rulers),
        CameraDistance(ratios=ratios),
        Relation(),
        *([] if kind is Kind.DESKTOP else [Bearing()]),
        Nearest(),
        *moving,
    ]
