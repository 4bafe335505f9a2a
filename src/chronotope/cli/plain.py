r"""A terminal that shows texts as they are: no markup, no emoji codes, no commands.

Names, paths, questions, and above all what models and services reply may hold anything. Control characters (C0 but
line ends and tabs, DEL, C1), of which escape sequences are made, overrides of the direction of writing, and halves of
surrogate pairs, which cannot be printed at all, are written out: ``\x1b``.
"""

import re
from collections.abc import Iterable
from typing import Any

from rich.console import Console, ConsoleOptions, RenderableType
from rich.segment import Segment
from rich.text import Text

__all__ = ["PlainConsole", "visible", "visible_json"]

_HIDDEN = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff]")


def visible(text: str) -> str:
    """Write out every character that a terminal would obey or cannot show."""
    return _HIDDEN.sub(lambda found: found[0].encode("unicode_escape").decode(), text)


def visible_json(text: str) -> str:
    """Write out the same characters in JSON, by its own escapes.

    It still says the same.
    """
    return _HIDDEN.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


class PlainConsole(Console):
    """A console that prints every text as it is, or visibly written out.

    Styles are given apart from texts.
    """

    def __init__(self, *, stderr: bool = False) -> None:
        super().__init__(stderr=stderr, soft_wrap=True, markup=False, emoji=False, highlight=False)

    def render_str(self, text: str, **how: Any) -> Text:
        """Turn a text into what is printed, without markup."""
        return super().render_str(visible(text), **how)

    def render(self, renderable: RenderableType, options: ConsoleOptions | None = None) -> Iterable[Segment]:
        """Render texts that come in another way than by `render_str`."""
        for segment in super().render(renderable, options):
            yield segment if segment.control else Segment(visible(segment.text), segment.style)
