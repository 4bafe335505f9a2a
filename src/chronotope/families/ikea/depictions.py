"""The step that each clip and each diagram of a question shows (specification, section 8)."""

from collections.abc import Sequence

from chronotope.families import Depiction
from chronotope.question import MediaItem, Question


def depicted_steps(question: Question) -> list[Depiction]:
    """Return the steps that the clips and diagrams of a question show.

    In T4, the clip shows the current step, and the correct option the next one. Media whose step is not in the
    question's provenance are left out. Furniture of one name is told apart by its category.
    """
    of = "".join(f" of the {category.lower()}" for category in question.tags.get("category", ())[:1] if category)
    steps: Sequence[int] = question.provenance.get("steps", ())
    takes: Sequence[str] = question.provenance.get("takes", ())
    clips = iter(zip(steps, takes, strict=False))
    ordered = iter(steps)
    found: list[Depiction] = []
    for at, item in enumerate(question.media):
        if item.kind != "image":
            step, take = next(clips, (None, ""))
            if step is not None:
                found.append(Depiction(item.role, "video", f"step {step}{of}", take, item=at))
            continue
        number = next(ordered, None) if question.task == "D2" else _step_of(question, item)
        if number is not None:
            found.append(Depiction("diagram", "diagram", f"step {number}{of}", item.paths[0], item=at))
    of_options: Sequence[int | None] = question.provenance.get("option_steps", ())
    for at, (option, step) in enumerate(zip(question.options, of_options, strict=False)):
        if option.image is not None and step is not None:
            found.append(Depiction("diagram", "diagram", f"step {step}{of}", option.image, option=at))
    return found


def _step_of(question: Question, item: MediaItem) -> int | None:
    """Return the step of a diagram that is shown beside a clip."""
    if question.task in ("T2", "E1"):
        return question.provenance.get("shown_step")
    words = (item.label or "").split()
    return int(words[1]) - 1 if len(words) == 2 and words[1].isdecimal() else None
