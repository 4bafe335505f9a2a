"""The writer of VGenST-Bench: makes the questions of the 98 cells from scene graphs."""

from typing import TYPE_CHECKING

from chronotope.lazy import public_names

if TYPE_CHECKING:
    from chronotope.families.vgenst.write.writer import questions_of, templates

__all__ = ["questions_of", "templates"]

__getattr__, __dir__ = public_names(__name__, {".writer": ("questions_of", "templates")})
