"""Views of questions: contact sheets, frames, boxes, and prompts and plans as text."""

from chronotope.view.contact_sheet import contact_sheet, write_contact_sheet
from chronotope.view.frames import FramesChoice, parse_frames
from chronotope.view.question_pictures import QuestionPicture, question_pictures, write_question_pictures

__all__ = [
    "FramesChoice",
    "QuestionPicture",
    "contact_sheet",
    "parse_frames",
    "question_pictures",
    "write_contact_sheet",
    "write_question_pictures",
]
