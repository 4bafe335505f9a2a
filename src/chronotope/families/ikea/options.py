"""Options for building questions of this family."""

from pydantic import BaseModel, ConfigDict, Field, field_validator

from chronotope.families.ikea.tasks import TASKS

__all__ = ["BuildOptions"]


class BuildOptions(BaseModel):
    """Options for building questions of this family."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    tasks: str = Field(",".join(TASKS), description="the tasks to write questions for, separated by commas")
    clean: bool = Field(True, description="remove the printed step numbers from diagrams")
    cap: int = Field(175, ge=1, description="T2, D1: maximum number of questions for each of the two answers")
    allow_short_options: bool = Field(
        False, description="T1, T3, T4, strict: also write questions with only three options (paper always does)"
    )
    include_current_step: bool = Field(
        True,
        description="T4, strict: the options may include the step that the video shows; without this flag no two "
        "options are consecutive steps, so a manual needs nine steps (paper never includes it)",
    )

    @field_validator("tasks")
    @classmethod
    def _known(cls, value: str) -> str:
        names = [name.strip().upper() for name in value.split(",")]
        if unknown := [name for name in names if name not in TASKS]:
            raise ValueError(f"there is no task {unknown[0]!r}; expected some of {', '.join(TASKS)}")
        return ",".join(task for task in TASKS if task in names)

    @property
    def wanted(self) -> tuple[str, ...]:
        """Return the tasks chosen, in the paper's order."""
        return tuple(self.tasks.split(","))
