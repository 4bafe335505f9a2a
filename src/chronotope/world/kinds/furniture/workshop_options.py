"""The options of workshops."""

from pydantic import BaseModel, ConfigDict, Field


class WorkshopOptions(BaseModel):
    """The options of workshops."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    takes: int = Field(
        0,
        ge=0,
        le=8,
        description="number of videos of each product, in which a person assembles it (0: only its manual); the "
        "camera stands in the first, moves in the second, is worn by the person in the third, and so on; if two takes "
        "with a worn camera are refused, it moves instead, and recording.json says so",
    )
    photos: bool = Field(
        False,
        description="also draw a picture like a photograph of what each page of the manual shows; runs and probes can "
        "show it in place of the page (depiction=photo)",
    )
    mistakes: int = Field(
        0,
        ge=0,
        le=8,
        description="number of videos of each product in which the person makes a mistake: a wrong part, a wrong side, "
        "a wrong order, or something left out; each shows two steps (see --profile extended)",
    )
