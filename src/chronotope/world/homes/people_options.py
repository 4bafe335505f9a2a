"""The options of the kinds of world that film homes."""

from pydantic import BaseModel, ConfigDict, Field


class PeopleOptions(BaseModel):
    """How many people there are in a home."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    people: int = Field(default=0, ge=0, le=6, description="people who stand or walk in each home")


NOBODY = PeopleOptions()
