"""Views of a question: contact sheets, frames, boxes, and the words of plans and prompts."""

from chronotope.view.contact_sheet import write_contact_sheet
from chronotope.view.frames import FramesChoice, parse_frames

__all__ = [
    "FramesChoice",
    "parse_frames",
    "write_contact_sheet",
]
