"""The description of one assembly diagram, in eight dimensions, and its rows."""

from collections.abc import Iterable, Mapping
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, StringConstraints, model_validator

from chronotope.families.ikea.protocol import description_text
from chronotope.families.ikea.tasks import DIMENSIONS
from chronotope.question import Description

__all__ = ["StepRecord", "record_of", "rows_of", "says_nothing"]

_Text = Annotated[str, StringConstraints(strip_whitespace=True)]


class StepRecord(BaseModel):
    """What a diagram shows. A dimension in which it shows nothing says "None visible.", or is empty."""

    model_config = ConfigDict(frozen=True)

    parts: _Text = Field(description="the pieces: how many of each kind, their shape and material")
    action: _Text = Field(description="what is done with them: what is joined to what, and how")
    tools: _Text = Field(description="tools that are drawn, or that the action needs")
    spatial: _Text = Field(description="how the pieces lie or stand, and from where one is put into another")
    result: _Text = Field(description="what is there when the action is done")
    warnings: _Text = Field(description="crosses, crossed-out drawings, exclamation marks and what they warn of")
    fasteners: _Text = Field(description="screws, dowels, nuts and the like: how many, and part numbers as printed")
    arrow_directions: _Text = Field(description="where each arrow points and what moves along it")

    @model_validator(mode="after")
    def _says_something(self) -> "StepRecord":
        if says_nothing(self.model_dump()):
            raise ValueError("all dimensions are empty; describe at least what the picture shows, under 'action'")
        return self


def says_nothing(description: Mapping[str, str]) -> bool:
    """Check whether a description says too little for its picture.

    It is {dimension: text}; it is too short if it could not replace the picture.
    """
    return description_text(description) is None


def rows_of(image: str, record: StepRecord, author: str) -> tuple[Description, ...]:
    """Return the rows of a picture in the order of the dimensions.

    The picture is a path inside the benchmark. Empty texts have no row.
    """
    said: dict[str, str] = record.model_dump()
    return tuple(Description(image, name, said[name], author) for name in DIMENSIONS if said[name])


def record_of(rows: Iterable[Description]) -> StepRecord:
    """Make the record of the rows of one picture.

    Missing dimensions are empty. Rows of other dimensions are ignored. If all are empty, Pydantic's ValidationError is
    raised.
    """
    said = {row.dimension: row.text for row in rows}
    return StepRecord.model_validate({name: said.get(name, "") for name in DIMENSIONS})
