"""In which order a prompt's parts are sent: as its authors published them, or with what many prompts share first."""

from collections.abc import Sequence
from typing import Literal

from chronotope.protocol.parts import Image, Part, Video

__all__ = ["Layout", "arrange"]

Layout = Literal["published", "shared"]


def arrange(parts: Sequence[Part], layout: Layout) -> list[Part]:
    """The parts in the order of a layout.

    ``published`` keeps the authors' order to the letter. ``shared`` sends the system's part, then all pictures and
    videos, then all text: prompts about the same media then begin with the same bytes, so that a service (or our own
    cache) can reuse what it worked out for them. Pictures of options stay with their options.
    """
    if layout == "published":
        return list(parts)
    return sorted(parts, key=_rank)


def _rank(part: Part) -> int:
    if part.role == "system":
        return 0
    return 1 if isinstance(part, Image | Video) else 2
