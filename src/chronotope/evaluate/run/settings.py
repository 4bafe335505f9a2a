"""The settings of a run that no family defines, defined once: flags, keys of campaigns and Python parameters."""

from typing import Any

from pydantic import Field, StrictBool

from chronotope.evaluate.run.runner import Lead
from chronotope.models import Calls, Number, Whole
from chronotope.protocol import Layout


class Asking(Calls):
    """How a model is asked, and how its calls are made; `RunRequest` describes the fields."""

    max_tokens: Whole | None = Field(
        None,
        ge=1,
        description="maximum length of a reply in tokens (default: the limit of the paper or its code; see --dry-run)",
    )
    temperature: Number = Field(0.0, ge=0, description="sampling temperature")
    layout: Layout = Field(
        "published",
        description="published: the authors' order of text and pictures; shared: pictures first, so that a service's "
        "prefix cache serves all questions about a clip (such runs are not compared with published rows)",
    )
    lead: Lead = Field(
        "auto",
        description="auto: if several prompts begin with the same pictures, send one prompt first to fill the "
        "service's prefix cache; off: send all prompts at once",
    )
    check: StrictBool = Field(
        True,
        description="before the first question, check that the model sees as many pictures as a question has",
    )
    allow_lost_order: StrictBool = Field(
        False,
        description="continue even if the service moves text that is between pictures; the report marks such a run",
    )
    batch: StrictBool = Field(
        False,
        description="ask in batch jobs, at half the price; answers can take 24 hours, and the same command fetches "
        "them after an interruption (openai/ and anthropic/)",
    )

    @property
    def conduct(self) -> dict[str, Any]:
        """Return the settings of `RunRequest` with these names."""
        names = ("layout", "lead", "check", "allow_lost_order", "batch")
        return {name: getattr(self, name) for name in names} | {"calls": self.calls}
