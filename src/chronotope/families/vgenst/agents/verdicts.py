"""The forms of verdicts, and the objections in them.

The keys of the verdicts about graphs and scenarios are those of the paper. The feedback is a list of faults, instead of
free text.
"""

from collections.abc import Sequence

from pydantic import BaseModel, Field

from chronotope.models import Objection
from chronotope.world.kinds.stage.graph import Violation


class Feedback(BaseModel):
    """A fault that the generator has to mend."""

    rule_id: str = Field(description="the id of the broken rule, or the name of the check")
    path: str = Field(description="the path in the JSON, with dots, such as objects.2.label")
    found: str = Field(description="what is there")
    expected: str = Field(description="what should be there")
    hint: str = Field(description="how to mend it")


class GraphReasoning(BaseModel):
    """The reasons for a verdict about a scene graph."""

    task_compliance_check: str
    ambiguity_check: str
    theme_compliance_check: str


class ScenarioReasoning(BaseModel):
    """The reasons for a verdict about a scenario."""

    attribute_and_hallucination_check: str
    first_frame_check: str
    temporal_action_check: str
    gt_determination_check: str
    task_rules_camera_dynamics_check: str


class QuestionReasoning(BaseModel):
    """The reasons for a verdict about questions."""

    type_check: str
    answer_check: str
    viewing_check: str


class Verdict(BaseModel):
    """A verdict: ``is_valid`` decides, and ``feedback_for_generator`` names the faults."""

    is_valid: bool
    error_type: str | None = None
    feedback_for_generator: list[Feedback] = Field(default_factory=list[Feedback])


class GraphVerdict(Verdict):
    """The verdict about a scene graph."""

    evaluation_reasoning: GraphReasoning


class ScenarioVerdict(Verdict):
    """The verdict about a scenario."""

    evaluation_reasoning: ScenarioReasoning


class QuestionVerdict(Verdict):
    """The verdict about questions."""

    evaluation_reasoning: QuestionReasoning


def objections_of(verdict: BaseModel) -> tuple[Objection, ...]:
    """Return the faults of a verdict, which are none if it accepts.

    A rejection without faults is one objection with the type of the error.
    """
    assert isinstance(verdict, Verdict)
    if verdict.is_valid:
        return ()
    told = tuple(Objection(**_renamed(feedback)) for feedback in verdict.feedback_for_generator)
    kind = verdict.error_type or "REJECTED"
    return told or (Objection(kind, "", "rejected without a fault", "what the task demands", "write it anew"),)


def _renamed(feedback: Feedback) -> dict[str, str]:
    told = feedback.model_dump()
    return {"rule": told.pop("rule_id"), **told}


def as_objections(violations: Sequence[Violation]) -> tuple[Objection, ...]:
    """Return the violations of rules as objections."""
    return tuple(Objection(*violation) for violation in violations)
