"""Views of questions: contact sheets, frames, boxes, and prompts and plans as text.

The names of this package are imported when they are used, because most of its modules need no decoder. Therefore no
module here may have the name of a function, such as ``contact_sheet``: it would hide the function.
"""

from typing import TYPE_CHECKING

from chronotope.lazy import public_names

if TYPE_CHECKING:
    from chronotope.view.entity_sheet import contact_sheet, write_contact_sheet
    from chronotope.view.frames import FramesChoice, parse_frames
    from chronotope.view.pictures_of_question import QuestionPicture, question_pictures, write_question_pictures

__all__ = [
    "FramesChoice",
    "QuestionPicture",
    "contact_sheet",
    "parse_frames",
    "question_pictures",
    "write_contact_sheet",
    "write_question_pictures",
]

__getattr__, __dir__ = public_names(
    __name__,
    {
        ".entity_sheet": ("contact_sheet", "write_contact_sheet"),
        ".frames": ("FramesChoice", "parse_frames"),
        ".pictures_of_question": ("QuestionPicture", "question_pictures", "write_question_pictures"),
    },
)
