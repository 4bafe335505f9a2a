"""The questions: four types, each with a template and three wordings."""

from chronotope.families.vgenst.tasks import TaskQuestions
from chronotope.families.vgenst.write.cell import Asked, Draws, labels, template, with_article
from chronotope.families.vgenst.write.entries import Entry
from junction.graph import JnGraph


def vehicles(graph: JnGraph) -> list[Entry]:
    """Return the vehicles, from which other scenes take wrong options."""
    return [Entry(each.label, colour=each.attributes.color) for each in graph.objects]


@template("JN-OE", "a")
def _which_appears(graph: JnGraph, d: Draws) -> Asked:
    right = d.pick(vehicles(graph))
    return Asked(right.label, tuple(d.pooled(vehicles, 3, [right], vehicles(graph))))


@template("JN-AR", "a")
def _who_waits(graph: JnGraph, d: Draws) -> Asked:
    waiting = next(each.label for each in graph.objects if each.id == graph.ground_truth.waiting)
    return d.closed(waiting, labels(graph, "near", "crossing"), ("both of them", "neither of them"))


@template("JN-SL", "a", is_open=True)
def _from_which_side(graph: JnGraph, d: Draws) -> Asked:
    return d.closed(graph.params.side.lower(), ("left", "right"), x=with_article(labels(graph, "crossing")[0]))


@template("JN-PT", "a", is_open=True)
def _seen_from_the_crossing_one(graph: JnGraph, d: Draws) -> Asked:
    side = {"Left": "right", "Right": "left"}[graph.params.side]
    x, y = (with_article(labels(graph, role)[0]) for role in ("crossing", "near"))
    return d.closed(side, ("left", "right"), ("behind",), x=x, y=y)


QUESTIONS = TaskQuestions("JN_E_EXO_DYN", {
    "JN-OE.a": ("Which vehicle is seen?", "Which of these does the clip show?", "Which of these appears?"),
    "JN-AR.a": ("Which vehicle waits at the junction?", "Which one stops before it drives on?", "Which one gives way?"),
    "JN-SL.a": ("From which side of the picture does {x} come?", "On which side does {x} enter the picture?",
                "At which side is {x} seen first?"),
    "JN-PT.a": ("Seen from the driver of {x}, on which side is the road on which {y} comes?",
                "For the driver of {x}, from which side does {y} come?",
                "If you sat in {x}, on which side would {y} come near?"),
})  # fmt: skip
