"""The step that each clip and each diagram of a question shows (specification, section 8)."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import PurePosixPath

from chronotope.errors import InputError
from chronotope.families import Depiction
from chronotope.protocol import Ask, MediaFacts
from chronotope.question import MediaItem, Question

PHOTO = ("depiction", "photo")  # in the wording of an ask that shows photographs in place of diagrams
SUFFIXES = (".jpg", ".jpeg", ".png")  # of photographs
_STEP, _PHOTO = "step_", "photo_"


def photo_path(diagram: str) -> str:
    """Return the path, without suffix, of the photograph of a step from the path of its diagram."""
    path = PurePosixPath(diagram)
    return path.with_name(_PHOTO + path.stem.removeprefix(_STEP)).as_posix()


def photo_of(diagram: str, facts: MediaFacts) -> str:
    """Return the path of the photograph of a step from the path of its diagram.

    Raises:
        InputError: If the benchmark has no such photograph.
    """
    stem = photo_path(diagram)
    found = next((path for suffix in SUFFIXES if (path := stem + suffix) in facts), None)
    if found is None:
        raise InputError(
            f"{diagram}: this step has no photograph, but depiction=photo shows photographs: build the benchmark from "
            "world:furniture:N with --photos, or from manuals with a photo in each step"
        )
    return found


def pictured(ask: Ask, question: Question, facts: MediaFacts) -> Question:
    """Return a question with the pictures that an ask shows: its diagrams, or photographs of the same steps.

    Raises:
        InputError: If the benchmark has no photograph of a step.
    """
    if PHOTO not in ask.wording:
        return question
    media = [
        replace(one, paths=(photo_of(one.paths[0], facts),)) if one.kind == "image" else one for one in question.media
    ]
    options = [one if one.image is None else replace(one, image=photo_of(one.image, facts)) for one in question.options]
    return replace(question, media=tuple(media), options=tuple(options))


def depicted_steps(question: Question) -> list[Depiction]:
    """Return the steps that the clips and diagrams of a question show.

    In T4, the clip shows the current step, and the correct option the next one. Media whose step is not in the
    question's provenance are left out. Furniture of one name is told apart by its category. A photograph in place
    of a diagram has the same role and another medium.
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
            found.append(Depiction("diagram", _medium(item.paths[0]), f"step {number}{of}", item.paths[0], item=at))
    of_options: Sequence[int | None] = question.provenance.get("option_steps", ())
    for at, (option, step) in enumerate(zip(question.options, of_options, strict=False)):
        if option.image is not None and step is not None:
            found.append(Depiction("diagram", _medium(option.image), f"step {step}{of}", option.image, option=at))
    return found


def _medium(path: str) -> str:
    return "photo" if PurePosixPath(path).name.startswith(_PHOTO) else "diagram"


def _step_of(question: Question, item: MediaItem) -> int | None:
    """Return the step of a diagram that is shown beside a clip."""
    if question.task in ("T2", "E1"):
        return question.provenance.get("shown_step")
    words = (item.label or "").split()
    return int(words[1]) - 1 if len(words) == 2 and words[1].isdecimal() else None
