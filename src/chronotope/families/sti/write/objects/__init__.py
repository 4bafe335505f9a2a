"""What is asked about things: their sizes and distances, where they are relative to each other, their boxes."""

from chronotope.families.sti.write.item import Variant
from chronotope.families.sti.write.objects.grounding import Grounding
from chronotope.families.sti.write.objects.nearest import Nearest
from chronotope.families.sti.write.objects.relation import Relation
from chronotope.families.sti.write.objects.scalar import CameraDistance, CentreDistance, Gap, Size
from chronotope.families.sti.write.objects.scene import Scene, things_of
from chronotope.recording import Kind

__all__ = ["Scene", "object_variants", "things_of"]


def object_variants(kind: Kind) -> list[Variant[Scene]]:
    """The kinds of question asked about things. Boxes come first: what they tell is not asked for again.

    Boxes indoors and outdoors are printed in forms of their own, which come with the sources that have them.
    """
    boxes = [Grounding()] if kind is Kind.DESKTOP else []
    return [*boxes, Size(), Gap(), CentreDistance(), CameraDistance(), Relation(), Nearest()]
