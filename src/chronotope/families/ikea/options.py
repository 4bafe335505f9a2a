"""The settings for building the questions of IKEA-Bench."""

from pydantic import BaseModel, ConfigDict, Field, field_validator

from chronotope.families.ikea.tasks import ALL_TASKS, MISTAKE_TASKS, TASKS


class BuildOptions(BaseModel):
    """The settings for building the questions of IKEA-Bench."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    tasks: str = Field(
        ",".join(TASKS),
        description="the tasks for which questions are written, separated by commas; with profile extended, all six "
        "stand for all nine, with E1 to E3 about mistakes",
    )
    clean: bool = Field(True, description="remove the printed step numbers from the diagrams")
    cap: int = Field(175, ge=1, description="T2 and D1: maximum number of questions for each of the two answers")
    allow_short_options: bool = Field(
        False,
        description="T1, T3 and T4 with profile strict: also write questions with only three options (profile paper "
        "always does)",
    )
    include_current_step: bool = Field(
        True,
        description="T4 with profile strict: the options may include the step that the video shows; without this flag, "
        "no two options are consecutive steps, and a manual needs at least nine steps (profile paper never includes "
        "the shown step)",
    )

    @field_validator("tasks")
    @classmethod
    def _known(cls, value: str) -> str:
        names = [name.strip().upper() for name in value.split(",")]
        if unknown := [name for name in names if name not in ALL_TASKS]:
            raise ValueError(f"there is no task {unknown[0]!r}; expected one or more of {', '.join(ALL_TASKS)}")
        return ",".join(task for task in ALL_TASKS if task in names)

    def wanted(self, *, extended: bool) -> tuple[str, ...]:
        """Return the selected tasks, in the paper's order; ``extended`` is true for this profile."""
        named = tuple(self.tasks.split(","))
        return (*TASKS, *MISTAKE_TASKS) if extended and named == TASKS else named
