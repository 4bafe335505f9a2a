"""The description of an assembly diagram in eight dimensions, and its conversion to rows of a table."""

from collections.abc import Mapping
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, StringConstraints, model_validator

from chronotope.families.ikea.protocol import description_text
from chronotope.families.ikea.tasks import DIMENSIONS
from chronotope.question import Description

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
    """Check whether all texts of a description are empty.

    ``description`` maps dimensions to texts. The text "None visible." counts as empty.
    """
    return description_text(description) is None


def rows_of(image: str, record: StepRecord, author: str) -> tuple[Description, ...]:
    """Convert the description of a diagram to rows, one for each dimension.

    ``image`` is the path of the diagram inside the benchmark. Empty texts have no row.
    """
    said: dict[str, str] = record.model_dump()
    return tuple(Description(image, name, said[name], author) for name in DIMENSIONS if said[name])
