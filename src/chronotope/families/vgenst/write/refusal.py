"""The reasons for refusal that only the cells of VGenST-Bench have."""

from chronotope.question import RefusalCode


class Code(RefusalCode):
    """The reasons why a cell has no question about a scene."""

    CONSTANT = "CONSTANT", "the answer would be the same in every scene of this design"
    NOT_THERE = "NOT_THERE", "the scene has nothing of the kind that is asked about"
    UNDECIDED = "UNDECIDED", "the scene allows two answers"
    NOT_AS_SEEN = "NOT_AS_SEEN", "the picture shows the thing elsewhere than the scene graph says"
