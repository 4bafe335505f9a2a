"""The pass that tags questions with the capabilities that they need.

The M3-Verse authors ask two models three times each; only the definitions are known, so the prompt is our own. The
capabilities of a model are those of all its replies together. If two models were asked, the capability "temporal" comes
from the first, and all others from the second.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from chronotope.ledger import CallKind
from chronotope.models import Decoding
from chronotope.protocol import Ask, Part, Text
from chronotope.question import Question
from chronotope.review.filters.item import OF_CHECKS, Found, Replied, Rules, bare, filled, printed, text_ask

__all__ = ["CAPABILITIES", "CAPABILITY", "FIRST", "Capabilities"]

CAPABILITY = "capability"  # the name of the tag
CAPABILITIES = {
    "temporal": "the order of events, durations, or what was before and after",
    "spatial": "places, distances, the layout of rooms, or what is in or on what",
    "attribute": "colour, shape, size, material, or the state of an object",
    "reasoning": "counting, comparing, or an inference of several steps",
}
FIRST = "temporal"  # from the first of two models
CALLS = 3

_PROMPT = (
    "Decide which capabilities a person needs to answer this question about videos. A question may need several.\n"
    + "".join(f"- {name}: {words}\n" for name, words in CAPABILITIES.items())
    + "{item}\nReply with the names of the capabilities, separated by commas, with no additional text or explanation."
)


@dataclass(frozen=True)
class Capabilities:
    """The pass that replaces the tag ``capability`` of questions.

    Unreadable replies are left out. A question without a readable reply keeps its tag.
    """

    name: str = "capability"
    version: int = 1
    looks: bool = False
    kind: CallKind = "label"
    calls: int = CALLS

    @property
    def decoding(self) -> Decoding:
        """Return the settings that the authors' code has for checks."""
        return OF_CHECKS

    def why_not(self, question: Question) -> str | None:
        """Explain why the pass does not concern a question, or return None."""
        return None

    def asks(self, question: Question, replies: Sequence[Replied], rules: Rules) -> list[Ask]:
        """Return three asks with the same prompt."""
        return [text_ask(question, self.name, attempt) for attempt in range(CALLS)]

    def parts(self, ask: Ask, question: Question, rules: Rules) -> list[Part]:
        """Make the prompt."""
        return [Text(filled(_PROMPT, item=printed(question)))]

    def decide(self, question: Question, replies: Sequence[Replied], rules: Rules) -> Found:
        """Unite the capabilities of all replies."""
        named = set[str]().union(*(_named(one.text) for one in replies))
        if not named:
            return Found("unchanged", "no reply named capabilities only")
        return Found("tagged", "", {CAPABILITY: [name for name in CAPABILITIES if name in named]})


def _named(reply: str) -> set[str]:
    """Read the capabilities in a reply; empty if it has other words."""
    names = {name.strip().casefold() for name in re.split(r"[,;\n]| and ", bare(reply)) if name.strip()}
    return names if names <= set(CAPABILITIES) else set()
