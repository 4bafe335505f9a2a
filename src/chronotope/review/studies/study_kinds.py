"""The kinds of studies, as they are declared: their people, stages, sources, labels and limits."""

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, model_validator

from chronotope.io import name_fault
from chronotope.protocol import Placement

MOST_PEOPLE = 1000
StageOf = Literal["clips", "questions"]
RIGHT, WRONG = "right", "wrong"  # the labels of a check of a judge


class Declared(BaseModel):
    """The fields that all kinds of studies have.

    - ``reviewers`` is the number of people, or their names.
    - ``disjoint_from`` names studies of the same benchmark whose people must not take part in this study.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    study: str
    reviewers: Annotated[int, Field(ge=1, le=MOST_PEOPLE)] | tuple[str, ...]
    adjudicators: tuple[str, ...] = ()
    seed: int = 0
    disjoint_from: tuple[str, ...] = ()

    @model_validator(mode="after")
    def _check_names(self) -> "Declared":
        names = [self.study, *self.people, *self.adjudicators]
        for name in names:
            if len(name) > 60 or name_fault(name) is not None or "@" in name:
                raise ValueError(f"{name!r} is not a name: expected 1 to 60 printable characters without / and @")
        if len(set(names[1:])) < len(names) - 1:
            raise ValueError("a name occurs twice among reviewers and adjudicators")
        return self

    @property
    def people(self) -> tuple[str, ...]:
        """Return the names of the reviewers; a number stands for numbered names."""
        return numbered(self.study, self.reviewers)


def numbered(study: str, reviewers: int | tuple[str, ...]) -> tuple[str, ...]:
    """Return the names of reviewers; a number stands for the name of the study with a number."""
    if isinstance(reviewers, tuple):
        return reviewers
    width = len(str(reviewers))
    return tuple(f"{study}-{number:0{width}}" for number in range(1, reviewers + 1))


class Stage(BaseModel):
    """A stage of quality control: its items, and the reasons that a reviewer can choose."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: str
    of: StageOf
    reasons: tuple[str, ...] = Field(min_length=1)


class QualityControl(Declared):
    """Two reviewers accept or reject each item, independently; an adjudicator settles splits.

    The questions of a clip are reviewed after the clip has been accepted, if there is a stage for clips. ``limit`` is
    the most questions of the study, drawn evenly over tasks, with their clips; None means all.
    """

    kind: Literal["quality-control"]
    limit: Annotated[int, Field(ge=1)] | None = None
    stages: tuple[Stage, ...] = Field(min_length=1)

    @model_validator(mode="after")
    def _check_stages(self) -> "QualityControl":
        if [stage.of for stage in self.stages] not in (["clips", "questions"], ["clips"], ["questions"]):
            raise ValueError("stages: expected clips, then questions, or one of the two")
        if len(self.people) < 2:
            raise ValueError("reviewers: expected at least 2, because two people review each item")
        return self


class HumanBaseline(Declared):
    """Each clip is answered by one person, who gets clips of every task.

    ``clips_per_task`` is the number of clips of each task for each person, or None for all clips. Between two
    placements of one question, a person gets at least ``apart`` other questions, if there are so many.
    """

    kind: Literal["human-baseline"]
    placement: Placement = "published"
    clips_per_task: Annotated[int, Field(ge=1)] | None = None
    apart: Annotated[int, Field(ge=0)] = 20
    clip: bool = True


class FilterRounds(Declared):
    """Each question is reviewed in several rounds, each time by somebody else; then a sample is inspected again.

    A cell is a task in one kind of scene. The sample has the share ``inspected`` of the questions of a cell that all
    rounds accepted. If more than ``tolerated`` of the sample are rejected, the cell goes through the last round again.
    ``limit`` is the most questions of the study, drawn evenly over tasks; None means all.
    """

    kind: Literal["filter-rounds"]
    limit: Annotated[int, Field(ge=1)] | None = None
    rounds: Annotated[int, Field(ge=1, le=5)] = 2
    inspected: Annotated[float, Field(gt=0, le=1)] = 0.1
    tolerated: Annotated[float, Field(ge=0, lt=1)] = 0.05
    reasons: tuple[str, ...] = Field(min_length=1)

    @model_validator(mode="after")
    def _check_people(self) -> "FilterRounds":
        if len(self.people) <= self.rounds:
            raise ValueError("reviewers: expected more than rounds, because each round and the sample need others")
        return self


