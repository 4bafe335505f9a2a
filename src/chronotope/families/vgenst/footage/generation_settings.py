"""The settings of generated clips, defined once for the command line and for Python."""

from collections.abc import Mapping
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

from chronotope.models import Number, Whole

Control = Literal["none", "first-frame", "depth", "edges", "clip"]
CONTROLS: Mapping[Control, str] = {
    "none": "", "first-frame": "first_frame", "depth": "control_video", "edges": "control_video",
    "clip": "reference_video",
}  # fmt: skip
"""What drawn clips give to a service, with the input that takes it."""

Cost = Annotated[Number | None, Field(ge=0)]


class GenerationSettings(BaseModel):
    """How clips are ordered; each field is a flag."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)

    candidates: Whole = Field(3, ge=1, le=20, description="clips for each scene")
    control: Control = Field(
        "none",
        description="what the drawn clips of SOURCE give to the service: their first frame, a clip of depth or edges, "
        "or the clip itself, to restyle it",
    )
    seed: Whole = Field(0, description="seed of the first candidate; the others follow")
    price: Cost = Field(None, description="price of a second of a clip, if the service's description has none")
    image_price: Cost = Field(None, description="price of a picture of the image service")
    max_cost: Annotated[Number | None, Field(gt=0)] = Field(
        None, description="stop before all pictures, clips and verdicts cost more than this amount"
    )
    concurrency: Whole = Field(4, ge=1, description="maximum number of jobs at once")
