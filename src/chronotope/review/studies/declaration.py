"""The declaration of a study: one YAML file, of which templates are part of the package."""

from importlib.resources import files
from pathlib import Path
from typing import Annotated

from pydantic import Field, TypeAdapter, ValidationError

from chronotope.errors import InputError
from chronotope.io import read_yaml
from chronotope.io.fields import first_fault
from chronotope.review.studies.study_kinds import Ranking, Study

_TEMPLATES = ("chronotope.review.studies", "templates")
_STUDY: TypeAdapter[Study] = TypeAdapter(Annotated[Study, Field(discriminator="kind")])


def templates() -> tuple[str, ...]:
    """Return the names of the templates."""
    folder = files(_TEMPLATES[0]).joinpath(_TEMPLATES[1])
    return tuple(sorted(file.name.removesuffix(".yaml") for file in folder.iterdir() if file.name.endswith(".yaml")))


def template_text(name: str) -> str:
    """Return the YAML of a template.

    Raises:
        InputError: If there is no such template.
    """
    if name not in templates():
        raise InputError(f"there is no template {name!r}", where="study", expected=f"one of {', '.join(templates())}")
    return files(_TEMPLATES[0]).joinpath(_TEMPLATES[1], f"{name}.yaml").read_text(encoding="utf-8")


def read_study(source: Path | str) -> Study:
    """Read the declaration of a study from a file, or take a template by its name.

    Raises:
        InputError: If there is no such file or template, or a field is wrong.
    """
    import yaml

    path = Path(source)
    values = read_yaml(path) if path.is_file() else yaml.safe_load(template_text(str(source)))
    found = checked_study(values, str(source))
    return _with_places(found, path.parent) if isinstance(found, Ranking) else found


def _with_places(study: Ranking, beside: Path) -> Ranking:
    """Make the paths of the sources absolute; in the file, they are relative to it."""
    placed = [
        source if source.benchmark is None
        else source.model_copy(update={"benchmark": str((beside / source.benchmark).resolve())})
        for source in study.sources
    ]  # fmt: skip
    return study.model_copy(update={"sources": tuple(placed)})


def checked_study(values: object, where: str) -> Study:
    """Check the values of a declaration.

    Raises:
        InputError: If a field is wrong.
    """
    try:
        return _STUDY.validate_python(values)
    except ValidationError as error:
        raise InputError(f"is not a study ({first_fault(error)})", where=where) from None