class Source(BaseModel):
    """A source of clips for a ranking.

    ``benchmark`` is the folder whose clips are shown (default: the benchmark of the study), and ``clips`` a pattern for
    their paths in it. ``truth`` states whether the clips are real.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: str
    truth: Literal["real", "fake"]
    benchmark: str | None = None
    clips: str = "*"


class Ranking(Declared):
    """Everybody ranks the clips of each set, one of each source, on some axes, and judges which are fake.

    The sources are hidden, and everybody gets the sets, and the clips of each set, in an order of their own.
    """

    kind: Literal["ranking"]
    sources: tuple[Source, ...] = Field(min_length=2, max_length=9)
    sets: Annotated[int, Field(ge=1)] = 50
    axes: tuple[str, ...] = Field(min_length=1)

    @model_validator(mode="after")
    def _check_sources(self) -> "Ranking":
        if len({source.name for source in self.sources}) < len(self.sources):
            raise ValueError("sources: a name occurs twice")
        if len(set(self.axes)) < len(self.axes):
            raise ValueError("axes: a name occurs twice")
        return self


class Label(BaseModel):
    """A label that people can choose, and what it means."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: str
    meaning: str = ""


class CaseLabels(Declared):
    """People label answers of a run: the class of an error, or whether a judge model should call it right.

    Each case has ``raters`` people. ``settings`` are those of the run, so that people see the frames of the model.
    """

    kind: Literal["error-labels", "judge-check"]
    labels: tuple[Label, ...] = Field(min_length=2)
    raters: Annotated[int, Field(ge=1)] = 1
    settings: dict[str, Any] = {}

    @model_validator(mode="after")
    def _check_labels(self) -> "CaseLabels":
        names = [label.name for label in self.labels]
        if len(set(names)) < len(names):
            raise ValueError("labels: a name occurs twice")
        if self.kind == "judge-check" and sorted(names) != sorted((RIGHT, WRONG)):
            raise ValueError(f"labels: expected {RIGHT} and {WRONG}, because these are the verdicts of a judge")
        if self.raters > len(self.people):
            raise ValueError("raters: expected at most the number of reviewers")
        return self


class Known(BaseModel):
    """An item whose right verdict is known, and why."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    question: str
    verdict: Literal["accept", "reject"]
    because: str = ""


class Calibration(Declared):
    """Everybody practises on items whose right verdict is known, and is told it at once, before the study ``before``.

    - ``intact`` questions are shown as they are, and ``planted`` ones with a wrong key. Both are drawn at random.
    - ``known`` are further items, chosen by hand.
    - The study ``before`` leaves all of them out. If ``reviewers`` is a number, its people are those of that study.
    """

    kind: Literal["calibration"]
    before: str
    intact: Annotated[int, Field(ge=0)] = 4
    planted: Annotated[int, Field(ge=0)] = 4
    known: tuple[Known, ...] = ()
    reasons: tuple[str, ...] = Field(min_length=1)

    @model_validator(mode="after")
    def _check_items(self) -> "Calibration":
        if not self.intact + self.planted + len(self.known):
            raise ValueError("expected at least one item: intact, planted or known")
        return self

    @property
    def people(self) -> tuple[str, ...]:
        """Return the names of the reviewers, which are those of the study ``before``."""
        return numbered(self.before, self.reviewers)


Study = QualityControl | HumanBaseline | FilterRounds | Ranking | CaseLabels | Calibration
