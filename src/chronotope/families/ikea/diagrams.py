"""Preparation of the diagrams that questions show, with their descriptions.

The profile decides which copy of a diagram is used. Printed step numbers are removed.
"""

import shutil
from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path

from chronotope.errors import InputError
from chronotope.families import WriteContext
from chronotope.families.ikea.depictions import SUFFIXES, photo_path
from chronotope.families.ikea.tasks import DIMENSIONS
from chronotope.media import encode_picture, read_picture
from chronotope.question import Description
from chronotope.recording import Procedure, Step

BY_A_PERSON = "the source"


@dataclass(frozen=True)
class ShownDiagrams:
    """A procedure with the prepared pictures of its steps.

    With the profile ``paper``, the prepared picture of a step is its ``published_diagram``. With the other profiles,
    the prepared picture of a step is its ``diagram``. ``media`` maps each prepared picture to its path inside the
    benchmark. ``descriptions`` are the descriptions that the source contains.
    """

    procedure: Procedure
    media: dict[Path, str]
    descriptions: tuple[Description, ...]


def show_diagrams(procedure: Procedure, context: WriteContext, *, clean: bool) -> ShownDiagrams:
    """Write the diagram of every step into the context's folder.

    The profile ``paper`` uses the published copy of each diagram, the other profiles use the best copy. If ``clean`` is
    true, printed step numbers are removed. A diagram without a printed number is copied byte for byte. Photographs are
    copied, too.

    Raises:
        InputError: If a diagram cannot be read. The message names the file.
    """
    assert context.folder is not None, "diagrams can only be written into the folder of a build"
    media: dict[Path, str] = {}
    steps: list[Step] = []
    for step in procedure.steps:
        if step.photo is not None:
            path = _keep_photo(step.photo, photo_path(f"images/{procedure.id}/step_{step.number}"), context.folder)
            media[context.folder / path] = path
    descriptions: list[Description] = []
    for step in procedure.steps:
        which = "published_diagram" if context.profile == "paper" else "diagram"
        original: Path | None = getattr(step, which)
        if original is None:
            steps.append(step)
            continue
        path = _show(original, f"images/{procedure.id}/step_{step.number}", context.folder, clean)
        media[context.folder / path] = path
        steps.append(replace(step, **{which: context.folder / path}))
        descriptions += [Description(path, name, text, BY_A_PERSON) for name, text in _said(procedure, step)]
    return ShownDiagrams(replace(procedure, steps=tuple(steps)), media, tuple(descriptions))


def _keep_photo(original: Path, stem: str, folder: Path) -> str:
    """Copy a photograph into the folder, and return its relative path.

    A photograph in another format than those of `SUFFIXES` is converted to PNG.
    """
    suffix = original.suffix.lower()
    place = folder / f"{stem}{suffix if suffix in SUFFIXES else '.png'}"
    place.parent.mkdir(parents=True, exist_ok=True)
    if suffix in SUFFIXES:
        shutil.copyfile(original, place)
    else:
        place.write_bytes(encode_picture(read_picture(original), "png").data)
    return place.relative_to(folder).as_posix()


def _said(procedure: Procedure, step: Step) -> Iterable[tuple[str, str]]:
    """Return the dimensions and texts of the source's description of a step.

    Raises:
        InputError: If the description has an unknown dimension.
    """
    for name in step.description:
        if name not in DIMENSIONS:
            raise InputError(
                f"product {procedure.product!r}, step {step.number + 1}: the description has the unknown field "
                f"{name!r}: expected only {', '.join(DIMENSIONS)}"
            )
    return step.description.items()


def _show(original: Path, stem: str, folder: Path, clean: bool) -> str:
    """Write a diagram into the folder, and return its relative path."""
    # Not at the top, because this module imports SciPy, which only builds need.
    from chronotope.families.ikea.cleaning import clean_diagram

    place = folder / f"{stem}.png"
    place.parent.mkdir(parents=True, exist_ok=True)
    cleaned = clean_diagram(read_picture(original)) if clean else None
    if cleaned is not None and cleaned.numbers:
        place.write_bytes(encode_picture(cleaned.rgb, "png").data)
    else:
        place = place.with_suffix(original.suffix.lower())
        shutil.copyfile(original, place)
    return place.relative_to(folder).as_posix()
