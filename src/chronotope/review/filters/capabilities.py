"""The pass that tags questions with the capabilities that they need.

The prompt comes from the code of the M3-Verse authors, who ask two models three times each; `capabilities.json` has the
prompt with its source. The prompt does not show the correct answer. The capabilities that a model names in any of its
replies are joined. If two models were asked, the first decides about the capability "temporal", and the second about
all other capabilities.
"""

import json
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from chronotope.ledger import CallKind
from chronotope.models import Decoding
from chronotope.protocol import Ask, Part, Text, option_letters
from chronotope.question import Question
from chronotope.review.filters.item import OF_CHECKS, Found, Replied, Rules, bare, filled, text_ask

CAPABILITY = "capability"  # the name of the tag
CAPABILITIES = ("temporal", "spatial", "attribute", "reasoning")
FIRST = "temporal"  # from the first of two models
CALLS = 3


@cache
def _published() -> dict[str, Any]:
    return json.loads(Path(__file__).with_suffix(".json").read_text(encoding="utf-8"))


@dataclass(frozen=True)
class Capabilities:
    """The pass that replaces the tag ``capability`` of questions.

    Unreadable replies are left out. A question without a readable reply keeps its tag.
    """

    name: str = "capability"
    version: int = 2
    looks: bool = False
    kind: CallKind = "label"
    calls: int = CALLS

    @property
    def decoding(self) -> Decoding:
        """Return the settings that the authors' code has for checks.

        For this pass, it leaves them to the services.
        """
        return OF_CHECKS

    def why_not(self, question: Question) -> str | None:
        """Explain why the pass does not concern a question, or return None."""
        return None

    def asks(self, question: Question, replies: Sequence[Replied], rules: Rules) -> list[Ask]:
        """Return three asks with the same prompt."""
        return [text_ask(question, self.name, attempt) for attempt in range(CALLS)]

    def parts(self, ask: Ask, question: Question, rules: Rules) -> list[Part]:
        """Make the prompt: options with letters, on one line, and no answer."""
        letters = option_letters(len(question.options))
        shown = (option.text or "(a picture)" for option in question.options)
        options = ", ".join(f"{letter}. {text}" for letter, text in zip(letters, shown, strict=True))
        told = _published()
        asked = filled(told["user"], question=question.stem, options=options)
        return [Text(told["system"], "system"), Text(asked)]

    def decide(self, question: Question, replies: Sequence[Replied], rules: Rules) -> Found:
        """Unite the capabilities of all replies."""
        named = set[str]().union(*(_named(reply.text) for reply in replies))
        if not named:
            return Found("unchanged", "no reply named capabilities only")
        return Found("tagged", "", {CAPABILITY: [name for name in CAPABILITIES if name in named]})


def _named(reply: str) -> set[str]:
    """Read the capabilities in a reply; empty if it has other words."""
    names = {name.strip().casefold() for name in _listed(reply)} - {""}
    short = {published: name for name, published in _published()["names"].items()}
    found = {short.get(name, name) for name in names}
    return found if found <= set(CAPABILITIES) else set()


def _listed(reply: str) -> Iterable[str]:
    """List the names in a reply.

    The names are in a JSON object as requested, or between commas.
    """
    try:
        told = json.loads(reply[reply.find("{") : reply.rfind("}") + 1])
        return [str(name) for name in told["capabilities"]]
    except (ValueError, KeyError, TypeError):
        return re.split(r"[,;\n]| and ", bare(reply))
