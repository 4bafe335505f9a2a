"""What the pictures and clips of a question depict, for comparisons of their representations."""

from dataclasses import dataclass

from chronotope.question import Question


@dataclass(frozen=True)
class Depiction:
    """The content of one media item, or of the picture of one option.

    - ``item`` is the index of the media item, or None for an option. ``option`` is the index of the option, or None.
    - ``role`` is the name of the modality, such as ``video``, ``clip_a`` or ``diagram``.
    - ``medium`` is the kind of picture. Items with different roles can have the same medium: a clip is a clip.
    - ``thing`` is the thing that is depicted. Depictions with the same thing show the same thing.
    - ``take`` is the recording that the pictures come from.
    """

    role: str
    medium: str
    thing: str
    take: str
    item: int | None = None
    option: int | None = None


def plain_depictions(question: Question) -> list[Depiction]:
    """Describe the media of a question of any family.

    All media items of one question, and the picture of its correct option, depict one thing. The picture of a wrong
    option depicts another thing.
    """
    shown = [f"{'|'.join(one.paths)} {one.start} {one.end}" for one in question.media]
    thing = " and ".join(shown) or question.id
    found = [Depiction(one.role, one.role, thing, one.paths[0], item=at) for at, one in enumerate(question.media)]
    for at, option in enumerate(question.options):
        if option.image is not None:
            of = thing if at in question.answer else option.image
            found.append(Depiction("option", "option", of, option.image, option=at))
    return found
