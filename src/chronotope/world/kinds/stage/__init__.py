"""Stages: short scripted scenes, each for one reasoning task, drawn from a scene graph with exact truth."""

from typing import TYPE_CHECKING, Literal

from pydantic import BaseModel, Field, field_validator

from chronotope.plugins import installed_names
from chronotope.world.kinds import WorldKind
from chronotope.world.quality import Quality, QualityName

if TYPE_CHECKING:
    from pathlib import Path

    import numpy as np

    from chronotope.world.shot import Plan, Shots

__all__ = ["KIND", "StageOptions"]

# All clips last 8 s, and are as wide as the published ones.
QUALITIES: dict[QualityName, Quality] = {
    "fast": Quality("fast", 640, 360, 10, (8.0, 8.0), 2048, 4, 20),
    "lit": Quality("lit", 640, 360, 10, (8.0, 8.0), 0, 4, 20, baked=True, fineness="coarse"),
    "full": Quality("full", 640, 360, 24, (8.0, 8.0), 4096, 8, 18),
    "photo": Quality("photo", 640, 360, 24, (8.0, 8.0), 0, 8, 18, baked=True),
}

TASK_CODES = ("HO", "MC", "LS", "CI", "DE", "DS", "RV", "BT", "VI", "IO", "CM", "QC")  # in the order of their turns


class StageOptions(BaseModel):
    """What stages show."""

    task: str | None = Field(
        default=None,
        description=f"Draw stages of this task only, by its short code ({', '.join(TASK_CODES)}, or that of an "
        "installed task); by default, these tasks take turns.",
    )
    theme: str | None = Field(default=None, description="Give all stages this theme of the task, by its name.")
    stage_profile: Literal["paper", "extended"] = Field(
        default="paper",
        description="Vary stages as the paper does, or more (extended), such as 2 to 4 containers, tilts that turn "
        "back and ways with two turns; sets of vgenst with the profile strict have extended, unless the flag is given.",
    )

    @field_validator("task")
    @classmethod
    def _is_known(cls, task: str | None) -> str | None:
        known = (*TASK_CODES, *(name.partition("_")[0] for name in installed_names("chronotope.stages")))
        if task is not None and task not in known:
            raise ValueError(f"expected one of {', '.join(known)}")
        return task


def _lay(
    generator: "np.random.Generator", quality: Quality, number: int | None = None, options: StageOptions | None = None
) -> "Shots":
    from chronotope.world.kinds.stage.stages import lay_stage

    return lay_stage(generator, quality, number or 0, options or StageOptions())


def _read(
    path: "Path", generator: "np.random.Generator", quality: Quality, options: StageOptions | None = None
) -> "Shots":
    from chronotope.world.kinds.stage.stages import lay_given

    return lay_given(path, generator, quality, options or StageOptions())


def _plan(
    generator: "np.random.Generator", number: int, options: StageOptions | None = None, path: "Path | None" = None
) -> "Plan":
    from chronotope.world.kinds.stage.stages import plan_stage

    return plan_stage(generator, number, options or StageOptions(), path)


def _order(seed: int, number: int, options: BaseModel) -> int:
    from chronotope.world.kinds.stage.stages import number_of

    assert isinstance(options, StageOptions)
    return number_of(seed, number, options)


KIND = WorldKind("stage", "stages", _lay, QUALITIES, _read, takes_number=True, order=_order, options=StageOptions,
                 plan=_plan)  # fmt: skip
