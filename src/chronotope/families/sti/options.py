"""What a person may choose about the questions of this family."""

from pydantic import BaseModel, ConfigDict, Field

__all__ = ["BuildOptions"]


class BuildOptions(BaseModel):
    """What a person may choose about the questions of this family."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    per_variant: int = Field(8, ge=1, le=100, description="questions of each kind to try for in each recording")
