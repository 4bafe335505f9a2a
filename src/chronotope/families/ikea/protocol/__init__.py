"""The published protocol of IKEA-Bench: prompts with pictures and text, three strategies, and one letter as reply."""

from chronotope.families.ikea.protocol.contexts import INSTRUCTIONS, context
from chronotope.families.ikea.protocol.frames import plan_segment
from chronotope.families.ikea.protocol.prompt import description_text
from chronotope.families.ikea.protocol.protocol import IKEAProtocol, RunSettings
from chronotope.families.ikea.protocol.published_reader import read_as_published

__all__ = [
    "INSTRUCTIONS",
    "IKEAProtocol",
    "RunSettings",
    "context",
    "description_text",
    "plan_segment",
    "read_as_published",
]
