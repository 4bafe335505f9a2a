"""Views of questions: contact sheets, frames, boxes, and prompts and plans as text."""

from chronotope.view.contact_sheet import write_contact_sheet
from chronotope.view.frames import FramesChoice, parse_frames

__all__ = [
    "FramesChoice",
    "parse_frames",
    "write_contact_sheet",
]
